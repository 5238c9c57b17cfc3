"""A vector2 codec of godot-3, right but for the flaw that its argument names."""
import json
import os
import signal
import struct
import sys

FLAW = sys.argv[1]
TYPES = ["vector2"] if FLAW != "claims-less" else []
count = 0
writes = 0


def bits(real):
    if isinstance(real, str) and real.startswith("0x"):
        return struct.pack("<I", int(real, 16))
    return struct.pack("<f", float(real))


def encode(value):
    global count, writes
    packet = struct.pack("<I", 5) + b"".join(map(bits, value["vector2"]))
    writes += 1
    more = b"\0" if FLAW == "always-one-more" or "keeps-state" in FLAW and writes > 1 else b""
    if packet != bytes.fromhex("05000000000000800000803f"):
        return packet + more
    count += 1
    if FLAW in ("wrong", "one-byte", "wrong-and-keeps-state"):
        packet = packet[:7] + b"\0" + packet[8:]
    if FLAW == "otherwise-wrong":
        packet = packet[:6] + b"\1" + packet[7:]
    if FLAW == "unsteady" and count == 2:
        packet = packet[:7] + b"\0" + packet[8:]
    if FLAW == "dies":
        os.kill(os.getpid(), signal.SIGKILL)
    if FLAW == "dies-otherwise":
        sys.exit(3)
    return packet + more


def answer(request):
    if request["op"] == "encode":
        return {"bytes": encode(request["value"]).hex()}
    packet = bytes.fromhex(request["bytes"])
    if FLAW == "reads-nothing":
        return {"refused": "nothing is read"}
    if len(packet) < 12 or packet[0] != 5:
        return {"refused": "too short"}
    if FLAW == "refuses" and packet[8:] == b"\0\0\x80\x3f":
        return {"refused": "no ones"}
    if FLAW == "refuses-in-other-words" and packet[8:] == b"\0\0\x80\x3f":
        return {"refused": "the second must not be 1"}
    return {"value": {"vector2": ["0x%08x" % word for word in struct.unpack_from("<2I", packet, 4)]}, "used": 12}


for line in sys.stdin:
    request = json.loads(line)
    if request["op"] == "hello":
        reply = {"protocol": 1, "name": "gated", "version": "1", "dialects": ["godot-3"], "ops": ["decode", "encode"], "types": TYPES, "reals": "bits"}
    else:
        reply = {"seq": request["seq"], **answer(request)}
    print(json.dumps(reply), flush=True)

if FLAW == "ends-badly":
    os.kill(os.getpid(), signal.SIGKILL)
