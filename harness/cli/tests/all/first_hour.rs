//! What a new user meets: the demonstration, and messages that say what to do next. There is a program and an empty folder, and
//! nothing of this repository.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};

use rstest::rstest;
use tempfile::TempDir;

use crate::support::{CONFORM, root, stderr, stdout, text};

/// `conform …` in a folder.
fn conform(folder: &Path, line: &str) -> Output {
    Command::new(CONFORM).current_dir(folder).args(line.split_whitespace()).output().unwrap()
}

/// A folder with a new adapter in it, in which a text is replaced.
fn with_adapter(from: &str, to: &str) -> TempDir {
    with_edits(&[(from, to)])
}

/// A folder with a new adapter in it, in which texts are replaced.
fn with_edits(edits: &[(&str, &str)]) -> TempDir {
    let place = TempDir::new().unwrap();
    let written = conform(place.path(), "new-adapter python adapters/mine");
    assert!(written.status.success(), "{}", text(&written));
    let source = place.path().join("adapters/mine/adapter.py");
    let mut changed = std::fs::read_to_string(&source).unwrap();
    for (from, to) in edits {
        assert!(changed.contains(from), "{from}: {changed}");
        changed = changed.replace(from, to);
    }
    std::fs::write(source, changed).unwrap();
    place
}

/// Three causes, what to type next, and no file.
#[test]
fn the_demonstration_shows_a_report_and_leaves_nothing() {
    let place = TempDir::new().unwrap();
    let shown = conform(place.path(), "demo");
    assert!(shown.status.success(), "{}", text(&shown));
    let report = stdout(&shown);
    for words in [
        "the length of a text counts characters",
        "integers are cut to 32 bits",
        "Transform3D: transposed",
        "conform new-adapter python adapters/mine",
    ] {
        assert!(report.contains(words), "{words}: {report}");
    }
    assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0);
    // The commands that it shows work.
    let again = report.lines().find_map(|line| line.trim().strip_prefix("again: conform ")).unwrap();
    let repeated = conform(place.path(), again);
    assert_eq!(repeated.status.code(), Some(1), "{again}: {}", text(&repeated));
    assert!(stdout(&repeated).contains("The length counts bytes of UTF-8"), "{}", text(&repeated));
}

#[test]
fn another_dialect_than_the_adapters_is_refused() {
    let place = with_adapter("godot-4.4", "godot-3");
    let refused = conform(place.path(), "run mine --dialect godot-4.4");
    assert_eq!(refused.status.code(), Some(3));
    let said = stderr(&refused);
    assert!(said.contains("you asked for godot-4.4, but its handshake says that it speaks godot-3;"), "{said}");
    assert!(said.contains("mine/adapter.py:12: DIALECT = \"godot-3\""), "{said}");
    assert!(!said.contains("to its handshake"), "{said}");
}

#[test]
fn what_is_not_built_yet_is_shown_with_its_command() {
    let place = TempDir::new().unwrap();
    assert!(conform(place.path(), "new-adapter c adapters/mine").status.success());
    for line in ["vet mine", "run mine"] {
        let said = text(&conform(place.path(), line));
        assert!(said.contains("(cd adapters/mine && cc -O2 -o adapter adapter.c)"), "{line}: {said}");
    }
}

/// `answer-timeout:` does not count at the end.
#[test]
fn who_exits_late_is_told_how_to_wait() {
    let place = with_adapter("    main()\n", "    main()\n    __import__(\"time\").sleep(9)\n");
    let said = stdout(&conform(place.path(), "run mine --quick"));
    assert!(said.contains("`--timeout 10`") && !said.contains("answer-timeout"), "{said}");
    assert!(said.contains("after its last reply, it did not exit within"), "{said}");
}

/// Requests have the name that the adapter gave.
#[test]
fn a_handshake_may_name_the_version_of_an_engine() {
    let place = with_adapter("\"godot-4.4\"", "\"godot-4.6\"");
    let vetted = conform(place.path(), "vet mine");
    assert!(vetted.status.success(), "{}", text(&vetted));
    let run = conform(place.path(), "run mine --quick");
    assert!(run.status.success(), "{}", text(&run));
    assert!(stdout(&run).contains("godot-4.4"), "{}", text(&run));
    let named = conform(place.path(), "run mine --quick --dialect 4.5");
    assert!(named.status.success(), "{}", text(&named));
}

#[test]
#[ignore = "takes long: .ci/run runs it"]
fn an_engine_that_is_not_here_need_not_be_here() {
    let place = with_adapter("godot-4.4", "godot-4.4");
    let refused = conform(place.path(), "interop mine godot4");
    assert_eq!(refused.status.code(), Some(2));
    let said = stderr(&refused);
    assert!(said.contains("there is no adapter \"godot4\" (there are mine in adapters)"), "{said}");
    assert!(said.contains("godot 4.6.3") && said.contains("wrote is recorded"), "{said}");
    let alone = conform(place.path(), "interop mine");
    assert!(stdout(&alone).contains("godot 4.6.3"), "{}", text(&alone));
    // It speaks one dialect, and only that is shown.
    assert!(!stdout(&alone).contains("pandemonium"), "{}", text(&alone));
}

/// Whoever has only the program has no file of this repository.
#[test]
#[ignore = "takes long: .ci/run runs it"]
fn nothing_is_cited_that_is_not_there() {
    let place = with_adapter("return unpack(\"<q\" if wide else \"<i\", packet, 4)[0], ", "return 0, ");
    for line in ["vet mine", "run mine", "run mine --dialect godot-3", "report reports/runs/mine --full", "demo"] {
        let said = text(&conform(place.path(), line));
        for file in ["corpus/", "specs/", "README", "docs/", "built in"] {
            assert!(!said.contains(file), "{line} names {file}: {said}");
        }
    }
}

/// The package for pytest and `conform run` find the same tests of a codec wrong: of one that reads wrongly, of one that writes what is
/// right but no good practice, and of one that declares what it loses.
#[rstest]
#[case::reads_wrongly(&[("unpack(\"<q\" if", "unpack(\"<Q\" if")])]
#[case::writes_wide_floats(&[("if is_single(value) else", "if False else")])]
#[case::loses_the_bits_of_nan(&[
    ("\"types\": [", "\"lossy\": [\"nan-payload\"], \"types\": ["),
    ("return struct.unpack(\">d\", bytes.fromhex(body[2:]))[0]", "return float(repr(struct.unpack(\">d\", bytes.fromhex(body[2:]))[0]))"),
])]
#[ignore = "takes long: .ci/run runs it"]
fn the_vectors_say_what_a_run_says(#[case] edits: &[(&str, &str)]) {
    let place = with_edits(edits);
    let folder = place.path();
    conform(folder, "run mine --quick");
    let record = std::fs::read_to_string(folder.join("reports/runs/mine/results.jsonl")).unwrap();
    let lines = record.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let asked = lines.filter(|line| line["kind"] == "verdict" && line["verdict"] != "not-supported");
    let name = |line: &serde_json::Value| line["test"].as_str().unwrap().to_owned();
    // Packets with their length in front are left out: vectors() does that unless it is asked for them.
    let bare = asked.filter(|line| !name(line).contains("/framing/") && !name(line).ends_with(":exit"));
    // Where a case is good practice, these are warnings.
    let is_failure = |line: &serde_json::Value| match line["verdict"].as_str() {
        Some("fail") => line["level"] == "must" || line["class"] == "canonical",
        Some("non-canonical") => line["level"] == "must",
        _ => false,
    };
    let (failed, passed): (Vec<_>, Vec<_>) = bare.partition(is_failure);
    let run: [BTreeSet<String>; 2] = [failed, passed].map(|lines| lines.iter().map(name).collect());

    let package = folder.join("variant_vectors");
    std::fs::create_dir(&package).unwrap();
    std::fs::copy(root().join("vectors/python/variant_vectors/__init__.py"), package.join("__init__.py")).unwrap();
    assert!(conform(folder, "export --out corpus.json").status.success());
    std::fs::write(folder.join("check.py"), CHECK).unwrap();
    let checked = Command::new("python3").arg("check.py").current_dir(folder).output().unwrap();
    assert!(checked.status.success(), "{}", text(&checked));
    let said = stdout(&checked);
    let vectors = ["fail ", "pass "].map(|word| -> BTreeSet<String> {
        let ids = said.lines().filter_map(|line| line.strip_prefix(word)).filter(|id| !id.contains("/framing/"));
        ids.map(str::to_owned).collect()
    });
    assert!(run[1].len() > 100, "{run:?}");
    for (ours, theirs) in run.iter().zip(&vectors) {
        let differ: Vec<_> = ours.symmetric_difference(theirs).collect();
        assert!(differ.is_empty(), "{differ:?}");
    }
    let left_out = said.lines().find_map(|line| line.strip_prefix("left out ")?.parse::<usize>().ok());
    assert!(left_out.is_some_and(|count| count > 1000), "{said}");
    assert!(said.contains("there is no word for lossy 'string-keys' here"), "{said}");
}

const CHECK: &str = r#"
import gzip, hashlib, sys
data = open("corpus.json", "rb").read()
gzip.open("variant_vectors/corpus.json.gz", "wb").write(data)
open("variant_vectors/corpus.sha256", "w").write(hashlib.sha256(data).hexdigest())
sys.path[:0] = [".", "adapters/mine"]
import adapter, variant_vectors

read = None

def decode(packet):
    global read
    read, used = adapter.decode(packet)
    return adapter.to_json(read), used

def send_on(value):
    return adapter.encode(read)

def encode(value):
    (layout, body), = value.items()
    if layout == "float" and not isinstance(body, str):
        body = adapter.to_json(float(body))["float"]
    elif layout == "float" and not body.startswith("0x"):
        body = adapter.to_json(float(body))["float"]
    return adapter.encode(adapter.from_json({layout: body}))

for vector in variant_vectors.vectors("godot-4.4", layouts=adapter.HELLO["types"], lossy=adapter.HELLO.get("lossy", [])):
    try:
        vector.check(decode=decode, encode=send_on if vector.op == "reencode" else encode, refusal=adapter.Refused)
        print("pass", vector)
    except AssertionError:
        print("fail", vector)
wrong = "godot-4.4/int/minus-one-is-four-times-ff:decode"
vector, = (one for one in variant_vectors.vectors("godot-4.4", known=[wrong], ops=["decode"]) if str(one) == wrong)
vector.check(decode=lambda packet: ({"int": 0}, len(packet)))
assert vector.known
try:
    variant_vectors.vectors("godot-4.4", lossy=["string-keys"])
except ValueError as why:
    print(why)
print("left out", variant_vectors.left_out("godot-4.4"))
"#;
