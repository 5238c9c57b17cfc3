"""Null and int of godot-3, with a length prefix of each packet where a request asks for it.

The argument is JSON for the handshake reply.
"""
import json
import struct
import sys

CLAIMS = json.loads(sys.argv[1])
FORMS = {"u32le": "<I", "u32be": ">I"}


def decode(packet, form):
    if form:
        length, = struct.unpack_from(form, packet)
        if length > len(packet) - 4:
            raise ValueError("too long")
        return decode(packet[4:4 + length], None)[0], 4 + length
    header, = struct.unpack_from("<I", packet)
    if header & 0xff == 0:
        return {"null": None}, 4
    if header & 0xff == 2:
        wide = header >> 16 & 1
        return {"int": str(struct.unpack_from("<q" if wide else "<i", packet, 4)[0])}, 12 if wide else 8
    raise ValueError("no such type")


def encode(value, form):
    if "null" in value:
        packet = struct.pack("<I", 0)
    else:
        packet = struct.pack("<Ii", 2, int(value["int"]))
    return struct.pack(form, len(packet)) + packet if form else packet


def answer(request):
    form = FORMS.get(request.get("options", {}).get("framing"))
    try:
        if request["op"] == "encode":
            return {"bytes": encode(request["value"], form).hex()}
        value, used = decode(bytes.fromhex(request["bytes"]), form)
        return {"value": value, "used": used}
    except (ValueError, struct.error) as no:
        return {"refused": str(no)}


for line in sys.stdin:
    request = json.loads(line)
    if request["op"] == "hello":
        reply = {"protocol": 1, "name": "framed", "dialects": ["godot-3"], "ops": ["decode", "encode"],
                 "types": ["null", "int"], **CLAIMS}
    else:
        reply = {"seq": request["seq"], **answer(request)}
    print(json.dumps(reply), flush=True)
