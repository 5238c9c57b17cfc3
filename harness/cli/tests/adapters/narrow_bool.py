"""An adapter that knows null and bool, and takes 1 alone for true."""
import json
import sys

HELLO = {"protocol": 1, "name": "flawed", "version": "1.0", "language": "python", "dialects": ["godot-3"],
         "ops": ["decode", "encode"], "types": ["null", "bool"]}


def answer(request):
    if request["op"] == "encode":
        (layout, body), = request["value"].items()
        return {"bytes": "00000000" if layout == "null" else "01000000" + ("01000000" if body else "00000000")}
    packet = bytes.fromhex(request["bytes"])
    if packet[:1] == b"\0" and len(packet) >= 4:
        return {"value": {"null": None}, "used": 4}
    if packet[:1] == b"\1" and len(packet) >= 8:
        return {"value": {"bool": packet[4:8] == b"\1\0\0\0"}, "used": 8}
    return {"refused": "neither"}


for line in sys.stdin:
    request = json.loads(line)
    reply = HELLO if request["op"] == "hello" else {"seq": request["seq"], **answer(request)}
    print(json.dumps(reply), flush=True)
