//! What an adapter may do without any harm.

use rstest::rstest;

use crate::support::{assert_says, guarded, limits, python, request, run, send, specs};
use variant_adapter::external::External;
use variant_values::implementation::{Answer, Implementation, Input, Request};

#[rstest]
#[case::plain("for r, n in requests(): say(reply(r, n))")]
#[case::banner("print('Engine v3.2'); print(); print('-' * 40)\nfor r, n in requests(): say(reply(r, n))")]
#[case::byte_order_mark("sys.stdout.write('\\ufeff')\nfor r, n in requests(): say(reply(r, n))")]
#[case::carriage_returns("for r, n in requests(): say(reply(r, n) + '\\r')")]
#[case::seq_as_float("for r, n in requests(): say('{\"seq\":%d.0,\"bytes\":\"%08x\"}' % (r['seq'], n))")]
#[case::hello_in_floats("for r, n in requests(protocol=1.0, max_in_flight=4.0): say(reply(r, n))")]
#[case::unknown_keys("for r, n in requests(mood='good'): say('{\"mood\":[1],' + reply(r, n)[1:])")]
#[case::lines_that_are_no_objects("for r, n in requests(): say('7'); say('[1]'); say('null'); say(reply(r, n))")]
#[case::objects_without_seq("for r, n in requests(): say('{\"level\":\"info\"}'); say(reply(r, n))")]
#[case::replies_printed_behind("for r, n in requests(): say(reply(r, n)); say('answered ' + reply(r, n))")]
#[case::requests_in_the_log("for r, n in requests(): say('got ' + json.dumps(r)); say(reply(r, n))")]
#[case::log_in_json_before_hello("say('{\"level\":\"info\"}')\nfor r, n in requests(): say(reply(r, n))")]
#[case::invalid_utf8(
    "for r, n in requests():\n  sys.stdout.buffer.write(b'\\xff\\xfe\\n'); sys.stdout.flush(); say(reply(r, n))"
)]
#[case::stderr_flood("for r, n in requests():\n  sys.stderr.write('E: ' + 'x' * 3000 + '\\n'); say(reply(r, n))")]
#[case::closed_stderr("os.close(2)\nfor r, n in requests(): say(reply(r, n))")]
fn every_answer_counts(#[case] script: &str) {
    assert_eq!(run(script, 300).odd(), [0; 0]);
}

#[test]
fn stray_lines_go_with_what_is_answered_next() {
    let run = run("for r, n in requests():\n  if n == 7: print('\\x1b[31mlow battery')\n  say(reply(r, n))", 10);
    assert_eq!(run.odd(), [0; 0]);
    assert_eq!(run.noise(7), "\\u{1b}[31mlow battery");
    assert_eq!(run.noise(8), "");
}

#[test]
fn stray_lines_are_bounded() {
    let run = run("for r, n in requests():\n  for i in range(5000): print('E: again', i)\n  say(reply(r, n))", 2);
    assert_eq!(run.odd(), [0; 0]);
    assert!(run.noise(1).len() < 5000);
    assert_says(run.noise(1), &["E: again 0\n", "bytes between]", "E: again 4999"]);
}

/// The adapter replies only after it has checked that no more came than it allows.
#[test]
fn max_in_flight_is_kept() {
    let script = "
import select
waiting, buffer = [], b''
while True:
  timeout = 0.02 if waiting else None
  if select.select([0], [], [], timeout)[0]:
    piece = os.read(0, 65536)
    if not piece: break
    buffer += piece
    *lines, buffer = buffer.split(b'\\n')
    for line in lines:
      r = json.loads(line)
      if r['op'] == 'hello': hello(max_in_flight=3)
      else: waiting.append(r)
  else:
    if len(waiting) > 3: os.abort()
    for r in waiting: say(reply(r, int(r['bytes'], 16)))
    waiting = []
";
    assert_eq!(run(script, 20).odd(), [0; 0]);
}

/// Both pipes are full at once: the adapter writes 200 kB a request without reading, and requests are long too.
#[test]
fn full_pipes_cause_no_deadlock() {
    let script = "
for line in iter(sys.stdin.readline, ''):
  r = json.loads(line)
  if r['op'] == 'hello': hello()
  else: say('{\"seq\":%d,\"refused\":\"%s\"}' % (r['seq'], 'x' * 200000))
";
    let refused = guarded(limits(), move || {
        let mut external = External::start(python(script), &specs(), limits()).unwrap();
        let long = |n| Request { input: Input::Reencode(vec![0; 100_000]), ..request(n) };
        let outcomes = external.send(Box::new((0..60).map(long)));
        outcomes.filter(|outcome| matches!(outcome.as_ref().unwrap().1.answer, Answer::Refused(_))).count()
    });
    assert_eq!(refused, 60);
}

/// It reads all that there is before it answers anything, and answers more than a pipe holds.
#[test]
fn it_may_read_everything_first() {
    let script = "
for batch in batches(25, max_in_flight=50):
  say('\\n'.join('{\"seq\":%d,\"bytes\":\"%08x\",\"pad\":\"%s\"}' % (r['seq'], n, 'x' * 10000) for r, n in batch))
";
    assert_eq!(run(script, 200).odd(), [0; 0]);
}

/// No more is pulled than what can be in flight or held back for a second reply.
#[test]
fn requests_are_pulled_as_they_are_needed() {
    let ahead = guarded(limits(), move || {
        let mut external =
            External::start(python("for r, n in requests(): say(reply(r, n))"), &specs(), limits()).unwrap();
        let (pulled, mut reported, mut ahead) = (std::cell::Cell::new(0), 0, 0);
        let requests = (0..5000).map(request).inspect(|_| pulled.set(pulled.get() + 1));
        for outcome in external.send(Box::new(requests)) {
            outcome.unwrap();
            reported += 1;
            ahead = ahead.max(pulled.get() - reported);
        }
        ahead
    });
    assert!(ahead <= 256, "{ahead} were pulled ahead");
}

/// A line above `max_line` is not sent.
#[test]
fn long_requests() {
    let run = run("for r, n in requests(max_line=10): say(reply(r, n))", 2);
    assert_says(run.not_run(0), &["max_line", "adapter reads at most 10"]);
}

#[test]
fn it_can_be_used_again() {
    let runs = guarded(limits(), move || {
        let mut external =
            External::start(python("for r, n in requests(): say(reply(r, n))"), &specs(), limits()).unwrap();
        let runs = [send(&mut external, 3), send(&mut external, 0), send(&mut external, 200)];
        assert_eq!(external.finish(), None);
        runs
    });
    assert!(runs.iter().all(|run| run.odd().is_empty()));
}
