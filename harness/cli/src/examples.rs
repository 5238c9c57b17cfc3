//! The examples in the help of each command, and what all commands share shown once.

use clap::builder::UnknownArgumentValueParser;
use clap::{Arg, ArgAction, Command};

/// The examples of each command, which is the last that its lines name, and a sentence for each.
const EXAMPLES: &[(&str, &str)] = &[
    ("conform run", "the reference codec"),
    ("conform run adapters/mine", "an adapter, by folder or name"),
    ("conform run --dialect godot-4.4 -- node my_adapter.mjs", "a command that speaks the protocol"),
    ("conform run mine --only 'godot-3/vector2/*'", "only some tests"),
    ("conform run mine --baseline old.jsonl", "only what changed"),
    ("conform matrix", "every adapter"),
    ("conform matrix reference mine", "only these two"),
    ("conform diff reference mine", "the reference codec and an adapter"),
    ("conform diff reference --dialect godot-4.4 -- node my_adapter.mjs", "the reference codec and a command"),
    ("conform diff './old --adapter' './new --adapter' --cases 1000000", "two builds"),
    ("conform interop mine godot3@3.6", "each reads what the other writes"),
    ("conform interop --out interop.jsonl", "all with each other, for `conform site --interop`"),
    ("conform vet mine", "an adapter"),
    ("conform vet -- python3 my_adapter.py", "a command"),
    ("conform new-adapter python adapters/mine", "then `conform vet mine`, `conform run mine`"),
    ("conform new-adapter go adapters/mine --dialect 3.6", "for Godot 3.6"),
    ("conform demo", "a look at a report: needs no codec, and leaves no file"),
    ("conform lint", "the corpus, and the lists of findings beside it"),
    ("conform document godot-4.4", "as Markdown, on stdout"),
    ("conform document godot-4.4 --format kaitai --out godot_4_4.ksy", "a decoder in eleven languages"),
    ("conform document godot-4.4 --format wireshark --out godot_4_4.lua", "a dissector"),
    ("conform selftest --dialect godot-3", "the faulty codecs of one dialect"),
    ("conform coverage --out coverage.md", "as a page"),
    ("conform list --only 'godot-3/basis/*'", "the tests of one type"),
    ("conform list --only '**/*~*:decode'", "variants, which have a ~"),
    ("conform site target/site", "the format and its documentation errors"),
    ("conform site target/site --results reports/runs/mine/results.jsonl", "with results"),
    ("conform site target/site --interop interop.jsonl", "with an exchange"),
    ("conform explain 05000000000080bf00000040", "in every dialect that can read it"),
    ("conform explain save.dat --dialect godot-4.4", "a file, in one dialect"),
    ("conform explain 0102 05000000000080bf00000040 --offset 2", "behind two bytes of your own"),
    ("conform explain 1c00000000000000 --ask all", "what every implementation here makes of them"),
    ("conform decode save.dat", "a line of JSON for each packet"),
    ("conform decode 0800000002000000ffffffff --framing u32le", "with its length in front"),
    ("conform encode '{\"int\":5}' --dialect godot-4.4", "as hex"),
    ("conform encode values.jsonl --dialect 4.6 --framing u32le --out save.dat", "as store_var writes a file"),
    ("conform report reports/runs/mine --full", "every failure"),
    ("conform report reports/runs/mine --format junit --out junit.xml", "for a CI system"),
    ("conform gate old/results.jsonl reports/runs/mine", "what changed between two runs"),
    ("conform certify mine", "writes reports/runs/mine/certificate.json"),
    ("conform verify reports/runs/mine", "the certificate in this folder"),
    ("conform export --dialect godot-4.4 --out corpus.json", "for your own test runner"),
    ("conform export --format seeds --out seeds", "packets for a fuzzer"),
    ("conform vet -- conform serve", "the reference codec, as an adapter"),
    ("conform completions bash > ~/.local/share/bash-completion/completions/conform", "for bash"),
    ("conform man ~/.local/share/man/man1", "for `man conform-run`"),
];

/// The examples of the program itself.
const FIRST: &[(&str, &str)] = &[
    ("conform demo", "what a report looks like"),
    ("conform new-adapter python adapters/mine", "write an adapter to start from"),
    ("conform run mine", "test it"),
];

/// These arguments, with examples.
pub(super) fn with_examples(mut command: Command) -> Command {
    for examples in EXAMPLES.chunk_by(|(one, _), (next, _)| command_of(one) == command_of(next)) {
        command = command.mut_subcommand(command_of(examples[0].0), |command| command.after_help(text(examples)));
    }
    let first: Vec<String> = FIRST.iter().map(|(line, what)| format!("  {line:<40}  {what}")).collect();
    command.after_help(format!("Examples:\n{}", first.join("\n")))
}

/// [`with_examples`], with the options of every command shown only in the help of the program.
pub(super) fn with_help(command: Command) -> Command {
    // Whoever has a report of a run wants the rest of it.
    let hint =
        UnknownArgumentValueParser::suggest("`conform report RECORD --full` shows all of a run that is recorded");
    let full = Arg::new("full").long("full").hide(true).action(ArgAction::SetTrue).value_parser(hint);
    let mut command = with_examples(command).mut_subcommand("run", |run| run.arg(full));
    let global: Vec<_> = command.get_arguments().filter(|argument| argument.is_global_set()).cloned().collect();
    let names: Vec<String> = command.get_subcommands().map(|command| command.get_name().to_owned()).collect();
    for name in names {
        let hidden = global.iter().cloned().map(|argument| argument.hide(true));
        command = command.mut_subcommand(name, |command| {
            let after = command.get_after_help().map(|text| format!("{text}\n\n")).unwrap_or_default();
            let longs: Vec<&str> = global.iter().filter_map(|argument| argument.get_long()).collect();
            let shared = format!("Options of every command (--{}): conform --help", longs.join(", --"));
            command.args(hidden).after_help(after + &shared)
        });
    }
    command
}

fn command_of(line: &str) -> &str {
    line.rsplit("conform ").next().and_then(|rest| rest.split(' ').next()).unwrap_or(line)
}

fn text(examples: &[(&str, &str)]) -> String {
    let lines: Vec<String> = examples.iter().map(|(line, what)| format!("  {line}\n      {what}")).collect();
    format!("Examples:\n{}", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::{EXAMPLES, FIRST, command_of, with_help};
    use crate::Cli;

    /// A line as a shell splits it, as far as the examples need.
    fn words(line: &str) -> Vec<String> {
        let line = line.split(" > ").next().unwrap();
        let quoted = line.split('\'').enumerate();
        let words = quoted.flat_map(|(place, part)| match place % 2 {
            0 => part.split_whitespace().map(str::to_owned).collect(),
            _ => vec![part.to_owned()],
        });
        words.collect()
    }

    #[test]
    fn every_command_has_examples_that_can_be_parsed() {
        let command = with_help(Cli::command());
        let mut without: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
        without.retain(|name| EXAMPLES.iter().all(|(line, _)| command_of(line) != *name));
        assert_eq!(without, Vec::<&str>::new());
        for (line, _) in EXAMPLES.iter().chain(FIRST) {
            let parsed = command.clone().try_get_matches_from(words(line));
            assert!(parsed.is_ok(), "{line}: {}", parsed.unwrap_err());
        }
    }

    /// Options of every command work before and after the command.
    #[test]
    fn options_of_every_command_are_taken_by_each() {
        let command = with_help(Cli::command());
        for line in ["conform --adapters there list", "conform list --adapters there"] {
            let matches = command.clone().try_get_matches_from(words(line)).unwrap();
            let cli = <Cli as clap::FromArgMatches>::from_arg_matches(&matches).unwrap();
            assert_eq!(cli.paths.adapters.as_deref(), Some(std::path::Path::new("there")), "{line}");
        }
    }
}
