"""Says everywhere what a terminal, a CI system or a reader's eye would obey: the sayings of `obeyed.rs`, which are its argument."""
import json
import sys

SAYINGS = json.loads(sys.argv[1])

for line in sys.stdin:
    request = json.loads(line)
    if request["op"] == "hello":
        reply = {
            "protocol": 1, "name": SAYINGS[0], "version": SAYINGS[1], "language": SAYINGS[2],
            "dialects": ["godot-3", SAYINGS[3]], "ops": ["decode", "encode"],
        }
    else:
        seq = request["seq"]
        saying = SAYINGS[seq % len(SAYINGS)]
        print(saying, file=sys.stderr, flush=True)
        reply = {"seq": seq, **[
            {"refused": saying},
            {"refused": {"kind": saying, "at": 4, "text": saying}},
            {"unsupported": saying},
            {"value": {"string": saying}, "used": 4},
            {"value": {saying: 1}},
            {"bytes": saying},
            {"bytes": "00", saying: saying},
        ][seq // len(SAYINGS) % 7]}
    print(json.dumps(reply), flush=True)
    if request.get("bytes") == "0100000001000000":
        print(saying, file=sys.stderr, flush=True)
        sys.exit(7)
