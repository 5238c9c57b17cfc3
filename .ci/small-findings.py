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
    # The packet that was sent, or the one that is expected of a value.
    packets = [r["detail"].get("packet") or r["detail"]["expected"] for r in records if r["kind"] == "verdict"]
    rows = [packet[-1] for packet in packets if packet and isinstance(packet, list) and "offset" in packet[-1]]
    sizes = [row["offset"] + len(row.get("bytes", "").replace(" ", "")) // 2 for row in rows]
    small = sum(size <= SMALL for size in sizes)
    print(f"{path}: {len(sizes)} findings, {small} of at most {SMALL} bytes")
    if small < FEWEST or small < SHARE * len(sizes):
        sys.exit(f"{path}: fewer than {FEWEST}, or less than {SHARE:.0%}: does shrinking work?")
