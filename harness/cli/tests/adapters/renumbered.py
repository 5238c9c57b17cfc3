"""The adapter in plain Python, with another table than it says: `swapped` has plane and quaternion the other way round,
`mislabelled` speaks Pandemonium 5 under Godot 3's name."""
import importlib.util
import pathlib
import sys
from dataclasses import replace

PATH = pathlib.Path(__file__).resolve().parents[4] / "adapters/python/adapter.py"
spec = importlib.util.spec_from_file_location("adapter", PATH)
adapter = importlib.util.module_from_spec(spec)
sys.modules["adapter"] = adapter
spec.loader.exec_module(adapter)

godot_3 = adapter.DIALECTS["godot-3"]
layouts = list(godot_3.layouts)
layouts[9], layouts[10] = layouts[10], layouts[9]
tables = {"swapped": replace(godot_3, layouts=tuple(layouts)), "mislabelled": adapter.DIALECTS["pandemonium-40"]}
adapter.DIALECTS.clear()
adapter.DIALECTS["godot-3"] = tables[sys.argv[1]]
adapter.main()
