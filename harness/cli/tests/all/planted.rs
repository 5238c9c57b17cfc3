//! Codecs with planted bugs, made of `adapters/python`: a run names those that the catalogue has, and a campaign
//! finds each.

use std::collections::BTreeSet;
use std::path::Path;

use variant_report::causes::explain;
use variant_runner::record::RunRecord;

use crate::support::{CORPUS, SPECS, conform, root, text};

/// What is replaced in the adapter, and by what.
type Bug = (&'static str, &'static str);

const EMPTY_ARRAY: Bug = (
    "        items = write_count(sink, data, \"items\")\n",
    "        items = write_count(sink, data, \"items\")\n        if not items:\n            os._exit(3)\n",
);
const TEN: &[Bug] = &[
    ("return source.u32() != 0", "return source.u32() == 1"),
    ("narrow = -1 << 31 <= number < 1 << 31", "narrow = -1 << 31 <= number <= 1 << 31"),
    (
        "sink.bytes += number.to_bytes(4 if narrow else 8, \"little\", signed=True)",
        "sink.bytes += (number & 0xffffffff).to_bytes(4, \"little\") if narrow else number.to_bytes(8, \"little\", signed=True)",
    ),
    ("if sink.dialect.has_flags and (is_nan(wide) or widened(narrow) != wide):", "if True:"),
    (
        "        self.counted(text_to_wire(text, self.dialect.utf8))",
        "        raw = text_to_wire(text, self.dialect.utf8)\n        \
                 self.u32(len(raw.decode(\"utf-8\", \"replace\").encode(\"utf-16-le\")) // 2)\n        \
                 self.bytes += raw + bytes(-len(raw) % 4)",
    ),
    (" + b\"\\0\")", ")"),
    ("sink.u32(truth(part(data, \"absolute\", False)) | 2 * len(last))", "sink.u32(0)"),
    (
        "word, items = source.u32(), []\n        for _ in range(word & ~TOP_BIT):",
        "word, items = source.u32(), []\n        for _ in range(word):",
    ),
    ("entries.setdefault(identity(key), [key, None])[1] = value", "entries.setdefault(identity(key), [key, value])"),
    (
        "        sink.u32(len(listed(data)))\n        if self.per > 1:",
        "        sink.u32(len(listed(data)) * self.per)\n        if self.per > 1:",
    ),
    ("        source.padding(count, optional=True)\n        return raw.hex()", "        return raw.hex()"),
];

#[test]
#[ignore = "takes long: .ci/run runs it"]
fn each_bug_is_found() {
    let folder = planted(TEN);
    let named = causes_of_run(folder.path());
    for headline in [
        "Array: count with bit 31 set is refused",
        "PoolByteArray: padding is left out, when read",
        "2^31 is written in 32 bits",
        "every float is written in 64 bits",
        "NodePath: flags always zero, when written",
        "of a repeated key the first value is kept, when read",
        "the count of a packed array is of numbers, not of elements, when written",
        "the length of a text counts UTF-16 units, when written",
        "texts of a string array are written without a NUL, in the length or behind them",
    ] {
        // Two faults that nothing tells apart share a headline.
        assert!(named.iter().any(|own| own.split(", or: ").any(|one| one == headline)), "{headline}: {named:#?}");
    }
    let found = types_in_campaign(folder.path());
    for layout in ["bool", "int", "float", "string", "node_path", "array", "dictionary", "byte_array", "string_array"] {
        assert!(found.contains(layout), "{layout} is not in {found:?}");
    }
    assert!(found.contains("vector2_array"), "{found:?}");
}

/// An array within a dictionary ends the process, too.
#[test]
fn a_crash_is_one_cause_wherever_the_value_is() {
    let folder = planted(&[EMPTY_ARRAY, ("import math\n", "import math\nimport os\n")]);
    assert_eq!(
        causes_of_run(folder.path()),
        ["Array, Dictionary, encode, reencode: the process ends: exited with status 3"]
    );
}

/// A folder of adapters with one, `planted`.
fn planted(bugs: &[Bug]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let (own, python) = (folder.path().join("planted"), root().join("adapters/python"));
    std::fs::create_dir(&own).unwrap();
    std::fs::copy(python.join("adapter.yaml"), own.join("adapter.yaml")).unwrap();
    let mut source = std::fs::read_to_string(python.join("adapter.py")).unwrap();
    for (right, wrong) in bugs {
        assert!(source.contains(right), "adapters/python has no {right:?} any more");
        source = source.replacen(right, wrong, 1);
    }
    std::fs::write(own.join("adapter.py"), source).unwrap();
    folder
}

fn causes_of_run(adapters: &Path) -> Vec<String> {
    let out = adapters.join("run");
    let shown = conform(&[
        "--adapters",
        adapters.to_str().unwrap(),
        "run",
        "planted",
        "--dialect",
        "godot-3",
        "--out",
        out.to_str().unwrap(),
    ]);
    assert_eq!(shown.status.code(), Some(1), "{}", text(&shown));
    let causes = explained(&out.join("results.jsonl")).causes;
    sorted(causes.into_iter().map(|cause| cause.headline))
}

/// The types of what a campaign finds.
fn types_in_campaign(adapters: &Path) -> BTreeSet<String> {
    let out = adapters.join("campaign.jsonl");
    let folder = adapters.to_str().unwrap();
    let sides = ["--adapters", folder, "diff", "reference", "planted", "--dialect", "godot-3", "--cases", "10000"];
    let shown = conform(&[&sides[..], &["--out", out.to_str().unwrap()]].concat());
    assert_eq!(shown.status.code(), Some(1), "{}", text(&shown));
    explained(&out).causes.into_iter().flat_map(|cause| cause.types).collect()
}

/// A record with its causes.
fn explained(record: &Path) -> RunRecord {
    let record = std::fs::read(record).unwrap();
    let mut record = RunRecord::read(record.as_slice()).unwrap();
    explain(&mut record, &SPECS, &CORPUS, variant_diff::tests).unwrap();
    record
}

/// One headline is one cause: two of the same are an error of the report.
fn sorted(headlines: impl Iterator<Item = String>) -> Vec<String> {
    let all: Vec<String> = headlines.collect();
    let each: BTreeSet<String> = all.iter().cloned().collect();
    assert_eq!(each.len(), all.len(), "{all:?}");
    each.into_iter().collect()
}
