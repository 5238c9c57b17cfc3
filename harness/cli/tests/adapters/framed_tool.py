"""Null, with its length prefix, as a tool without a loop."""
import json
import sys

given = sys.stdin.buffer.read()
if sys.argv[1] == "encode":
    sys.stdout.buffer.write(b"\4\0\0\0\0\0\0\0")
elif len(given) >= 8 and given[0] == len(given) - 4 and given[4] == 0:
    print(json.dumps({"value": {"null": None}, "used": len(given)}))
else:
    sys.exit(1)
