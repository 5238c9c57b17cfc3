"""Writes wheels with the standard library alone, so that a release needs no build back end, and the same files give the same bytes.

wheel.py program UNPACKED VERSION PLATFORM HOME OUT: `conform`, from an unpacked archive of recipes/release.
wheel.py vectors FOLDER VERSION HOME OUT: `variant_vectors`, a package in Python with its data.

A wheel is a zip with four files of metadata; that with a program has the layout that maturin gives to `bindings = "bin"`:
https://packaging.python.org/en/latest/specifications/binary-distribution-format/
"""

import base64
import hashlib
import sys
import zipfile
from pathlib import Path

TAGS = {
    # The program is static: it asks for no C library, whether GNU's or musl's.
    **{f"linux-{cpu}": [f"manylinux_2_17_{cpu}", f"manylinux2014_{cpu}", f"musllinux_1_1_{cpu}"] for cpu in ["x86_64", "aarch64"]},
    "windows-x86_64": ["win_amd64"],
    "macos-aarch64": ["macosx_11_0_arm64"],
}
PROGRAM = """\
The program `conform`, with its corpus: it tests whether a library reads and writes Godot's binary Variant format byte for byte.

```sh
conform new-adapter python adapters/mine   # an adapter to start from
conform vet mine                           # does it speak the protocol?
conform run mine                           # is its codec right?
```
"""
VECTORS = """\
The test vectors of conform: packets of Godot's binary Variant format, what a codec must do with each, and a checker.

```python
import pytest, variant_vectors

@pytest.mark.parametrize("vector", variant_vectors.vectors("godot-4.4"), ids=str)
def test_codec(vector):
    vector.check(decode=my_decode, encode=my_encode)
```
"""


def main(kind, source, version, *rest):
    source, (home, out) = Path(source), rest[-2:]
    licences = {path.name: path for path in sorted(source.glob("LICENSE-*"))}
    if kind == "program":
        data = f"variant_conformance-{version}.data"
        files = {f"{data}/scripts/{path.name}": path for path in [source / "conform", source / "conform.exe"] if path.exists()}
        files.update({f"{data}/data/share/man/man1/{page.name}": page for page in sorted(source.glob("man/*.1"))})
        licences.update({f"{path.parent.name}/{path.name}": path for path in sorted(source.glob("licenses/*"))})
        summary = "Tests whether a library reads and writes Godot's binary Variant format byte for byte"
        write(Path(out), "variant-conformance", version, "py3-none", TAGS[rest[0]], files, licences, summary, PROGRAM, home)
    else:
        package = sorted(path for path in (source / "variant_vectors").iterdir() if path.is_file())
        files = {f"variant_vectors/{path.name}": path for path in package}
        summary = "Test vectors of Godot's binary Variant format, and a checker for pytest"
        write(Path(out), "variant-vectors", version, "py3-none", ["any"], files, licences, summary, VECTORS, home)


def write(out, name, version, tag, platforms, files, licences, summary, text, home):
    module = name.replace("-", "_")
    info = f"{module}-{version}.dist-info"
    metadata = {"Metadata-Version": "2.1", "Name": name, "Version": version, "Summary": summary,
                "License": "MIT OR Apache-2.0", "Keywords": "godot,variant,serialization,conformance",
                "Requires-Python": ">=3.9", "Description-Content-Type": "text/markdown"}
    if home:
        metadata["Project-URL"] = f"Source, {home}"
    wheel = {"Wheel-Version": "1.0", "Generator": "recipes/packages",
             "Root-Is-Purelib": "true" if platforms == ["any"] else "false"}
    tags = "".join(f"Tag: {tag}-{platform}\n" for platform in platforms)

    contents = {path: file.read_bytes() for path, file in files.items()}
    contents.update({f"{info}/licenses/{path}": file.read_bytes() for path, file in licences.items()})
    contents[f"{info}/METADATA"] = (lines(metadata) + "\n" + text).encode()
    contents[f"{info}/WHEEL"] = (lines(wheel) + tags).encode()
    record = "".join(f"{path},{digest(data)},{len(data)}\n" for path, data in contents.items())
    contents[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()

    with zipfile.ZipFile(out / f"{module}-{version}-{tag}-{'.'.join(platforms)}.whl", "w") as archive:
        for path, data in contents.items():
            entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100755 if "/scripts/" in path else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data, compresslevel=9)


def lines(fields):
    return "".join(f"{name}: {value}\n" for name, value in fields.items())


def digest(data):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


main(*sys.argv[1:])
