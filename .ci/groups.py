"""Findings beside groups: what people found in libraries, and what reports group failures by.

python3 .ci/groups.py RUNS prints the tables, from the records of `conform matrix --runs RUNS`. It fails if a
group has no finding, or if a finding is no group of its own and groups.tsv does not say why.
"""

import collections
import json
import pathlib
import re
import sys

LIBRARIES = ["gd-com", "gd-com-utils", "gd-com-utils-4", "godot-binary-serialization-crate",
             "godot-binary-serialization-crate-0.1", "godot-binary-serialization-npm", "playgodot"]
# Those that are no libraries: engines, what conform itself makes, and the adapter that is a template.
OTHERS = {"reference", "godot3@3.2.3", "godot3@3.6", "godot4", "kaitai-javascript", "kaitai-python", "python", "wireshark"}
# Distinctions that the handshake says it loses: no failures.
DECLARED = "declared"
HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent


def reasons():
    """Why a finding is no group of its own, by library and finding."""
    lines = (HERE / "groups.tsv").read_text(encoding="utf-8").splitlines()
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return {(library, finding): why for library, finding, why in rows}


def pairs(runs, library):
    """How many tests each pair of a group and a finding has, and the headline of each group."""
    count, headlines = collections.Counter(), {}
    with open(runs / library / "results.jsonl", encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            if record["kind"] == "cause":
                headlines[record["id"]] = record["headline"]
            # Which replies differ from run to run, depends on what memory held.
            elif record["kind"] == "verdict" and "cause" in record and record["verdict"] not in ("skipped", "nondeterministic"):
                count[record["cause"], record.get("finding")] += 1
    return count, headlines


def listed(library):
    """The findings that hold for a library; it may share the list of another."""
    folder = ROOT / "adapters" / library
    shared = re.search(r"^findings: (\S+)", (folder / "adapter.yaml").read_text(encoding="utf-8"), re.MULTILINE)
    text = (folder.with_name(shared[1]) if shared else folder) / "findings.yaml"
    blocks = re.split(r"^- id: ", text.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    only = [re.search(r"^  adapters: \[(.*)\]", block, re.MULTILINE) for block in blocks]
    return [block.split()[0] for block, names in zip(blocks, only) if not names or library in names[1].split(", ")]


def cell(names):
    """Names with their numbers. What no finding is about is good practice, or declared."""
    return ", ".join(f"`{name}` {number}" if name else f"good practice or declared {number}" for name, number in names)


def table(library, count, headlines, why, wrong):
    """The lines of a library's tables; what is wrong is added to a list."""
    groups, findings = collections.defaultdict(collections.Counter), collections.defaultdict(collections.Counter)
    for (group, finding), number in count.items():
        groups[group][finding] += number
        findings[finding][group] += number
    # A group is of the finding that most of its tests show, and where as many are good practice, of that finding.
    own = {group: max(sorted(of, key=str), key=lambda finding: (of[finding], finding is not None)) for group, of in groups.items()}
    lines = [f"## {library}", "", f"{len(listed(library))} findings, {len(groups)} groups.", "",
             "| finding | groups, with their tests | why it is no group |", "|---|---|---|"]
    for finding in listed(library):
        is_group = finding in own.values()
        reason = why.pop((library, finding), "")
        if is_group == bool(reason):
            wrong.append(f"{library}: {finding} " + ("is a group, and groups.tsv says why not" if is_group else
                         "is no group, and groups.tsv does not say why"))
        lines.append(f"| `{finding}` | {cell(findings[finding].most_common())} | {reason} |")
    lines += ["", "| group | findings, with their tests |", "|---|---|"]
    for group, of in sorted(groups.items(), key=lambda one: (-sum(one[1].values()), one[0])):
        if set(of) == {None} and group != DECLARED:
            wrong.append(f"{library}: the group {group} has no finding")
        headline = headlines[group].replace("|", "\\|").replace("<", "&lt;")
        lines.append(f"| {headline} (`{group}`) | {cell(of.most_common())} |")
    return lines + [""]


def main():
    runs, why, wrong = pathlib.Path(sys.argv[1]), reasons(), []
    lines = ["# Findings beside groups", "",
             "What is known about libraries that others wrote, finding by finding, and the groups in which a report shows the same failures. "
             "`.ci/groups.py` makes this page from the records of the matrix.", ""]
    wrong += [f"{run.name} is neither in LIBRARIES nor in OTHERS" for run in runs.iterdir() if run.name not in OTHERS.union(LIBRARIES)]
    for library in LIBRARIES:
        lines += table(library, *pairs(runs, library), why, wrong)
    wrong += [f"groups.tsv: {library} has no finding {finding}" for library, finding in why]
    print("\n".join(lines).rstrip())
    if wrong:
        sys.exit("\n".join(wrong))


main()
