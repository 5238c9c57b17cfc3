//! Programs that cannot be used: the error messages.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use rstest::rstest;

use crate::support::{assert_says, limits, python, refused};
use variant_adapter::external::{Command, Limits};

#[rstest]
#[case::exits("sys.exit('no such module: gd')", &["exited with status 1", "before replying to hello", "no such module: gd"])]
#[case::exits_in_peace("pass", &["exited with status 0", "before replying to hello"])]
#[case::crashes("os.abort()", &["signal 6", "before replying to hello"])]
#[case::closes_stdout("os.close(1); time.sleep(60)", &["closed its output"])]
#[case::no_ops("say('{\"protocol\":1,\"name\":\"x\",\"dialects\":[\"godot-3\"]}'); time.sleep(60)", &["missing field `ops`"])]
#[case::no_dialects("say('{\"protocol\":1,\"name\":\"x\",\"ops\":[\"decode\"]}'); time.sleep(60)", &["missing field `dialects`"])]
#[case::empty_ops("hello(ops=[]); time.sleep(60)", &["no ops", "nothing to test"])]
#[case::unknown_loss("hello(lossy=['nan']); time.sleep(60)", &["`lossy`: unknown variant `nan`"])]
#[case::unknown_op("hello(ops=['guess']); time.sleep(60)", &["guess", "decode"])]
#[case::newer("hello(protocol=2); time.sleep(60)", &["`protocol` in its handshake reply is 2; it must be 1, which this conform speaks"])]
#[case::no_version("hello(engine='v3.6'); time.sleep(60)", &["`engine` in its handshake reply is \"v3.6\"", "such as \"3.6\""])]
#[case::types_in_no_form("hello(types='all'); time.sleep(60)", &["`types`: it must be a list of layouts"])]
fn a_handshake_reply_that_cannot_be_used(#[case] script: &str, #[case] words: &[&str]) {
    assert_says(refused(python(script), limits()), words);
}

#[rstest]
#[case::silence("time.sleep(60)", &["did not reply to hello in 500ms", "flushed"])]
#[case::garbage("say('hi there'); say('{]'); time.sleep(60)", &["did not reply to hello", "instead it printed: hi there\n{]"])]
#[case::banner_for_ever("while True: print('loading')", &["did not reply to hello", "loading"])]
#[case::half_a_line("sys.stdout.write('{\"protocol\":1'); sys.stdout.flush(); time.sleep(60)", &["did not reply to hello"])]
#[case::never_flushed("for line in sys.stdin: sys.stdout.write(json.dumps(HELLO) + '\\n')", &["did not reply to hello", "flushed"])]
#[case::late("time.sleep(0.9); hello(); time.sleep(60)", &["did not reply to hello in 500ms", "--timeout FACTOR", "`start-timeout:`"])]
fn a_handshake_reply_that_never_comes(#[case] script: &str, #[case] words: &[&str]) {
    let start_up = Duration::from_millis(500);
    assert_says(refused(python(script), Limits { start_up, ..limits() }), words);
}

#[test]
fn programs_that_do_not_start() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str, mode| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    };
    let not_mine = file("plain", "#!/bin/sh\n", 0o644);
    let no_interpreter = file("odd", "#!/no/such/interpreter\n", 0o755);
    let cases: [(Command, &[&str]); 6] = [
        (Command::new(["no-such-program-anywhere"]), &["was not found in PATH", "./no-such-program-anywhere"]),
        (Command::new(["./no-such-file"]), &["./no-such-file does not exist"]),
        (Command::new([not_mine]), &["is not executable", "chmod +x"]),
        (Command::new([no_interpreter]), &["the interpreter in its first line"]),
        (
            Command { cwd: Some("/no/such/folder".into()), ..Command::new(["true"]) },
            &["/no/such/folder does not exist"],
        ),
        (Command::default(), &["no program was named"]),
    ];
    for (command, words) in cases {
        assert_says(refused(command, limits()), words);
    }
}
