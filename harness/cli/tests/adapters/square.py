"""Decodes arrays of ints rightly, and copies what is left of the packet behind each: its time grows with the
square of their number. With an argument it copies nothing; with `hang`, it never replies to more than 100,000 ints."""
import json
import sys
import time

HELLO = {"protocol": 1, "name": "square", "version": "1", "language": "python", "dialects": ["godot-3"],
         "ops": ["decode"], "types": ["array", "int"]}
COPIES = len(sys.argv) == 1


def word(packet, at):
    return int.from_bytes(packet[at:at + 4], "little")


def answer(packet):
    if word(packet, 0) != 19:
        return {"refused": "no array"}
    if sys.argv[1:] == ["hang"] and word(packet, 4) > 100_000:
        time.sleep(600)
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
