"""The adapter in plain Python, with another table than it says, and bugs: renumbered.py TABLE [BUG,BUG…] [claims]

`claims`: its handshake lists the types that it reads. Without, it claims all."""
import importlib.util
import pathlib
import sys
from dataclasses import replace

PATH = pathlib.Path(__file__).resolve().parents[4] / "adapters/python/adapter.py"
spec = importlib.util.spec_from_file_location("adapter", PATH)
adapter = importlib.util.module_from_spec(spec)
sys.modules["adapter"] = adapter
spec.loader.exec_module(adapter)

TABLE = sys.argv[1]
BUGS = sys.argv[2].split(",") if len(sys.argv) > 2 else []
godot_3 = adapter.DIALECTS["godot-3"]

# `-` is a type that this adapter does not know.
GODOT_4 = tuple("""
    null bool int float string vector2 vector2i rect2 rect2i vector3 vector3i transform2d vector4 vector4i plane
    quaternion aabb basis transform projection color string_name node_path - object - - dictionary array
    byte_array int32_array - float32_array - string_array vector2_array vector3_array color_array
    """.split())


def swapped():
    layouts = list(godot_3.layouts)
    layouts[9], layouts[10] = layouts[10], layouts[9]
    return tuple(layouts)


TABLES = {
    "swapped": swapped(),                                           # plane and quaternion, the other way round
    "mislabelled": adapter.DIALECTS["pandemonium-40"].layouts,      # Pandemonium 5 under Godot 3's name
    "godot-3-to-19": godot_3.layouts[:20],
    "godot-2-to-14": adapter.DIALECTS["godot-2"].layouts[:15],
    "godot-4.0": GODOT_4,
    "godot-4.3": GODOT_4 + ("vector4_array",),
}


class Missing:
    def read(self, source, flag):
        raise adapter.Refused("no such type")


class Narrow:
    """32 bits, whatever the flag says."""

    def __init__(self, shape):
        self.shape = shape

    def read(self, source, flag):
        return self.shape.read(source, 0)


def utf16_text(self, is_name=False):
    """A length in UTF-16 units."""
    units, points = self.length(), []
    rest = self.data[self.at:].decode("utf-8", "replace")
    for point in rest:
        if units <= 0:
            break
        points.append(point)
        units -= len(point.encode("utf-16-le")) // 2
    text = "".join(points)
    self.at += len(text.encode())
    self.padding(len(text.encode()), optional=False)
    return text.partition("\0")[0]


def wrong_padding(self, length, optional):
    """Padding to a multiple of 8."""
    self.at += -length % 8


adapter.LAYOUTS["-"] = Missing()
if "padding" in BUGS:
    adapter.Source.padding = wrong_padding
if "utf16" in BUGS:
    adapter.Source.text = utf16_text
if "narrow" in BUGS:
    for layout in "int", "float":
        adapter.LAYOUTS[layout] = Narrow(adapter.LAYOUTS[layout])
if "unknown-is-null" in BUGS:
    begin = adapter.Source.begin

    def lenient(self, value, depth):
        try:
            return begin(self, value, depth)
        except adapter.Refused as why:
            if isinstance(why.reason, dict) and why.reason["kind"] == "unknown-type":
                return {"null": None}
            raise

    adapter.Source.begin = lenient
if "claims" in sys.argv:
    hello = adapter.hello
    adapter.hello = lambda: {**hello(), "types": [layout for layout in TABLES[TABLE] if layout != "-"]}

adapter.DIALECTS.clear()
base = adapter.DIALECTS["godot-3"] = replace(godot_3, layouts=TABLES[TABLE])
if TABLE == "mislabelled":
    adapter.DIALECTS["godot-3"] = replace(base, utf8="strict")
adapter.main()
