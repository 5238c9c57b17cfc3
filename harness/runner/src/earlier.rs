//! A record of the same run that did not come to its end: what it says need not be asked again.

use std::collections::HashMap;
use std::io::BufRead;

use crate::results::{Plan, Record, VerdictRecord};
use variant_corpus::ask::Ask;
use variant_corpus::verdict::Verdict;
use variant_wire::hello::changes;

/// What an earlier record says.
#[derive(Debug)]
pub struct Earlier {
    plan: Plan,
    verdicts: HashMap<String, VerdictRecord>,
    /// The derived asks that passed are counted, where it has its footer.
    tallied: Option<usize>,
    complete: bool,
}

impl Earlier {
    /// Reads a record, whole or cut short: a disk was full, or the run was killed.
    ///
    /// # Errors
    /// A sentence that says what is wrong with it, and at which line.
    pub fn read(input: impl BufRead) -> Result<Self, String> {
        let mut lines = input.lines().enumerate();
        let first = lines.next().and_then(|(_, line)| line.ok()).unwrap_or_default();
        let Ok(Record::Plan(plan)) = serde_json::from_str(&first) else {
            return Err("the first line is no plan, so nothing is known of that run; run it anew".to_owned());
        };
        let mut earlier = Self { plan: *plan, verdicts: HashMap::new(), tallied: None, complete: false };
        let mut tallied = 0;
        for (index, line) in lines {
            let line = line.map_err(|error| format!("line {} cannot be read: {error}", index + 1))?;
            match serde_json::from_str(&line) {
                Ok(Record::Verdict(verdict)) => {
                    earlier.verdicts.insert(verdict.ask.clone(), *verdict);
                }
                Ok(Record::Tally(tally)) => tallied += tally.pass,
                Ok(Record::End(end)) => {
                    (earlier.tallied, earlier.complete) = (Some(tallied), end.complete);
                }
                Ok(Record::Plan(_)) => return Err(format!("line {} is a second plan", index + 1)),
                // The line that was being written.
                Err(_) => break,
            }
        }
        Ok(earlier)
    }

    /// How many verdicts it has.
    pub fn len(&self) -> usize {
        self.verdicts.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.verdicts.is_empty()
    }

    /// Whether nothing is left to be asked.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// Whether it is of the run that has this plan and these asks.
    ///
    /// # Errors
    /// In what it is another.
    pub fn check<'a>(&self, plan: &Plan, asks: impl Iterator<Item = &'a Ask>) -> Result<(), String> {
        self.check_plan(plan).map_err(|what| format!("that record is of another run: {what}"))?;
        let Some(tallied) = self.tallied else { return Ok(()) };
        let passed = asks.filter(|ask| ask.rule.is_some() && !self.verdicts.contains_key(&ask.id)).count();
        if passed == tallied {
            return Ok(());
        }
        Err(format!("that record counts {tallied} derived asks that passed, and by its plan there are {passed}"))
    }

    fn check_plan(&self, plan: &Plan) -> Result<(), String> {
        let before = &self.plan;
        let named =
            |plan: &Plan| plan.dialects.iter().map(|dialect| dialect.name.as_str()).collect::<Vec<_>>().join(", ");
        let selected = |plan: &Plan| {
            let only = plan.selection.only.as_deref().unwrap_or("everything");
            format!("{only}, derived asks {}", if plan.selection.derived { "made" } else { "not made" })
        };
        let same = |what: &str, before: &str, now: &str| {
            if before == now { Ok(()) } else { Err(format!("{what} {before}, and now {now}")) }
        };
        same("by conform", &before.conform, &plan.conform)?;
        same("on the corpus", &before.corpus.digest, &plan.corpus.digest)?;
        same("in the reading", &before.reading, &plan.reading)?;
        same("in", &named(before), &named(plan))?;
        same("of", &selected(before), &selected(plan))?;
        same("with a plan of asks:", &before.asks.to_string(), &plan.asks.to_string())?;
        if before.hello == plan.hello {
            return Ok(());
        }
        Err(format!("with another hello: {}", changes(&before.hello, &plan.hello)))
    }

    /// What it says of an ask: its line, or nothing but that it passed.
    pub(crate) fn verdict(&self, ask: &Ask) -> Option<Option<&VerdictRecord>> {
        match self.verdicts.get(&ask.id) {
            Some(record) if matches!(record.verdict, Verdict::NotRun | Verdict::NotClaimed) => None,
            Some(record) => Some(Some(record)),
            None if ask.rule.is_some() && self.tallied.is_some() => Some(None),
            None => None,
        }
    }
}
