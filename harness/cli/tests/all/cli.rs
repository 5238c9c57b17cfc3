//! The command line as a person meets it: what it prints, and how it ends.

use std::process::{Command, Output};

use rstest::rstest;
use tempfile::TempDir;
use variant_corpus::verdict::Verdict;
use variant_values::handshake::Op;

use crate::support::{CONFORM, conform, copy, record_in, root, scripted, stderr, stdout};

/// One or two lines, and no trace of a panic.
fn assert_sentence(output: &Output, status: i32, said: &str) {
    let text = stderr(output);
    assert_eq!(output.status.code(), Some(status), "{text}");
    assert!(text.contains(said), "{text:?} does not say {said:?}");
    assert!(!text.contains("panicked") && !text.contains("RUST_BACKTRACE"), "{text}");
}

#[rstest]
#[case::unknown_dialect(&["run", "--dialect", "godot-9"], 2, "there is no dialect \"godot-9\"; a version of an engine")]
#[case::no_double(&["run", "--dialect", "godot-2+double"], 2, "godot-2 has no double precision; use godot-2")]
#[case::no_document_to_read(&["run", "--dialect", "pandemonium-40", "--judged-by", "documents"], 2, "no document")]
#[case::unknown_flag(&["run", "--dialekt", "godot-3"], 2, "unexpected argument '--dialekt'")]
#[case::unknown_adapter(&["run", "no-such-adapter"], 2, "there is no adapter \"no-such-adapter\" (there are ")]
#[case::mistyped_adapter(&["run", "pythn"], 2, "; did you mean `python`?")]
#[case::mistyped_adapter_of_matrix(&["matrix", "pythn"], 2, "there is no \"pythn\"; did you mean `python`?")]
#[case::no_adapter_in_a_folder(&["run", "adapters/schema"], 2, "adapters/schema: no folder with an adapter.yaml; ")]
#[case::a_file_of_an_adapter(&["run", "adapters/python/adapter.yaml"], 2, "a file of an adapter; name its folder, adapters/python")]
#[case::a_folder_of_adapters_without_any(&["run", "x", "--adapters", "docs"], 2, "(there are none in docs)")]
#[case::tests_without_an_option(&["list", "godot-4.4/array/*"], 2, "tip: tests are named with `--only 'godot-4.4/array/*'`")]
#[case::a_command_without_dashes(&["run", "node", "adapter.mjs"], 2, "tip: a command goes after `--`")]
#[case::a_later_version(&["list", "--dialect", "4.7"], 2, "there is no dialect \"4.7\"; a version of an engine, such as 4.6, names one too, and the newest is Godot 4.4–4.6 (godot-4.4)")]
#[case::a_folder_without_a_record(&["report", "docs"], 2, "docs: there is no results.jsonl in it")]
#[case::a_value_without_its_type(&["encode", "[1,2]", "--dialect", "4.6"], 2, "a value is JSON that names its type, like {\"int\":5}")]
#[case::a_type_as_engines_name_it(&["encode", "{\"PackedByteArray\":\"00\"}", "--dialect", "4.6"], 1, "; did you mean `byte_array`?")]
#[case::a_dictionary_of_json(&["encode", "{\"dictionary\":{}}", "--dialect", "4.6"], 1, "dictionary: a list of entries was expected, or {entries: list}")]
#[case::a_type_is_no_glob(&["run", "--only", "vector2", "--out", "target/tests/no-glob"], 4, "'*/vector2/**'")]
#[case::no_such_folder(&["run", "./nothere"], 2, "./nothere: there is no such folder or file")]
#[case::a_cause_is_of_text(&["report", "x", "--cause", "a", "--format", "html"], 2, "--cause is for text")]
#[case::full_is_of_reports(&["run", "--full"], 2, "tip: `conform report RECORD --full`")]
#[case::path_that_leads_out(&["run", "python@../x"], 2, "")]
#[case::mistyped_dialect_of_a_page(&["document", "godto-4.4"], 2, "; did you mean `godot-4.4`?")]
#[case::mistyped_command(&["matrx"], 2, "a similar subcommand exists: 'matrix'")]
#[case::a_flag_that_none_has(&["list", "--dialect", "4.6", "--type", "Dictionary", "--flag", "5"], 2, "--flag 5: the flags of a header of Dictionary are 1, 2, 3, 4, 8, 12")]
#[case::nothing_is_listed(&["list", "--only", "x"], 4, "no test matches 'x': a test is DIALECT/TYPE/CASE:OPERATION")]
#[case::reference_has_no_protocol(&["vet", "reference"], 2, "run `conform vet -- conform serve` to vet it as one")]
#[case::reference_is_no_evidence(&["run", "reference", "--record"], 2, "--record is for engines")]
#[case::reference_is_taken(&["new-adapter", "python", "target/tmp/reference"], 2, "choose another name for the folder")]
#[case::one_side(&["diff", "reference"], 2, "`conform diff NAME reference`")]
#[case::one_that_does_not_start(&["diff", "reference", "/bin/false arguments", "--dialect", "godot-3"], 3, "/bin/false")]
#[case::one_command(&["diff", "./mine --adapter"], 2, "`conform diff reference './mine --adapter'`")]
#[case::bad_glob(&["run", "--only", "a[b"], 2, "is not a glob")]
#[case::nothing_matches(&["run", "--only", "godot-3/no-such-case", "--out", "target/tests/nothing"], 4, "there is nothing to test in godot-4.4, godot-4.3")]
#[case::no_such_program(&["run", "--", "./no-such-program"], 3, "no-such-program")]
#[case::dies_at_once(&["run", "--", "false"], 3, "exited with status 1")]
#[case::never_says_hello(&["run", "--timeout", "0.05", "--", "sleep", "60"], 3, "hello")]
#[case::speaks_nonsense(&["run", "--timeout", "0.05", "--", "sh", "-c", "echo nonsense; cat >/dev/null"], 3, "hello")]
#[case::no_hex(&["explain", "xyz"], 2, "neither hex")]
#[case::bad_factor(&["run", "--timeout", "0"], 2, "this must be a number above 0")]
#[case::no_results(&["report", "no-such-file.jsonl"], 2, "no-such-file.jsonl: cannot be read")]
#[case::no_spec(&["list", "--spec", "no-such-spec.yaml"], 2, "no-such-spec.yaml: cannot be read")]
fn what_cannot_be_done_is_said_in_a_sentence(#[case] args: &[&str], #[case] status: i32, #[case] said: &str) {
    assert_sentence(&conform(args), status, said);
}

#[rstest]
#[case::unknown_key("dialect: my-fork\ncolour: red\n", "my-fork.yaml:2: unknown field `colour`")]
#[case::mistyped_key("dialect: my-fork\nextend: godot-3\n", "; did you mean `extends`?")]
#[case::unknown_parent("dialect: my-fork\nextends: godot-9\n", "my-fork.yaml:2: no dialect godot-9")]
#[case::taken_name(
    "dialect: mole\nextends: godot-3\n",
    "my-fork.yaml:1: mole is a name of the dialect godot-2 already; take another name"
)]
#[case::no_header("dialect: my-fork\n", "my-fork.yaml:1: `header:` is missing")]
#[case::name_with_escapes(
    "# mine\ndialect: \"x\\e[31mRED\"\nextends: godot-3\n",
    "my-fork.yaml:2: \"x\\u{1b}[31mRED\" is not a name"
)]
#[case::name_that_is_a_path(
    "dialect: a/../../../esc\nextends: godot-3\n",
    "my-fork.yaml:1: \"a/../../../esc\" is not a name"
)]
#[case::long_alias(
    &format!("dialect: my-fork\naliases: [a{}]\nextends: godot-3\n", "b".repeat(64)),
    "b\" is not a name: one has letters and digits"
)]
#[case::layout_with_escapes(
    "dialect: my-fork\nextends: godot-3\nlayouts:\n  \"a\\e[31m\": {shape: fields, of: int32, fields: [x]}\n",
    "\"a\\u{1b}[31m\" is not a name"
)]
#[case::parent_with_escapes("dialect: my-fork\nextends: \"x\\e[31m\"\n", "my-fork.yaml:2: no dialect x\\u{1b}[31m")]
#[case::tab(
    "dialect: my-fork\nextends: godot-3\nrules:\n\tutf8: strict\n",
    "my-fork.yaml:4: found character that cannot start any token"
)]
#[case::tab_is_named("dialect: my-fork\nrules:\n\tutf8: strict\n", "tabs cannot indent YAML, write spaces")]
fn a_spec_that_is_wrong_is_refused_with_its_line(#[case] text: &str, #[case] said: &str) {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("my-fork.yaml");
    std::fs::write(&file, text).unwrap();
    assert_sentence(&conform(&["list", "--spec", file.to_str().unwrap()]), 2, said);
}

#[test]
fn the_reference_codec_is_green_in_every_type() {
    let out = TempDir::new().unwrap();
    let output = conform(&["run", "--out", out.path().to_str().unwrap()]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("reads 27 of 27 types, writes 27, exact 27, safe 27"), "{text}");
    assert!(text.contains("0 failures, 0 warnings"), "{text}");
    let record = std::fs::read_to_string(out.path().join("results.jsonl")).unwrap();
    assert!(record.lines().next().unwrap().starts_with("{\"kind\":\"plan\""));
    assert!(record.lines().last().unwrap().starts_with("{\"kind\":\"end\""));
}

/// The three steps of the README, in an empty folder; then by every name that the new adapter has.
#[test]
fn an_adapter_of_ones_own_in_three_steps() {
    let folder = TempDir::new().unwrap();
    let conform = |line: &str| {
        let words = line.split_whitespace().skip(1);
        let output = Command::new(CONFORM).current_dir(folder.path()).args(words).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{line}: {}{}", stdout(&output), stderr(&output));
        stdout(&output)
    };
    let next = conform("conform new-adapter python adapters/mine");
    let steps: Vec<&str> = next.lines().filter_map(|line| line.split_once('#')).map(|(line, _)| line.trim()).collect();
    assert_eq!(steps, ["conform vet mine", "conform run mine"]);
    assert!(conform("conform vet mine").contains(" 0 bad"));
    assert!(conform("conform run mine --quick").contains("0 failures, 0 warnings"));
    assert!(folder.path().join("reports/runs/mine/report.html").is_file());
    for name in ["adapters/mine", "adapters/mine/", "./adapters/mine"] {
        let line = format!("conform run {name} --quick --dialect godot-4.4 --only godot-4.4/bool/*");
        assert!(conform(&line).contains("0 failures, 0 warnings"));
    }
    let elsewhere = conform("conform new-adapter python other/yours");
    assert!(elsewhere.contains("\n  conform run other/yours "), "{elsewhere}");
    // A run is named by its folder as well as by its record.
    let [by_folder, by_file] =
        ["", "/results.jsonl"].map(|file| conform(&format!("conform report reports/runs/mine{file}")));
    assert_eq!(by_folder, by_file);
    conform("conform gate reports/runs/mine reports/runs/mine/results.jsonl");
    let meant = Command::new(CONFORM).current_dir(folder.path()).args(["report", "mine"]).output().unwrap();
    assert_sentence(&meant, 2, "did you mean `reports/runs/mine`?");
}

/// Files from Windows: corpus, dialect and adapter are read as they are with `\n`.
#[test]
fn lines_may_end_as_on_windows() {
    let folder = TempDir::new().unwrap();
    let with_crlf = |text: String| text.replace('\n', "\r\n");
    copy(&root().join("corpus"), &folder.path().join("corpus"), |_, text| with_crlf(text));
    let spec = folder.path().join("fork.yaml");
    std::fs::write(&spec, "dialect: my-fork\r\nextends: godot-3\r\n").unwrap();
    let list = ["list", "--spec", spec.to_str().unwrap(), "--dialect", "my-fork"];
    let windows = Command::new(CONFORM).current_dir(folder.path()).args(list).output().unwrap();
    assert_eq!((windows.status.code(), stderr(&windows)), (Some(0), String::new()));
    assert_eq!(stdout(&windows), stdout(&conform(&list)));

    let mine = folder.path().join("mine");
    assert!(conform(&["new-adapter", "python", mine.to_str().unwrap()]).status.success());
    let adapter = mine.join("adapter.yaml");
    std::fs::write(&adapter, with_crlf(std::fs::read_to_string(&adapter).unwrap())).unwrap();
    let vetted = conform(&["vet", mine.to_str().unwrap()]);
    assert!(stdout(&vetted).contains(" 0 bad"), "{}{}", stdout(&vetted), stderr(&vetted));
}

#[test]
fn the_reference_codec_has_a_name() {
    let out = TempDir::new().unwrap();
    let run = |subject: &[&str]| {
        let only = ["--only", "godot-3/bool/*", "--out", out.path().to_str().unwrap()];
        stdout(&conform(&[&["run"], subject, &only].concat()))
    };
    assert_eq!(run(&["reference"]), run(&[]));
}

#[test]
#[ignore = "takes long: .ci/run runs it"]
fn quiet_and_colours() {
    let out = TempDir::new().unwrap();
    let run = |options: &[&str], adapter: &[&str]| {
        let only = ["run", "--only", "godot-3/bool/*", "--quick", "--out", out.path().to_str().unwrap()];
        conform(&[&only[..], options, adapter].concat())
    };
    let green = run(&["-q"], &[]);
    assert_eq!((stdout(&green), stderr(&green)), (String::new(), String::new()));
    let null = scripted("null.py");
    let failed = run(&["--quiet"], &["--", "python3", &null]);
    assert!(
        stdout(&failed).contains("reads 0 of 1 type,") && stderr(&failed).is_empty(),
        "{}{}",
        stdout(&failed),
        stderr(&failed)
    );
    assert!(stdout(&run(&["--color", "always"], &[])).contains("\u{1b}["));
    assert!(!stdout(&run(&["--color", "never"], &[])).contains('\u{1b}'));
}

/// What every command takes is in the help of the program, and named in that of a command.
#[test]
fn options_of_every_command_are_shown_once() {
    let help = stdout(&conform(&["run", "--help"]));
    assert!(!help.contains("--adapters <DIR>"), "{help}");
    assert!(help.contains("Options of every command (--adapters, --spec, --quiet, --color): conform --help"));
    assert!(help.contains("Examples:\n  conform run\n"), "{help}");
}

/// Where there is no corpus folder, the program has its own; a folder that is there wins.
#[test]
#[ignore = "takes long: .ci/run runs it"]
fn the_program_needs_no_corpus_folder() {
    let elsewhere = TempDir::new().unwrap();
    let conform = |args: &[&str]| Command::new(CONFORM).current_dir(elsewhere.path()).args(args).output().unwrap();
    let args = ["list", "--only", "godot-3/vector2/**"];
    let own = conform(&args);
    assert!(own.status.success(), "{}", stderr(&own));
    assert_eq!(stdout(&own), stdout(&crate::support::conform(&args)));
    std::fs::create_dir(elsewhere.path().join("corpus")).unwrap();
    assert_eq!(stdout(&conform(&args)), stdout(&own), "a folder of another meaning");
    std::fs::write(elsewhere.path().join("corpus/VERSION"), "1.0.0\n").unwrap();
    assert_sentence(&conform(&["list"]), 2, "there is no case under this folder");
}

#[test]
#[ignore = "takes long: .ci/run runs it"]
fn a_decoder_of_nulls_is_red_in_every_type() {
    let out = TempDir::new().unwrap();
    let adapter = scripted("null.py");
    let output = conform(&["run", "--quick", "--out", out.path().to_str().unwrap(), "--", "python3", &adapter]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("reads 1 of 27 types"), "{text}");
    assert!(text.contains("\nwhatever comes is read as null\n"), "{text}");
    assert!(text.contains("\nwhatever the value is, no bytes are written\n"), "{text}");
}

/// A decoder that takes everything for null passes no invalid case, one that refuses everything no canonical one,
/// in any type: neither gets a point for doing nothing.
#[rstest]
#[case::of_nulls("null.py", "invalid")]
#[case::that_refuses("refuse.py", "canonical")]
#[ignore = "takes long: .ci/run runs it"]
fn a_decoder_that_does_nothing_scores_nothing(#[case] adapter: &str, #[case] class: &str) {
    let out = TempDir::new().unwrap();
    let adapter = scripted(adapter);
    let arguments = ["--quick", "--out", out.path().to_str().unwrap(), "--", "python3", &adapter];
    conform(&[&["run", "--dialect", "godot-3"], arguments.as_slice()].concat());
    let results = record_in(out.path()).verdicts;
    let of_class = results.iter().filter(|result| result.class.name() == class && result.id().op == Op::Decode);
    let mut types = std::collections::BTreeSet::new();
    for result in of_class {
        // The one packet that a decoder of nulls reads rightly is null itself.
        assert_ne!(result.verdict, Verdict::Pass, "{}", result.test);
        types.insert(result.id().layout);
    }
    types.remove("packet");
    types.remove("framing");
    assert_eq!(types.len(), 27, "{types:?}");
}

/// A record that is cut anywhere behind its first line shows what it has, and says that it is not all.
#[test]
fn a_record_that_was_cut_is_shown_as_incomplete() {
    let out = TempDir::new().unwrap();
    conform(&["run", "--only", "godot-3/int/*", "--out", out.path().to_str().unwrap()]);
    let record = std::fs::read(out.path().join("results.jsonl")).unwrap();
    let ends: Vec<usize> = (0..record.len()).filter(|at| record[*at] == b'\n').collect();
    let part = out.path().join("results.jsonl.part");
    for cut in [ends[0], ends[0] + 1, ends[3] + 20, ends[ends.len() - 2], record.len() - 3] {
        std::fs::write(&part, &record[..cut]).unwrap();
        let output = conform(&["report", part.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(0), "{cut}: {}", stderr(&output));
        let shown = stdout(&output);
        assert!(shown.contains("incomplete: ") && shown.contains(" tests are recorded"), "{cut}: {shown}");
    }
    for format in ["text", "html", "junit", "markdown", "annotations"] {
        let output = conform(&["report", part.to_str().unwrap(), "--format", format]);
        assert_eq!(output.status.code(), Some(0), "{format}: {}", stderr(&output));
    }
    std::fs::write(&part, &record[..ends[0] - 1]).unwrap();
    assert_sentence(&conform(&["report", part.to_str().unwrap()]), 2, "this is not a result");
}

const NODE_PATH: &str =
    "0f00000002000080020000000100000004000000726f6f74010000006100000008000000706f736974696f6e0100000078000000";

#[test]
fn explain_names_every_field() {
    insta::assert_snapshot!(stdout(&conform(&["explain", NODE_PATH, "--dialect", "godot-3"])));
}

#[test]
fn explain_shows_where_a_packet_is_cut() {
    let output = conform(&["explain", &NODE_PATH[..70], "--dialect", "godot-3"]);
    assert_eq!(output.status.code(), Some(1));
    insta::assert_snapshot!(stdout(&output));
}

/// Bit 31 marks the new form in the count of names alone.
#[test]
fn explain_knows_which_count_has_the_bit_of_the_new_form() {
    let output = conform(&["explain", "1600000001000080ffffffff0000000001000000 61000000", "--dialect", "godot-4.4"]);
    let shown = stdout(&output);
    assert!(shown.contains("name-count     1, new form"), "{shown}");
    assert!(shown.lines().any(|line| line.ends_with("subname-count  -1")), "{shown}");
}

#[test]
fn explain_gives_an_id_no_sign() {
    let output = conform(&["explain", "180001000100000000000080", "--dialect", "godot-4.4"]);
    assert!(stdout(&output).contains("9223372036854775809"), "{}", stdout(&output));
}

#[test]
fn help_is_short() {
    insta::assert_snapshot!(stdout(&conform(&["--help"])));
}

#[test]
fn a_failure_says_how_to_mend_it() {
    let out = TempDir::new().unwrap();
    let adapter = scripted("column_major.py");
    let output = conform(&[
        "run",
        "--only",
        "godot-3/basis/nine-numbers-go-row-by-row:*",
        "--quick",
        "--out",
        out.path().to_str().unwrap(),
        "--",
        "python3",
        &adapter,
    ]);
    assert_eq!(output.status.code(), Some(1));
    let text = stdout(&output).replace(&adapter, "column_major.py");
    let digest = text.find("sha256:").unwrap();
    let text = text.replace(&text[digest..digest + 19], "sha256:…");
    insta::assert_snapshot!(text);
}

/// A slow machine needs more of every timeout, also of those that an adapter sets.
#[test]
fn timeout_multiplies_what_an_adapter_sets() {
    let folder = TempDir::new().unwrap();
    let adapter = folder.path().join("silent");
    std::fs::create_dir(&adapter).unwrap();
    std::fs::write(adapter.join("adapter.yaml"), "command: [sleep, \"60\"]\nstart-timeout: 20\n").unwrap();
    let output = conform(&["run", adapter.to_str().unwrap(), "--timeout", "0.02"]);
    assert_sentence(&output, 3, "did not reply to hello in 400ms");
}
