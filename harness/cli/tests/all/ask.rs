//! `conform explain --ask` shows what implementations make of the same bytes.

use crate::support::{command, conform, scripted, stderr, stdout};

fn asked(packet: &str, dialect: &str, adapter: &str) -> String {
    let command = format!("python3 {}", scripted(adapter));
    let output = conform(&["explain", packet, "--dialect", dialect, "--ask", &command]);
    let text = stdout(&output);
    let (_, grid) = text.split_once("\nGodot").unwrap_or_else(|| panic!("{text}{}", stderr(&output)));
    grid.replace(&command, "mine")
}

/// Equal answers stand together, the commonest first.
#[test]
fn who_agrees_stands_together() {
    insta::assert_snapshot!(asked("0100000002000000", "godot-3", "narrow_bool.py"));
}

/// What engines that are not here once did is told.
#[test]
fn recorded_engines_are_told() {
    let grid = asked("15000000010000800200000001000000", "godot-2", "refuse.py");
    assert!(grid.contains("recorded: godot 2.1.3 writes these bytes"), "{grid}");
}

/// All bytes are sent, those behind the packet too.
#[test]
fn bytes_left_over_are_told() {
    let output = conform(&["explain", "0100000001000000ff", "--dialect", "4.6", "--ask", "reference"]);
    assert!(stdout(&output).contains("1 byte left over"), "{}", stdout(&output));
}

/// Where nothing is installed, the reference codec answers.
#[test]
fn all_of_none_is_the_reference_codec() {
    let nowhere = tempfile::TempDir::new().unwrap();
    let output =
        command(&["explain", "00000000", "--dialect", "4.6", "--ask", "all"]).current_dir(nowhere.path()).output();
    let output = output.unwrap();
    assert!(stdout(&output).contains("decode, all alike"), "{}{}", stdout(&output), stderr(&output));
}
