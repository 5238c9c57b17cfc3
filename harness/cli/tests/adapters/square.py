"""Decodes arrays of ints rightly, and copies what is left of the packet behind each: its time grows with the
square of their number. With an argument it copies nothing."""
import json
import sys

HELLO = {"protocol": 1, "name": "square", "version": "1", "language": "python", "dialects": ["godot-3"],
         "ops": ["decode"], "types": ["array", "int"]}
COPIES = len(sys.argv) == 1


def word(packet, at):
    return int.from_bytes(packet[at:at + 4], "little")


def answer(packet):
    if word(packet, 0) != 19:
        return {"refused": "no array"}
    items, at = [], 8
    for _ in range(word(packet, 4)):
        if word(packet, at) != 2 or len(packet) < at + 8:
            return {"refused": "no int"}
        items.append({"int": word(packet, at + 4)})
        at += 8
        if COPIES:
            packet, at = packet[at:], 0
    return {"value": {"array": items}}


for line in sys.stdin:
    request = json.loads(line)
    reply = HELLO if request["op"] == "hello" else {"seq": request["seq"], **answer(bytes.fromhex(request["bytes"]))}
    print(json.dumps(reply), flush=True)
