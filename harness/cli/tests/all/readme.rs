//! The adapter that adapters/README.md builds step by step is built, its commands say what stands there, and its tables
//! are those of the code.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::support::{CONFORM, SPECS, root};

/// A fenced block: its language and its text.
type Block = (String, String);

/// The blocks of a section.
fn blocks(readme: &str, section: &str) -> Vec<Block> {
    let text = readme.split_once(&format!("\n## {section}\n")).unwrap().1;
    let text = text.split("\n## ").next().unwrap();
    let mut blocks = Vec::new();
    let mut open: Option<Block> = None;
    for line in text.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(language)) => open = Some((language.to_owned(), String::new())),
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some((_, text)), None) => {
                text.push_str(line);
                text.push('\n');
            }
            (None, None) => {}
        }
    }
    blocks
}

/// Writes a program, or adds to it.
fn write(folder: &Path, text: &str) {
    let (head, _) = text.split_once('\n').unwrap();
    let head = head.strip_prefix("# ").unwrap();
    let (name, adds) = head.strip_suffix(", at its end").map_or((head, false), |name| (name, true));
    let path = folder.join(name);
    let before = if adds { std::fs::read_to_string(&path).unwrap() } else { String::new() };
    std::fs::write(path, before + text).unwrap();
}

/// Runs `conform …` as a person in this folder, and returns what it says.
fn run(folder: &Path, line: &str) -> String {
    let mut words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    assert_eq!(words.remove(0), "conform");
    let corpus = root().join("corpus").display().to_string();
    let mut command = Command::new(CONFORM);
    let output = command.current_dir(folder).args(["--corpus", &corpus]).args(words).output().unwrap();
    String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
}

#[test]
fn an_adapter_step_by_step() {
    let folder = TempDir::new().unwrap();
    let readme = std::fs::read_to_string(root().join("adapters/README.md")).unwrap();
    let (mut said, mut compared) = (String::new(), 0);
    for (language, text) in blocks(&readme, "One, step by step") {
        match language.as_str() {
            "python" => write(folder.path(), &text),
            "sh" => said = text.lines().map(|line| run(folder.path(), line)).collect(),
            "text" => {
                let mut rest = said.as_str();
                for line in text.lines() {
                    let at = rest.find(line.trim());
                    assert!(at.is_some(), "{line:?} is not said, or in another order:\n{said}");
                    rest = &rest[at.unwrap()..];
                    compared += 1;
                }
            }
            other => panic!("a block of {other}"),
        }
    }
    assert!(compared >= 10);
}

fn readme() -> String {
    std::fs::read_to_string(root().join("adapters/README.md")).unwrap()
}

#[test]
fn every_word_that_can_be_declared_has_its_row() {
    for table in variant_wire::handshake::tables() {
        assert!(readme().contains(&table), "adapters/README.md has another table than:\n{table}");
    }
}

#[test]
fn every_layout_has_a_form() {
    let readme = readme();
    let values = readme.split_once("\n### Values\n").unwrap().1;
    let table = values.split("\n### ").next().unwrap();
    let first_cells: String = table.lines().filter_map(|line| line.split('|').nth(1)).collect();
    let missing =
        SPECS.layouts.iter().map(|(_, layout)| &layout.name).filter(|name| !first_cells.contains(&format!("`{name}`")));
    assert_eq!(missing.collect::<Vec<_>>(), Vec::<&String>::new());
}

/// What is written as an example can be read.
#[test]
fn the_values_in_the_table_are_values() {
    use variant_wire::value_text::{Strictness, SyntaxTree, typecheck};
    let dialect = SPECS.dialect("godot-2").unwrap();
    for json in [
        r#"{"image":{"format":3,"mipmaps":0,"width":1,"height":1,"data":"ffffff"}}"#,
        r#"{"input_event":{"type":3,"device":0,"button_index":1}}"#,
    ] {
        let body = json.split_once(':').unwrap().1.strip_suffix('}').unwrap();
        assert!(readme().contains(&format!("`{body}`")), "{body} is not in adapters/README.md");
        let tree: SyntaxTree = serde_json::from_str(json).unwrap();
        typecheck(&tree, dialect, Strictness::Reply).unwrap();
    }
}
