"""The corpus in your own test runner: conform export --out corpus.json; python3 corpus.py corpus.json"""
import json, struct, sys

FIELDS = {"vector2": 2, "rect2": 4, "vector3": 3, "plane": 4, "quaternion": 4, "aabb": 6, "color": 4}
corpus = json.load(open(sys.argv[1], encoding="utf-8"))
LAYOUTS = {id: layout for dialect in corpus["dialects"] if dialect["name"] == "godot-3" for layout, id in dialect["ids"].items()}


def decode(packet):  # the code under test: the layout, and its reals as four bytes each
    layout = LAYOUTS[struct.unpack_from("<I", packet)[0] & 0xFF]
    return layout, [real for (real,) in struct.iter_unpack("4s", struct.unpack_from(f"{4 * FIELDS[layout]}s", packet, 4)[0])]


def same(real, expected):  # a number, "nan" (any), "inf", "-inf", or bits
    if expected == "nan":
        return struct.unpack("<f", real)[0] != struct.unpack("<f", real)[0]
    return real == (struct.pack("<I", int(expected, 16)) if str(expected).startswith("0x") else struct.pack("<f", float(expected)))


mine = [case for case in corpus["cases"] if case["dialect"] == "godot-3" and case["layout"] in FIELDS and "decode" in case["asks"]]
cases = [case for case in mine if case["layout"] in case.get("value", FIELDS)]  # not within another type
for case in cases:
    try:
        layout, reals = decode(bytes.fromhex(case["bytes"]))
        right = case["class"] != "invalid" and all(map(same, reals, case["value"][layout]))
    except (struct.error, KeyError):
        right = case["class"] == "invalid"
    assert right, f"{case['id']}: {case['bytes']}"
print(f"{len(cases)} cases passed")
