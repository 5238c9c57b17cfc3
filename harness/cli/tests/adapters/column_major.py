"""A matrix codec that believes the documents: it reads and writes the basis column by column."""
import json
import struct
import sys


def real(component):
    if isinstance(component, str) and component.startswith("0x"):
        return struct.unpack("<f", struct.pack("<I", int(component, 16)))[0]
    return float(component)


def plain(component):
    if component != component:
        return "0x%08x" % struct.unpack("<I", struct.pack("<f", component))
    return repr(component) if abs(component) == float("inf") else component


def answer(request):
    if request["op"] == "encode":
        return {"bytes": struct.pack("<I9f", 12, *map(real, request["value"]["basis"])).hex()}
    packet = bytes.fromhex(request["bytes"])
    if len(packet) < 40:
        return {"refused": "too short"}
    return {"value": {"basis": [plain(component) for component in struct.unpack_from("<9f", packet, 4)]}, "used": 40}


for line in sys.stdin:
    request = json.loads(line)
    if request["op"] == "hello":
        reply = {"protocol": 1, "name": "column-major", "dialects": ["godot-3"], "ops": ["decode", "encode"], "types": ["basis"]}
    else:
        reply = {"seq": request["seq"], **answer(request)}
    print(json.dumps(reply), flush=True)
