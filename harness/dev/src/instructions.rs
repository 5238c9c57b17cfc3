//! Instructions a value, counted by valgrind: the same on a busy machine as on an idle one, so that a change can be
//! compared with what is recorded.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use super::figure::{Figure, Unit, number};
use super::work::Work;
use super::{BenchError, failed};

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
        let counted = Work::ALL.iter().copied().map(|work| Ok((work.name().to_owned(), of(bench, work)?)));
        counted.collect::<Result<_, _>>().map(Self)
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

fn of(bench: &Path, work: Work) -> Result<f64, BenchError> {
    // The difference of the two is the work alone, without the start of the program.
    let (once, values) = counted(bench, work, work.times())?;
    let (twice, twice_values) = counted(bench, work, 2 * work.times())?;
    Ok((twice - once) / number(twice_values - values))
}

/// The instructions of a whole process, and how many values it handled.
fn counted(bench: &Path, work: Work, times: usize) -> Result<(f64, usize), BenchError> {
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(bench);
    command.args(["--work", work.name(), "--times", &times.to_string()]).stdin(Stdio::null());
    let output = command.output().map_err(|error| failed(format!("valgrind: {error}")))?;
    let (values, counts) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let collected = counts.lines().find_map(|line| line.split_once("Collected :")?.1.trim().parse().ok());
    let last = || failed(format!("valgrind: {}", counts.trim().lines().last().unwrap_or("no output")));
    collected.zip(values.trim().parse().ok()).ok_or_else(last)
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
