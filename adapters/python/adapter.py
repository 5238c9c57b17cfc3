#!/usr/bin/env python3
"""Variant packets of the Godot family, read and written in plain Python, and answered for over a pipe.

One JSON request a line comes in on stdin, one JSON answer a line goes out on stdout:

    {"seq":1,"op":"decode","dialect":"godot-3","bytes":"05000000000080bf00000040"}
    {"seq":1,"value":{"vector2":[-1.0,2.0]},"used":12}

The file reads from top to bottom: the loop, the operations, then the codec, which ends with its tables.

How to make it an adapter for your own library:

1. Copy this file. Keep the loop and the operations, down to the line that says where the codec begins.
2. Change `hello`: the name, the version and the dialects of your library. What is not supported is not asked. If it
   knows only some types, add "types": ["null", "int", ...]. If your host cannot tell some values apart (1 from
   1.0, say), name that in "lossy". Leave out the options that it has not.
3. Write `decode` and `encode` anew: call your library, and turn its values into the protocol's or back:

       {"null": null}  {"bool": true}  {"int": 7}  {"float": 0.5}  {"string": "abc"}  {"vector2": [1.0, 2.0]}
       {"array": [VALUE, ...]}  {"dictionary": [[KEY, VALUE], ...]}  {"byte_array": "010203"}

4. A packet that your library rejects is an answer and no crash: raise `Refused`. For what it does not do at all,
   raise `Unsupported`.
"""

import json
import math
import os
import re
import struct
import sys
import traceback
from dataclasses import dataclass, replace
from itertools import chain
from types import GeneratorType
from typing import Optional, Tuple


# ------------------------------------------------------------------------------------------------ the loop

def main():
    """Answers line after line until the input ends.

    `os.read` returns as soon as anything is there. All answers to what has arrived go out together, and none is
    held back while more input is awaited: with many requests in flight the pipe stops being a cost.
    """
    waiting, chunk = bytearray(), True
    while chunk:
        chunk = os.read(0, 1 << 20)
        waiting += chunk or b"\n"           # the last line may lack its line end
        if chunk and b"\n" not in chunk:
            continue                        # a long line, still on its way
        *lines, waiting = waiting.split(b"\n")
        sys.stdout.buffer.write(b"".join(map(answer_line, lines)))
        sys.stdout.buffer.flush()


def answer_line(line):
    """The answer to one line, with its line end; nothing for a line that is no request."""
    try:
        request = JSON_IN.decode(line.decode("utf-8-sig"))
    except (ValueError, RecursionError) as why:
        if line.strip():
            print("not a request:", why, file=sys.stderr)
        return b""
    if not isinstance(request, dict):
        return b""
    if request.get("op") == "hello":
        return to_line(hello())
    if "seq" not in request:
        return b""
    try:
        return to_line({"seq": request["seq"], **answer(request)})
    except RecursionError:                  # Python's JSON recurses; the codec below does not
        return to_line({"seq": request["seq"], "unsupported": "nested too deep for JSON; ask for reencode"})


def to_line(reply):
    return JSON_OUT.encode(reply).encode() + b"\n"


def json_int(digits):
    """JSON may write negative zero as -0, which Python would make the integer 0, losing the sign."""
    return -0.0 if digits == "-0" else int(digits)


# `parse_constant` keeps NaN and Infinity, which are not JSON, as words that no field accepts.
JSON_IN = json.JSONDecoder(parse_int=json_int, parse_constant=str)
JSON_OUT = json.JSONEncoder(separators=(",", ":"), check_circular=False)


# ------------------------------------------------------------------------------------------ the operations

class Refused(Exception):
    """A malformed packet, or a value that the dialect cannot carry. Of a packet it says which kind of fault, and
    `at`: the first byte of the field that cannot be right."""

    def __init__(self, text, kind=None, at=None):
        super().__init__(text)
        self.reason = {"kind": kind, "at": at, "text": text} if kind else text


class Unsupported(Exception):
    """A request that this adapter does not claim to understand."""


def hello():
    return {"protocol": 1, "name": "python", "version": "1.0.0", "language": "python", "dialects": list(DIALECTS),
            "ops": ["decode", "encode", "reencode"], "options": ["objects"], "framing": ["u32le", "u32be"]}


def answer(request):
    """All of an answer but its `seq`. No exception gets past here."""
    try:
        dialect, options = dialect_of(request), options_of(request)
        if request.get("op") == "decode":
            value, used = decode(packet_of(request), dialect, **options)
            return {"value": value, "used": used}
        if request.get("op") == "encode":
            return {"bytes": encode(request.get("value"), dialect, **options).hex()}
        if request.get("op") == "reencode":
            value, _ = decode(packet_of(request), dialect, **options)
            return {"bytes": encode(value, dialect, **options).hex()}
        raise Unsupported("no such operation")
    except Refused as why:
        return {"refused": why.reason}
    except Unsupported as why:
        return {"unsupported": str(why)}
    except Exception as bug:                # a fault of our own must show as one and not pass for a refusal
        traceback.print_exc()
        return {"unsupported": "internal error: %r" % bug}


def dialect_of(request):
    if request.get("dialect") not in DIALECTS:
        raise Unsupported("no such dialect")
    return DIALECTS[request["dialect"]]


def options_of(request):
    options = request.get("options") or {}
    if options.get("framing") not in FRAMINGS:
        raise Unsupported("no such framing")
    return {"objects": options.get("objects") is True, "framing": FRAMINGS[options.get("framing")]}


# The byte order of the length that store_var and put_var put before the packet; var2bytes puts none.
FRAMINGS = {None: None, "u32le": "little", "u32be": "big"}


def packet_of(request):
    return bytes_from_hex(request.get("bytes"))


def bytes_from_hex(text):
    try:
        raw = bytes.fromhex(text)
    except (TypeError, ValueError):
        raise Refused("%.60r is not a text of hex digits" % (text,)) from None
    if 2 * len(raw) != len(text):           # Python lets blanks pass
        raise Refused("there are blanks among the hex digits")
    return raw


# ----------------------------------------------------- the codec begins here; an adapter for a library ends

def decode(data, dialect, objects=False, framing=None):
    """Reads one packet: its value, and how many bytes belong to it."""
    source = Source(data, dialect, objects)
    if not framing:
        return nested(source.begin), source.at
    length = int.from_bytes(source.fields(1, 4), framing)
    if length > source.left():
        raise Refused("%d bytes announced, %d there" % (length, source.left()), "length", 0)
    source.data = data[:4 + length]
    return nested(source.begin), 4 + length


def encode(value, dialect, objects=False, framing=None):
    """Writes one packet, in the form that the engines themselves write."""
    sink = Sink(dialect, objects)
    nested(sink.begin, value)
    prefix = len(sink.bytes).to_bytes(4, framing) if framing else b""
    return prefix + bytes(sink.bytes)


def nested(begin, value=None):
    """Begins a value and all that is inside it, without recursion: the format nests deeper than Python calls.

    The `read` and `write` of containers are generators that yield wherever a nested value comes next. Those not yet
    finished wait in a list, and the length of that list is the depth.
    """
    unfinished = []
    result = begin(value, 0)
    while True:
        if type(result) is GeneratorType:
            unfinished.append(result)
            result = None
        if not unfinished:
            return result
        try:
            child = unfinished[-1].send(result)
        except StopIteration as end:
            unfinished.pop()
            result = end.value
        else:
            result = begin(child, len(unfinished))


# ----------------------------------------------------------------------- a value: header, then layout's body

FLAG = 1 << 16      # the one flag of a header: a wide int or float, an object sent as its id
TOP_BIT = 1 << 31   # of a count: `shared` for containers, `new form` for node paths


class Source:
    """A place in a packet that is being read. Every check against the end of the packet is made here."""

    def __init__(self, data, dialect, objects):
        self.data, self.dialect, self.objects, self.at = data, dialect, objects, 0

    def begin(self, _, depth):
        """Reads a header and the body after it; of a container only up to its first element."""
        at = self.at
        if self.dialect.depth is not None and depth > self.dialect.depth:
            raise Refused("a value inside %d others" % depth, "too-deep", at)
        header = self.u32()
        type_id = header & 0xFF if self.dialect.has_flags else header
        if type_id >= len(self.dialect.layouts):
            raise Refused("no type has the id %d" % type_id, "unknown-type", at)
        layout = self.dialect.layouts[type_id]
        body = LAYOUTS[layout].read(self, header & FLAG)
        return named(layout, body) if type(body) is GeneratorType else {layout: body}

    def left(self):
        return len(self.data) - self.at     # negative after a byte array whose padding is missing

    def fields(self, count, size):
        """`count` fields of `size` bytes each. The first that is not whole is the culprit."""
        start, left = self.at, max(self.left(), 0)
        if left < count * size:
            raise Refused("%d bytes expected, %d there" % (size, left % size), "truncated", start + left // size * size)
        self.at += count * size
        return self.data[start:self.at]

    def u32(self):
        return int.from_bytes(self.fields(1, 4), "little")

    def numbers(self, kind, count):
        code = self.dialect.code(kind)
        raw = self.fields(count, SIZES[code])
        return list(struct.unpack("<%di" % count, raw)) if code == "i" else reals_to_json(raw, code)

    def length(self, stride=1):
        """A count of things of `stride` bytes, checked before anything is made of it."""
        at = self.at
        count = signed(self.u32())
        if not 0 <= count * stride <= self.left():
            raise Refused("%d times %d bytes announced, %d there" % (count, stride, self.left()), "length", at)
        return count

    def padding(self, length, optional):
        """What fills `length` up to a multiple of 4. Its bytes do not matter, and may count without being there."""
        if -length % 4 > self.left() and not optional:
            raise Refused("the padding is cut short", "truncated", self.at)
        self.at += -length % 4

    def text(self, is_name=False):
        length, start = self.length(), self.at
        raw = self.fields(length, 1)
        self.padding(length, optional=self.dialect.generation == 2 and not is_name)
        try:
            return text_from_wire(raw, self.dialect.utf8)
        except ValueError:
            raise Refused("not UTF-8", "bad-utf8", start) from None


class Sink:
    """A packet that is being written."""

    def __init__(self, dialect, objects):
        self.dialect, self.objects, self.bytes = dialect, objects, bytearray()

    def begin(self, value, depth):
        """Writes a header and the body after it; of a container only up to its first element."""
        if self.dialect.depth is not None and depth > self.dialect.depth:
            raise Refused("a value inside %d others is too deep" % depth)
        if not isinstance(value, dict) or len(value) != 1:
            raise Refused("a value is an object with one key, the name of its layout")
        (layout, data), = value.items()
        if layout == "object" and data is None and self.dialect.has_flags:
            layout = "null"                 # engines do not write null objects, they write null
        self.header_at = len(self.bytes)
        self.u32(self.dialect.id_of(layout))
        return LAYOUTS[layout].write(self, data)

    def raise_flag(self):
        if not self.dialect.has_flags:
            raise Refused("the dialect has no 64-bit fields")
        self.bytes[self.header_at + 2] |= FLAG >> 16

    def u32(self, number):
        self.bytes += number.to_bytes(4, "little")

    def numbers(self, kind, values):
        code = self.dialect.code(kind)
        self.bytes += ints_from_json(values) if code == "i" else reals_from_json(values, code)

    def number_of(self, data, name):
        self.u32(int_from_json(part(data, name), 32, signed=False))

    def counted(self, raw):
        """Bytes with their number before them and padding after them."""
        self.u32(len(raw))
        self.bytes += raw + bytes(-len(raw) % 4)

    def text(self, text):
        self.counted(text_to_wire(text, self.dialect.utf8))


def named(layout, body):
    return {layout: (yield from body)}


# ---------------------------------------------------------------------------------- shapes of single values
#
# A shape reads and writes what follows the header. `read` gives the JSON form of a value, less the name of its
# layout; `write` takes every form that the protocol allows, and refuses all else.

class Empty:
    """Nothing follows: null, and the rid, whose number stays in the engine."""

    def read(self, source, flag):
        return None

    def write(self, sink, data):
        if data is not None:
            raise Refused("only null can be written here")


class Bool:
    def read(self, source, flag):
        return source.u32() != 0

    def write(self, sink, data):
        sink.u32(truth(data))


class Int:
    """32 bits, or 64 with the flag. Engines write 32 where that will do."""

    def read(self, source, flag):
        number = int.from_bytes(source.fields(1, 8 if flag else 4), "little", signed=True)
        return number if abs(number) <= 1 << 53 else str(number)    # JSON's numbers are doubles in many hosts

    def write(self, sink, data):
        number = int_from_json(data, 64)
        narrow = -1 << 31 <= number < 1 << 31
        if not narrow:
            sink.raise_flag()
        sink.bytes += number.to_bytes(4 if narrow else 8, "little", signed=True)


class Float:
    """A double, sent as a 32-bit float where there is no flag. Engines do that if the same double comes back, which
    they find out with ==, so NaN is always wide. Godot 2 has no wide form and loses what does not fit."""

    def read(self, source, flag):
        raw = source.fields(1, 8) if flag else widened(source.fields(1, 4))
        return reals_to_json(raw, "d")[0]

    def write(self, sink, data):
        wide = float_from_json(data)
        narrow = narrowed(wide)
        if sink.dialect.has_flags and (is_nan(wide) or widened(narrow) != wide):
            sink.raise_flag()
            sink.bytes += wide
        else:
            sink.bytes += narrow


class Text:
    def read(self, source, flag):
        return source.text()

    def write(self, sink, data):
        sink.text(data)


class NodePath:
    """The form that engines use. The documents' offsets for the sub-name count and the flags are 4 too low.

        4  name count | 0x80000000    8  sub-name count    12  flags: 1 absolute, 2 one more text    16  texts

    The one more text is the property that a path has in Godot 2; later it is the last of the sub-names.
    """

    def read(self, source, flag):
        at, own_property = source.at, source.dialect.generation == 2
        word = source.u32()
        if not word & TOP_BIT:
            if not own_property:
                raise Refused("a node path in the old form", "unsupported-form", at)
            source.at = at
            return self.read_old(source)
        subname_count, flags = source.u32(), source.u32()
        # No list is made in advance, so a count too high ends at the first text that is missing.
        names = [source.text(is_name=True) for _ in range(word & ~TOP_BIT)]
        subnames = [source.text(is_name=True) for _ in range(subname_count)]
        last = [source.text(is_name=True)] if flags & 2 else []
        if own_property:                    # without names, Godot 2 keeps nothing
            return path(flags & 1, names, subnames, *last) if names else path(0, [], [])
        return path(flags & 1 and names + subnames + last, names, subnames + last)

    def read_old(self, source):
        """One text, and no padding after it. What cannot be read is empty as a whole."""
        text = source.fields(source.length(), 1).partition(b"\0")[0]
        if text_from_wire(text, source.dialect.utf8) == "":
            return path(False, [], [])
        head, *tail = text.split(b":")
        names, subnames = [[text_from_wire(raw, source.dialect.utf8) for raw in raws if raw]
                           for raws in (head.split(b"/"), tail)]
        last = subnames.pop() if tail and tail[-1] else ""
        return path(head.startswith(b"/"), names, subnames, last)

    def write(self, sink, data):
        names, subnames = listed(part(data, "names", [])), listed(part(data, "subnames", []))
        last = [data["property"]] if data.get("property") else []
        if last and sink.dialect.generation != 2:
            raise Refused("a node path of this dialect has no property of its own")
        sink.u32(len(names) | TOP_BIT)
        sink.u32(len(subnames))
        sink.u32(truth(part(data, "absolute", False)) | 2 * len(last))
        for name in chain(names, subnames, last):
            sink.text(name)


def path(absolute, names, subnames, property_name=""):
    value = {"absolute": bool(absolute), "names": names, "subnames": subnames}
    return dict(value, property=property_name) if property_name else value


class Object:
    """With the flag an instance id, without it the class and all properties. Only the latter makes things at the
    reader's end, so only that needs permission. Godot 2 sends null alone: nothing follows."""

    def read(self, source, flag):
        if not source.dialect.has_flags:
            return None
        if flag:
            number = int.from_bytes(source.fields(1, 8), "little")
            return {"id": str(number)} if number else None
        if not source.objects:
            raise Refused("an object, and objects are not permitted", "bad-object", source.at - 4)
        name = source.text()
        return self.read_properties(source, name) if name else None

    def read_properties(self, source, name):
        properties = []
        for _ in range(source.u32()):
            properties.append([source.text(), (yield)])
        return {"class": name, "properties": properties}

    def write(self, sink, data):
        if data is None:
            return None
        if isinstance(data, dict) and "id" in data:
            sink.raise_flag()
            sink.bytes += int_from_json(data["id"], 64, signed=False).to_bytes(8, "little")
            return None
        if not sink.objects or not sink.dialect.has_flags:
            raise Refused("an object, and objects are not permitted")
        return self.write_properties(sink, part(data, "class"), pairs(part(data, "properties")))

    def write_properties(self, sink, name, properties):
        sink.text(name)
        sink.u32(len(properties))
        for name, value in properties:
            sink.text(name)
            yield value


class Image:
    """Godot 2 makes an image of what it reads, and an empty one, without a word, if the size is not right."""

    parts = ("format", "mipmaps", "width", "height")
    pixel_sizes = {0: 1, 1: 1, 2: 2, 3: 3, 4: 4}    # by format; the compressed ones are taken as they come

    def read(self, source, flag):
        image = {name: source.u32() for name in self.parts}
        image["data"] = LAYOUTS["byte_array"].read(source, flag)
        return image if self.fits(**image) else dict(dict.fromkeys(self.parts, 0), data="")

    def fits(self, format, mipmaps, width, height, data):
        if not data:                        # without data there is no image, whatever its format
            return False
        if format not in self.pixel_sizes:
            return True
        if 0 in (width, height):
            return False
        left = len(data) // 2
        while mipmaps >= 0 and left > 0:    # each level takes something, so this ends
            left -= width * height * self.pixel_sizes[format]
            mipmaps, width, height = mipmaps - 1, max(width // 2, 1), max(height // 2, 1)
        return mipmaps < 0 and left == 0

    def write(self, sink, data):
        for name in self.parts:
            sink.number_of(data, name)
        sink.counted(bytes_from_hex(part(data, "data")))


class InputEvent:
    """Type, device, a size that nobody reads, and what the type calls for. The documents have no table for it."""

    parts = {1: ["modifiers", "scancode"], 3: ["button_index"], 4: ["axis", "value"], 5: ["button_index"], 6: ["index"]}

    def read(self, source, flag):
        event = {"type": source.u32(), "device": source.u32()}
        source.u32()
        for name in self.parts.get(event["type"], ()):
            event[name] = source.numbers("f", 1)[0] if name == "value" else source.u32()
        return event

    def write(self, sink, data):
        names = self.parts.get(int_from_json(part(data, "type"), 32, signed=False), ())
        sink.number_of(data, "type")
        sink.number_of(data, "device")
        sink.u32(12 + 4 * len(names))
        for name in names:
            if name == "value":
                sink.numbers("f", [part(data, name)])
            else:
                sink.number_of(data, name)


# -------------------------------------------------------------- shapes of many fields: structures and arrays

class Fields:
    """A fixed number of equal fields. `order` names the component at each place of the wire, where that is not the
    order of meaning."""

    def __init__(self, kind, count, order=None):
        self.kind, self.count, self.order = kind, count, order or range(count)
        self.places = [self.order.index(component) for component in range(count)]

    def read(self, source, flag):
        wire = source.numbers(self.kind, self.count)
        return [wire[place] for place in self.places]

    def write(self, sink, data):
        if len(listed(data)) != self.count:
            raise Refused("%d numbers are needed here" % self.count)
        sink.numbers(self.kind, [data[component] for component in self.order])


class Packed:
    """A count, then as many groups of `per` equal fields, without headers."""

    def __init__(self, kind, per=1):
        self.kind, self.per = kind, per

    def read(self, source, flag):
        per = self.per
        count = source.length(stride=per * SIZES[source.dialect.code(self.kind)])
        flat = source.numbers(self.kind, count * per)
        return flat if per == 1 else [flat[i:i + per] for i in range(0, len(flat), per)]

    def write(self, sink, data):
        sink.u32(len(listed(data)))
        if self.per > 1:
            if not all(type(group) is list and len(group) == self.per for group in data):
                raise Refused("groups of %d numbers are needed here" % self.per)
            data = list(chain.from_iterable(data))
        sink.numbers(self.kind, data)


class Bytes:
    """The one array with padding, which may be missing at the very end of a packet."""

    def read(self, source, flag):
        count = source.length()
        raw = source.fields(count, 1)
        source.padding(count, optional=True)
        return raw.hex()

    def write(self, sink, data):
        sink.counted(bytes_from_hex(data))


class Texts:
    """Unlike everywhere else, the length of a text counts a NUL that is written after it. Both forms are read, and a
    negative count is read as no text at all."""

    def read(self, source, flag):
        at = source.at
        if signed(source.u32()) < 0:
            return []
        source.at = at
        return [source.text() for _ in range(source.length(stride=4))]

    def write(self, sink, data):
        sink.u32(len(listed(data)))
        for text in data:
            sink.counted(text_to_wire(text, sink.dialect.utf8) + b"\0")


# ----------------------------------------------------------------------------------------- shapes of containers
#
# Their counts are not compared with the bytes left. Nothing is made in advance, so a count too high ends at the first
# element that is missing, as it does in the engines.

class Array:
    def read(self, source, flag):
        word, items = source.u32(), []
        for _ in range(word & ~TOP_BIT):
            items.append((yield))
        return with_shared(source, word, "items", items)

    def write(self, sink, data):
        items = write_count(sink, data, "items")
        for item in items:
            yield item


class Dictionary:
    """Pairs in the order of insertion. A key that comes again keeps its first place and takes the last value."""

    def read(self, source, flag):
        word, entries = source.u32(), {}
        for _ in range(word & ~TOP_BIT):
            key = yield
            value = yield
            entries.setdefault(identity(key), [key, None])[1] = value
        return with_shared(source, word, "entries", list(entries.values()))

    def write(self, sink, data):
        for key, value in pairs(write_count(sink, data, "entries")):
            yield key
            yield value


def with_shared(source, word, content, elements):
    """Only Godot 2 has shared containers; later engines pass over the bit."""
    shared = word & TOP_BIT and source.dialect.generation == 2
    return {content: elements, "shared": True} if shared else elements


def write_count(sink, data, content):
    """The elements of a container, once their count is written. They stand alone, or in an object with attributes."""
    attributes = data if isinstance(data, dict) else {content: data}
    if attributes.keys() - {content, "shared"}:
        raise Refused("a container of this dialect has no element type")
    elements = listed(attributes.get(content))
    shared = truth(attributes.get("shared", False)) and sink.dialect.generation == 2
    sink.u32(len(elements) | (TOP_BIT if shared else 0))
    return elements


def identity(key):
    """Something hashable that is equal for two keys if a dictionary takes them for one: same type and same content,
    but 0.0 is -0.0, and NaN is NaN; in packed arrays of single numbers they count bit by bit. Dictionaries and objects inside keys are
    compared by reference, so none equals another."""
    if str(key.get("float")).startswith("0x"):
        return "NaN"
    tokens, waiting = [], [key]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            layout, body = next(iter(node.items()))
            if layout in ("dictionary", "object"):
                return object()
            if layout == "array" and isinstance(body, dict):
                tokens.append(("array", body.get("shared")))
                waiting.append(body["items"])
                continue
            if isinstance(body, list) and layout not in ("array", "typed_array", "packed_typed_array"):
                if not layout.endswith("_array"):
                    tokens.append((layout, tuple(map(folded, body))))
                elif body and isinstance(body[0], list):
                    tokens.append((layout, tuple(tuple(map(folded, element)) for element in body)))
                else:
                    tokens.append((layout, repr(body)))
                continue
            tokens.append(tuple(node))
            waiting.extend(node.values())
        elif isinstance(node, list):
            tokens.append((len(node),))
            waiting.extend(node)
        else:
            tokens.append(node)
    return tuple(tokens)


def folded(number):
    return "NaN" if str(number).startswith("0x") else number


class TypedArray:
    """The id of a type, a count, and whole values. Objects come as ids, with the flag, or after the name of a class."""

    def read(self, source, flag):
        number, layouts = source.u32() & ~TOP_BIT, source.dialect.layouts
        of = layouts[number] if number < len(layouts) else number
        if of == "object" and not flag:
            at, name = source.at, (yield)
            if "string_name" not in name:
                raise Refused("the name of a class is a string_name", "bad-object", at)
            of = {"class": name["string_name"]}
        items = []
        for _ in range(source.u32() & ~TOP_BIT):
            items.append((yield))
        return {"of": of, "items": items}

    def write(self, sink, data):
        of, items = part(data, "of"), listed(part(data, "items"))
        if isinstance(of, str):
            sink.u32(sink.dialect.id_of(of))
            if of == "object":
                sink.raise_flag()
        elif isinstance(of, dict):
            sink.u32(sink.dialect.id_of("object"))
            yield {"string_name": part(of, "class")}
        else:
            sink.u32(int_from_json(of, 31, signed=False))
        sink.u32(len(items))
        for item in items:
            yield item


# ------------------------------------------------------------------------------------------- parts of JSON values

def truth(data):
    if not isinstance(data, bool):
        raise Refused("%.60r is neither true nor false" % (data,))
    return data


def listed(data):
    if not isinstance(data, list):
        raise Refused("%.60r is not a list" % (data,))
    return data


def pairs(entries):
    if not all(type(entry) is list and len(entry) == 2 for entry in listed(entries)):
        raise Refused("a list of pairs is needed here")
    return entries


def part(data, name, *default):
    if isinstance(data, dict) and name in data:
        return data[name]
    if isinstance(data, dict) and default:
        return default[0]
    raise Refused("`%s` is missing" % name)


# ------------------------------------------------------------------------------------------------------- numbers

SIZES = {"i": 4, "f": 4, "d": 8}    # the codes of `struct`: a 32-bit integer, a float, a double


def signed(word):
    return word - (1 << 32) if word & TOP_BIT else word


def int_from_json(value, bits, signed=True):
    if isinstance(value, str) and re.fullmatch("-?[0-9]{1,20}", value):
        value = int(value)
    if type(value) is not int:          # not isinstance: True and False are no integers here
        raise Refused("%.60r is not an integer" % (value,))
    low, high = (-1 << bits - 1, 1 << bits - 1) if signed else (0, 1 << bits)
    if not low <= value < high:
        raise Refused("%d does not fit in %d bits" % (value, bits))
    return value


def ints_from_json(values):
    if set(map(type, values)) != {int}:         # usually all are, and `struct` is fast
        values = [int_from_json(value, 32) for value in values]
    try:
        return struct.pack("<%di" % len(values), *values)
    except struct.error:
        raise Refused("an integer does not fit in 32 bits") from None


# Reals are the bytes of their fields. They become Python floats only where that loses nothing: a signalling NaN does
# not survive the way from float to double, so every NaN is given as its bits.

def reals_to_json(raw, code):
    size = SIZES[code]
    values = list(struct.unpack("<%d%s" % (len(raw) // size, code), raw))
    if not all(map(math.isfinite, values)):
        for i, value in enumerate(values):
            if math.isnan(value):
                values[i] = "0x" + raw[i * size:(i + 1) * size][::-1].hex()
            elif math.isinf(value):
                values[i] = "inf" if value > 0 else "-inf"
    return values


def reals_from_json(values, code):
    try:
        if set(map(type, values)) <= {float, int} and all(map(math.isfinite, values)):
            return struct.pack("<%d%s" % (len(values), code), *values)
    except OverflowError:
        raise Refused("a number is too large for its field") from None
    if len(values) == 1:
        return odd_real_from_json(values[0], code)
    return b"".join(reals_from_json([value], code) for value in values)


def odd_real_from_json(value, code):
    """What is not a finite number. The infinite ones were: 1e999 overflows when JSON is parsed."""
    if isinstance(value, str) and value in ("nan", "inf", "-inf", "-0"):
        return struct.pack("<" + code, float(value))
    if isinstance(value, str) and re.fullmatch("0x[0-9a-fA-F]{%d}" % (2 * SIZES[code]), value):
        return bytes.fromhex(value[2:])[::-1]
    raise Refused("%.60r is not a real of %d bytes" % (value, SIZES[code]))


def float_from_json(value):
    """The 8 bytes of a `float`, the one place where the bits of a 32-bit float are taken as well."""
    narrow = isinstance(value, str) and re.fullmatch("0x.{8}", value)
    return widened(reals_from_json([value], "f")) if narrow else reals_from_json([value], "d")


def is_nan(wide):
    return math.isnan(struct.unpack("<d", wide)[0])


def widened(narrow):
    """A 32-bit float as a double, NaN bit by bit."""
    value, = struct.unpack("<f", narrow)
    if not math.isnan(value):
        return struct.pack("<d", value)
    bits, = struct.unpack("<I", narrow)
    return struct.pack("<Q", bits >> 31 << 63 | 0x7FF << 52 | (bits & 0x7FFFFF) << 29)


def narrowed(wide):
    """The 32-bit float nearest to a double. A NaN keeps the upper bits of its payload and is quiet, as processors make
    it: Godot 2 and 4 write it so."""
    value, = struct.unpack("<d", wide)
    if math.isnan(value):
        bits, = struct.unpack("<Q", wide)
        return struct.pack("<I", bits >> 63 << 31 | 0x1FF << 22 | bits >> 29 & 0x3FFFFF)
    try:
        return struct.pack("<f", value)
    except OverflowError:
        return struct.pack("<f", math.copysign(math.inf, value))


# ---------------------------------------------------------------------------------------------------------- text
#
# In JSON a text is a string, or {"utf8": hex} if it holds U+0000 or something that is not Unicode. Engines drop a
# leading byte order mark and end a text at a NUL. What they do about malformed UTF-8 differs:
#
#     strict     it is refused
#     lenient    the parser of Godot 3: surrogates, numbers beyond Unicode and some overlong forms pass
#     any        the same parser in Godot 2, where a text that does not pass is empty

def text_from_wire(raw, rule):
    if raw.startswith(b"\xef\xbb\xbf"):
        raw = raw[3:]
    raw = raw.partition(b"\0")[0]
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        if rule == "strict":
            raise
    try:
        raw = b"".join(map(long_utf8, code_points(raw)))
    except ValueError:
        if rule == "lenient":
            raise
        return ""
    return raw.decode("utf-8") if is_unicode(raw) else {"utf8": raw.hex()}


def text_to_wire(text, rule):
    raw = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else bytes_from_hex(part(text, "utf8"))
    if is_unicode(raw):
        return raw
    try:
        points = code_points(raw)
    except ValueError:
        raise Refused("no text has these bytes in UTF-8") from None
    return b"".join(map(long_utf8, paired(points) if rule == "lenient" else points))


def is_unicode(raw):
    try:
        return raw.decode("utf-8") is not None
    except UnicodeDecodeError:
        return False


def paired(points):
    """Godot 3 joins two surrogates that make a pair when it writes them, and writes a space for one alone."""
    joined = []
    for point in points:
        if joined and 0xD800 <= joined[-1] < 0xDC00 <= point < 0xE000:
            joined[-1] = 0x10000 + (joined[-1] - 0xD800 << 10) + (point - 0xDC00)
        else:
            joined.append(point)
    return [0x20 if 0xD800 <= point < 0xE000 else point for point in joined]


def code_points(raw):
    """What Godot 2 and 3 read. ValueError where they give up."""
    points, at = [], 0
    while at < len(raw):
        size = 8 - (raw[at] ^ 0xFF).bit_length()    # the ones that the first byte begins with
        point, tail = raw[at] & 0xFF >> size + 1, raw[at + 1:at + size]
        if size in (1, 7, 8) or len(tail) < size - 1 or (size == 2 and point < 2):
            raise ValueError
        for place, byte in enumerate(tail):
            if byte & 0xC0 != 0x80 or (place == 1 and point == 0 and (byte & 0x7F) >> 7 - size == 0):
                raise ValueError                    # the latter is all that is noticed of longer overlong forms
            point = point << 6 | byte & 0x3F
        points.append(point)
        at += size or 1
    return points


def long_utf8(point):
    """UTF-8 as it was before it ended at U+10FFFF, with up to six bytes."""
    if point < 0x110000:
        return chr(point).encode("utf-8", "surrogatepass")
    size = 4 if point < 1 << 21 else 5 if point < 1 << 26 else 6
    tail = [0x80 | point >> shift & 0x3F for shift in range(6 * (size - 2), -1, -6)]
    return bytes([0xFF00 >> size & 0xFF | point >> 6 * (size - 1)] + tail)


# ------------------------------------------------------------------------------------------------------ the tables

# Engines send a basis by rows: first the x of all three axes. JSON has it axis by axis.
BY_ROWS = (0, 3, 6, 1, 4, 7, 2, 5, 8)

LAYOUTS = {
    "null": Empty(), "bool": Bool(), "int": Int(), "float": Float(), "string": Text(), "string_name": Text(),
    "node_path": NodePath(), "rid": Empty(), "object": Object(), "image": Image(), "input_event": InputEvent(),
    "vector2": Fields("real", 2), "vector2i": Fields("i", 2),
    "vector3": Fields("real", 3), "vector3i": Fields("i", 3),
    "vector4": Fields("real", 4), "vector4i": Fields("i", 4),
    "rect2": Fields("real", 4), "rect2i": Fields("i", 4),
    "plane": Fields("real", 4), "quaternion": Fields("real", 4), "aabb": Fields("real", 6), "color": Fields("real", 4),
    "transform2d": Fields("real", 6), "projection": Fields("real", 16),
    "basis": Fields("real", 9, BY_ROWS), "transform": Fields("real", 12, BY_ROWS + (9, 10, 11)),
    "array": Array(), "dictionary": Dictionary(), "typed_array": TypedArray(), "packed_typed_array": TypedArray(),
    "byte_array": Bytes(), "string_array": Texts(), "int32_array": Packed("i"),
    "float32_array": Packed("f"),       # 32 bits in every build: the documents type its fields Integer
    "vector2_array": Packed("real", 2), "vector2i_array": Packed("i", 2),
    "vector3_array": Packed("real", 3), "vector3i_array": Packed("i", 3),
    "vector4_array": Packed("real", 4), "vector4i_array": Packed("i", 4), "color_array": Packed("real", 4),
}


@dataclass(frozen=True)
class Dialect:
    """What sets a dialect apart. All else is the same in the whole family."""
    layouts: Tuple[str, ...]        # the layout of each type id
    utf8: str = "strict"            # what becomes of malformed text: see the section on text
    real: str = "f"                 # the `Float` fields of structures: f has 4 bytes, d has 8
    depth: Optional[int] = 1024     # the most values that another may be inside of; leaves are values too
    generation: int = 3             # 2: shared containers, a property in node paths, the last padding may be missing
    has_flags: bool = True          # if not, all of the header is the id, and nothing has 64 bits

    def code(self, kind):
        return self.real if kind == "real" else kind

    def id_of(self, layout):
        if layout not in self.layouts:
            raise Refused("the dialect has no type `%s`" % layout)
        return self.layouts.index(layout)


GODOT_2 = Dialect(tuple("""
    null bool int float string vector2 rect2 vector3 transform2d plane quaternion aabb basis transform color
    image node_path rid object input_event dictionary array
    byte_array int32_array float32_array string_array vector2_array vector3_array color_array
    """.split()), utf8="any", depth=None, generation=2, has_flags=False)

GODOT_3 = Dialect(tuple("""
    null bool int float string vector2 rect2 vector3 transform2d plane quaternion aabb basis transform color
    node_path rid object dictionary array
    byte_array int32_array float32_array string_array vector2_array vector3_array color_array
    """.split()), utf8="lenient")

PANDEMONIUM_38 = Dialect(tuple("""
    null bool int float string rect2 rect2i vector2 vector2i vector3 vector3i vector4 vector4i plane quaternion aabb
    basis transform transform2d projection color node_path rid object string_name dictionary array
    byte_array int32_array float32_array string_array vector2_array vector2i_array vector3_array vector3i_array
    vector4_array vector4i_array color_array
    """.split()))

PANDEMONIUM_40 = replace(PANDEMONIUM_38, layouts=(
    PANDEMONIUM_38.layouts[:27] + ("typed_array", "packed_typed_array") + PANDEMONIUM_38.layouts[27:]))

DIALECTS = {
    "godot-2": GODOT_2,
    "godot-3": GODOT_3, "godot-3+double": replace(GODOT_3, real="d"),
    "pandemonium-27": GODOT_3, "pandemonium-27+double": replace(GODOT_3, real="d"),
    "pandemonium-38": PANDEMONIUM_38, "pandemonium-38+double": replace(PANDEMONIUM_38, real="d"),
    "pandemonium-40": PANDEMONIUM_40,
}


if __name__ == "__main__":
    main()
