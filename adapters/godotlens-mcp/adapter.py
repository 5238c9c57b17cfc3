"""godotlens-mcp behind the protocol: `encode` and `decode` of its runtime.variant, and the values that it holds in between."""
import json
import struct
import sys
from importlib.metadata import version

from godotlens_mcp.runtime import variant
from godotlens_mcp.runtime.variant import (
    CallableRef, ContainerType, GodotArray, GodotDict, NodePath, ObjectId, Packed, Rid, SignalRef, StringName, Value)

# Godot's names, in the order of the ids, and ours.
LAYOUTS = (
    "null bool int float string vector2 vector2i rect2 rect2i vector3 vector3i transform2d vector4 vector4i plane quaternion "
    "aabb basis transform projection color string_name node_path rid object callable signal dictionary array byte_array "
    "int32_array int64_array float32_array float64_array string_array vector2_array vector3_array color_array vector4_array"
).split()
LAYOUT = dict(zip(variant.TYPE_NAMES, LAYOUTS))
GODOT = dict(zip(LAYOUTS, variant.TYPE_NAMES))
# The library keeps rows, as Godot's text does; the protocol has columns.
ROWS = {"basis": (0, 3, 6, 1, 4, 7, 2, 5, 8), "transform": (0, 3, 6, 1, 4, 7, 2, 5, 8, 9, 10, 11)}

HELLO = {
    "protocol": 1, "name": "godotlens-mcp", "version": version("godotlens-mcp"), "language": "python",
    # It has typed dictionaries, and encodes as debuggers do: an object is an id.
    "dialects": ["godot-4.4"], "engine": "4.6",
    "ops": ["decode", "encode", "reencode"],
    "lossy": ["nan-payload", "equal-keys"], "limits": ["path-names"],
    "ints": "strings", "reals": "bits",
}


def answer(request):
    if request.get("op") not in HELLO["ops"] or request.get("dialect") not in HELLO["dialects"]:
        return {"unsupported": "neither claimed nor known"}
    try:
        return translated(request)
    except Exception as error:  # nothing that the library said
        return {"unsupported": repr(error)[:200]}


def translated(request):
    op = request["op"]
    given = built(request["value"]) if op == "encode" else bytes.fromhex(request["bytes"])
    try:
        if op == "encode":
            return {"bytes": variant.encode(given).hex()}
        value, used = variant.decode(given)
        if op == "reencode":
            return {"bytes": variant.encode(value).hex()}
    except Exception as error:
        return {"refused": repr(error)[:200]}
    return {"value": shown(value), "used": used}


# ---- what decode gave ----

def shown(value):
    if value is None:
        return {"null": None}
    if isinstance(value, bool):
        return {"bool": value}
    if isinstance(value, int):
        return {"int": str(value)}
    if isinstance(value, float):
        return {"float": bits(">d", value)}
    if isinstance(value, StringName):
        return {"string_name": str(value)}
    if isinstance(value, NodePath):
        return {"node_path": path_shown(value)}
    if isinstance(value, str):
        return {"string": value}
    if isinstance(value, bytes):
        return {"byte_array": value.hex()}
    if isinstance(value, Value):
        return fields_shown(value)
    if isinstance(value, Packed):
        return packed_shown(value)
    if isinstance(value, ObjectId):
        return {"object": {"id": str(value.id)} if value.id else None}
    if isinstance(value, Rid):
        return {"rid": str(value.id)}
    if isinstance(value, SignalRef):
        return {"signal": {"name": value.name, "object": str(value.object_id)}}
    if isinstance(value, CallableRef):
        return {"callable": None}
    if isinstance(value, dict):
        return dictionary_shown(value)
    if isinstance(value, (list, tuple)):  # a tuple is an array that is a key
        items, element = [shown(item) for item in value], getattr(value, "element", None)
        return {"array": {"of": type_shown(element), "items": items} if element else items}
    raise TypeError("a %s" % type(value).__name__)


def dictionary_shown(value):
    entries = [[shown(key), shown(item)] for key, item in value.items()]
    types = {"key": getattr(value, "key_type", None), "value": getattr(value, "value_type", None)}
    types = {name: type_shown(of) for name, of in types.items() if of}
    return {"dictionary": {**types, "entries": entries} if types else entries}


def type_shown(of):
    return LAYOUTS[of.builtin] if of.kind == 1 else {"class" if of.kind == 2 else "script": of.name}


def fields_shown(value):
    layout = LAYOUT[value.type]
    numbers = [number if layout.endswith("i") else real(number) for number in value.components]
    return {layout: [numbers[at] for at in ROWS[layout]] if layout in ROWS else numbers}


def packed_shown(value):
    layout = LAYOUT[value.type]
    if layout == "int64_array":
        return {layout: [str(item) for item in value.items]}
    if layout == "float64_array":
        return {layout: [bits(">d", item) for item in value.items]}
    if layout == "float32_array":
        return {layout: [real(item) for item in value.items]}
    if layout in ("int32_array", "string_array"):
        return {layout: list(value.items)}
    return {layout: [[real(number) for number in item.components] for item in value.items]}


def path_shown(path):
    """The parts of its text, cut as Godot cuts a text."""
    main, *subnames = str(path).split(":")
    names = [name for name in main.split("/") if name]
    return {"absolute": main.startswith("/"), "names": names, "subnames": subnames}


def real(number):
    """A component: a number of JSON, or bits where JSON has none."""
    return number if abs(number) < float("inf") else bits(">f", number)


def bits(form, number):
    return "0x" + struct.pack(form, number).hex()


# ---- what a caller would hand to encode ----

def built(json_value):
    (layout, body), = json_value.items()
    if layout == "int":
        return int(body)
    if layout == "float":
        return float_of(body)
    if layout in ("string", "string_name"):
        return (StringName if layout == "string_name" else str)(text(body))
    if layout == "byte_array":
        return bytes.fromhex(body)
    if layout == "array":
        of, items = (body["of"], body["items"]) if isinstance(body, dict) else (None, body)
        return GodotArray([built(item) for item in items], element=type_of(of))
    if layout == "dictionary":
        body = body if isinstance(body, dict) else {"entries": body}
        entries = [(variant._hashable(built(key)), built(item)) for key, item in body["entries"]]
        return GodotDict(entries, key=type_of(body.get("key")), value=type_of(body.get("value")))
    if layout == "node_path":
        return NodePath(path_text(body))
    if layout == "object":
        if body and "class" in body:
            raise TypeError("there are no whole objects")
        return ObjectId(int(body["id"]) if body else 0)
    if layout == "rid":
        return Rid(int(body))
    if layout == "signal":
        return SignalRef(text(body["name"]), int(body["object"]))
    if layout == "callable":
        return CallableRef()
    if layout in ("null", "bool"):
        return body
    if layout.endswith("_array"):
        return Packed(GODOT[layout], tuple(packed_item(layout, item) for item in body))
    return fields(layout, body)


def fields(layout, body):
    numbers = [int(item) if layout.endswith("i") else float_of(item) for item in body]
    if layout in ROWS:
        numbers = [numbers[ROWS[layout].index(at)] for at in range(len(numbers))]
    return Value(GODOT[layout], tuple(numbers))


def packed_item(layout, item):
    if layout == "string_array":
        return text(item)
    if layout in ("int32_array", "int64_array"):
        return int(item)
    return fields(layout.removesuffix("_array"), item) if isinstance(item, list) else float_of(item)


def type_of(name):
    if name is None:
        return None
    if isinstance(name, str):
        return ContainerType(1, builtin=LAYOUTS.index(name))
    return ContainerType(2 if "class" in name else 3, name=next(iter(name.values())))


def path_text(body):
    text_of_names = "/".join(text(name) for name in body.get("names", []))
    subnames = "".join(":" + text(name) for name in body.get("subnames", []))
    return ("/" if body.get("absolute") else "") + text_of_names + subnames


def text(body):
    return bytes.fromhex(body["utf8"]).decode("utf-8", "surrogatepass") if isinstance(body, dict) else body


def float_of(body):
    if isinstance(body, str) and body.startswith("0x"):
        raw = bytes.fromhex(body[2:])
        return struct.unpack(">f" if len(raw) == 4 else ">d", raw)[0]
    return float(body)


for line in sys.stdin.buffer:
    try:
        request = json.loads(line)
    except ValueError:
        continue
    if not isinstance(request, dict):
        continue
    reply = HELLO if request.get("op") == "hello" else {"seq": request.get("seq"), **answer(request)}
    print(json.dumps(reply), flush=True)
