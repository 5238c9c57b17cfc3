"""What Kaitai Struct generated from `conform document --format kaitai`, behind the protocol: its objects are translated, and nothing more."""
import importlib.util
import json
import math
import pathlib
import sys
from importlib.metadata import version

from kaitaistruct import BytesIO, KaitaiStream, KaitaiStruct

# 1,025 values deep, with four calls of generated code for each, and as many of json and of this file.
sys.setrecursionlimit(20000)


def definitions():
    """The class of each dialect that was generated."""
    for path in sorted((pathlib.Path(__file__).parent / "generated").glob("*.py")):
        spec = importlib.util.spec_from_file_location("dialect", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        yield path.stem, next(value for value in vars(module).values()
                              if isinstance(value, type) and issubclass(value, KaitaiStruct) and value is not KaitaiStruct)


DIALECTS = dict(definitions())
HELLO = {
    "protocol": 1, "name": "kaitai-python", "version": version("kaitaistruct"), "language": "python",
    "dialects": list(DIALECTS), "ops": ["decode"], "lossy": ["nan-payload"], "options": ["objects"], "framing": ["u32le"],
}

# The names that the definition gives to the numbers of a value, in the order of meaning.
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


def answer(request):
    definition, packet = DIALECTS.get(request.get("dialect")), request.get("bytes")
    if request.get("op") != "decode" or definition is None or not isinstance(packet, str):
        return {"unsupported": "not supported"}
    try:
        if (request.get("options") or {}).get("framing"):
            stream = KaitaiStream(BytesIO(bytes.fromhex(packet)))
            value, used = definition.Frame(stream).packet, stream.pos()
        else:
            read = definition.from_bytes(bytes.fromhex(packet))
            value, used = read.value, read._io.pos()
    except RecursionError as error:  # no word of the definition
        return {"unsupported": repr(error)}
    except Exception as error:
        return {"refused": repr(error)[:200]}
    try:
        return {"value": Shown(definition.TypeId).value(value), "used": used}
    except Exception as error:  # nothing that the generated code said
        return {"unsupported": repr(error)[:200]}


# ---- what the generated code gave ----

class Shown:
    def __init__(self, names):
        self.names = {int(member): member.name for member in names}

    def value(self, variant):
        layout = self.names[int(variant.type)]
        body = getattr(variant, "body", None)
        return {layout: None if body is None else self.body(layout, body, variant.flag_1)}

    def body(self, layout, body, flag_1):
        if layout in FIELDS:
            return numbers(body, FIELDS[layout])
        if layout in ELEMENTS:
            return [numbers(item, ELEMENTS[layout]) for item in body.items]
        if layout == "int":
            return str(body.value_64 if flag_1 else body.value_32)
        show = {
            "bool": lambda: body.value, "float": lambda: number(body.value), "string": lambda: text(body.value),
            "string_name": lambda: text(body.value), "byte_array": lambda: body.data.hex(),
            "string_array": lambda: [text(item) for item in body.items], "array": lambda: self.array(body),
            "dictionary": lambda: self.dictionary(body), "node_path": lambda: node_path(body), "rid": lambda: str(body.id),
            "signal": lambda: {"name": text(body.name), "object": str(body.object)},
            "object": lambda: self.object(body, flag_1), "typed_array": lambda: self.typed(body),
            "packed_typed_array": lambda: self.typed(body), "image": lambda: image(body),
            "input_event": lambda: input_event(body),
        }
        return show[layout]() if layout in show else [number(item) for item in body.items]

    def array(self, body):
        items = [self.value(item) for item in body.items]
        return with_attributes("items", items, body, of=self.element_type(body, "element_type"))

    def dictionary(self, body):
        entries = [[self.value(pair.key), self.value(pair.value)] for pair in body.pairs]
        return with_attributes("entries", entries, body, key=self.element_type(body, "key_type"),
                               value=self.element_type(body, "value_type"))

    def element_type(self, body, field):
        given = getattr(body, field, None)
        if given is None:
            return None
        if hasattr(given, "class_name"):
            return {"class": text(given.class_name)} if text(given.class_name) else "object"  # any class
        if hasattr(given, "script"):
            return {"script": text(given.script)}
        return self.names[int(given.type)] if int(given.type) else None  # null is no type

    def object(self, body, by_id):
        form = body.form
        if by_id:
            return {"id": str(form.id)} if form.id else None
        if not text(form.class_):
            return None
        return {"class": text(form.class_),
                "properties": [[text(each.name), self.value(each.value)] for each in form.whole.properties]}

    def typed(self, body):
        of = {"class": text(body.of_class.body.value)} if hasattr(body, "of_class") else \
            self.names.get(body.of_id, body.of_id)
        return {"of": of, "items": [self.value(item) for item in body.items]}


def with_attributes(name, elements, body, **attributes):
    """With attributes, as far as there are any, a container is written as an object."""
    there = {key: given for key, given in {**attributes, "shared": getattr(body, "is_shared", None)}.items() if given}
    return {name: elements, **there} if there else elements


def numbers(body, fields):
    return [number(getattr(body, field)) for field in fields.split()]


def number(given):
    """A number of JSON, or a text where JSON has none or would round it."""
    exact = math.isfinite(given) if isinstance(given, float) else abs(given) <= 2**53
    return given if exact else str(given)


def text(given):
    return given.content.text


def node_path(body):
    if not body.is_new:
        return {"names": [body.old_form.text]}  # the generated code gives it as one text
    path = {"absolute": body.is_absolute, "names": [text(name) for name in body.names],
            "subnames": [text(name) for name in body.subnames]}
    return {**path, "property": text(body.property)} if hasattr(body, "property") else path


def image(body):
    return {"format": body.format, "mipmaps": body.mipmaps, "width": body.width, "height": body.height, "data": body.data.hex()}


def input_event(body):
    fields = vars(body.event) if getattr(body, "event", None) else {}
    return {"type": body.type, "device": body.device,
            **{name: number(given) for name, given in fields.items() if not name.startswith("_")}}


for line in sys.stdin:
    try:
        request = json.loads(line)
    except ValueError:
        continue
    if isinstance(request, dict):
        reply = HELLO if request.get("op") == "hello" else {"seq": request.get("seq"), **answer(request)}
        print(json.dumps(reply), flush=True)
