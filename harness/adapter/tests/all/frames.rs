//! Frames, whole and damaged: which request each damage counts for.

use rstest::rstest;

use crate::support::{Run, assert_says, limits, python, refused, run_hasty};

/// A loop that speaks frames, to be misused.
const FRAMES: &str = r"
import struct

def frame(seq, payload, status=b'b', length=None, kind=0):
    length = len(payload) if length is None else length
    return b'\xff' + status + bytes([kind, 0]) + struct.pack('<IQQ', length, seq, 2 ** 64 - 1) + payload

def send(reply):
    sys.stdout.buffer.write(reply)
    sys.stdout.buffer.flush()

def framed():
    sys.stdin.buffer.readline()
    hello(frames='binary')
    while head := sys.stdin.buffer.read(16):
        mark, length, seq = struct.unpack('<c3xIQ', head)
        assert mark == b'\xff'
        packet = sys.stdin.buffer.read(length)
        yield seq, packet, int.from_bytes(packet, 'big')
";

fn run(then: &str, count: usize) -> Run {
    run_hasty(&format!("{FRAMES}\nfor seq, packet, n in framed():\n  {then}"), count)
}

/// One that misbehaves at the request number 7.
fn run_once(then: &str) -> Run {
    run(&format!("if n == 7: {then}\n  else: send(frame(seq, packet))"), 50)
}

#[test]
fn frames_are_read_however_they_come() {
    assert_eq!(run("send(frame(seq, packet))", 3000).odd(), [0; 0]);
    let slowly = "for byte in frame(seq, packet): send(bytes([byte]))";
    assert_eq!(run(slowly, 300).odd(), [0; 0]);
}

#[rstest]
#[case::unknown_status("send(frame(seq, packet, b'?'))", "the status of a frame is 0x3f")]
#[case::kind_beyond_the_end("send(frame(seq, b'abc', b'r', kind=4))", "`kind` has 4 bytes")]
#[case::wrong_seq("send(frame(seq + 1000, packet) + frame(seq, packet))", "which was never sent")]
#[case::twice("send(2 * frame(seq, packet))", "a second reply to request 8")]
#[case::huge("send(frame(seq, packet, length=2 ** 32 - 1))", "a frame of 4294967319 bytes, above the limit")]
#[case::huge_and_more("send(frame(seq, packet, length=2 ** 31) + 1000 * b'\\xff')", "above the limit")]
fn a_damaged_frame_is_garbled_and_no_other(#[case] then: &str, #[case] why: &str) {
    let run = run_once(then);
    assert_eq!(run.odd(), [7]);
    assert_says(run.garbled(7), &[why]);
}

#[test]
fn whoever_always_sends_too_much_has_no_right_reply() {
    let run = run("send(frame(seq, packet, length=2 ** 31))", 20);
    assert_says(run.garbled(0), &["above the limit"]);
    assert_eq!(run.odd(), (0..20).collect::<Vec<_>>());
}

#[test]
fn a_frame_that_the_end_cuts_short_is_a_crash() {
    let run = run_once("send(frame(seq, packet)[:-1]); os._exit(3)");
    assert_eq!(run.odd(), [7]);
    assert_says(run.crashed(7), &["exited with status 3"]);
    assert_says(run.noise(7), &["only part of a frame, 27 bytes of 28 bytes"]);
}

#[test]
fn a_frame_that_never_ends_is_a_timeout() {
    let run = run_once("send(frame(seq, packet)[:7]); time.sleep(60)");
    assert_eq!(run.odd(), [7]);
    assert_says(run.timed_out(7), &["did not reply in"]);
    assert_says(run.noise(7), &["only part of a frame, 7 bytes of its head"]);
}

#[test]
fn whole_lines_between_frames_do_no_harm() {
    let run = run_once("print('a debug line', flush=True); send(frame(seq, packet))");
    assert_eq!(run.odd(), [0; 0]);
    assert_says(run.noise(7), &["a debug line"]);
}

#[test]
fn what_a_frame_says_is_bounded_and_escaped() {
    let run = run_once(r"send(frame(seq, b'\x1b[2J\xff' + 5000 * b'x', b'u'))");
    let text = format!("{:?}", run.answer(7));
    assert_says(&text, &["Unsupported", "u{1b}[2J"]);
    assert!(text.len() < 1500 && !text.contains('\x1b'));
}

#[test]
fn other_frames_are_unknown() {
    let text = refused(python("sys.stdin.readline(); hello(frames='ternary')"), limits());
    assert_says(&text, &["unknown variant `ternary`", "`binary`"]);
}
