"""Decodes bool rightly, and takes 96 MiB for the time of one answer: for `true`, and for a packet that is too short."""
import json
import sys

HELLO = {"protocol": 1, "name": "hungry", "version": "1", "language": "python", "dialects": ["godot-3"],
         "ops": ["decode"], "types": ["bool"]}
GREEDY = (bytes.fromhex("0100000001000000"), bytes.fromhex("01000000"))


def eat():
    """Touches every page, so that all of it is resident for a moment."""
    pages = bytearray(96 << 20)
    pages[::4096] = b"\1" * len(pages[::4096])


def answer(packet):
    header = int.from_bytes(packet[:4], "little")
    if packet in GREEDY:
        eat()
    if len(packet) < 8 or header & 0xFF != 1:
        return {"refused": "no bool"}
    return {"value": {"bool": any(packet[4:8])}, "used": 8}


for line in sys.stdin:
    request = json.loads(line)
    reply = HELLO if request["op"] == "hello" else {"seq": request["seq"], **answer(bytes.fromhex(request["bytes"]))}
    print(json.dumps(reply), flush=True)
