"""The codec of conform's adapters/python, on the vectors of two dialects. Everything must pass."""

import importlib.util
from pathlib import Path

import pytest
import variant_vectors

PATH = Path(__file__).resolve().parents[3] / "adapters/python/adapter.py"
SPEC = importlib.util.spec_from_file_location("adapter", PATH)
codec = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(codec)

VECTORS = [vector for dialect in ["godot-3", "pandemonium-38"]
           for vector in variant_vectors.vectors(dialect, framing=True, objects=True)]


@pytest.mark.parametrize("vector", VECTORS, ids=str)
def test_codec(vector):
    options = {"objects": vector.objects, "framing": codec.FRAMINGS[vector.framing]}
    dialect = codec.DIALECTS[vector.dialect]
    vector.check(
        decode=lambda packet: codec.decode(packet, dialect, **options),
        encode=lambda value: codec.encode(value, dialect, **options),
        refusal=codec.Refused,
    )


def test_there_are_vectors():
    assert len(VECTORS) > 1500


@pytest.mark.parametrize(("given", "expected", "equal"), [
    ({"vector2": [0.1, 0.0]}, {"vector2": [0.10000000149011612, 0.0]}, True),
    ({"vector2": [0.0, 0.0]}, {"vector2": [-0.0, 0.0]}, False),
    ({"float": 0.1}, {"float": 0.10000000149011612}, False),
    ({"float": float("nan")}, {"float": "nan"}, True),
    ({"float": "0x7ff8000000000002"}, {"float": "0x7ff8000000000001"}, False),
    ({"float": "0x7f800001"}, {"float": "0x7ff0000020000000"}, True),
    ({"vector2": ["0x7fc00001", 0]}, {"vector2": ["0x7f800001", 0]}, False),
    ({"vector2": [1e300, 0.0]}, {"vector2": ["inf", 0.0]}, False),
    ({"int": 16777216.0}, {"int": 16777217}, False),
    ({"array": {"items": []}}, {"array": []}, True),
    ({"array": {"of": "int", "items": []}}, {"array": []}, False),
    ({"int": 9007199254740993}, {"int": "9007199254740993"}, True),
    ({"int": 1}, {"float": 1.0}, False),
    ({"bool": 1}, {"bool": True}, False),
    ({"string": "1"}, {"string": "01"}, False),
    ({"string": "a"}, {"string": {"utf8": "61"}}, True),
    ({"array": []}, {"array": [{"null": None}]}, False),
])
def test_same(given, expected, equal):
    assert variant_vectors.same(given, expected) is equal


def test_a_wrong_codec_is_noticed():
    wrong = 0
    for vector in variant_vectors.vectors("godot-3", layouts=["bool"]):
        try:
            vector.check(decode=lambda packet: ({"null": None}, 4), encode=lambda value: b"")
        except AssertionError:
            wrong += 1
    assert wrong >= 5
