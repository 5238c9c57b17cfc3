#!/usr/bin/env python3
"""An adapter between conform and my-adapter, which only decodes: a line of JSON in, a line of JSON out.

It reads null, bool, int and float by itself. Call your library in `decode`. Then add type by type to `to_json` and
HELLO.
"""
import json
import os
import struct
import sys

DIALECT = "godot-4.4"  # ENGINES; `conform new-adapter --help` names others

HELLO = {
    "protocol": 1, "name": "my-adapter", "version": "0.1.0", "language": "python", "dialects": [DIALECT],
    "ops": ["decode"],
    # Only these are tested. All names, with the engine's names: TYPES
    "types": ["null", "bool", "int", "float"],
    # put_var and store_var write the length of the packet before it, var_to_bytes does not. Call the function of your
    # library that reads so in `decode_framed`; if it has none, delete this.
    "framing": ["u32le"],
}


class Refused(Exception):
    """The library says no to this packet: raise it for the exceptions that your library throws for that."""


def decode(packet):
    """The library's own value of a packet, and how many bytes of it were read: None if the library does not say."""
    header, = unpack("<I", packet, 0)
    wide = header >> 16 & 1
    if header & 0xFF == 0:
        return None, 4
    if header & 0xFF == 1:
        return unpack("<I", packet, 4)[0] != 0, 8
    if header & 0xFF == 2:
        return unpack("<q" if wide else "<i", packet, 4)[0], 12 if wide else 8
    if header & 0xFF == 3:
        return unpack("<d" if wide else "<f", packet, 4)[0], 12 if wide else 8
    raise Refused("type %d" % (header & 0xFF))


def decode_framed(packet):
    length, = unpack("<I", packet, 0)
    if length > len(packet) - 4:
        raise Refused("the packet ends too early")
    return decode(packet[4:4 + length])[0], 4 + length


def unpack(form, packet, at):
    if at + struct.calcsize(form) > len(packet):
        raise Refused("the packet ends too early")
    return struct.unpack_from(form, packet, at)


def to_json(value):
    """The library's own value as the protocol writes it."""
    if value is None:
        return {"null": None}
    if isinstance(value, bool):
        return {"bool": value}
    if isinstance(value, int):
        return {"int": str(value)}
    if isinstance(value, float):
        return {"float": "0x" + struct.pack(">d", value).hex()}
    raise TypeError("to_json does not know %s" % type(value).__name__)


def answer(request):
    """Everything in a reply except its seq."""
    if request.get("op") != "decode" or request.get("dialect") != DIALECT:
        return {"unsupported": "%s in %s" % (request.get("op"), request.get("dialect"))}
    try:
        read = decode_framed if "framing" in request.get("options", {}) else decode
        value, used = read(bytes.fromhex(request["bytes"]))
        return {"value": to_json(value), **({} if used is None else {"used": used})}
    except Refused as why:
        return {"refused": str(why)}
    except Exception as bug:  # never a refusal: that would hide it
        return {"unsupported": "internal error: %r" % bug}


def main():
    # Replies have standard output for themselves: what the library prints goes to standard error.
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    for line in sys.stdin.buffer:
        try:
            request = json.loads(line)
        except ValueError:
            continue
        if isinstance(request, dict):
            reply = HELLO if request.get("op") == "hello" else {"seq": request.get("seq"), **answer(request)}
            replies.write(json.dumps(reply).encode() + b"\n")
            replies.flush()


if __name__ == "__main__":
    main()
