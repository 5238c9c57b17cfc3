//! What a new user meets: the demonstration, and messages that say what to do next. There is a program and an empty folder, and
//! nothing of this repository.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};

use rstest::rstest;
use tempfile::TempDir;

use crate::support::{CONFORM, need_python, root, stderr, stdout, text};

/// `conform …` in a folder.
fn conform(folder: &Path, line: &str) -> Output {
    need_python();
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
    // Neither prose nor a comment is meant, and a command has files too.
    let folder = place.path().join("adapters/mine");
    for file in ["README.md", "a.txt"] {
        std::fs::write(folder.join(file), "It says \"godot-3\".\n").unwrap();
    }
    std::fs::write(folder.join("a.py"), "# It says \"godot-3\".\nOTHER = \"godot-3\"\n").unwrap();
    for line in ["run mine --dialect 4.6", "run --dialect 4.6 -- python3 adapters/mine/adapter.py"] {
        let said = stderr(&conform(place.path(), line));
        assert!(said.contains("mine/adapter.py:12: DIALECT"), "{line}: {said}");
    }
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
    let command = stdout(&conform(place.path(), "interop -- python3 adapters/mine/adapter.py"));
    assert!(command.contains("1 python3 adapters/mine/adapter.py ") && command.contains("godot 4.6.3"), "{command}");
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

/// A folder with a copy of the Python adapter, for Godot 3 with these losses, in which texts are replaced.
fn with_codec(lossy: &str, edits: &[(&str, &str)]) -> TempDir {
    let place = TempDir::new().unwrap();
    let [from, to] = [root().join("adapters/python"), place.path().join("adapters/mine")];
    std::fs::create_dir_all(&to).unwrap();
    std::fs::copy(from.join("adapter.yaml"), to.join("adapter.yaml")).unwrap();
    let mut source = std::fs::read_to_string(from.join("adapter.py")).unwrap();
    let lossy = format!("\"lossy\": [{lossy}]");
    let handshake = [
        ("list(DIALECTS)", "[\"godot-3\"]"),
        ("\"options\": [\"objects\"], \"framing\": [\"u32le\", \"u32be\"]", lossy.as_str()),
    ];
    for (from, to) in handshake.iter().chain(edits) {
        assert!(source.contains(from), "{from}");
        source = source.replace(from, to);
    }
    std::fs::write(to.join("adapter.py"), source).unwrap();
    place
}

/// NaN is made quiet, read and written.
const QUIET: [(&str, &str); 2] = [
    ("\"0x\" + raw[i * size:(i + 1) * size][::-1].hex()", "\"0x\" + struct.pack(\">\" + code, value).hex()"),
    (
        "return bytes.fromhex(value[2:])[::-1]",
        "return struct.pack(\"<\" + code, *struct.unpack(\">\" + code, bytes.fromhex(value[2:])))",
    ),
];
const INFINITY_IS_LARGE: (&str, &str) = ("\"inf\" if value > 0 else \"-inf\"", "math.copysign(1e300, value)");
const NO_INTS: (&str, &str) =
    ("else {layout: body}", "else {\"float\": float(body)} if layout == \"int\" else {layout: body}");
const LISTS: (&str, &str) = (
    "else {layout: body}",
    "else {\"array\": [{layout[:-8].rstrip(\"32\"): one} for one in body]} if layout in (\"int32_array\", \"float32_array\") else {layout: body}",
);

/// The packages for pytest, node:test and cargo test find the same tests of a codec wrong as `conform run`: of one that reads
/// wrongly, of one that writes what is right but no good practice, and of those that declare what they lose, or do not.
#[rstest]
#[case::reads_wrongly(with_edits(&[("unpack(\"<q\" if", "unpack(\"<Q\" if")]))]
#[case::writes_wide_floats(with_edits(&[("if is_single(value) else", "if False else")]))]
#[case::loses_the_bits_of_nan(with_edits(&[
    ("\"types\": [", "\"lossy\": [\"nan-payload\"], \"types\": ["),
    ("return struct.unpack(\">d\", bytes.fromhex(body[2:]))[0]", "return float(repr(struct.unpack(\">d\", bytes.fromhex(body[2:]))[0]))"),
]))]
#[case::quiets_nan(with_codec("", &QUIET))]
#[case::makes_infinity_large(with_codec("\"nan-payload\"", &[INFINITY_IS_LARGE]))]
#[case::has_no_ints(with_codec("\"int-float\"", &[NO_INTS]))]
#[case::has_lists(with_codec("\"nan-payload\", \"packed-as-list\"", &[LISTS]))]
#[case::declares_all(with_codec("\"int-float\", \"nan-payload\", \"packed-as-list\"", &QUIET))]
#[ignore = "takes long: .ci/run runs it"]
fn the_vectors_say_what_a_run_says(#[case] place: TempDir) {
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
    assert!(run[1].len() > 100, "{run:?}");

    let said = |command: &mut Command| {
        let checked = command.current_dir(folder).output().unwrap();
        assert!(checked.status.success(), "{}", text(&checked));
        stdout(&checked)
    };
    let package = folder.join("variant_vectors");
    std::fs::create_dir(&package).unwrap();
    std::fs::copy(root().join("vectors/python/variant_vectors/__init__.py"), package.join("__init__.py")).unwrap();
    std::fs::copy(root().join("vectors/npm/index.mjs"), package.join("index.mjs")).unwrap();
    for file in ["Cargo.toml", "Cargo.lock", "src/lib.rs", "tests/replies.rs"] {
        let to = package.join(file);
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        std::fs::copy(root().join("vectors/rust").join(file), to).unwrap();
    }
    assert!(conform(folder, "export --out corpus.json").status.success());
    std::fs::write(folder.join("check.py"), CHECK_PY).unwrap();
    std::fs::write(folder.join("check.mjs"), CHECK_MJS).unwrap();
    let python = said(Command::new("python3").arg("check.py"));
    let node = said(Command::new("node").arg("check.mjs"));
    let mut cargo = Command::new("cargo");
    cargo.args(["test", "--locked", "--quiet", "--manifest-path", "variant_vectors/Cargo.toml", "--test", "replies"]);
    cargo.args(["--", "--nocapture"]).env("REPLIES", folder.join("replies.json"));
    let rust = said(cargo.env("CARGO_TARGET_DIR", root().join("target/vectors-rust")));

    let ids = |said: &str, word: &str| -> BTreeSet<String> {
        let ids = said.lines().filter_map(|line| line.strip_prefix(word)?.split(": ").next());
        ids.filter(|id| !id.contains("/framing/")).map(str::to_owned).collect()
    };
    for said in [&python, &node] {
        for (ours, word) in run.iter().zip(["fail ", "pass "]) {
            let theirs = ids(said, word);
            let differ: Vec<_> = ours.symmetric_difference(&theirs).collect();
            assert!(differ.is_empty(), "{word}{differ:?}");
        }
        let left_out = said.lines().find_map(|line| line.strip_prefix("left out ")?.parse::<usize>().ok());
        assert!(left_out.is_some_and(|count| count > 1000), "{said}");
        for word in ["string-keys", "Vector2", "godot-4.4/int/typo:decode", "banana"] {
            assert!(said.lines().any(|line| line.starts_with("error ") && line.contains(word)), "{word}: {said}");
        }
    }
    // What it sends on is not in the list of replies.
    let is_asked = |id: &&String| !id.ends_with(":reencode");
    let rust = ids(&rust, "fail ");
    let differ: Vec<_> = run[0].symmetric_difference(&rust).filter(is_asked).collect();
    assert!(differ.is_empty(), "{differ:?}");
}

/// Asks the adapter, with its replies in a file for the others.
const CHECK_PY: &str = r#"
import gzip, hashlib, json, struct, subprocess
data = open("corpus.json", "rb").read()
for folder in ["variant_vectors", "variant_vectors/data"]:
    __import__("os").makedirs(folder, exist_ok=True)
    gzip.open(folder + "/corpus.json.gz", "wb").write(data)
    open(folder + "/corpus.sha256", "w").write(hashlib.sha256(data).hexdigest())
import variant_vectors

adapter = subprocess.Popen(["python3", "adapters/mine/adapter.py"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

def ask(**request):
    adapter.stdin.write(json.dumps(request) + "\n")
    adapter.stdin.flush()
    return json.loads(adapter.stdout.readline())

hello = ask(op="hello", protocol=1)
dialect, lossy = hello["dialects"][0], hello.get("lossy", [])
version = {"godot-4.4": "4.6", "godot-3": "godot-3.5"}[dialect]
layouts = hello.get("types", list(next(one["ids"] for one in variant_vectors.corpus()["dialects"] if one["name"] == dialect)))
replies = {"version": version, "layouts": layouts, "lossy": lossy, "decode": {}, "encode": [], "reencode": {}}

class Refused(Exception):
    pass

def answered(reply):
    if "refused" in reply:
        raise Refused
    return reply

def decode(packet):
    if packet.hex() not in replies["decode"]:
        replies["decode"][packet.hex()] = ask(seq=1, op="decode", dialect=dialect, bytes=packet.hex())
    reply = answered(replies["decode"][packet.hex()])
    return (reply["value"], reply["used"]) if "used" in reply else reply.get("value")

def written(reply):
    packet = bytes.fromhex(answered(reply).get("bytes", ""))
    try:
        decode(packet)
    except Refused:
        pass
    return packet

def encode(value):
    sent = value
    if "float" in value and hello.get("reals") == "bits" and not str(value["float"]).startswith("0x"):
        sent = {"float": "0x" + struct.pack(">d", float(value["float"])).hex()}
    reply = ask(seq=1, op="encode", dialect=dialect, value=sent)
    replies["encode"].append({"value": value, "reply": reply})
    return written(reply)

def send_on(vector):
    reply = replies["reencode"][vector.bytes.hex()] = ask(seq=1, op="reencode", dialect=dialect, bytes=vector.bytes.hex())
    return written(reply)

for vector in variant_vectors.vectors(version, layouts=layouts, lossy=lossy):
    try:
        vector.check(decode=decode, encode=encode if vector.op == "encode" else lambda _: send_on(vector), refusal=Refused)
        print("pass", vector)
    except AssertionError as why:
        print("fail", why)
json.dump(replies, open("replies.json", "w"))
wrong = "godot-4.4/int/minus-one-is-four-times-ff:decode"
for broken in [lambda packet: ({"int": 0}, len(packet)), lambda packet: packet[99]]:
    vector, = (one for one in variant_vectors.vectors("godot-4.4", known=[wrong], ops=["decode"]) if str(one) == wrong)
    vector.check(decode=broken, refusal=Refused)
for name, options in [("4.6", {"lossy": ["string-keys"]}), ("4.6", {"layouts": ["int", "Vector2"]}),
                      ("4.6", {"known": ["godot-4.4/int/typo:decode"]}), ("banana", {})]:
    try:
        variant_vectors.vectors(name, **options)
    except ValueError as why:
        print("error", why)
print("left out", variant_vectors.left_out("4.6"))
"#;

const CHECK_MJS: &str = r#"
import { readFileSync } from "node:fs";
import { check, leftOut, vectors } from "./variant_vectors/index.mjs";

const replies = JSON.parse(readFileSync("replies.json"));
const answered = (reply) => {
  if ("refused" in reply) throw new Error("refused");
  return reply;
};
const decode = (packet) => answered(replies.decode[packet.toString("hex")]);
const written = (reply) => Buffer.from(answered(reply).bytes ?? "", "hex");
const encoded = replies.encode.values();
for (const vector of vectors(replies.version, { layouts: replies.layouts, lossy: replies.lossy })) {
  const encode = () => written(vector.op === "encode" ? encoded.next().value.reply : replies.reencode[vector.bytes.toString("hex")]);
  try {
    check(vector, { decode, encode });
    console.log("pass", vector.name);
  } catch (why) {
    console.log("fail", why.message);
  }
}
for (const [name, options] of [["4.6", { lossy: ["string-keys"] }], ["4.6", { layouts: ["int", "Vector2"] }],
    ["4.6", { known: ["godot-4.4/int/typo:decode"] }], ["banana", {}]]) {
  try {
    vectors(name, options);
  } catch (why) {
    console.log("error", why.message);
  }
}
console.log("left out", leftOut("4.6"));
"#;
