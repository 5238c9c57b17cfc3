//! `conform decode` and `conform encode`: what one writes, the other reads.

use std::io::Write as _;
use std::process::{Output, Stdio};

use rstest::rstest;
use tempfile::TempDir;
use variant_codec::Framing;
use variant_corpus::Class;
use variant_corpus::test::{Test, Variants, tests};
use variant_specs::{Dialect, JudgedBy};
use variant_values::convert;
use variant_values::handshake::Op;

use crate::support::{CORPUS, SPECS, command, conform, root, stderr, stdout};

fn piped(args: &[&str], input: &[u8]) -> Output {
    let mut child = command(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let input = input.to_vec();
    let writer = std::thread::spawn(move || drop(pipe.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    output
}

/// The packets of canonical cases that are read as what is written, each with its length in front.
fn save(dialect: &Dialect) -> Vec<u8> {
    let tests = tests(&CORPUS, &SPECS, dialect, JudgedBy::Engines, Variants::None).unwrap();
    let canonical = |test: &&Test| test.op == Op::Decode && test.expected.class == Class::Canonical;
    let packets = tests.iter().filter(canonical).filter(|test| test.case.framing.is_none() && !test.case.objects);
    let packets = packets.filter_map(|test| test.packet());
    packets
        .flat_map(|packet| [&u32::try_from(packet.bytes.len()).unwrap().to_le_bytes(), &packet.bytes[..]].concat())
        .collect()
}

#[rstest]
#[case("godot-2")]
#[case("godot-3")]
#[case("godot-4.4")]
fn every_canonical_packet_comes_back(#[case] name: &str) {
    let (dialect, framing) = (SPECS.dialect(name).unwrap(), Some(Framing::U32Le));
    let save = save(dialect);
    let lines: Vec<String> = convert::decode(&save, dialect, framing).collect::<Result<_, _>>().unwrap();
    assert!(lines.len() > 200, "{}", lines.len());
    let written: Vec<u8> = lines.iter().flat_map(|line| convert::encode(line, dialect, framing).unwrap()).collect();
    assert!(written == save, "{name}");
}

/// Many frames are as few are, with and without a dialect; without an argument, they are read from stdin.
#[rstest]
#[case(&["decode"])]
#[case(&["decode", "--dialect", "4.6"])]
fn many_frames_are_decoded_from_stdin(#[case] args: &[&str]) {
    let frame = b"\x0c\0\0\0\x05\0\0\0\0\0\x80\x3f\0\0\0\x40";
    let output = piped(args, &frame.repeat(100_000));
    let decoded = stdout(&output);
    assert_eq!(decoded.matches("vector2").count(), 100_000, "{}", stderr(&output));
    assert_eq!(decoded.lines().count(), 100_000);
}

/// Of a save that is cut, what is there is shown, and what is missing is said.
#[rstest]
#[case(33, "1 byte of it, and 3 are missing", "packet 3, at byte 32")]
#[case(42, "10 bytes of it, and 6 are missing", "its length says 12 bytes, and 6 are here")]
fn a_save_that_is_cut_is_read_up_to_there(#[case] bytes: usize, #[case] explained: &str, #[case] refused: &str) {
    let frame = b"\x0c\0\0\0\x05\0\0\0\0\0\x80\x3f\0\0\0\x40";
    let cut = &frame.repeat(3)[..bytes];
    let output = piped(&["explain"], cut);
    assert!(stdout(&output).contains("2 frames of store_var / put_var"), "{}", stdout(&output));
    assert!(stdout(&output).contains(explained), "{}", stdout(&output));
    let output = piped(&["decode"], cut);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(stdout(&output).lines().count(), 2);
    assert!(stderr(&output).contains(refused), "{}", stderr(&output));
}

/// A save of Godot 3 becomes one of Godot 4; here both are of the engines themselves.
#[test]
fn a_save_of_godot_3_becomes_one_of_godot_4() {
    let inputs = root().join("harness/values/tests/inputs");
    let decoded = conform(&["decode", inputs.join("godot-3.6-store_var-big-endian.dat").to_str().unwrap()]);
    assert_eq!(decoded.status.code(), Some(0), "{}", stderr(&decoded));
    assert!(
        stderr(&decoded).contains("read as Godot 3.1–3.6 (godot-3), with lengths in front"),
        "{}",
        stderr(&decoded)
    );
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("save.dat");
    let args = ["encode", "--dialect", "godot-4.6", "--framing", "u32be", "--out", file.to_str().unwrap()];
    let encoded = piped(&args, &decoded.stdout);
    assert_eq!(encoded.status.code(), Some(0), "{}", stderr(&encoded));
    assert_eq!(
        std::fs::read(file).unwrap(),
        std::fs::read(inputs.join("godot-4.6.3-store_var-big-endian.dat")).unwrap()
    );
}

#[rstest]
#[case::of_a_value(
    r#"{"array":[{"int":1},{"dictionary":[[{"string":"a"},{"vector2i":[1,2]}]]}]}"#,
    "godot-3",
    "[1].[0].value: the dialect has no type vector2i (Godot 3.1–3.6 (godot-3))"
)]
#[case::of_a_number(r#"{"array":[{"int":5000000000}]}"#, "godot-2", "[0]: 5000000000 does not fit in 32 bits")]
#[case::of_a_word(r#"{"integer":1}"#, "godot-3", "no layout is called \"integer\"")]
#[case::of_a_line("{\"int\":1}\n{\"int\":", "godot-3", "line 2: this cannot be read as JSON")]
#[case::of_nothing("", "godot-3", "there is no value here")]
fn what_cannot_be_carried_is_an_error_with_its_path(#[case] json: &str, #[case] dialect: &str, #[case] says: &str) {
    let output = piped(&["encode", "--dialect", dialect], json.as_bytes());
    assert_ne!(output.status.code(), Some(0));
    assert!(stderr(&output).contains(says), "{}", stderr(&output));
}

#[rstest]
#[case::one(&["0200000005000000"], "{\"int\":5}\n")]
#[case::in_words(&["02", "00", "00", "00", "05", "00", "00", "00"], "{\"int\":5}\n")]
#[case::two(&["0800000002000000010000000800000002000000020000", "00"], "{\"int\":1}\n{\"int\":2}\n")]
fn bytes_in_any_form_become_lines(#[case] bytes: &[&str], #[case] lines: &str) {
    let output = conform(&[&["decode"], bytes].concat());
    assert_eq!(stdout(&output), lines, "{}", stderr(&output));
}

#[test]
fn what_is_no_packet_is_said() {
    let output = conform(&["decode", "1f8b08"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("This is gzip, no packet"), "{}", stderr(&output));
}

#[rstest]
#[case("godot-4.6", "Godot 4.4–4.6 (godot-4.4)")]
#[case("godot-4", "Godot 4.4–4.6 (godot-4.4)")]
#[case("godot4", "Godot 4.4–4.6 (godot-4.4)")]
#[case("4.6", "Godot 4.4–4.6 (godot-4.4)")]
#[case("4.6.3", "Godot 4.4–4.6 (godot-4.4)")]
#[case("Godot 4.1", "Godot 4.0–4.2 (godot-4.0)")]
#[case("3.5", "Godot 3.1–3.6 (godot-3)")]
#[case("2", "Godot 1.0–2.1.3 (godot-2)")]
#[case("pandemonium-5.1", "Pandemonium 5.0–5.2 (pandemonium-40)")]
fn a_version_of_an_engine_is_understood(#[case] named: &str, #[case] shown: &str) {
    assert_eq!(SPECS.find(named).unwrap().title(), shown);
}

#[test]
fn a_version_that_is_not_known_is_no_slip_of_another() {
    let output = conform(&["explain", "00000000", "--dialect", "godot-4.9"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(!stderr(&output).contains("did you mean"), "{}", stderr(&output));
}

/// An endless device and nothing at all; files are in `bounded.rs`.
#[test]
fn a_stream_is_bounded() {
    let zero = std::fs::File::open("/dev/zero").unwrap();
    let endless = command(&["explain", "-"]).stdin(zero).output().unwrap();
    assert_eq!(endless.status.code(), Some(2));
    assert!(stderr(&endless).contains("the limit is 64 MiB"), "{}", stderr(&endless));
    let nothing = command(&["explain", "-"]).stdin(Stdio::null()).output().unwrap();
    assert_eq!(nothing.status.code(), Some(1));
    assert!(stdout(&nothing).contains("There is nothing here"), "{}", stdout(&nothing));
}
