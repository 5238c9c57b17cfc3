"""Decodes arrays of ints rightly, and waits before it replies: its time grows with the cube of their number, faster than
the square, so that a busy machine does not hide it.
With an argument it waits for nothing; with `hang`, it never replies to more than 100,000 ints, and with `silent` to nothing.
A packet that it has seen costs no work, so what it takes is the waiting, whatever else the machine does."""
import functools
import json
import struct
import sys
import time

HELLO = {"protocol": 1, "name": "square", "version": "1", "language": "python", "dialects": ["godot-3"],
         "ops": ["decode"], "types": ["array", "int"]}
WAITS = len(sys.argv) == 1
SECONDS = 1e-15  # for each three ints


def word(packet, at):
    return int.from_bytes(packet[at:at + 4], "little")


@functools.cache
def answer(packet):
    """The reply as text, without its brace and `seq`."""
    if word(packet, 0) != 19:
        return '"refused":"no array"}'
    if len(packet) != 8 + 8 * word(packet, 4):
        return '"refused":"another count"}'
    words = struct.unpack(f"<{len(packet) // 4}I", packet)[2:]
    if any(number != 2 for number in words[::2]):
        return '"refused":"no int"}'
    return f'"value":{json.dumps({"array": [{"int": number} for number in words[1::2]]})}}}'


for line in sys.stdin:
    request = json.loads(line)
    if request["op"] == "hello":
        print(json.dumps(HELLO), flush=True)
        continue
    packet = bytes.fromhex(request["bytes"])
    ints = len(packet) // 8
    if sys.argv[1:] == ["hang"] and ints > 100_000 or sys.argv[1:] == ["silent"]:
        time.sleep(600)
    reply = answer(packet)
    if WAITS:
        time.sleep(ints ** 3 * SECONDS)
    print(f'{{"seq":{request["seq"]},{reply}', flush=True)
