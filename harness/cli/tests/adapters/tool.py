"""A tool without a loop, for null and bool: tool.py decode|encode|reencode DIALECT, bytes or JSON on stdin and stdout."""
import json
import sys

PACKETS = {"null": {b"\0\0\0\0": None}, "bool": {b"\1\0\0\0\0\0\0\0": False, b"\1\0\0\0\1\0\0\0": True}}
op, given = sys.argv[1], sys.stdin.buffer.read()


def refuse(why):
    print(why, file=sys.stderr)
    sys.exit(1)


if op == "decode":
    for layout, packets in PACKETS.items():
        for packet, value in packets.items():
            if given.startswith(packet):
                print(json.dumps({"value": {layout: value}, "used": len(packet)}))
                sys.exit(0)
    refuse("neither null nor bool")
elif op == "encode":
    [(layout, wanted)] = json.loads(given)["value"].items()
    sys.stdout.buffer.write(next(packet for packet, value in PACKETS[layout].items() if value == wanted))
else:
    sys.exit(89)
