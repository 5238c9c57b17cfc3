"""Refuses everything, one request at a time and a little late, and logs what it was asked: slow.py LOG [SECONDS [VERSION]]."""
import json
import os
import sys
import time

log = open(sys.argv[1], "a", encoding="utf-8")
pause = float(sys.argv[2]) if len(sys.argv) > 2 else 0
version = sys.argv[3] if len(sys.argv) > 3 else "1"
log.write("pid %d\n" % os.getpid())
for line in iter(sys.stdin.readline, ""):
    request = json.loads(line)
    if request["op"] == "hello":
        reply = {"protocol": 1, "name": "slow", "version": version, "dialects": ["godot-3"], "ops": ["decode", "encode"],
                 "max_in_flight": 1}
    else:
        time.sleep(pause)
        reply = {"seq": request.pop("seq"), "refused": "on principle"}
        log.write(json.dumps(request, sort_keys=True) + "\n")
        log.flush()
    print(json.dumps(reply), flush=True)
