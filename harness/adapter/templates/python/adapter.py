#!/usr/bin/env python3
"""An adapter between conform and my-adapter: a line of JSON in, a line of JSON out, until the input ends.

It reads and writes null, bool, int and float by itself. Put your library into `decode` and `encode`, list its types in
HELLO, and leave the rest as it is.
"""
import json
import os
import struct
import sys

HELLO = {
    "protocol": 1,
    "name": "my-adapter",
    "version": "0.1.0",
    "language": "python",
    "dialects": ["godot-3"],
    "ops": ["decode", "encode", "reencode"],
    "types": ["null", "bool", "int", "float"],  # only these are tested
    "reals": "bits",                            # floats come as {"float": "0x3fe0000000000000"}
}


class Refused(Exception):
    """The library says no to this packet or value: raise it for the exceptions that your library throws for that."""


def decode(packet):
    """The value of a packet, and how many bytes of it were read."""
    header, = unpack("<I", packet, 0)
    wide = header >> 16 & 1
    if header & 0xFF == 0:
        return {"null": None}, 4
    if header & 0xFF == 1:
        return {"bool": unpack("<I", packet, 4)[0] != 0}, 8
    if header & 0xFF == 2:
        return {"int": str(unpack("<q" if wide else "<i", packet, 4)[0])}, 12 if wide else 8
    if header & 0xFF == 3:
        value, = unpack("<d" if wide else "<f", packet, 4)
        return {"float": "0x%016x" % struct.unpack("<Q", struct.pack("<d", value))}, 12 if wide else 8
    raise Refused("type %d" % (header & 0xFF))


def encode(value):
    """The packet of a value."""
    (layout, body), = value.items()
    if layout == "null":
        return struct.pack("<I", 0)
    if layout == "bool":
        return struct.pack("<II", 1, body)
    if layout == "int":
        number = int(body)
        narrow = -2**31 <= number < 2**31
        return struct.pack("<Ii", 2, number) if narrow else struct.pack("<Iq", 2 | 1 << 16, number)
    if layout == "float":
        number, = struct.unpack(">d", bytes.fromhex(body[2:]))
        return struct.pack("<If", 3, number) if is_single(number) else struct.pack("<Id", 3 | 1 << 16, number)
    raise Refused("cannot write %s" % layout)


def is_single(number):
    """Whether 32 bits hold it."""
    try:
        return struct.unpack("<f", struct.pack("<f", number))[0] == number
    except OverflowError:
        return False


def unpack(form, packet, at):
    if at + struct.calcsize(form) > len(packet):
        raise Refused("the packet ends too early")
    return struct.unpack_from(form, packet, at)


def answer(request):
    """Everything in a reply except its seq."""
    op, dialect = request.get("op"), request.get("dialect")
    if op not in HELLO["ops"] or dialect not in HELLO["dialects"]:
        return {"unsupported": "%s in %s" % (op, dialect)}
    try:
        if op == "encode":
            return {"bytes": encode(request["value"]).hex()}
        value, used = decode(bytes.fromhex(request["bytes"]))
        if op == "reencode":
            return {"bytes": encode(value).hex()}
        return {"value": value, "used": used}
    except Refused as why:
        return {"refused": str(why)}
    except Exception as bug:  # never a refusal: that would hide it
        return {"unsupported": "internal error: %r" % bug}


def to_line(reply):
    try:
        return json.dumps(reply)
    except RecursionError:  # Python's JSON does not go so deep: `reencode` shows whether the library does
        return json.dumps({"seq": reply["seq"], "unsupported": "nested too deep for JSON"})


def main():
    # Replies have standard output for themselves: what the library prints goes to standard error.
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    for line in sys.stdin.buffer:
        try:
            request = json.loads(line)
        except ValueError:
            continue
        if not isinstance(request, dict):
            continue
        is_hello = request.get("op") == "hello"
        reply = HELLO if is_hello else {"seq": request.get("seq"), **answer(request)}
        replies.write(to_line(reply).encode() + b"\n")
        replies.flush()


main()
