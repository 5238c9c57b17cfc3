"""Refuses everything, one request at a time, after SECONDS, and logs what it was asked in the file LOG."""
import json
import os
import sys
import time

log = open(os.environ["LOG"], "a", encoding="utf-8")
pause = float(os.environ.get("SECONDS", "0"))
version = os.environ.get("VERSION", "1")
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
