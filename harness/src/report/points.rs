//! A record as a list of tests, for formats that know nothing else: one for each authored ask, one for each case,
//! rule and operation of the derived asks that did not pass, and one for all that passed by a rule.

use std::collections::HashMap;

use super::recorded::Recorded;
use super::summary::{ask_mark, parts};
use super::{mark::Mark, text};
use crate::results::VerdictRecord;
use crate::shown;
use crate::verdict::{Verdict, spelled};

/// One test.
#[derive(Debug)]
pub struct Point<'a> {
    /// Dialect and layout: `godot-3/vector2`.
    pub suite: String,
    /// The rest of the ask's id; within a suite there is no other of this name.
    pub name: String,
    /// What came of it.
    pub state: State,
    /// The verdict, as reports write it.
    pub word: String,
    /// One line.
    pub message: String,
    /// The recorded asks; of those that passed by a rule there are none.
    pub asks: Vec<&'a VerdictRecord>,
}

/// A line of a file of the corpus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place<'a> {
    /// The file, as the run named it.
    pub file: &'a str,
    /// The line.
    pub line: usize,
}

/// What came of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// As expected.
    Passed,
    /// Not wrong, but worth a look.
    Doubtful,
    /// Wrong.
    Failed,
    /// No answer: a death, a silence, nonsense, or it was never asked.
    Broken,
    /// Wrong, as its list of expected failures says.
    Known,
    /// Not asked, or nobody says what is right.
    Skipped,
}

/// The tests of a record, suites in the order of the plan.
pub fn points(recorded: &Recorded) -> Vec<Point<'_>> {
    let mut points: Vec<Point<'_>> = Vec::with_capacity(recorded.verdicts.len());
    let mut groups: HashMap<String, usize> = HashMap::new();
    for record in &recorded.verdicts {
        let (dialect, layout, op) = parts(&record.ask);
        let suite = format!("{dialect}/{layout}");
        let name = shown::line(&name(&record.ask, &suite, op));
        let suite = shown::line(&suite);
        match groups.get(&format!("{suite}/{name}")).and_then(|place| points.get_mut(*place)) {
            Some(point) => point.take(record),
            None => {
                groups.insert(format!("{suite}/{name}"), points.len());
                points.push(Point::of(record, suite, name));
            }
        }
    }
    for tally in &recorded.tallies {
        points.push(Point {
            suite: tally.of.clone(),
            name: format!("~{}:{}", tally.rule, tally.op),
            state: State::Passed,
            word: Verdict::Pass.name().to_owned(),
            message: format!("{} derived asks passed", tally.pass),
            asks: Vec::new(),
        });
    }
    let place = |suite: &str| {
        let (dialect, layout) = suite.split_once('/').unwrap_or((suite, ""));
        let dialects = &recorded.plan.dialects;
        let at = dialects.iter().position(|known| known.name == dialect).unwrap_or(dialects.len());
        let types = dialects.get(at).map(|known| known.types.as_slice()).unwrap_or_default();
        (at, types.iter().position(|known| known == layout).unwrap_or(types.len()))
    };
    points.sort_by_cached_key(|point| (place(&point.suite), point.suite.clone()));
    points
}

/// `case:op`, or `case~rule:op` without the numbers that tell asks by one rule apart.
fn name(ask: &str, suite: &str, op: &str) -> String {
    let rest = ask.strip_prefix(suite).map_or(ask, |rest| rest.trim_start_matches('/'));
    let Some((case, rule)) = rest.split_once('~') else { return rest.to_owned() };
    let rule = rule.strip_suffix(op).and_then(|rule| rule.strip_suffix(':')).unwrap_or(rule);
    format!("{case}~{}:{op}", family(rule))
}

/// The name of a rule without the numbers that tell asks by it apart: `truncated-at-9`, `count-minus-1-at-4`.
pub(super) fn family(rule: &str) -> &str {
    let number = |step: &str| step == "minus" || step.starts_with(|letter: char| letter.is_ascii_digit());
    let end = rule.match_indices('-').find(|(at, _)| rule[at + 1..].split('-').next().is_some_and(number));
    end.map_or(rule, |(at, _)| &rule[..at])
}

impl<'a> Point<'a> {
    fn of(record: &'a VerdictRecord, suite: String, name: String) -> Self {
        Self {
            suite,
            name,
            state: State::of(record),
            word: spelled(record.verdict, record.reason),
            message: message(record),
            asks: vec![record],
        }
    }

    /// One more ask of the same rule: the worst of them speaks for all.
    fn take(&mut self, record: &'a VerdictRecord) {
        let state = State::of(record);
        if state.weight() > self.state.weight() {
            (self.state, self.word, self.message) = (state, spelled(record.verdict, record.reason), message(record));
            self.asks.insert(0, record);
        } else {
            self.asks.push(record);
        }
    }

    /// Where the case stands, where that is recorded.
    pub fn place(&self) -> Option<Place<'_>> {
        let detail = self.asks.first()?.detail.as_ref()?;
        let (file, line) = detail.place.rsplit_once(':')?;
        let file = file.trim_start_matches("../").trim_start_matches("./");
        Some(Place { file, line: line.parse().ok().filter(|line| *line > 0).unwrap_or(1) })
    }

    /// All that a person needs to mend it, at most so many letters of it; empty where it passed.
    pub fn body(&self, recorded: &Recorded, most: usize) -> String {
        let Some(first) = self.asks.first().filter(|first| first.detail.is_some()) else { return String::new() };
        let mut body = text::finding(&recorded.plan, first);
        if self.asks.len() > 1 {
            let others: Vec<String> = self.asks[1..].iter().map(|other| shown::line(&other.ask)).collect();
            body.push_str(&format!("and {} more by this rule: {}\n", others.len(), others.join(" ")));
        }
        if body.len() > most {
            let end = (0..=most).rev().find(|end| body.is_char_boundary(*end)).unwrap_or(0);
            body.truncate(end);
            body.push_str("\n… cut: all of it is in results.jsonl\n");
        }
        body
    }
}

impl State {
    fn of(record: &VerdictRecord) -> Self {
        match ask_mark(record) {
            Mark::Green => Self::Passed,
            Mark::Amber => Self::Doubtful,
            Mark::Known => Self::Known,
            Mark::NotRun => Self::Broken,
            Mark::NotClaimed | Mark::Open | Mark::Empty => Self::Skipped,
            Mark::Red | Mark::RedWithin => match record.verdict {
                Verdict::Crashed | Verdict::TimedOut | Verdict::Garbled | Verdict::OrderDependent => Self::Broken,
                Verdict::Pass
                | Verdict::NonCanonical
                | Verdict::Fail
                | Verdict::Nondeterministic
                | Verdict::Resource
                | Verdict::Relaxed
                | Verdict::Open
                | Verdict::NotClaimed
                | Verdict::NotRun => Self::Failed,
            },
        }
    }

    fn weight(self) -> u8 {
        match self {
            Self::Skipped => 0,
            Self::Passed => 1,
            Self::Doubtful => 2,
            Self::Known => 3,
            Self::Failed => 4,
            Self::Broken => 5,
        }
    }
}

/// The one line that says what is wrong.
pub fn message(record: &VerdictRecord) -> String {
    let mut message = record.verdict.means().to_owned();
    if let Some(detail) = record.detail.as_ref().filter(|detail| !detail.note.is_empty()) {
        message = shown::short(&detail.note, 300);
    } else if let Some(field) = &record.field {
        let at = record.at.map(|at| format!(" at byte {at}")).unwrap_or_default();
        message = format!("first differs{at}, {}", shown::short(field, 100));
    }
    match &record.erratum {
        Some(erratum) => format!("{message} (erratum {})", shown::line(erratum)),
        None => message,
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::name;

    #[rstest]
    #[case("d/int/case:decode", "d/int", "decode", "case:decode")]
    #[case("d/int/case~truncated-at-12:decode", "d/int", "decode", "case~truncated-at:decode")]
    #[case("d/int/case~count-minus-1-at-4:decode", "d/int", "decode", "case~count:decode")]
    #[case("d/int/case~in-array:encode", "d/int", "encode", "case~in-array:encode")]
    #[case("nonsense", "nonsense/", "", "nonsense")]
    fn asks_of_one_rule_have_one_name(
        #[case] ask: &str,
        #[case] suite: &str,
        #[case] op: &str,
        #[case] expected: &str,
    ) {
        assert_eq!(name(ask, suite, op), expected);
    }
}
