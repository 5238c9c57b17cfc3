"""An adapter that says every reply twice, the second time a little later."""
import json
import sys
import time

for line in sys.stdin:
    request = json.loads(line)
    if request["op"] == "hello":
        reply = {"protocol": 1, "name": "twice", "dialects": ["godot-3"], "ops": ["decode"], "types": ["bool"]}
        print(json.dumps(reply), flush=True)
        continue
    for pause in [0.005, 0]:
        print(json.dumps({"seq": request["seq"], "refused": "no"}), flush=True)
        time.sleep(pause)
