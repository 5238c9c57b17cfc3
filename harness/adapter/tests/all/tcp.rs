//! Adapters that connect instead of reading their standard input.

use rstest::rstest;

use crate::support::{assert_says, hasty, limits, python, refused, run_with};
use variant_adapter::external::{Command, Limits, Transport};

/// Connects and says its token, after `first` had its chance; then as on a pipe.
const CONNECT: &str = "
import socket
def connect():
  host, port = os.environ['CONFORM_CONNECT'].rsplit(':', 1)
  return socket.create_connection((host, int(port)))
def serve(token=os.environ.get('CONFORM_TOKEN')):
  connection = connect()
  # Two files: one of mode 'rw' forgets what it has read ahead whenever it writes.
  sys.stdin, sys.stdout = connection.makefile('r'), connection.makefile('w')
  say(json.dumps({'token': token}))
";

fn tcp(script: &str) -> Command {
    Command { transport: Transport::Tcp, ..python(&format!("{CONNECT}\n{script}")) }
}

#[rstest]
#[case::plain("serve()")]
#[case::banner_on_stdout("print('Engine v3.2'); serve()")]
#[case::a_stranger_before("s = connect(); s.sendall(b'{\"token\":\"guess\"}\\n'); time.sleep(0.1); serve()")]
#[case::a_stranger_who_leaves("connect().close(); serve()")]
#[case::a_stranger_who_says_nothing("s = connect(); time.sleep(0.1); serve()")]
#[case::a_flood("s = connect(); s.sendall(b'x' * 100000); serve()")]
fn it_is_let_in(#[case] before: &str) {
    let script = format!("{before}\nfor r, n in requests(): say(reply(r, n))");
    assert_eq!(run_with(tcp(&script), 300, limits()).odd(), [0; 0]);
}

#[rstest]
#[case::crashes("os._exit(3)", "exited with status 3")]
#[case::hangs_up("os.closerange(3, 50); time.sleep(60)", "closed its output")]
fn blame_is_the_same(#[case] how: &str, #[case] text: &str) {
    let script = format!("serve()\nfor r, n in requests():\n  if n == 9: {how}\n  say(reply(r, n))");
    let run = run_with(tcp(&script), 30, limits());
    assert_eq!(run.odd(), [9]);
    assert_says(run.crashed(9), &[text]);
}

#[test]
fn what_it_prints_is_noise() {
    let script = "real = sys.stdout; serve()
for r, n in requests():
  if n == 4: real.write('printed at four'); real.flush(); time.sleep(0.1); os._exit(1)
  say(reply(r, n))";
    let run = run_with(tcp(script), 10, limits());
    assert_says(run.noise(4), &["printed at four"]);
}

#[rstest]
#[case::never("time.sleep(60)", &["did not connect to 127.0.0.1:", "CONFORM_CONNECT", "CONFORM_TOKEN"])]
#[case::wrong_token("serve('guess'); time.sleep(60)", &["a connection came without the right token"])]
#[case::exits("sys.exit('no network here')", &["exited with status 1", "before connecting to 127.0.0.1:", "no network here"])]
#[case::no_hello("serve(); time.sleep(60)", &["did not reply to hello"])]
fn it_does_not_come(#[case] script: &str, #[case] words: &[&str]) {
    let start_up = 3 * hasty().reply_timeout;
    assert_says(refused(tcp(script), Limits { start_up, ..limits() }), words);
}
