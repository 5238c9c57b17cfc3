//! Which tests a row is about.

use std::ops::RangeInclusive;

use globset::{Glob, GlobMatcher, GlobSet};

use super::{FindingError, FindingRow};
use crate::test::{Rule, TestParts};
use crate::verdict;
use crate::verdict::Reason;
use variant_values::glob::TestGlob;
use variant_values::handshake::Op;
use variant_values::version::numbers;

/// The most characters of a glob.
pub(super) const LONGEST: usize = 120;
/// What rows call the derivation of a test that a person wrote.
pub(super) const AUTHORED: &str = "authored";

/// A test, as far as rows select by it.
#[derive(Debug, Clone, Copy)]
pub(super) struct MatchedTest<'a> {
    pub(super) id: TestParts<'a>,
    /// The field that makes its packet one to refuse.
    pub(super) field: Option<&'a str>,
    /// Whether its packet has to be refused.
    pub(super) invalid: bool,
}

/// A row, ready to match.
#[derive(Debug)]
pub(super) struct Matcher {
    tests: Vec<TestGlob>,
    op: Option<Op>,
    dialects: GlobSet,
    types: GlobSet,
    names: GlobSet,
    rules: Vec<RuleGlob>,
    fields: GlobSet,
    except: Vec<TestGlob>,
    flaky: bool,
    /// Whether it is about packets that have to be refused, or about all others; `None`: about both.
    invalid: Option<bool>,
}

/// A glob over derivations, and what their last number may be.
#[derive(Debug)]
struct RuleGlob {
    glob: GlobMatcher,
    numbers: Option<RangeInclusive<u64>>,
}

impl Matcher {
    /// Prepares a row for matching.
    ///
    /// # Errors
    /// [`FindingError`], with what is wrong in the row.
    pub(super) fn new(row: &FindingRow) -> Result<Self, FindingError> {
        let FindingRow { verdict, adapters: _, tests, op, dialect, types, name, rule, field, except, flaky } = row;
        let lists = [tests, dialect, types, name, rule, field];
        if op.is_none() && lists.iter().all(|list| list.is_empty()) {
            return Err(FindingError::Everything);
        }
        if let Some(long) = lists.into_iter().chain([except]).flatten().find(|glob| glob.len() > LONGEST) {
            return Err(FindingError::Long(long.len()));
        }
        let whole = |globs: &[String]| -> Result<Vec<TestGlob>, FindingError> {
            globs
                .iter()
                .map(|glob| TestGlob::new(glob).map_err(|error| FindingError::Glob(error.to_string())))
                .collect()
        };
        let parts = |globs: &[String]| {
            let globs = globs.iter().map(|glob| part(glob)).collect::<Result<Vec<Glob>, _>>()?;
            GlobSet::new(&globs).map_err(|error| FindingError::Glob(error.to_string()))
        };
        Ok(Self {
            tests: whole(tests)?,
            op: *op,
            dialects: parts(dialect)?,
            types: parts(types)?,
            names: parts(name)?,
            rules: rule.iter().map(|glob| RuleGlob::new(glob)).collect::<Result<_, _>>()?,
            fields: parts(field)?,
            except: whole(except)?,
            flaky: *flaky,
            invalid: of_invalid(verdict)?,
        })
    }

    /// Whether it is about a test, whose packet has to be refused, or not.
    pub(super) fn is_match(&self, test: MatchedTest<'_>) -> bool {
        let field = self.fields.is_empty() || test.field.is_some_and(|field| self.fields.is_match(field));
        field && self.invalid.is_none_or(|of| of == test.invalid) && self.is_like(test.id)
    }

    /// Whether it may be about tests of this dialect.
    pub(super) fn is_about(&self, dialect: &str) -> bool {
        (self.dialects.is_empty() || self.dialects.is_match(dialect))
            && (self.tests.is_empty() || self.tests.iter().any(|glob| glob.can_match_in(dialect)))
    }

    fn is_like(&self, test: TestParts<'_>) -> bool {
        let one_of = |globs: &GlobSet, text: &str| globs.is_empty() || globs.is_match(text);
        let named = !self.rules.is_empty() || !self.tests.is_empty();
        let rules = match self.rules.as_slice() {
            [] => {
                let rule = test.rule.and_then(Rule::of);
                // A row is about repetitions only where it names them, and a flaky one about those that show chance.
                named || !rule.is_some_and(Rule::is_repetition) || self.flaky && rule == Some(Rule::AskedAgain)
            }
            rules => rules.iter().any(|glob| glob.is_match(test.rule.unwrap_or(AUTHORED))),
        };
        rules
            && self.op.is_none_or(|op| op == test.op)
            && one_of(&self.types, test.layout)
            && one_of(&self.dialects, test.dialect)
            && one_of(&self.names, test.name)
            && (self.tests.is_empty() || self.tests.iter().any(|glob| glob.is_match(test.id)))
            && !self.except.iter().any(|glob| glob.is_match(test.id))
    }
}

impl RuleGlob {
    /// Reads a glob, whose last number may be a range: `truncated-at-*`, `flag-16..23`, `count-*-at-8..`.
    fn new(written: &str) -> Result<Self, FindingError> {
        let range = written.rsplit_once('-').and_then(|(before, last)| Some((before, last.split_once("..")?)));
        let Some((before, (first, last))) = range else {
            return Ok(Self { glob: part(written)?.compile_matcher(), numbers: None });
        };
        let number = |text: &str, absent: u64| match text {
            "" => Ok(absent),
            _ => text.parse().map_err(|_| FindingError::Glob(format!("{written:?} is not a range of numbers"))),
        };
        let numbers = number(first, 0)?..=number(last, u64::MAX)?;
        Ok(Self { glob: part(&format!("{before}-*"))?.compile_matcher(), numbers: Some(numbers) })
    }

    fn is_match(&self, rule: &str) -> bool {
        let number = || rule.rsplit('-').next().and_then(|number| number.parse().ok());
        let within = |numbers: &RangeInclusive<u64>| number().is_some_and(|number| numbers.contains(&number));
        self.glob.is_match(rule) && self.numbers.as_ref().is_none_or(within)
    }
}

/// Whether only packets that must be refused can have these verdicts, or only other packets; `None`: both can.
fn of_invalid(verdicts: &[String]) -> Result<Option<bool>, FindingError> {
    let of = |verdict: &String| {
        let (_, reason) = verdict::read(verdict).ok_or_else(|| FindingError::Verdict(verdict.clone()))?;
        Ok(reason.and_then(is_of_invalid))
    };
    let of = verdicts.iter().map(of).collect::<Result<Vec<_>, _>>()?;
    let (first, others) = of.split_first().ok_or(FindingError::NoVerdict)?;
    Ok(first.filter(|_| others.iter().all(|other| other == first)))
}

/// Whether only packets that must be refused can have this reason, or only other packets; `None`: both can.
fn is_of_invalid(reason: Reason) -> Option<bool> {
    match reason {
        Reason::AcceptedInvalid => Some(true),
        Reason::RefusedValid | Reason::WrongValue | Reason::WrongBytes | Reason::WrongLength => Some(false),
        Reason::UnsupportedButClaimed | Reason::Internal => None,
    }
}

fn part(glob: &str) -> Result<Glob, FindingError> {
    Glob::new(glob).map_err(|error| FindingError::Glob(format!("{glob:?} is not a glob: {}", error.kind())))
}

/// Whether a version is in a range: `<3.6`, `>=3.6`, `3.2.3`, several with commas.
///
/// # Errors
/// [`FindingError::Versions`], with the part of the range that cannot be read.
pub(super) fn is_of_version(range: &str, version: &str) -> Result<bool, FindingError> {
    let mut all = true;
    for part in range.split(',').map(str::trim) {
        let (operator, bound) = part.split_at(part.find(|letter: char| letter.is_ascii_digit()).unwrap_or(part.len()));
        if numbers(bound).is_empty() || bound.split(['.', '-', '+']).any(str::is_empty) {
            return Err(FindingError::Versions(part.to_owned()));
        }
        let order = numbers(version).cmp(&numbers(bound));
        all &= match operator.trim() {
            "<" => order.is_lt(),
            "<=" => order.is_le(),
            ">" => order.is_gt(),
            ">=" => order.is_ge(),
            "" | "=" | "==" => order.is_eq() || version.starts_with(bound),
            _ => return Err(FindingError::Versions(part.to_owned())),
        };
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::{FindingRow, MatchedTest, Matcher, is_of_version};
    use crate::test::TestId;

    fn matched(id: &TestId) -> MatchedTest<'_> {
        MatchedTest { id: id.parts(), field: Some("part-of-y"), invalid: false }
    }

    #[rstest]
    #[case("op: decode", true)]
    #[case("op: encode", false)]
    #[case("type: [int, 'vector?']", true)]
    #[case("type: [vector]", false)]
    #[case("dialect: ['godot-3*'], name: ['negative-*', b]", true)]
    #[case("dialect: ['godot-4*']", false)]
    #[case("rule: [authored]", false)]
    #[case("rule: ['truncated-at-*']", true)]
    #[case("rule: [truncated-at-3..8]", false)]
    #[case("rule: ['truncated-at-12..']", true)]
    #[case("rule: ['trunc*-10..12']", true)]
    #[case("field: [y]", false)]
    #[case("field: ['*y']", true)]
    #[case("tests: ['godot-3/vector2/*:decode']", true)]
    #[case("tests: ['godot-3/vector2/*:decode'], op: encode", false)]
    #[case("type: [vector2], except: ['**/negative-zero~*']", false)]
    fn every_field_narrows(#[case] fields: &str, #[case] matches: bool) {
        let row: FindingRow = serde_yaml::from_str(&format!("{{verdict: crashed, {fields}}}")).unwrap();
        let id = "godot-3/vector2/negative-zero~truncated-at-12:decode".parse().unwrap();
        let test = matched(&id);
        assert_eq!(Matcher::new(&row).unwrap().is_match(test), matches);
    }

    #[test]
    fn repetitions_are_named() {
        let row =
            |fields: &str| Matcher::new(&serde_yaml::from_str(&format!("{{verdict: crashed, {fields}}}")).unwrap());
        let id = "godot-3/vector2/negative-zero~asked-again:decode".parse().unwrap();
        let test = matched(&id);
        assert!(!row("op: decode").unwrap().is_match(test));
        assert!(row("rule: [asked-again]").unwrap().is_match(test));
        assert!(row("op: decode, flaky: true").unwrap().is_match(test));
    }

    #[rstest]
    #[case("verdict: fail/accepted-invalid", true, true)]
    #[case("verdict: fail/accepted-invalid", false, false)]
    #[case("verdict: fail/wrong-value", true, false)]
    #[case("verdict: fail/wrong-value", false, true)]
    #[case("verdict: crashed", true, true)]
    #[case("verdict: [fail/wrong-value, fail/refused-valid]", true, false)]
    #[case("verdict: [fail/wrong-value, fail/accepted-invalid]", true, true)]
    #[case("verdict: [fail/wrong-value, fail/accepted-invalid]", false, true)]
    fn a_row_is_about_tests_that_can_fail_so(#[case] verdict: &str, #[case] invalid: bool, #[case] matches: bool) {
        let row: FindingRow = serde_yaml::from_str(&format!("{{{verdict}, op: decode}}")).unwrap();
        let id = "a/b/c:decode".parse().unwrap();
        assert_eq!(Matcher::new(&row).unwrap().is_match(MatchedTest { invalid, ..matched(&id) }), matches);
    }

    #[rstest]
    #[case("verdict: fail", true)]
    #[case("verdict: fail/wrong", true)]
    #[case("verdict: crashed/wrong-value", true)]
    #[case("verdict: []", true)]
    #[case("verdict: [crashed, fail]", true)]
    #[case("verdict: fail/wrong-value", false)]
    fn verdicts_are_those_of_reports(#[case] verdict: &str, #[case] refused: bool) {
        let row: FindingRow = serde_yaml::from_str(&format!("{{{verdict}, op: decode}}")).unwrap();
        assert_eq!(Matcher::new(&row).is_err(), refused);
    }

    #[rstest]
    #[case("<3.6", true)]
    #[case(">=3.2, <3.6", true)]
    #[case("3.2", true)]
    #[case("3.6", false)]
    fn versions_are_ranges(#[case] range: &str, #[case] of_it: bool) {
        assert_eq!(is_of_version(range, "3.2.3.stable").unwrap(), of_it);
        assert!(is_of_version(&format!("{range},?"), "3.2.3").is_err());
    }

    #[rstest]
    #[case("<<<>>>3..")]
    #[case("<<3.6")]
    #[case("3..6")]
    #[case("3.6.")]
    #[case("")]
    fn what_is_no_range_is_refused(#[case] range: &str) {
        assert!(is_of_version(range, "3.6").is_err());
    }
}
