# What every scripted adapter begins with: a well-behaved loop, to be misused.
import os, signal, sys, time

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
    """Each request with the number that its four bytes are; the hello is answered on the way."""
    for line in iter(sys.stdin.readline, ""):
        request = json.loads(line)
        if request["op"] == "hello":
            hello(**more)
        else:
            yield request, int(request["bytes"], 16)
