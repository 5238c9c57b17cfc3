"""playgodot behind the protocol: `encode_variant` and `decode_variant`, and what a caller of theirs holds in between."""
import json
import struct
import sys
from importlib.metadata import version

from playgodot.variant import decode_variant, encode_variant

ENCODES = ["null", "bool", "int", "float", "string", "array", "dictionary", "byte_array"]
HELLO = {
    "protocol": 1, "name": "playgodot", "version": version("playgodot"), "language": "python",
    # It cites the sources of Godot 4, and has PackedVector4Array.
    "dialects": ["godot-4.3", "godot-4.4"],
    "ops": ["decode", "encode", "reencode"],
    "types": {"encode": ENCODES, "decode": ENCODES + [
        "vector2", "vector2i", "vector3", "vector3i", "color", "string_name", "node_path", "rid", "object",
        "int32_array", "int64_array", "float32_array", "float64_array", "string_array"]},
    "lossy": ["nan-payload", "packed-as-list", "container-types", "equal-keys"],
    "ints": "strings", "reals": "bits",
}
FIELDS = {
    "Vector2": ("vector2", "xy"), "Vector3": ("vector3", "xyz"), "Color": ("color", "rgba"),
    "Vector2i": ("vector2i", "xy"), "Vector3i": ("vector3i", "xyz"),
}


def answer(request):
    try:
        return translated(request)
    except Exception as error:  # nothing that the library said
        return {"unsupported": repr(error)[:200]}


def translated(request):
    op = request["op"]
    given = built(request["value"]) if op == "encode" else bytes.fromhex(request["bytes"])
    try:
        if op == "encode":
            return {"bytes": encode_variant(given).hex()}
        value, used = decode_variant(given)
        if op == "reencode":
            return {"bytes": encode_variant(value).hex()}
    except Exception as error:
        return {"refused": repr(error)[:200]}
    return {"value": shown(value), "used": used}


# ---- what decode_variant gave ----

def shown(value):
    if value is None:
        return {"null": None}
    if isinstance(value, bool):
        return {"bool": value}
    if isinstance(value, int):
        return {"int": str(value)}
    if isinstance(value, float):
        return {"float": bits(">d", value)}
    if isinstance(value, str):
        return {"string": value}
    if isinstance(value, bytes):
        return {"byte_array": value.hex()}
    if isinstance(value, list):
        return {"array": [shown(element) for element in value]}
    # What it gives for these is a dictionary too, which a key marks.
    kind = value.get("_type")
    if kind == "RID" and set(value) == {"_type", "id"}:
        return {"rid": str(value["id"])}
    if kind in FIELDS and set(value) == {"_type", *FIELDS[kind][1]}:
        layout, names = FIELDS[kind]
        numbers = [value[name] for name in names]
        return {layout: numbers if layout.endswith("i") else [real(number) for number in numbers]}
    return {"dictionary": [[shown(key), shown(element)] for key, element in value.items()]}


def real(number):
    """A component: a number of JSON, or bits where JSON has none."""
    return number if abs(number) < float("inf") else bits(">f", number)


def bits(form, number):
    return "0x" + struct.pack(form, number).hex()


# ---- what a caller would hand to encode_variant ----

def built(json_value):
    (layout, body), = json_value.items()
    if layout == "int":
        return int(body)
    if layout == "float":
        return struct.unpack(">d", bytes.fromhex(body[2:]))[0]
    if layout == "string" and isinstance(body, dict):
        return bytes.fromhex(body["utf8"]).decode("utf-8", "surrogatepass")
    if layout == "byte_array":
        return bytes.fromhex(body)
    if layout in ("array", "dictionary") and isinstance(body, dict):
        raise TypeError("there are no typed containers")
    if layout == "array":
        return [built(element) for element in body]
    if layout == "dictionary":
        return {built(key): built(value) for key, value in body}
    if layout in ("null", "bool", "string"):
        return body
    raise TypeError("there is nothing to make a %s with" % layout)


for line in sys.stdin:
    request = json.loads(line)
    reply = HELLO if request["op"] == "hello" else {"seq": request["seq"], **answer(request)}
    print(json.dumps(reply), flush=True)
