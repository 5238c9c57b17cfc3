//! Instructions a value, counted by valgrind: the same on a busy machine as on an idle one, so that a change can be
//! held against what was recorded.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use super::figure::{Figure, Unit, number};
use super::work::Work;

/// How many percent more than recorded is too much.
const TOO_MUCH: f64 = 20.0;

/// What was recorded: instructions a value for each kind of work.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Instructions(BTreeMap<String, f64>);

impl Instructions {
    /// Reads a line for each kind of work: its name and a number.
    ///
    /// # Errors
    /// A sentence: which line is none.
    pub fn parse(text: &str) -> Result<Self, String> {
        let line = |line: &str| {
            let (name, number) = line.split_once(' ')?;
            Some((name.to_owned(), number.trim().parse().ok()?))
        };
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        lines
            .map(|text| line(text).ok_or_else(|| format!("{text:?} is no line of it: a name and a number")))
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// Counts them all.
    ///
    /// # Errors
    /// Why that cannot be done here.
    pub fn count(conform: &Path) -> Result<Self, String> {
        Work::ALL
            .into_iter()
            .map(|work| Ok((work.name().to_owned(), of(conform, work)?)))
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// In the form of [`Instructions::parse`].
    pub fn text(&self) -> String {
        let head =
            "# Instructions a value, as valgrind counts them; `conform bench --instructions --record` writes this.\n";
        self.0.iter().fold(head.to_owned(), |text, (name, count)| format!("{text}{name} {count:.0}\n"))
    }

    /// A figure for each kind of work: how much it grew.
    pub fn compared_with(&self, recorded: &Self) -> Vec<Figure> {
        let figure = |(name, count): (&String, &f64)| {
            let what = format!("instructions a value: {name}, more than recorded");
            match recorded.0.get(name) {
                Some(before) => {
                    let how = format!("{before:.0} recorded, {count:.0} now");
                    Figure::at_most(&what, TOO_MUCH, Unit::Percent, 100.0 * (count / before - 1.0), how)
                }
                None => Figure::missing(&what, "none is recorded; `--record` does it"),
            }
        };
        self.0.iter().map(figure).collect()
    }
}

fn of(conform: &Path, work: Work) -> Result<f64, String> {
    // Done twice as often, it is more by the work, without what surrounds it.
    let (once, values) = counted(conform, work, work.times())?;
    let (twice, twice_values) = counted(conform, work, 2 * work.times())?;
    Ok((twice - once) / number(twice_values - values))
}

/// The instructions of a whole process, and the values that it handled.
fn counted(conform: &Path, work: Work, times: usize) -> Result<(f64, usize), String> {
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(conform);
    command.args(["bench", "--work", work.name(), "--times", &times.to_string()]).stdin(Stdio::null());
    let output = command.output().map_err(|error| format!("valgrind: {error}"))?;
    let (said, counts) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let collected = counts.lines().find_map(|line| line.split_once("Collected :")?.1.trim().parse().ok());
    match (collected, said.trim().parse()) {
        (Some(instructions), Ok(values)) => Ok((instructions, values)),
        _ => Err(format!("valgrind: {}", counts.trim().lines().last().unwrap_or("it said nothing"))),
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
        assert_eq!(Instructions::parse(&recorded.text()), Ok(recorded));
        assert!(Instructions::parse("decode much").is_err());
    }
}
