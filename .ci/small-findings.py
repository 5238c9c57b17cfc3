"""Each of these records of `conform diff` has findings, and most were shrunk to a packet of 24 bytes at most."""

import json
import sys

SMALL = 24
FEWEST = 5
# A basis has 40 bytes, and two keys that are compounds have more than 24: what is about them cannot be smaller.
SHARE = 0.6

for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    sizes = [r["bytes"] for r in records if r["kind"] == "finding" and not r.get("legal")]
    small = sum(size <= SMALL for size in sizes)
    print(f"{path}: {len(sizes)} findings, {small} of at most {SMALL} bytes")
    if small < FEWEST or small < SHARE * len(sizes):
        sys.exit(f"{path}: fewer than {FEWEST}, or less than {SHARE:.0%}: does shrinking work?")
