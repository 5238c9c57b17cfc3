//! Instructions a value, counted by valgrind: the same on a busy machine as on an idle one, so that a change can be
//! compared with what is recorded.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use super::figure::{Figure, Unit};
use super::work::Work;
use super::{BenchError, failed};

/// The function whose calls are counted, as valgrind names it.
const PASSES: &str = "variant_dev::work::passes";
/// How many percent more than recorded is red.
const TOO_MUCH: f64 = 20.0;

/// Instructions a value, for each kind of work.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Instructions(BTreeMap<String, f64>);

impl Instructions {
    /// Reads a line for each kind of work: its name and a number.
    ///
    /// # Errors
    /// A line that is not of this form.
    pub fn parse(text: &str) -> Result<Self, BenchError> {
        let line = |line: &str| {
            let (name, number) = line.split_once(' ')?;
            Some((name.to_owned(), number.trim().parse().ok()?))
        };
        let wrong = |text| failed(format!("{text:?} is not a name and a number"));
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        lines.map(|text| line(text).ok_or_else(|| wrong(text))).collect::<Result<_, _>>().map(Self)
    }

    /// Counts all kinds of work. `bench` is the program `conform-bench`.
    ///
    /// # Errors
    /// valgrind is missing or fails.
    pub fn count(bench: &Path) -> Result<Self, BenchError> {
        let dumps = bench.with_file_name("instructions");
        let mut command = Command::new("valgrind");
        command.arg("--tool=callgrind").arg(format!("--callgrind-out-file={}", dumps.display()));
        command.args(["toggle-collect", "dump-after"].map(|option| format!("--{option}={PASSES}")));
        let output = command.arg(bench).arg("--work").stdin(Stdio::null()).output();
        let output = output.map_err(|error| failed(format!("valgrind: {error}")))?;
        let (done, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let counted = done.lines().enumerate().map(|(place, line)| {
            let (name, values) = line.split_once(' ')?;
            let dump = std::fs::read_to_string(format!("{}.{}", dumps.display(), place + 1)).ok()?;
            let instructions: f64 = dump.lines().find_map(|line| line.strip_prefix("totals: ")?.parse().ok())?;
            Some((name.to_owned(), instructions / values.parse::<f64>().ok()?))
        });
        let counts: Option<BTreeMap<String, f64>> = counted.collect();
        let last = || failed(format!("valgrind: {}", said.trim().lines().last().unwrap_or("no output")));
        let all = |counts: &BTreeMap<String, f64>| output.status.success() && counts.len() == Work::ALL.len();
        counts.filter(all).map(Self).ok_or_else(last)
    }

    /// The counts in the form that [`Instructions::parse`] reads.
    pub fn text(&self) -> String {
        let head =
            "# Instructions a value, as valgrind counts them; `conform-bench --instructions --record` writes this.\n";
        self.0.iter().fold(head.to_owned(), |text, (name, count)| format!("{text}{name} {count:.0}\n"))
    }

    /// A figure for each kind of work: how much it grew.
    pub fn compared_with(&self, recorded: &Self) -> Vec<Figure> {
        let figure = |(name, count): (&String, &f64)| {
            let what = format!("instructions a value: {name}, more than recorded");
            let Some(before) = recorded.0.get(name) else {
                return Figure::missing(&what, "nothing is recorded; use `--record`");
            };
            let how = format!("{before:.0} recorded, {count:.0} now");
            Figure::at_most(&what, TOO_MUCH, Unit::Percent, 100.0 * (count / before - 1.0), how)
        };
        self.0.iter().map(figure).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Instructions;

    #[test]
    fn more_than_a_fifth_above_what_is_recorded_is_too_much() {
        let recorded = Instructions::parse("# a comment\ndecode 100\n").unwrap();
        let met = |text| Instructions::parse(text).unwrap().compared_with(&recorded)[0].met;
        assert_eq!(met("decode 119"), Some(true));
        assert_eq!(met("decode 121"), Some(false));
        assert_eq!(met("judge 1"), None);
        assert_eq!(Instructions::parse(&recorded.text()).unwrap(), recorded);
        assert!(Instructions::parse("decode much").is_err());
    }
}
