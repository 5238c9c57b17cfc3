"""npm.py program UNPACKED VERSION SYSTEM-CPU HOME OUT: the package with the program for one platform, for `npm pack`.
npm.py launcher SOURCE VERSION SYSTEM-CPU,… HOME OUT: the package that people name, which needs one of those."""

import json
import shutil
import sys
from pathlib import Path

kind, source, version, platform, home, out = sys.argv[1], Path(sys.argv[2]), *sys.argv[3:6], Path(sys.argv[6])
out.mkdir(parents=True)
package = {"version": version, "license": "(MIT OR Apache-2.0)", **({"repository": f"git+{home}.git"} if home else {})}
if kind == "program":
    system, cpu = platform.split("-")
    program = "conform.exe" if system == "win32" else "conform"
    package = {"name": f"variant-conformance-{platform}", "os": [system], "cpu": [cpu], **package}
    package["description"] = f"The program of variant-conformance, for {system} on {cpu}"
    package["files"] = [program, "licenses", "LICENSE-*"]
    for name in [program, "LICENSE-APACHE", "LICENSE-MIT"]:
        shutil.copy(source / name, out)
    if (source / "licenses").exists():
        shutil.copytree(source / "licenses", out / "licenses")
else:
    package = {**json.loads((source / "package.json").read_text(encoding="utf-8")), **package}
    package["optionalDependencies"] = {f"variant-conformance-{one}": version for one in platform.split(",")}
    for name in ["conform.mjs", "README.md"]:
        shutil.copy(source / name, out)
(out / "package.json").write_text(json.dumps(package, indent=2) + "\n", encoding="utf-8")
