"""Decodes arrays of ints rightly, and copies what is left of the packet behind each: its time grows with the
square of their number. With an argument it copies nothing; with `hang`, it never replies to more than 100,000 ints."""
import json
import struct
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
    if len(packet) != 8 + 8 * word(packet, 4):
        return {"refused": "another count"}
    words = struct.unpack(f"<{len(packet) // 4}I", packet)[2:]
    if any(number != 2 for number in words[::2]):
        return {"refused": "no int"}
    items = [{"int": number} for number in words[1::2]]
    while COPIES and packet:
        packet = packet[8:]
    return {"value": {"array": items}}


for line in sys.stdin:
    request = json.loads(line)
    reply = HELLO if request["op"] == "hello" else {"seq": request["seq"], **answer(bytes.fromhex(request["bytes"]))}
    print(json.dumps(reply), flush=True)
