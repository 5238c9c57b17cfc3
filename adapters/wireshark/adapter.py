"""What `conform document --format wireshark` makes of Wireshark, behind the protocol: packets go to tshark as a capture, and its PDML is translated.

One tshark reads a capture that never ends, from a pipe. Each dialect is an interface with a link type of its own.
"""
import html
import json
import os
import pathlib
import queue
import re
import struct
import subprocess
import sys
import threading

HERE = pathlib.Path(__file__).parent
SCRIPTS = {path.stem: path for path in sorted((HERE / "generated").glob("*.lua"))}
PROTOCOLS = {dialect: "".join(c if c.isalnum() else "_" for c in dialect) for dialect in SCRIPTS}
INTERFACES = {dialect: number for number, dialect in enumerate(SCRIPTS)}
# The link types that Wireshark leaves to its users are 147 to 162.
USER = 147
# Wireshark takes no packet that is longer.
LONGEST = 262144
# Nobody reads a packet of which tshark writes more than this: it takes about 750 bytes for an int in an array.
MOST = 1 << 24
# Wireshark waits until so much has arrived, or the capture ends.
BUFFER = 8192

VERSION = subprocess.run(["tshark", "--version"], capture_output=True, text=True, check=True).stdout.split()[2]
HELLO = {
    "protocol": 1, "name": "wireshark", "version": VERSION, "language": "lua", "dialects": list(SCRIPTS), "ops": ["decode"],
    "lossy": ["nan-payload"], "options": ["objects"],
}

# The fields of a value, in the order of meaning.
AXES = "x_x x_y x_z y_x y_y y_z z_x z_y z_z"
FIELDS = {
    "vector2": "x y", "vector2i": "x y", "vector3": "x y z", "vector3i": "x y z", "vector4": "x y z w", "vector4i": "x y z w",
    "rect2": "position_x position_y size_x size_y", "rect2i": "position_x position_y size_x size_y",
    "plane": "normal_x normal_y normal_z d", "quaternion": "x y z w", "color": "r g b a",
    "aabb": "position_x position_y position_z size_x size_y size_z",
    "transform2d": "x_x x_y y_x y_y origin_x origin_y", "basis": AXES, "transform": AXES + " origin_x origin_y origin_z",
    "projection": "x_x x_y x_z x_w y_x y_y y_z y_w z_x z_y z_z z_w w_x w_y w_z w_w",
}
ELEMENTS = {layout + "_array": FIELDS[layout] for layout in
            ("vector2", "vector2i", "vector3", "vector3i", "vector4", "vector4i", "color")}


# ---- tshark ----

def tshark():
    command = ["tshark", "-l", "-r", "-", "-T", "pdml", "-J", " ".join(PROTOCOLS.values())]
    for dialect, script in SCRIPTS.items():
        number = INTERFACES[dialect]
        dlt = '"User %d (DLT=%d)","%s","0","","0",""' % (number, USER + number, PROTOCOLS[dialect])
        command += ["-X", "lua_script:%s" % script, "-o", "uat:user_dlts:" + dlt]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    process.stdin.write(block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)))
    for number in INTERFACES.values():
        process.stdin.write(block(1, struct.pack("<HHI", USER + number, 0, 0)))
    return process


def block(kind, body):
    """A block of a pcapng file."""
    body += bytes(-len(body) % 4)
    return struct.pack("<II", kind, len(body) + 12) + body + struct.pack("<I", len(body) + 12)


def capture(dialect, packet):
    return block(6, struct.pack("<IIIII", INTERFACES[dialect], 0, 0, len(packet), len(packet)) + packet)


# A block that nobody knows is passed over: after it, all that was written before is read.
FILLER = block(0x80000001, bytes(BUFFER))


# Where a packet ends: in texts, tshark writes `<` as an entity.
END = b"</packet>"


def packets(output):
    """The PDML of one packet after the other; None in place of one that is too long."""
    text = bytearray()
    long = False
    while chunk := os.read(output.fileno(), 1 << 20):
        looked = max(0, len(text) - len(END))
        text += chunk
        while (end := text.find(END, looked)) >= 0:
            packet = text[:end + len(END)].decode("utf-8", "replace")
            del text[:end + len(END)]
            yield None if long or end > MOST else packet
            looked, long = 0, False
        if len(text) > MOST:
            long = True
            del text[:-len(END)]


# ---- its trees ----

class Node:
    """A field: what tshark shows of it, how long it is, its bytes in hex, and the fields below it."""

    def __init__(self, name, shown="", size=0, raw=""):
        self.name, self.shown, self.size, self.raw, self.below = name, shown, size, raw, []

    def one(self, name):
        return next((node for node in self.below if node.name == name), None)

    def all(self, name):
        return [node for node in self.below if node.name == name]


# The end of a field, or a field: its name, its size, what is shown, its bytes, and a slash if nothing is below it. A parser of XML
# would lose texts: tshark writes tabs, line ends and U+FFFE as they are, which XML reads as spaces or refuses. In all texts it writes
# `<`, `>` and quotes as entities.
FIELD = re.compile(r'''</(?:proto|field)>|<(?:proto|field) name="([^"]*)"(?:[^>]*? size="([0-9]+)")?'''
                   r'''(?:[^>]*? show="([^"]*)")?(?:[^>]*? value="([^"]*)")?[^>]*?(/?)>''')


def fields(packet, protocol):
    """The fields of a protocol in a packet. Their names are without the protocol's."""
    above = [Node("packet")]
    for name, size, shown, raw, slash in FIELD.findall(packet):
        if not name:
            above.pop()
            continue
        above[-1].below.append(Node(name.removeprefix(protocol + "."), html.unescape(shown), int(size or 0), raw))
        if not slash:
            above.append(above[-1].below[-1])
    return [node for top in above[0].all(protocol) for node in top.below]


def every(found):
    """All fields, from the first to the last."""
    left = found[::-1]
    while left:
        yield (node := left.pop())
        left += node.below[::-1]


# What Wireshark says if it ends a dissection, for example of a tree that is too deep.
BUG = re.compile(r'showname="\[(Dissector bug[^"]*)"')


def answer(packet, protocol):
    try:
        if ended := BUG.search(packet):
            return {"unsupported": html.unescape(ended[1])[:200]}
        top = fields(packet, protocol)
        if not top:
            return {"refused": "tshark shows no such packet"}
        for node in every(top):
            if node.name == "_ws.expert.message":
                return {"refused": node.shown}
        value = next(node for node in top if node.name == "value")
        return {"value": shown(value), "used": value.size}
    except Exception as error:  # nothing that tshark said
        return {"unsupported": repr(error)[:200]}


def shown(node):
    layout = node.one("header").one("type_name").shown
    return {layout: body(layout, node)}


def body(layout, node):
    if layout in FIELDS:
        return numbers(node, layout, FIELDS[layout])
    if layout in ELEMENTS:
        return [numbers(item, layout, ELEMENTS[layout]) for item in node.all("item")]
    show = {
        "null": lambda: None, "callable": lambda: None, "bool": lambda: node.one("bool.value").shown == "1",
        "int": lambda: node.one("int.value").shown, "float": lambda: number(node.one("float.value")),
        "string": lambda: text(node), "string_name": lambda: text(node),
        "byte_array": lambda: hexadecimal(node), "string_array": lambda: [text(item) for item in node.all("item")],
        "array": lambda: array(node), "dictionary": lambda: dictionary(node), "node_path": lambda: node_path(node),
        "rid": lambda: node.one("rid.id").shown if node.one("rid.id") else None, "object": lambda: an_object(node),
        "signal": lambda: {"name": text(node.one("signal.name")), "object": node.one("signal.object").shown},
        "typed_array": lambda: typed(node), "packed_typed_array": lambda: typed(node),
        "image": lambda: image(node, layout), "input_event": lambda: words(node, layout, "size"),
    }
    return show[layout]() if layout in show else [number(each) for each in node.all(layout + ".value")]


def array(node):
    return with_attributes("items", [shown(item) for item in node.all("value")], node, ["of"])


def dictionary(node):
    values = [shown(each) for each in node.below if each.name in ("key", "value")]
    return with_attributes("entries", [list(pair) for pair in zip(values[::2], values[1::2])], node, ["key", "value"])


def with_attributes(name, elements, node, parts):
    """With attributes, as far as there are any, a container is written as an object."""
    kinds = flags = int(node.one("header").one("flags").shown, 16) >> 16
    given, there = iter(node.all("element")), {}
    for part in parts:
        if kinds & 3 and node.one("element"):
            there[part] = element_type(next(given))
        kinds >>= 2
    if node.one("shared") and node.one("shared").shown == "1":
        there["shared"] = True
    there = {part: value for part, value in there.items() if value}
    return {name: elements, **there} if there else elements


def element_type(node):
    if node.one("class"):
        return {"class": text(node.one("class"))} if text(node.one("class")) else "object"  # any class
    if node.one("script"):
        return {"script": text(node.one("script"))}
    return layout_of(node)


def layout_of(node):
    """A type by its id; null is no type."""
    return int(node.one("element_type").shown) or None


def an_object(node):
    if node.one("object.id"):
        return {"id": node.one("object.id").shown} if node.one("object.id").shown != "0" else None
    if not node.one("object.class") or not text(node.one("object.class")):
        return None
    properties = [[text(each.one("object.properties.name")), shown(each.one("value"))] for each in node.all("object.properties")]
    return {"class": text(node.one("object.class")), "properties": properties}


def typed(node):
    named = node.one("class")
    of = {"class": text(named)} if named else int(node.one("element_type").shown) % 2**31
    return {"of": of, "items": [shown(item) for item in node.all("value")]}


def node_path(node):
    if not node.one("name_count"):
        return {"names": [text(node)]}  # the dissector gives it as one text
    path = {"absolute": int(node.one("path_flags").shown, 16) & 1 == 1, "names": [text(name) for name in node.all("name")],
            "subnames": [text(name) for name in node.all("subname")]}
    return {**path, "property": text(node.one("property"))} if node.one("property") else path


def words(node, layout, but):
    found = [each for each in node.below if each.name.startswith(layout + ".") and each.name != f"{layout}.{but}"]
    return {each.name.split(".")[1]: number(each) for each in found}


def image(node, layout):
    data = node.one("image.data")
    return {**words(node, layout, "data"), "data": data.raw if data else ""}


def hexadecimal(node):
    return node.one("bytes").raw if node.one("bytes") else ""


# How tshark writes control characters.
CONTROLS = {code: "\\x%x" % code for code in [*range(1, 9), 11, 12, *range(14, 32), 127]}


def text(node):
    """What is shown. A backslash in it may also stand for a control character, so it is the text of its bytes if that is shown like this."""
    node = node.one("text")
    if not node or "\\x" not in node.shown:
        return node.shown if node else ""
    exact = bytes.fromhex(node.raw).decode("utf-8", "replace").split("\0")[0]
    return next((each for each in (exact, exact.removeprefix("\ufeff")) if each.translate(CONTROLS) == node.shown), node.shown)


def numbers(node, layout, fields):
    return [number(node.one(layout + "." + field)) for field in fields.split()]


# By the size of a float: the form of its bytes, and how many digits are shown.
FORMS = {4: ("<f", 6), 8: ("<d", 15)}


def number(node):
    """What is shown. Of a float that is some digits alone, so it is the float of its bytes if that is shown like this.

    No int is shown like the float of its bytes, except 0.
    """
    if node.shown == "0":
        return 0
    form, digits = FORMS[node.size]
    exact, = struct.unpack(form, bytes.fromhex(node.raw))
    if "%.*g" % (digits, exact) != node.shown.lstrip("-" if exact != exact else ""):
        return node.shown
    return exact if abs(exact) < float("inf") else str(exact)


# ---- the loop ----

def main():
    process, waiting = tshark(), queue.Queue()
    thread = threading.Thread(target=reply_all, args=(process, waiting))
    thread.start()
    for line in sys.stdin:
        try:
            request = json.loads(line)
        except ValueError:
            continue
        if isinstance(request, dict):
            ask(request, process, waiting)
    process.stdin.close()
    thread.join()


def ask(request, process, waiting):
    dialect, packet = request.get("dialect"), request.get("bytes")
    seq = {"seq": request.get("seq")}
    if request.get("op") == "hello":
        return say(HELLO)
    if request.get("op") != "decode" or dialect not in SCRIPTS or not isinstance(packet, str):
        return say({**seq, "unsupported": "not supported"})
    try:
        packet = bytes.fromhex(packet)
    except ValueError as error:
        return say({**seq, "unsupported": repr(error)})
    if len(packet) > LONGEST:
        return say({**seq, "unsupported": "Wireshark takes no packet beyond %d bytes" % LONGEST})
    waiting.put((seq, PROTOCOLS[dialect]))
    process.stdin.write(capture(dialect, packet) + FILLER)
    process.stdin.flush()


def reply_all(process, waiting):
    for packet in packets(process.stdout):
        seq, protocol = waiting.get()
        reply = {"unsupported": "tshark writes more than 16 MiB about this packet"}
        say({**seq, **(reply if packet is None else answer(packet, protocol))})


LOCK = threading.Lock()


def say(reply):
    with LOCK:
        print(json.dumps(reply), flush=True)


# A tree has 500 levels at most.
sys.setrecursionlimit(10000)
main()
