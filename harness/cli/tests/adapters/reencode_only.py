"""The Python codec of adapters/python, which only claims to reencode. With `wrong`, every vector2 ends in another byte."""
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../../adapters/python"))
import adapter  # noqa: E402

for line in sys.stdin:
    reply = json.loads(adapter.answer_line(line.encode()))
    if json.loads(line)["op"] == "hello":
        reply["ops"] = ["reencode"]
    elif sys.argv[1:] == ["wrong"] and reply.get("bytes", "").startswith("05000000"):
        reply["bytes"] = reply["bytes"][:-2] + ("00" if reply["bytes"][-2:] != "00" else "01")
    print(json.dumps(reply), flush=True)
