//! `conform vet`: a good adapter passes every check, and each check finds the flaw that it is for.

use std::time::Duration;

use rstest::rstest;
use variant_adapter::external::{Command, Limits};
use variant_adapter::vet::{Check, Found, vet};

use crate::support::{CONFORM, SPECS, conform, scripted, text};

/// Short, since some flaws are silence.
fn limits() -> Limits {
    let second = Duration::from_secs(1);
    Limits { reply_timeout: second, shutdown: second / 2, ..Limits::default() }
}

fn flawed(arguments: &[&str]) -> Vec<Check> {
    let script = scripted("flawed.py");
    checks(&Command::new([&["python3", "-S", &script], arguments].concat()), limits())
}

fn checks(command: &Command, limits: Limits) -> Vec<Check> {
    let mut checks = Vec::new();
    vet(command, &limits, &SPECS, &mut |check| checks.push(check));
    checks
}

/// What is not as it should be: titles, and what is said.
fn odd(checks: &[Check]) -> Vec<(&str, &str)> {
    let mut odd = Vec::new();
    for check in checks {
        if let Found::Remark(text) | Found::Bad(text) = &check.found {
            odd.push((check.title, text.as_str()));
        }
    }
    odd
}

#[test]
fn without_a_flaw_all_is_good() {
    let checks = flawed(&[]);
    assert_eq!(odd(&checks), []);
    assert!(checks.iter().all(|check| matches!(check.found, Found::Good(_))), "{checks:?}");
}

#[rstest]
#[case("buffers", "flushes after one line", "flush standard output after every reply")]
#[case("no-seq", "flushes after one line", "a reply came without `seq` (return the number")]
#[case("seq-text", "flushes after one line", "a reply came whose `seq` is not a number")]
#[case("debug", "flushes after one line", "a line came that is not a JSON object (a reply is alone in its line")]
#[case("sleeps", "replies in time", "look for a sleep")]
#[case("int32", "echoes `seq` exactly", "it replied with `seq` 5 to `seq` 4294967301")]
#[case("counts", "echoes `seq` exactly", "return the number from the request")]
#[case("scans", "ignores unknown keys", "it replied with `seq` 0")]
#[case("crlf", "reads lines that end in CRLF", "no reply in 1 s")]
#[case("chunks", "waits for the end of a line", "no reply in 1 s")]
#[case("short-lines", "reads a line of 1 MiB", "a line of 1024 KiB: ")]
#[case("one-a-read", "replies to all that is sent at once", "of 256 requests sent at once 255 got no reply")]
#[case("op", "replies `unsupported` to an unknown operation", "it replied with `refused`")]
#[case("dialect", "replies `unsupported` to an unknown dialect", "it replied with `refused`")]
#[case("empty", "refuses an empty packet", "it replied with a value to an empty packet")]
#[case("empty-bug", "refuses an empty packet", "it replied with `unsupported` (IndexError) to an empty packet")]
#[case("name", "keeps floats of 32 bits", ": no layout is called \"Vector2\"; did you mean `vector2`?")]
#[case(
    "one-nan",
    "keeps the payload of a quiet NaN",
    "the codec loses it; if your language cannot, list \"nan-payload\" in `lossy`"
)]
#[case("garbage", "survives a packet of garbage", "killed by signal 6")]
#[case("no-request", "survives lines that are not requests", "after a line that is not JSON: it exited with status 1")]
#[case("remembers", "replies as before after a refusal", "start each request with fresh state")]
#[case("shallow", "replies to a value of 1,000 levels", "if your JSON library cannot nest that deep")]
#[case("unlisted", "knows every dialect of its handshake reply", "but it replied with `unsupported` (only godot-3)")]
#[case("one-dialect", "replies in the dialect of each request", "read `dialect` in each request")]
#[case("last-dialect", "replies in the dialect of each request", "gets a different reply than alone")]
#[case("doubles", "keeps 2^53 + 1", "decoding gave {\"int\": \"9007199254740992\"}")]
#[case("unsigned", "keeps the smallest int", "{\"int\": \"9223372036854775808\"}")]
#[case("digits", "keeps every digit of a float", "{\"float\": 0.3}")]
#[case("negative-zero", "keeps -0.0", "{\"float\": 0}")]
#[case("subnormal", "keeps a subnormal float", "{\"float\": 0.0}")]
#[case("infinity", "keeps infinity", "{\"float\": -Infinity}}; JSON has no infinity")]
#[case("nan-payload", "keeps the payload of a quiet NaN", "list \"nan-payload\" in `lossy`")]
#[case("singles", "keeps floats of 32 bits", "{\"vector2\": [0.1, -0.0]}")]
#[case("ascii", "keeps characters beyond U+FFFF", "\"? ? ? ?\"")]
#[case("raw", "keeps quotes and control characters", "JSON writes quotes, backslashes and control characters")]
#[case("nul", "replies to U+0000", "decode: it exited with status 7")]
#[case("truncates", "replies to a long text", "read and write lines of any length")]
#[case("stays", "finishes and exits with 0 at the end of its input", "did not exit within 500 ms")]
#[case("status", "finishes and exits with 0 at the end of its input", "exited with status 3")]
#[case("unsteady", "has the same handshake reply after a restart", "version: ")]
#[case("banner", "prints only the protocol on standard output", "such as: welcome to the adapter")]
#[case("library-prints", "prints only the protocol on standard output", "such as: cannot read this")]
#[case("grumbles", "is quiet on standard error", "something is not quite right")]
#[ignore = "takes long: .ci/run runs it"]
fn each_flaw_is_found(#[case] flaw: &str, #[case] title: &str, #[case] said: &str) {
    let checks = flawed(&[flaw]);
    let odd = odd(&checks);
    let found = odd.iter().find(|(found, _)| *found == title);
    assert!(found.is_some_and(|(_, text)| text.contains(said)), "{odd:#?}");
}

/// The pipe is not to blame where nothing could be spoilt on it.
#[rstest]
#[case(
    "float32",
    "keeps every digit of a float",
    "{\"float\": \"0x3fd3333340000000\"}; perhaps the codec keeps 32 of its 64 bits"
)]
#[case("float32", "keeps a subnormal float", "; perhaps the codec keeps 32 of its 64 bits: `conform run` says more")]
#[case("narrow", "keeps 2^53 + 1", "decoding gave {\"int\": \"1\"}; perhaps the codec ignores the flag for 64 bits")]
#[case("narrow", "keeps the smallest int", "perhaps the codec ignores the flag for 64 bits")]
#[case("utf16", "keeps characters beyond U+FFFF", "or the codec counts characters or UTF-16 units")]
#[case("doubles", "keeps 2^53 + 1", "perhaps the codec ignores the flag for 64 bits, or keeps the number in a double")]
fn a_codec_may_be_to_blame(#[case] flaw: &str, #[case] title: &str, #[case] said: &str) {
    let checks = flawed(&[flaw]);
    let odd = odd(&checks);
    let (_, text) = odd.iter().find(|(found, _)| *found == title).unwrap();
    assert!(text.contains(said), "{text}");
    assert!(!text.contains("JSON numbers are doubles") && !text.contains("reply with bits"), "{text}");
}

/// What an adapter says in its own words is no slip of JSON.
#[test]
fn an_error_of_the_adapter_gets_no_advice() {
    let checks = flawed(&["missing"]);
    let odd = odd(&checks);
    for title in ["keeps characters beyond U+FFFF", "keeps quotes and control characters", "replies to a long text"] {
        let (_, text) = odd.iter().find(|(found, _)| *found == title).unwrap();
        assert!(text.ends_with("(call to undefined function encode_text())"), "{text}");
    }
}

/// Whether a codec is right is no matter of the protocol.
#[test]
fn what_only_the_codec_can_have_changed_is_a_remark() {
    let checks = flawed(&["narrow"]);
    assert!(checks.iter().all(|check| !matches!(check.found, Found::Bad(_))), "{checks:#?}");
    assert!(checks.iter().any(|check| matches!(check.found, Found::Remark(_))), "{checks:#?}");
}

/// What its hello says already is not advised.
#[test]
fn a_hello_is_not_told_what_it_says() {
    let told = |handshake: &str| {
        let checks = flawed(&["narrow-encoder", handshake]);
        let odd = odd(&checks).into_iter().find(|(title, _)| *title == "keeps 2^53 + 1").unwrap().1.to_owned();
        assert!(odd.contains("the codec ignores the flag for 64 bits"), "{odd}");
        odd
    };
    assert!(told("{}").contains("set \"ints\":\"strings\" in the handshake reply"));
    assert!(!told("{\"ints\":\"strings\"}").contains("in the handshake reply"));
}

#[rstest]
#[case::no_name("{\"name\":\" \"}", "`name` is empty")]
#[case::no_dialect("{\"dialects\":[\"godot-9\"]}", "there is no dialect \"godot-9\"; a version")]
#[case::no_layout("{\"types\":[\"integer\"]}", "has \"integer\", which is no type; did you mean `int`?")]
#[case::a_name_of_engines("{\"types\":[\"Vector2i\"]}", "which is no type; did you mean `vector2i`?")]
#[case::no_types("{\"types\":[]}", "`types` is empty")]
#[case::no_word("{\"reals\":\"bit\"}", "`reals` is \"bit\"; write \"bits\", or leave it out")]
#[case::nothing_in_flight("{\"max_in_flight\":0}", "`max_in_flight` is 0")]
#[case::short_lines("{\"max_line\":100}", "`max_line` is 100 bytes")]
#[case::no_version("{\"version\":\"\"}", "`version` is missing")]
#[case::unknown_key("{\"max_inflight\":3}", "`max_inflight` is not a key of a handshake reply")]
#[case::one_unknown_dialect("{\"dialects\":[\"godot-9\",\"godot-3\"]}", "conform knows no dialect \"godot-9\"")]
fn each_slip_of_a_hello_is_found(#[case] handshake: &str, #[case] said: &str) {
    let checks = flawed(&["hello", handshake]);
    let odd = odd(&checks);
    let title = "has a complete and valid handshake reply";
    assert!(odd.iter().any(|(found, text)| *found == title && text.contains(said)), "{odd:#?}");
}

#[test]
fn what_does_not_start_is_said_first() {
    let checks = checks(&Command::new(["./no-such-program"]), limits());
    assert_eq!(odd(&checks), [("starts", "./no-such-program does not exist; build it, or fix the path")]);
}

#[test]
fn who_says_no_hello_is_not_asked_more() {
    let checks = checks(&Command::new(["cat"]), limits());
    let odd = odd(&checks);
    assert_eq!(odd.len(), 1);
    assert_eq!(odd[0].0, "replies to hello");
}

#[rstest]
#[case::nobody(&["vet"], 2, "name an adapter, or put a command after")]
#[case::the_python_adapter(&["vet", "python"], 0, " good, 0 with a remark, 0 bad, 0 not checked")]
#[case::the_reference_codec(&["vet", "--", CONFORM, "serve"], 0, " good, 0 with a remark, 0 bad, 0 not checked")]
#[case::a_bad_one(&["vet", "--", "false"], 1, "FAIL  replies to hello")]
fn the_exit_status_tells(#[case] args: &[&str], #[case] status: i32, #[case] said: &str) {
    let output = conform(args);
    let (actual, text) = (output.status.code(), text(&output));
    assert_eq!(actual, Some(status), "{text}");
    assert!(text.contains(said), "{text}");
}
