//! Implementations that are tested elsewhere: the list of them, and which of their records are shown.

use std::collections::BTreeMap;

use variant_corpus::Class;
use variant_corpus::verdict::Verdict;
use variant_runner::record::RunRecord;
use variant_specs::JudgedBy;
use variant_values::diagnostic::{Problem, parse_yaml};
use variant_values::sanitize;

/// The longest name, in letters.
const NAME: usize = 60;

/// The names of a list and where the record of each lies, in the order of names.
///
/// # Errors
/// The list is not well formed, or it has a name or an address that cannot be shown.
pub fn parse(file: &str, text: &str) -> Result<BTreeMap<String, String>, Problem> {
    let list: BTreeMap<String, String> = parse_yaml(file, text)?;
    for (name, url) in &list {
        let problem = |message: String| {
            let line = text.lines().position(|line| line.starts_with(name.as_str())).map_or(1, |line| line + 1);
            Problem { file: file.to_owned(), line, message }
        };
        let plain = |letter: char| letter.is_ascii_alphanumeric() || "._@-".contains(letter);
        if name.is_empty() || name.len() > NAME || !name.starts_with(char::is_alphanumeric) || !name.chars().all(plain)
        {
            let shown = sanitize::short(name, NAME);
            let what = format!("{shown:?} is not a name: use at most {NAME} letters, digits, `.`, `_`, `@` and `-`");
            return Err(problem(what));
        }
        if !url.starts_with("https://") || url.contains(char::is_whitespace) {
            return Err(problem(format!("{name}: the address of its record must begin with https://")));
        }
    }
    Ok(list)
}

/// Why a record is not shown, in a sentence; `None` if it is. `last` is the record that is shown so far.
pub fn refusal(record: &RunRecord, last: Option<&RunRecord>) -> Option<String> {
    let plan = &record.plan;
    if let Some(only) = &plan.selection.only {
        let only = sanitize::short(only, 60);
        return Some(format!("it has only some tests ({only}): run all of them, without --only and --quick"));
    }
    if plan.judged_by != JudgedBy::Engines {
        return Some("it is judged by the documents: run without --judged-by".to_owned());
    }
    if let Some(last) = last.filter(|last| last.plan.handshake.name != plan.handshake.name) {
        let [now, before] = [&plan.handshake.name, &last.plan.handshake.name].map(|name| sanitize::short(name, NAME));
        return Some(format!("it is a record of {now:?}, but the last one was of {before:?}"));
    }
    // Whoever refuses everything passes what is to be refused.
    if !record.verdicts.iter().any(|test| test.verdict == Verdict::Pass && test.class == Class::Canonical) {
        return Some("no canonical value passed in it: look at what its adapter prints".to_owned());
    }
    if !record.end.complete {
        return Some("its run did not finish: run it again".to_owned());
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_names_implementations_and_addresses() {
        let list = parse("list.yaml", "# nobody yet\n{}\n");
        assert_eq!(list, Ok(BTreeMap::new()));
        let list = parse("list.yaml", "mine: https://example.org/results.jsonl\n");
        assert_eq!(list.map(|list| list.len()), Ok(1));
        let refused = |text: &str| parse("list.yaml", text).map_err(|problem| problem.to_string());
        assert_eq!(
            refused("good: https://example.org\n../bad: https://example.org\n"),
            Err("list.yaml:2: \"../bad\" is not a name: use at most 60 letters, digits, `.`, `_`, `@` and `-`"
                .to_owned())
        );
        assert_eq!(
            refused("mine: file:///etc/passwd\n"),
            Err("list.yaml:1: mine: the address of its record must begin with https://".to_owned())
        );
    }
}
