# What every scripted adapter begins with: a well-behaved loop, to be misused.
import os, select, signal, sys, time

import json

HELLO = {"protocol": 1, "name": "scripted", "dialects": ["godot-3"], "ops": ["decode", "encode", "reencode"]}


def say(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def hello(**more):
    say(json.dumps({**HELLO, **more}))


def reply(request, n):
    return '{"seq":%d,"bytes":"%08x"}' % (request["seq"], n)


def requests(**more):
    """Each request with the number that its last four bytes are; the hello is answered on the way."""
    for line in iter(sys.stdin.readline, ""):
        request = json.loads(line)
        if request["op"] == "hello":
            hello(**more)
        else:
            yield request, int(request["bytes"][-8:], 16)


def batches(most, **more):
    """Requests with their numbers, in lists: all that waits, but at most so many."""
    buffer, batch = b"", []
    while True:
        if batch and (len(batch) == most or not select.select([0], [], [], 0.02)[0] and b"\n" not in buffer):
            yield batch
            batch = []
        while b"\n" not in buffer:
            piece = os.read(0, 65536)
            if not piece:
                return
            buffer += piece
        line, buffer = buffer.split(b"\n", 1)
        request = json.loads(line)
        if request["op"] == "hello":
            hello(**more)
        else:
            batch.append((request, int(request["bytes"][-8:], 16)))
