"""Refuses everything: the most careful adapter there is."""
import json
import sys

for line in sys.stdin:
    request = json.loads(line)
    if request["op"] == "hello":
        reply = {"protocol": 1, "name": "refuse", "dialects": ["godot-3"], "ops": ["decode", "encode", "reencode"]}
    else:
        reply = {"seq": request["seq"], "refused": "never"}
    print(json.dumps(reply), flush=True)
