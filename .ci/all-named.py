"""Fails unless every verdict in a results.jsonl that is neither right, undecided nor not supported names an erratum. A second results.jsonl may
have the same tests by the other judge: what fails there too is no matter of the document."""
import json
import sys

neutral = {"pass", "undecided", "not-supported", "resource"}  # what is right but slow says more of the machine
with open(sys.argv[1], encoding="utf-8") as lines:
    records = [json.loads(line) for line in lines]
failures = [record for record in records if record["kind"] == "verdict" and record["verdict"] not in neutral]
known = "known engine bug "  # whoever judges
elsewhere = set()
for path in sys.argv[2:]:
    with open(path, encoding="utf-8") as lines:
        others = [json.loads(line) for line in lines]
    elsewhere |= {r["test"] for r in others if r["kind"] == "verdict" and r["verdict"] not in neutral}
failures = [record for record in failures if record["test"] not in elsewhere]
unnamed = [r["test"] for r in failures if "erratum" not in r and known not in r.get("detail", {}).get("rule", "")]
print(f"{len(failures)} failures, {len(unnamed)} without an erratum")
print("\n".join(unnamed))
sys.exit(1 if unnamed or not failures else 0)
