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
        except Exception:  # Whatever a broken codec raises.
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
        return same(value, self.value, lossy=self.lossy) and (self.level == "should" or not same(value, self.value))

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
    """The questions about a dialect, or that of a version of an engine (`4.6`), in the order of the corpus. `layouts` are all
    types that the codec has: what holds another is left out. Packets with a length prefix (`framing`) or with objects are left out unless asked for. `known`
    are ids of questions that the codec fails, and `lossy` is what its language cannot tell apart: `int-float`, `nan-payload`,
    `packed-as-list`. The variants that `conform run` derives from the cases are not here: left_out() says how many."""
    found, known, lossy = _dialect(dialect), set(known), tuple(lossy)
    tests = {f"{case['id']}:{op}" for case in corpus()["cases"] for op in case["asks"]}
    for asked, there, why in [
            (layouts or [], found["ids"], "there is no layout {0} in {1}; there are {2}"),
            (known, tests, "there is no test {0}, so it cannot be known"),
            (lossy, LOSSY, "the vectors cannot judge lossy {0}: use `conform run` for it; they judge {2}")]:
        if wrong := next((one for one in asked if one not in there), None):
            raise ValueError(why.format(repr(wrong), found["name"], ", ".join(there)))
    return [
        Vector(case["id"], op, found["name"], case["layout"], case["class"], level, bytes.fromhex(case.get("bytes", "")),
               bytes.fromhex(case.get("written", case.get("bytes", ""))), case.get("value"), case.get("used"), bytes.fromhex(case["mask"]) if "mask" in case else None,
               case.get("framing"), case.get("objects", False), case.get("because", ""), lossy,
               f"{case['id']}:{op}" in known)
        for case in corpus()["cases"]
        if case["dialect"] == found["name"] and (layouts is None or set(case["holds"]) <= set(layouts))
        and (framing or "framing" not in case) and (objects or not case.get("objects"))
        for op, level in case["asks"].items() if op in ops
    ]


def left_out(dialect: str) -> int:
    """How many variants of the cases `conform run` asks besides."""
    return _dialect(dialect)["variants"]


def _dialect(name: str) -> dict:
    """The dialect of this name, or the newest of this version of an engine: `godot-4.6`, `4.6`."""
    dialects = corpus()["dialects"]
    engine, version = re.fullmatch(r"([a-z]*)[-_ ]*v?([\d.]*)|.*", name.lower()).groups()
    version = [int(part) for part in (version or "").split(".") if part]

    def has(first, last):
        return first[:len(version)] <= version[:len(first)] and version[:len(last)] <= last[:len(version)]

    of_version = [one for one in dialects if version and "versions" in one and has(*one["versions"])
                  and one["name"].startswith((engine or "godot") + "-")]
    for one in [one for one in dialects if one["name"] == name] + of_version:
        return one
    raise ValueError(f"there is no dialect {name!r} here; there are {', '.join(one['name'] for one in dialects)}")


LOSSY = ("int-float", "nan-payload", "packed-as-list")
DOUBLE = {"float", "float64_array"}
EXACT = {"string", "string_array", "byte_array", "node_path", "string_name", "class", "names", "subnames"}
REAL = re.compile(r"0x[0-9a-f]+|nan|-?inf|-0")


def same(given: Value, expected: Value, key: str = "", lossy: Tuple[str, ...] = ()) -> bool:
    """Whether two values are the same: reals by their bits, in the precision of their type; an expected `nan` is any."""
    given, expected = _plain(given, lossy), _plain(expected, lossy)
    if isinstance(expected, dict) and isinstance(given, dict) and not {"utf8"} & (set(expected) | set(given)):
        return set(expected) == set(given) and all(same(given[name], expected[name], name, lossy) for name in expected)
    if isinstance(expected, list):
        if not isinstance(given, (list, tuple)):
            return False
        if key in ("dictionary", "entries") and len(given) != len(expected) and "int-float" in lossy:
            expected = _joined(expected)
        return len(given) == len(expected) and all(same(one, other, key, lossy) for one, other in zip(given, expected))
    if key in EXACT:
        return _text(given) == _text(expected)
    if isinstance(expected, bool) or isinstance(given, bool) or expected is None or given is None:
        return given is expected
    if given == expected and isinstance(given, str):
        return True
    if isinstance(expected, float) or isinstance(expected, str) and REAL.fullmatch(expected):
        one, other = _bits(given, key), _bits(expected, key)
        any_nan = expected == "nan" or "nan-payload" in lossy
        return one is not None and (one == other or any_nan and _is_nan(one) and _is_nan(other))
    return _integer(given) is not None and _integer(given) == _integer(expected)


def _joined(pairs):
    """The pairs as a map keeps them that cannot tell an int from a float: the first key stays, with the last value."""
    joined = []
    for key, value in pairs:
        for pair in joined:
            if same(key, pair[0], lossy=("int-float",)):
                pair[1] = value
                break
        else:
            joined.append([key, value])
    return joined


def _plain(value, lossy):
    """A container without a type in its short form, and what the language cannot tell apart in one form."""
    if not isinstance(value, dict):
        return value
    if len(value) == 1 and next(iter(value)) in ("items", "entries"):
        return next(iter(value.values()))
    if "int-float" in lossy and len(value) == 1 and "int" in value:
        number = _integer(value["int"])
        is_exact = number is not None and abs(number) < 1 << 64 and int(float(number)) == number
        return {"float": float(number)} if is_exact else value
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


def _integer(value):
    """An int, or one in digits; None for what is none."""
    if isinstance(value, int):
        return value
    return int(value) if isinstance(value, str) and re.fullmatch(r"-?\d+", value) else None


def _bits(real, key):
    """The bits of a real in the precision of its type, as digits: never through a wider float, which makes a signalling NaN a
    quiet one. None for what is no real, or does not fit."""
    form, digits = (">d", 16) if key in DOUBLE else (">f", 8)
    if isinstance(real, str) and real.startswith("0x"):
        real = _widened(real) if key == "float" and len(real) == 10 else real
        return real[2:] if len(real) == 2 + digits else None
    if isinstance(real, str) and not REAL.fullmatch(real):
        return None
    try:
        return struct.pack(form, float(real)).hex()
    except (OverflowError, TypeError, ValueError):
        return None


def _widened(text):
    """The bits of a 32-bit float as those of the 64-bit one."""
    bits = int(text, 16)
    if _is_nan(text[2:]):
        return f"0x{bits >> 31 << 63 | 0x7ff << 52 | (bits & 0x7fffff) << 29:016x}"
    return "0x" + struct.pack(">d", *struct.unpack(">f", bytes.fromhex(text[2:]))).hex()


def _is_nan(digits):
    return math.isnan(struct.unpack(">f" if len(digits) == 8 else ">d", bytes.fromhex(digits))[0])
