"""An adapter for int, float, string, vector2 and array of two dialects, with one flaw that its argument names; none without."""
import io
import json
import os
import re
import struct
import sys
import time

FLAW = sys.argv[1] if len(sys.argv) > 1 else ""
HELLO = {"protocol": 1, "name": "flawed", "version": "1", "language": "python", "dialects": ["godot-3", "pandemonium-38"],
         "ops": ["decode", "encode", "reencode"], "types": ["int", "float", "string", "vector2", "array"]}
IDS = {"godot-3": {"vector2": 5, "array": 19}, "pandemonium-38": {"vector2": 7, "array": 26}}
ids = IDS["godot-3"]
refusals = 0
count = 0
newest = ""


class Refused(Exception):
    pass


def real(value, digits):
    """A float as bits, or as a flawed number."""
    bits = struct.unpack("<Q", struct.pack("<d", value))[0]
    if FLAW == "digits":
        return float("%g" % value) if value not in (float("inf"), float("-inf")) and value == value else "inf"
    if FLAW == "negative-zero" and value == 0:
        return 0
    if FLAW == "subnormal" and abs(value) < 1e-300:
        return 0.0
    if FLAW == "infinity" and value in (float("inf"), float("-inf")):
        return value
    if FLAW == "nan-payload" and value != value:
        return "nan"
    if FLAW == "one-nan" and value != value:
        return "0x7ff8000000000000"
    if FLAW == "singles" and digits == 8:
        return float("%.6g" % value)
    if digits == 8:
        return "0x%08x" % struct.unpack("<I", struct.pack("<f", value))[0]
    return "0x%016x" % bits


def decode(packet):
    if FLAW == "garbage" and packet[:1] == b"\xff":
        os.abort()
    if FLAW == "empty-bug" and not packet:
        return {"unsupported": "IndexError"}
    if FLAW == "empty" and not packet:
        return {"value": {"int": 0}}
    try:
        header, = struct.unpack_from("<I", packet)
        kind, wide = header & 0xff, header >> 16 & 1
        if kind == 2:
            value, = struct.unpack_from("<q" if wide else "<i", packet, 4)
            if FLAW == "narrow":
                value, = struct.unpack_from("<i", packet, 4)
            if FLAW == "doubles":
                value = int(float(value))
            if FLAW == "unsigned" and value < -2**62:
                value += 2**64
            return {"value": {"int": str(value)}}
        if kind == 3:
            value, = struct.unpack_from("<d" if wide else "<f", packet, 4)
            if FLAW == "float32":
                value, = struct.unpack("<f", struct.pack("<f", value))
            return {"value": {"float": real(value, 16)}}
        if kind == 4:
            length, = struct.unpack_from("<I", packet, 4)
            if length > len(packet) - 8:
                raise Refused("too short")
            text = packet[8:8 + length].decode()
            if FLAW == "utf16":
                text = packet[8:8 + len(text.encode("utf-16-le")) // 2].decode(errors="replace")
            if FLAW == "ascii":
                text = text.encode("ascii", "replace").decode()
            if FLAW == "truncates":
                text = text[:65536]
            if FLAW == "nul" and "\0" in text:
                sys.exit(7)
            # Engines end a text at its first NUL.
            return {"value": {"string": text.split("\0")[0]}}
        if kind == ids["array"]:
            return {"value": {"array": items(packet)}}
        if kind == ids["vector2"]:
            values = struct.unpack_from("<2f", packet, 4)
            return {"value": {"Vector2" if FLAW == "name" else "vector2": [real(value, 8) for value in values]}}
    except (struct.error, UnicodeDecodeError) as why:
        raise Refused(str(why))
    raise Refused("type %d" % kind)


def items(packet):
    """The items of an array: nulls, and at the end perhaps another such array."""
    nulls, at, within = [], 4, True
    while within:
        count, = struct.unpack_from("<I", packet, at)
        kinds = struct.unpack_from("<%dI" % count, packet, at + 4)
        within = kinds[-1:] == (ids["array"],)
        nulls.append(count - within)
        if any(kinds[:nulls[-1]]):
            raise Refused("neither null nor an array")
        at += 4 + 4 * count
    held = [{"null": None}] * nulls.pop()
    for before in reversed(nulls):
        held = [{"null": None}] * before + [{"array": held}]
    return held


def number(written, form):
    if isinstance(written, str) and written.startswith("0x"):
        size = "<I" if len(written) == 10 else "<Q"
        return struct.unpack("<f" if len(written) == 10 else "<d", struct.pack(size, int(written, 16)))[0]
    return float(written)


def encode(value):
    [(layout, body)] = value.items()
    if layout == "int":
        body = int(body)
        if FLAW == "narrow-encoder":
            body = (body + 2**31) % 2**32 - 2**31
        return struct.pack("<Ii", 2, body) if -2**31 <= body < 2**31 else struct.pack("<Iq", 2 | 1 << 16, body)
    if layout == "float":
        return struct.pack("<Id", 3 | 1 << 16, number(body, "d"))
    if layout == "string":
        text = bytes.fromhex(body["utf8"]) if isinstance(body, dict) else body.encode()
        return struct.pack("<II", 4, len(text)) + text + bytes(-len(text) % 4)
    if layout == "array":
        return struct.pack("<II", ids["array"], len(body)) + b"".join(map(encode, body))
    return struct.pack("<I2f", ids["vector2"], *[number(part, "f") for part in body])


def answer(request):
    global refusals, ids
    if FLAW != "dialect" and request.get("dialect") not in IDS:
        return {"unsupported": "another dialect"}
    if FLAW == "unlisted" and request.get("dialect") != "godot-3":
        return {"unsupported": "only godot-3"}
    # A flawed one takes one dialect for all, or that of the last line that has come.
    dialect = {"one-dialect": "godot-3", "last-dialect": newest}.get(FLAW, request.get("dialect"))
    ids = IDS.get(dialect, ids)
    try:
        if FLAW == "remembers" and refusals > 2:
            raise Refused("enough")
        if request.get("op") == "decode":
            return decode(bytes.fromhex(request["bytes"]))
        if FLAW == "missing" and "string" in request.get("value", {}):
            return {"unsupported": "call to undefined function encode_text()"}
        if request.get("op") == "encode":
            return {"bytes": encode(request["value"]).hex()}
        if request.get("op") == "reencode":
            return {"bytes": encode(decode(bytes.fromhex(request["bytes"]))["value"]).hex()}
        if FLAW == "op":
            return {"refused": "unknown op"}
        return {"unsupported": "unknown op"}
    except (Refused, KeyError, ValueError) as why:
        refusals += 1
        if FLAW == "library-prints":
            print("cannot read this", flush=True)
        return {"refused": str(why)}


def reply(line):
    global count
    if FLAW == "crlf" and line.endswith(b"\r"):
        return None
    try:
        request = json.loads(line)
    except ValueError:
        if FLAW == "no-request":
            raise
        return None
    if not isinstance(request, dict):
        return None
    if FLAW == "scans":
        request["seq"] = int((re.findall(rb'"seq":(\d+)', line) or [0])[0])
    if request.get("op") == "hello":
        hello = dict(HELLO)
        hello.update(json.loads(sys.argv[2]) if len(sys.argv) > 2 else {})
        if FLAW == "unsteady":
            hello["version"] = str(os.getpid())
        if FLAW == "banner":
            print("welcome to the adapter")
        if FLAW == "grumbles":
            print("something is not quite right", file=sys.stderr)
        return hello
    count += 1
    seq = request["seq"]
    if FLAW == "int32":
        seq = seq & 0xffffffff
    if FLAW == "counts":
        seq = count
    if FLAW == "sleeps":
        time.sleep(0.03)
    if FLAW == "seq-text":
        seq = str(seq)
    return {**({} if FLAW == "no-seq" else {"seq": seq}), **answer(request)}


def say(message):
    try:
        text = json.dumps(message)
    except RecursionError:
        if FLAW == "shallow":
            raise
        text = json.dumps({"seq": message["seq"], "unsupported": "nested too deep for JSON"})
    if FLAW == "raw":
        text = text.replace("\\u0001", "\x01").replace("\\n", "\n")
    if FLAW == "debug" and "seq" in message:
        text = "debug " + text
    return text.encode() + b"\n"


def lines():
    """Lines as they come; a flawed one takes whatever has come for a line."""
    if FLAW == "short-lines":
        while line := sys.stdin.buffer.readline(1 << 16):
            yield line
        return
    global newest
    waiting = b""
    while chunk := os.read(0, 1 << 16):
        if FLAW == "chunks":
            yield from chunk.splitlines()
            continue
        waiting += chunk
        *whole, waiting = waiting.split(b"\n")
        newest = (re.findall(rb'"dialect":"([^"]*)"', b"".join(whole)) or [b""])[-1].decode()
        yield from whole[:1] if FLAW == "one-a-read" else whole


# A buffer of its own, whatever PYTHONUNBUFFERED says.
out = io.BufferedWriter(io.FileIO(1, "wb", closefd=False))
for line in lines():
    message = reply(line.rstrip(b"\n") if FLAW == "crlf" else line.strip())
    if message is not None:
        out.write(say(message))
        if FLAW != "buffers" or message.get("protocol"):
            out.flush()
if FLAW == "stays":
    time.sleep(60)
if FLAW == "status":
    os._exit(3)
