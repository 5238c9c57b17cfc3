//! Follows adapters/README.md step by step, and compares the output of its commands and the tables of adapters/PROTOCOL.md with
//! the pages.

use std::path::Path;
use std::process::Command;

use tempfile::TempDir;
use variant_values::handshake::{Limit, Lossy};

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

/// Changes the adapter as a diff says: each piece of it is found once.
fn change(folder: &Path, diff: &str) {
    let path = folder.join("mine/adapter.py");
    let mut source = std::fs::read_to_string(&path).unwrap();
    for piece in diff.split("...\n") {
        let side = |sign: char| -> String {
            let lines = piece.lines().filter(|line| line.starts_with([' ', sign]));
            lines.map(|line| format!("{}\n", &line[1..])).collect()
        };
        let (old, new) = (side('-'), side('+'));
        assert_eq!(source.matches(&old).count(), 1, "{old}");
        source = source.replace(&old, &new);
    }
    std::fs::write(path, source).unwrap();
}

/// Runs `conform …` in this folder, and returns its output.
fn run(folder: &Path, line: &str) -> String {
    let mut words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
    assert_eq!(words.remove(0), "conform");
    // A busy machine is no reason for another output.
    if matches!(words[0].as_str(), "vet" | "run") {
        words.extend(["--timeout", "10"].map(str::to_owned));
    }
    let output = Command::new(CONFORM).current_dir(folder).args(words).output().unwrap();
    String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
}

#[test]
fn an_adapter_step_by_step() {
    let folder = TempDir::new().unwrap();
    let readme = std::fs::read_to_string(root().join("adapters/README.md")).unwrap();
    let (mut said, mut compared) = (String::new(), 0);
    for (language, text) in blocks(&readme, "Step by step") {
        match language.as_str() {
            "diff" => change(folder.path(), &text),
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
    assert!(compared >= 7);
    assert!(readme.split_whitespace().count() <= 1200, "it is a tutorial, and must stay short");
}

/// The table in the README matches the matrix.
#[test]
fn who_reads_and_writes_what_is_what_the_matrix_says() {
    let read = |file: &str| std::fs::read_to_string(root().join(file)).unwrap();
    let matrix = read("reports/matrix.md");
    let table = matrix.split_once("\n## Implementations\n").unwrap().1.split("\n## ").next().unwrap().lines();
    // The first row of an implementation is about the newest dialect that it speaks.
    let mut expected = Vec::new();
    for line in table.filter(|line| line.starts_with("| ")).skip(1) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, name, _, language, dialect, all, reads, writes, exact, safe, ..] = cells.as_slice() else {
            panic!("{line}")
        };
        if !name.is_empty() {
            expected
                .push(format!("| {name} | {language} | {dialect} | {all} | {reads} | {writes} | {exact} | {safe} |"));
        }
    }
    let readme = read("README.md");
    let table = readme.split_once("\n## Who reads and writes what\n").unwrap().1.split("\n## ").next().unwrap().lines();
    let shown: Vec<&str> = table.filter(|line| line.starts_with("| ")).skip(1).collect();
    assert_eq!(shown, expected);
}

/// The three steps are the tested ones, and the links lead somewhere.
#[test]
fn what_the_pages_name_is_there() {
    let pages = [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "adapters/README.md",
        "adapters/PROTOCOL.md",
        "corpus/README.md",
        "vectors/README.md",
        "docs/words.md",
        "docs/commands.md",
        "docs/ci.md",
        "docs/dialects.md",
    ];
    for page in pages {
        let text = std::fs::read_to_string(root().join(page)).unwrap();
        let folder = root().join(page).parent().unwrap().to_owned();
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let file = link.split('#').next().unwrap();
            assert!(link.starts_with("http") || folder.join(file).exists(), "{page}: {link}");
        }
    }
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let steps = readme.split_once("\n## Test your own library\n").unwrap().1.split("```").nth(1).unwrap();
    let steps: Vec<&str> = steps.lines().skip(1).filter_map(|line| Some(line.split_once('#')?.0.trim())).collect();
    assert_eq!(
        steps,
        ["conform demo", "conform new-adapter python adapters/mine", "conform vet mine", "conform run mine"]
    );
    assert!(readme.lines().count() <= 100, "the README is one screen and its tables");
}

/// A file in backticks is in the root, in `harness/`, or near the one that was named before it.
#[test]
fn what_the_map_names_is_there() {
    let map = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let (mut named, mut missing) = (0, Vec::new());
    for line in map.lines().filter(|line| line.starts_with('|')) {
        let mut before = root();
        for word in line.split('`').skip(1).step_by(2) {
            let is_file = word.ends_with('/') || word.rsplit_once('.').is_some_and(|(name, _)| !name.is_empty());
            let is_example = ["NAME", "my-fork", "<"].iter().any(|part| word.contains(part));
            if !is_file || is_example || word.contains(' ') || word == "results.jsonl" {
                continue;
            }
            let word = word.trim_start_matches('/');
            let within = before.ancestors().take_while(|folder| folder.starts_with(root()));
            let near = within.flat_map(|folder| [folder.join(word), folder.join("src").join(word)]);
            let below = ["", "harness"].map(|folder| root().join(folder).join(word));
            let file = near.chain(below).find(|file| file.exists());
            let made = ["reports/runs/"].contains(&word);
            missing.extend((!made && file.is_none()).then(|| word.to_owned()));
            before = file.unwrap_or(before);
            named += 1;
        }
    }
    assert!(named > 20 && missing.is_empty(), "{named} files; not there: {missing:?}");
}

/// The picture's text is what the program prints, but for numbers: those of tests grow with the corpus.
#[test]
fn the_picture_is_of_a_real_run() {
    let picture = std::fs::read_to_string(root().join("docs/report.svg")).unwrap();
    let printed =
        Command::new("python3").arg(root().join("recipes/picture")).args([CONFORM, "--print"]).output().unwrap();
    assert!(printed.status.success(), "{}", String::from_utf8_lossy(&printed.stderr));
    let texts = picture.lines().filter(|line| line.starts_with("<text ")).skip(2);
    let shown: Vec<String> = texts.map(|line| without_numbers(&text(line))).collect();
    let printed = String::from_utf8(printed.stdout).unwrap();
    let printed: Vec<String> = printed.lines().map(without_numbers).collect();
    assert_eq!(shown.len(), printed.len(), "`recipes/picture CONFORM` draws docs/report.svg anew");
    for (shown, printed) in shown.iter().zip(&printed) {
        let same = shown.strip_suffix('…').map_or(shown == printed, |start| printed.starts_with(start));
        assert!(
            same,
            "the picture shows {shown:?}, and conform prints {printed:?}: `recipes/picture CONFORM` draws it anew"
        );
    }
}

/// The text in a line of SVG.
fn text(line: &str) -> String {
    let tags = line.split('<').filter_map(|part| part.split_once('>'));
    tags.map(|(_, text)| text).collect::<String>().replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

/// Blanks give way where a number grows.
fn without_numbers(line: &str) -> String {
    let plain = line.chars().map(|letter| if letter.is_ascii_digit() { '0' } else { letter });
    let mut plain: String = plain.filter(|letter| *letter != ' ').collect();
    while plain.contains("00") {
        plain = plain.replace("00", "0");
    }
    plain
}

fn protocol() -> String {
    std::fs::read_to_string(root().join("adapters/PROTOCOL.md")).unwrap()
}

#[test]
fn every_word_that_can_be_declared_has_its_row() {
    let lossy = Lossy::ALL.iter().map(|word| (word.name(), word.means()));
    let limits = Limit::ALL.iter().map(|word| (word.name(), word.means()));
    for (word, means) in lossy.chain(limits) {
        let row = format!("| `{word}` | {means} | ");
        assert!(protocol().contains(&row), "adapters/PROTOCOL.md has no row {row}");
    }
}

#[test]
fn every_layout_has_a_form() {
    let protocol = protocol();
    let values = protocol.split_once("\n## Values\n").unwrap().1;
    let table = values.split("\n## ").next().unwrap();
    let first_cells: String = table.lines().filter_map(|line| line.split('|').nth(1)).collect();
    let missing =
        SPECS.layouts.iter().map(|(_, layout)| &layout.name).filter(|name| !first_cells.contains(&format!("`{name}`")));
    assert_eq!(missing.collect::<Vec<_>>(), Vec::<&String>::new());
}

/// The examples can be read.
#[test]
fn the_values_in_the_table_are_values() {
    use variant_values::value_text::{Strictness, SyntaxTree, typecheck};
    let dialect = SPECS.dialect("godot-2").unwrap();
    for json in [
        r#"{"image":{"format":3,"mipmaps":0,"width":1,"height":1,"data":"ffffff"}}"#,
        r#"{"input_event":{"type":3,"device":0,"button_index":1}}"#,
    ] {
        let body = json.split_once(':').unwrap().1.strip_suffix('}').unwrap();
        assert!(protocol().contains(&format!("`{body}`")), "{body} is not in adapters/PROTOCOL.md");
        let tree: SyntaxTree = serde_json::from_str(json).unwrap();
        typecheck(&tree, dialect, Strictness::Reply).unwrap();
    }
}
