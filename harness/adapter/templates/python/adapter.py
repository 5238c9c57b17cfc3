#!/usr/bin/env python3
"""An adapter between conform and my-adapter: a line of JSON in, a line of JSON out, until the input ends.

It reads and writes null, bool, int and float by itself. Call your library in `decode` and `encode`. Then add type by
type to `to_json`, `from_json` and HELLO.
"""
import json
import os
import struct
import sys

DIALECT = "godot-4.4"  # ENGINES; `conform new-adapter --help` names others

HELLO = {
    "protocol": 1, "name": "my-adapter", "version": "0.1.0", "language": "python", "dialects": [DIALECT],
    "ops": ["decode", "encode", "reencode"],
    # Only these are tested. All names, with the engine's names: TYPES
    "types": ["null", "bool", "int", "float"],
    # Floats come and go as their bits, since JSON has no NaN: {"float": "0x3fe0000000000000"}; those of a Vector2 and
    # the like have 8 digits.
    "reals": "bits",
    # If it reads and writes whole objects: "options": ["objects"]. A request then says whether they are allowed.
    # put_var and store_var write the length of the packet before it, var_to_bytes does not. Call the functions of your
    # library that do so in `decode_framed` and `encode_framed`; if it has none, delete this.
    "framing": ["u32le"],
}


class Refused(Exception):
    """The library says no to this packet or value: raise it for the exceptions that your library throws for that."""


def decode(packet):
    """The library's own value of a packet, and how many bytes of it were read."""
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


def encode(value):
    """The packet of the library's own value."""
    if value is None:
        return struct.pack("<I", 0)
    if isinstance(value, bool):
        return struct.pack("<II", 1, value)
    if isinstance(value, int):
        narrow = -2**31 <= value < 2**31
        return struct.pack("<Ii", 2, value) if narrow else struct.pack("<Iq", 2 | 1 << 16, value)
    return struct.pack("<If", 3, value) if is_single(value) else struct.pack("<Id", 3 | 1 << 16, value)


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


def from_json(value):
    (layout, body), = value.items()
    if layout in ("null", "bool"):
        return body
    if layout == "int":
        return int(body)
    if layout == "float":
        return struct.unpack(">d", bytes.fromhex(body[2:]))[0]
    raise TypeError("from_json does not know %s" % layout)


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


def decode_framed(packet):
    length, = unpack("<I", packet, 0)
    if length > len(packet) - 4:
        raise Refused("the length is beyond the end")
    return decode(packet[4:4 + length])[0], 4 + length


def encode_framed(value):
    packet = encode(value)
    return struct.pack("<I", len(packet)) + packet


def answer(request):
    """Everything in a reply except its seq."""
    op = request.get("op")
    if op not in HELLO["ops"] or request.get("dialect") != DIALECT:
        return {"unsupported": "%s in %s" % (op, request.get("dialect"))}
    framed = "framing" in request.get("options", {})
    read, write = (decode_framed, encode_framed) if framed else (decode, encode)
    try:
        if op == "encode":
            return {"bytes": write(from_json(request["value"])).hex()}
        value, used = read(bytes.fromhex(request["bytes"]))
        return {"bytes": write(value).hex()} if op == "reencode" else {"value": to_json(value), "used": used}
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
        if isinstance(request, dict):
            reply = HELLO if request.get("op") == "hello" else {"seq": request.get("seq"), **answer(request)}
            replies.write(to_line(reply).encode() + b"\n")
            replies.flush()


if __name__ == "__main__":
    main()
