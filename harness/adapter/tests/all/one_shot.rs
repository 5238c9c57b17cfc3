//! Tools without a loop.

use rstest::rstest;

use crate::support::{Run, assert_says, echoed, guarded, hasty, interpreter, layouts, limits, send};
use variant_adapter::external::{Command, Limits, OneShot};
use variant_codec::Value;
use variant_wire::handshake::{Handshake, Op};
use variant_wire::implementation::{Answer, AnsweredValue, Implementation, Input, Outcome, Request};

const HELLO: &str = r#"{"protocol":1,"name":"tool","dialects":["godot-3"],"ops":["decode","encode","reencode"]}"#;

fn tool(script: &str, limits: Limits) -> OneShot {
    let prelude = "import os, signal, sys, time\nop, dialect = sys.argv[1:]\nread = sys.stdin.buffer.read\nwrite = sys.stdout.buffer.write\n";
    let command = Command::new([interpreter(), "-S", "-E", "-c", &format!("{prelude}{script}")]);
    let handshake: Handshake = serde_json::from_str(HELLO).unwrap();
    assert!(handshake.ops.contains(&Op::Encode));
    OneShot::new(command, handshake, layouts(), limits)
}

fn run(script: &'static str, count: usize, limits: Limits) -> Run {
    guarded(limits, move || send(&mut tool(script, limits), count))
}

fn send_one(script: &'static str, input: Input) -> Outcome {
    guarded(limits(), move || {
        let request = Request { dialect: "godot-3".into(), input, objects: false, framing: None, kind: None };
        let mut outcome = None;
        tool(script, limits()).send(&mut [request].into_iter(), &mut |_, sent| outcome = Some(sent)).unwrap();
        outcome.unwrap()
    })
}

#[rstest]
#[case::done("write(read())", echoed(0))]
#[case::without_reading("write(b'\\0\\0\\0\\0')", echoed(0))]
#[case::a_newline_is_a_byte("write(read()[:3] + b'\\n')", Answer::Bytes(vec![0, 0, 0, 10]))]
#[case::nothing("pass", Answer::Bytes(vec![]))]
#[case::another_status("sys.exit(7)", Answer::Crashed("exited with status 7".to_owned()))]
#[case::unsupported("sys.stderr.write('never heard of'); sys.exit(89)", Answer::Unsupported("never heard of".to_owned()))]
fn its_status_is_the_answer(#[case] script: &'static str, #[case] answer: Answer) {
    assert_eq!(*run(script, 1, limits()).answer(0), answer);
}

#[rstest]
#[case::signal("os.abort()", "signal 6")]
#[case::memory("hog = bytearray(300000000); time.sleep(60)", "resource: ")]
#[case::exception("1 / 0", "refused")]
fn it_ends_badly(#[case] script: &'static str, #[case] text: &str) {
    let run = run(script, 1, limits());
    // Python's exceptions exit with status 1, which is a refusal by the protocol: its text gives it away.
    let text_of_answer = format!("{:?}", run.answer(0)).to_lowercase();
    assert_says(&text_of_answer, &[text]);
}

#[test]
fn a_refusal_says_why() {
    let outcome = send_one("sys.stderr.write('too short'); sys.exit(1)", Input::Decode(vec![5]));
    assert!(matches!(&outcome.answer, Answer::Refused(reason) if reason.text == "too short"), "{outcome:?}");
    let outcome =
        send_one("print('{\"refused\":{\"kind\":\"truncated\",\"at\":1}}'); sys.exit(1)", Input::Decode(vec![5]));
    assert!(matches!(&outcome.answer, Answer::Refused(reason) if reason.at == Some(1)), "{outcome:?}");
}

#[rstest]
#[case::value("print('{\"value\":{\"null\":null},\"used\":4}')", Answer::Value { value: AnsweredValue::Json("{\"null\":null}".into()), used: Some(4) })]
#[case::text("print('null')", Answer::Garbled("its output is not a JSON object: null\n".to_owned()))]
fn decode_prints_a_reply(#[case] script: &'static str, #[case] answer: Answer) {
    assert_eq!(send_one(script, Input::Decode(vec![0, 0, 0, 0])).answer, answer);
}

#[test]
fn its_arguments_are_the_operation_and_the_dialect() {
    let script = "sys.stdout.write(op + ' ' + dialect + ' '); sys.stdout.flush(); write(read())";
    let outcome = send_one(script, Input::Encode(Value::Null));
    assert_eq!(outcome.answer, Answer::Bytes(b"encode godot-3 {\"value\":{\"null\":null}}\n".to_vec()));
}

#[test]
fn hangs_have_a_budget() {
    let run = run("time.sleep(60)", 5, Limits { hangs: 2, reply_timeout: hasty().reply_timeout / 2, ..limits() });
    assert_says(run.timed_out(1), &["did not reply in 400 ms"]);
    assert!((2..5).all(|n| run.not_run(n).contains("hung 2 times")));
}

#[test]
fn too_much_output_is_not_kept() {
    let limits = Limits { line: 1 << 20, ..limits() };
    let run = run("for i in range(100): write(b'x' * 1000000)", 1, limits);
    assert_says(run.garbled(0), &["it wrote 100000000 bytes"]);
}
