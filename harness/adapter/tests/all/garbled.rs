//! Invalid replies, and which request they count for.

use rstest::rstest;

use crate::support::{assert_says, limits, python, run, run_with};

#[rstest]
#[case::no_answer("'{\"seq\":%d}' % r['seq']", "none of `value`")]
#[case::two_answers("'{\"seq\":%d,\"bytes\":\"\",\"refused\":\"\"}' % r['seq']", "more than one of")]
#[case::no_hex("'{\"seq\":%d,\"bytes\":\"0g\"}' % r['seq']", "not hex")]
#[case::a_number_for_bytes("'{\"seq\":%d,\"bytes\":7}' % r['seq']", "not a reply")]
#[case::false_for_refused("'{\"seq\":%d,\"refused\":false}' % r['seq']", "`refused` must be a text or an object")]
#[case::a_list_for_refused("'{\"seq\":%d,\"refused\":[]}' % r['seq']", "`refused` must be a text or an object")]
#[case::a_text_for_used("'{\"seq\":%d,\"value\":{\"null\":null},\"used\":\"four\"}' % r['seq']", "not a reply")]
// It is known at once, wherever its number stands.
#[case::no_json_in_front("'{\"seq\":%d,\"value\":{\"float\":NaN}}' % r['seq']", "no JSON")]
#[case::no_json_behind("'{\"value\":{\"float\":NaN},\"seq\":%d}' % r['seq']", "no JSON")]
#[case::no_json_around("'{\"used\": 8, \"seq\": %d, \"value\": {\"float\": -Inf}}' % r['seq']", "no JSON")]
fn a_reply_that_answers_nothing(#[case] reply: &str, #[case] why: &str) {
    let run = run(&format!("for r, n in requests(): say({reply} if n == 7 else reply(r, n))"), 20);
    assert_eq!(run.odd(), [7]);
    assert_says(run.garbled(7), &[why, "seq"]);
}

/// Text that holds a number and is no reply is a line outside the protocol.
#[rstest]
#[case::a_log_line("'{level: info, \"seq\":%d}' % r['seq']")]
#[case::a_text_within("'{value: \"a \\\\\"value\\\\\", \\\\\"seq\\\\\":%d\"}' % r['seq']")]
fn a_line_that_is_no_json_and_no_reply(#[case] line: &str) {
    let run = run(&format!("for r, n in requests():\n  if n == 7: say({line})\n  say(reply(r, n))"), 20);
    assert_eq!(run.odd(), Vec::<usize>::new());
}

#[test]
fn a_second_reply_is_held_against_the_request_it_repeats() {
    let run = run("for r, n in requests(): say(reply(r, n) + ('\\n' + reply(r, n)) * (n == 7))", 50);
    assert_eq!(run.odd(), [7]);
    assert_says(run.garbled(7), &["has its reply already"]);
    assert_says(run.noise(7), &["00000007"]);
}

#[test]
fn an_adapter_that_says_everything_twice_is_given_up() {
    let run = run("for r, n in requests(): say(reply(r, n) + '\\n' + reply(r, n))", 50);
    assert_eq!(run.odd(), (0..50).collect::<Vec<_>>());
    assert_says(run.garbled(0), &["has its reply already"]);
    assert_says(run.not_run(49), &["has its reply already"]);
}

#[test]
fn an_unknown_number_is_held_against_the_oldest_unanswered() {
    let run = run("for r, n in requests():\n  if n == 7: say('{\"seq\":9999,\"bytes\":\"\"}')\n  say(reply(r, n))", 50);
    assert_eq!(run.odd(), [7]);
    assert_says(run.garbled(7), &["request 9999, which was never sent"]);
}

/// Replies to the requests that come next, which others are then not blamed for.
#[test]
fn replies_to_the_future() {
    let script = "
for r, n in requests():
  say(reply(r, n))
  for ahead in range(1, 20 if n == 30 else 1): say('{\"seq\":%d,\"bytes\":\"\"}' % (r['seq'] + 7 * ahead))
";
    let run = run(script, 100);
    assert_eq!(run.odd(), [30]);
    assert_says(run.garbled(30), &["which was never sent"]);
}

/// The wrong number is the only reply that ever comes: there is no need to wait for another.
#[rstest]
#[case::zero("0", "request 0, which was never sent")]
#[case::one_ahead("r['seq'] + 1", "which was never sent")]
#[case::one_behind("r['seq'] - 1", "which was never sent")]
fn an_adapter_with_numbers_of_its_own(#[case] number: &str, #[case] why: &str) {
    let run = run(&format!("for r, n in requests(): r['seq'] = {number}; say(reply(r, n))"), 50);
    assert_eq!(run.odd(), (0..50).collect::<Vec<_>>());
    assert_says(run.garbled(0), &[why]);
    assert_says(run.not_run(49), &["it never replied to a request", why]);
}

#[rstest]
#[case::in_front("say('{\"seq\":%d,\"refused\":\"%s\"}' % (r['seq'], 'x' * 9000000))")]
#[case::behind("say('{\"refused\":\"%s\",\"seq\":%d}' % ('x' * 9000000, r['seq']))")]
fn a_line_above_the_limit(#[case] then: &str) {
    let script = format!("for r, n in requests():\n  if n == 7: {then}\n  else: say(reply(r, n))");
    let run = run(&script, 20);
    assert_eq!(run.odd(), [7]);
    assert_says(run.garbled(7), &["sent a line of more than 8 MiB, which is above the limit"]);
}

/// Nothing beyond the limit is read.
#[test]
fn a_line_of_200_megabytes() {
    let script = "
for r, n in requests():
  if n == 7:
    sys.stdout.write('{\"seq\":%d,\"refused\":\"' % r['seq'])
    for i in range(200): sys.stdout.write('x' * 1000000)
    say('\"}')
  else: say(reply(r, n))
";
    let run = run_with(python(script), 20, limits());
    assert_eq!(run.odd(), [7]);
    assert_says(run.garbled(7), &["sent a line of more than 8 MiB"]);
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak: usize = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(peak < 150_000, "{peak} kB");
}

#[test]
fn what_is_said_is_shown_without_its_control_characters() {
    let run =
        run("for r, n in requests(): say('{\"seq\":%d,\"refused\":\"\\\\u001b[2J%s\"}' % (r['seq'], 'x' * 5000))", 1);
    let text = format!("{:?}", run.answer(0));
    assert_says(&text, &["u{1b}[2Jxxx", "bytes)"]);
    assert!(text.len() < 1500);
}

/// A malformed reply counts as the reply, even if the real one follows.
#[rstest]
#[case::no_seq("reply(r, n).replace('\"seq\":%d,' % r['seq'], '')", "a reply came without `seq`")]
#[case::a_text("reply(r, n).replace(str(r['seq']), '\"%d\"' % r['seq'], 1)", "`seq` is not a number")]
#[case::behind_text("'debug \\x1b[31m' + reply(r, n)", "not a JSON object")]
#[case::before_the_real_one("'answering ' + reply(r, n) + '\\n' + reply(r, n)", "not a JSON object")]
fn a_malformed_reply(#[case] reply: &str, #[case] why: &str) {
    let run = run(&format!("for r, n in requests(): say({reply})"), 300);
    assert_eq!(run.odd(), (0..300).collect::<Vec<_>>());
    for n in [0, 1, 150, 299] {
        assert_says(run.garbled(n), &[why, &format!("\"bytes\":\"{n:08x}\"")]);
        assert!(!run.garbled(n).contains('\x1b'));
    }
}

/// Only refusals forget it: each is held against its own request, though others are answered meanwhile.
#[test]
fn one_that_forgets_seq_now_and_then() {
    let run = run("for r, n in requests(): say('{\"refused\":\"%d\"}' % n if n % 40 == 7 else reply(r, n))", 300);
    assert_eq!(run.odd(), (0..300).filter(|n| n % 40 == 7).collect::<Vec<_>>());
    for n in run.odd() {
        assert_says(run.garbled(n), &["without `seq`", &format!("{{\"refused\":\"{n}\"}}")]);
    }
}
