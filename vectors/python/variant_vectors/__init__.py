"""The test vectors of conform: packets of Godot's binary Variant format, and what a codec must do with each.

    import pytest, variant_vectors

    @pytest.mark.parametrize("vector", variant_vectors.vectors("godot-4.4"), ids=str)
    def test_codec(vector):
        vector.check(decode=my_decode, encode=my_encode)

Values are as in conform's protocol: {"vector2": [-1.0, 2.0]}, {"array": [{"int": 1}]}.
"""

import gzip
import hashlib
import json
import math
import re
import struct
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any, Callable, Iterable, List, Optional, Tuple, Type, Union

__all__ = ["Vector", "corpus", "left_out", "same", "vectors"]

Value = Any
Decode = Callable[[bytes], Union[Value, Tuple[Value, int]]]
Encode = Callable[[Value], bytes]


@dataclass(frozen=True)
class Vector:
    """One question to a codec: `op` is `decode`, `encode` or `reencode`; `str()` is its id."""

    id: str
    op: str
    dialect: str
    layout: str
    kind: str  # canonical, readable, invalid (must be refused) or undecided (anything but a crash)
    level: str  # must, or should: good practice
    bytes: bytes
    written: bytes  # what is right to write: the same, unless what was read is sent on in another form
    value: Optional[Value]
    used: Optional[int]
    mask: Optional[bytes]
    framing: Optional[str]
    objects: bool
    because: str
    lossy: Tuple[str, ...] = ()
    known: bool = False

    def __str__(self) -> str:
        return f"{self.id}:{self.op}"

    def check(self, decode: Optional[Decode] = None, encode: Optional[Encode] = None,
              refusal: Union[Type[Exception], Tuple[Type[Exception], ...]] = Exception) -> None:
        """Asks the codec, and raises AssertionError where it is wrong. `decode` gives a value, or a pair of the value
        and the bytes consumed; it refuses a packet by raising `refusal`. What is known to fail must fail."""
        if not self.known:
            return self._check(decode, encode, refusal)
        try:
            self._check(decode, encode, refusal)
        except AssertionError:
            return
        raise AssertionError(f"{self}: is known to fail, and passes")

    def _check(self, decode, encode, refusal):
        try:
            got = self._ask(decode, encode)
        except refusal as why:
            assert self.kind in ("invalid", "undecided"), f"{self}: refused {self.bytes.hex()}: {why!r}"
            return
        if self.kind == "undecided":
            return
        assert self.kind != "invalid", f"{self}: accepted {self.bytes.hex()} as {got!r}; {self.because}"
        if self.op != "decode":
            assert isinstance(got, (bytes, bytearray)), f"{self}: {got!r} is no bytes"
            mask = self.mask or b"\xff" * len(self.written)
            equal = len(got) == len(self.written) and all(g & m == b & m for g, b, m in zip(got, self.written, mask))
            assert equal or self._allows(decode, got), f"{self}: wrote {got.hex()}, expected {self.written.hex()}"
            return
        value, used = got if isinstance(got, tuple) else (got, self.used)
        assert same(value, self.value, lossy=self.lossy), f"{self}: read {value!r}, expected {self.value!r}"
        assert used == self.used, f"{self}: consumed {used} bytes, expected {self.used}"

    def _allows(self, decode, got):
        """Whether other bytes are no failure: those of the same value where the form is good practice (`should`), or those that
        differ by what is declared lossy. What they mean, the codec says."""
        if self.level == "should" and self.kind != "canonical":
            return True
        try:
            value = decode(got)
        except Exception:  # Also where it cannot decode.
            return False
        value = value[0] if isinstance(value, tuple) else value
        return self.level == "should" if same(value, self.value) else same(value, self.value, lossy=self.lossy)

    def _ask(self, decode, encode):
        if self.op == "encode":
            return encode(self.value)
        got = decode(self.bytes)
        return got if self.op == "decode" else encode(got[0] if isinstance(got, tuple) else got)


def corpus_bytes() -> bytes:
    """The corpus as `conform export` wrote it. Bytes that are not those are an error."""
    data = gzip.decompress((files(__name__) / "corpus.json.gz").read_bytes())
    digest = (files(__name__) / "corpus.sha256").read_text().split()[0]
    if hashlib.sha256(data).hexdigest() != digest:
        raise ValueError("variant_vectors: corpus.json.gz is not what this version was released with; install it again")
    return data


@lru_cache(maxsize=1)
def corpus() -> dict:
    """The corpus, format 1: the `$schema` is what `conform export --format schema` prints."""
    return json.loads(corpus_bytes())


def vectors(dialect: str, layouts: Optional[List[str]] = None, ops: Tuple[str, ...] = ("decode", "encode", "reencode"),
            framing: bool = False, objects: bool = False, known: Iterable[str] = (),
            lossy: Iterable[str] = ()) -> List[Vector]:
    """The questions about a dialect, in the order of the corpus. `layouts` are all types that the codec has: what holds
    another is left out. Packets with a length prefix (`framing`) or with objects are left out unless asked for. `known`
    are ids of questions that the codec fails, and `lossy` is what its language cannot tell apart: `int-float`, `nan-payload`,
    `packed-as-list`. The variants that `conform run` derives from the cases are not here: left_out() says how many."""
    dialects, known, lossy = [one["name"] for one in corpus()["dialects"]], set(known), tuple(lossy)
    for what, asked, there in [("dialect", [dialect], dialects), ("word for lossy", lossy, LOSSY)]:
        if wrong := next((one for one in asked if one not in there), None):
            raise ValueError(f"there is no {what} {wrong!r} here; there are {', '.join(there)}")
    return [
        Vector(case["id"], op, dialect, case["layout"], case["class"], level, bytes.fromhex(case.get("bytes", "")),
               bytes.fromhex(case.get("written", case.get("bytes", ""))), case.get("value"), case.get("used"), bytes.fromhex(case["mask"]) if "mask" in case else None,
               case.get("framing"), case.get("objects", False), case.get("because", ""), lossy,
               f"{case['id']}:{op}" in known)
        for case in corpus()["cases"]
        if case["dialect"] == dialect and (layouts is None or set(case["holds"]) <= set(layouts))
        and (framing or "framing" not in case) and (objects or not case.get("objects"))
        for op, level in case["asks"].items() if op in ops
    ]


def left_out(dialect: str) -> int:
    """How many variants of the cases `conform run` asks besides."""
    return next(one["variants"] for one in corpus()["dialects"] if one["name"] == dialect)


LOSSY = ("int-float", "nan-payload", "packed-as-list")
DOUBLE = {"float", "float64_array"}
EXACT = {"string", "string_array", "byte_array", "node_path", "string_name", "class", "names", "subnames"}
NUMBER = re.compile(r"-?\d+|0x[0-9a-f]+|nan|-?inf|-0")


def same(given: Value, expected: Value, key: str = "", lossy: Tuple[str, ...] = ()) -> bool:
    """Whether two values are the same: reals by their bits, in the precision of their type; an expected `nan` is any."""
    given, expected = _plain(given, lossy), _plain(expected, lossy)
    if isinstance(expected, dict) and isinstance(given, dict) and not {"utf8"} & (set(expected) | set(given)):
        return set(expected) == set(given) and all(same(given[name], expected[name], name, lossy) for name in expected)
    if isinstance(expected, list):
        return isinstance(given, (list, tuple)) and len(given) == len(expected) and all(
            same(one, other, key, lossy) for one, other in zip(given, expected))
    if key in EXACT:
        return _text(given) == _text(expected)
    if isinstance(expected, bool) or isinstance(given, bool) or expected is None or given is None:
        return given is expected
    if given == expected and isinstance(given, str):
        return True
    any_nan = expected == "nan" or "nan-payload" in lossy
    given, expected = _number(given), _number(expected)
    if given is None or expected is None:
        return False
    if isinstance(expected, int) and isinstance(given, int):
        return given == expected
    if expected != expected and any_nan:
        return given != given
    return _bits(given, key) == _bits(expected, key)


def _plain(value, lossy):
    """A container without a type in its short form, and what the language cannot tell apart in one form."""
    if not isinstance(value, dict):
        return value
    if len(value) == 1 and next(iter(value)) in ("items", "entries"):
        return next(iter(value.values()))
    if "int-float" in lossy and "int" in value and abs(_number(value["int"]) or 0) <= 1 << 53:
        return {"float": float(_number(value["int"]))}
    if "packed-as-list" in lossy and len(value) == 1:
        (layout, body), = value.items()
        of = layout[:-len("_array")] if layout.endswith("_array") else ""
        element = {"int32": "int", "int64": "int", "float32": "float", "float64": "float"}.get(of, of)
        if layout == "byte_array":
            return {"array": [_plain({"int": byte}, lossy) for byte in bytes.fromhex(body)]}
        if element and isinstance(body, list):
            return {"array": [_plain({element: one}, lossy) for one in body]}
    return value


def _text(value):
    return bytes.fromhex(value["utf8"]) if isinstance(value, dict) else value.encode() if isinstance(value, str) else value


def _number(value):
    """A number, or a NaN with its bits; None for what is none."""
    if isinstance(value, (int, float)):
        return value
    if not isinstance(value, str) or not NUMBER.fullmatch(value):
        return None
    if value.startswith("0x"):
        return struct.unpack(">f" if len(value) == 10 else ">d", bytes.fromhex(value[2:]))[0]
    return int(value) if re.fullmatch(r"-?[1-9]\d*|0", value) else float(value)


def _bits(number, key):
    if key in DOUBLE:
        return struct.pack("<d", number)
    try:
        return struct.pack("<f", number)
    except OverflowError:
        return struct.pack("<f", math.copysign(math.inf, number))
