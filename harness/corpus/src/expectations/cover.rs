//! Globs that cover some asks and none of others, as few as a greedy search finds.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap, HashSet};

use variant_wire::glob::TestGlob;

/// Any text of a step.
const ANY: &str = "*";
/// Any rule, or none.
const ANY_RULE: &str = "**";

/// A few globs that match all the `wanted` asks and none of the `forbidden` ones. The least number would be a search
/// without end; this takes the widest that is right, again and again, then joins those that differ in one step.
pub(super) fn cover(wanted: &[&str], forbidden: &[&str]) -> Vec<String> {
    let barred: HashSet<Pattern> = forbidden.iter().flat_map(|test| patterns(test)).collect();
    let mut candidates: HashMap<Pattern, Vec<usize>> = HashMap::new();
    for (place, test) in wanted.iter().enumerate() {
        for pattern in patterns(test).into_iter().filter(|pattern| !barred.contains(pattern)) {
            candidates.entry(pattern).or_default().push(place);
        }
    }
    let mut globs: Vec<String> =
        joined(&chosen(&candidates, wanted.len())).iter().map(|set| set.written(&escaped)).collect();
    // What a pattern means and what its glob matches are two things; no entry is written that is not true.
    let matchers: Vec<TestGlob> = globs.iter().filter_map(|glob| TestGlob::new(glob).ok()).collect();
    let right = matchers.len() == globs.len()
        && wanted.iter().all(|test| matchers.iter().any(|glob| glob.is_match(test)))
        && !forbidden.iter().any(|test| matchers.iter().any(|glob| glob.is_match(test)));
    if !right {
        globs = wanted.iter().map(|test| escaped(test)).collect();
    }
    globs.sort();
    globs
}

/// The steps of an ask, each as it is or wider.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Pattern {
    dialect: String,
    layout: String,
    name: String,
    /// Empty where there is none.
    rule: String,
    op: String,
}

/// Every pattern that an ask has.
fn patterns(test: &str) -> Vec<Pattern> {
    let (case, op) = test.rsplit_once(':').unwrap_or((test, ""));
    let (case, rule) = case.split_once('~').unwrap_or((case, ""));
    let mut steps = case.splitn(3, '/');
    let mut step = || steps.next().unwrap_or_default();
    let (dialect, layout, name) = (step(), step(), step());
    let mut patterns = Vec::new();
    for rule in rules(rule) {
        for (layout, name) in [(layout, name), (layout, ANY), (ANY, name), (ANY, ANY)] {
            // `*` would match what is derived too.
            if name == ANY && rule.is_empty() {
                continue;
            }
            for op in [op, ANY] {
                let [dialect, layout, name, op] = [dialect, layout, name, op].map(str::to_owned);
                patterns.push(Pattern { dialect, layout, name, rule: rule.clone(), op });
            }
        }
    }
    patterns
}

/// A rule, and the same with its first number, its last or all of them left open: `count-*-at-4`.
fn rules(rule: &str) -> Vec<String> {
    let mut steps: Vec<&str> = Vec::new();
    let mut numbers = Vec::new();
    for step in rule.split('-').filter(|step| *step != "minus") {
        if step.starts_with(|letter: char| letter.is_ascii_digit()) {
            numbers.push(steps.len());
        }
        steps.push(step);
    }
    let open = |which: &[usize]| {
        let step =
            |(place, step): (usize, &&str)| if which.contains(&place) { ANY.to_owned() } else { (*step).to_owned() };
        steps.iter().enumerate().map(step).collect::<Vec<_>>().join("-")
    };
    let mut rules = BTreeSet::from([rule.to_owned(), ANY_RULE.to_owned()]);
    // A number that is left has lost its sign: only those without one may stay.
    let signed = rule.contains("minus");
    match numbers.as_slice() {
        [] => {}
        [first, .., last] => {
            rules.insert(open(&[*first]));
            rules.insert(open(&numbers));
            if !signed {
                rules.insert(open(&[*last]));
            }
        }
        [_] => {
            rules.insert(open(&numbers));
        }
    }
    rules.into_iter().collect()
}

/// The widest candidate first, until all is covered; of equals the one that leaves least open.
fn chosen(candidates: &HashMap<Pattern, Vec<usize>>, wanted: usize) -> Vec<Pattern> {
    let mut heap: BinaryHeap<_> = candidates
        .iter()
        .map(|(pattern, places)| (places.len(), Reverse((pattern.openness(), pattern.clone()))))
        .collect();
    let mut covered = vec![false; wanted];
    let mut chosen = Vec::new();
    while let Some((size, Reverse((openness, pattern)))) = heap.pop() {
        let places = &candidates[&pattern];
        let left = places.iter().filter(|place| !covered[**place]).count();
        if left == 0 {
            continue;
        }
        if left < size {
            heap.push((left, Reverse((openness, pattern))));
            continue;
        }
        places.iter().for_each(|place| covered[*place] = true);
        chosen.push(pattern);
    }
    chosen
}

impl Pattern {
    fn openness(&self) -> usize {
        let rule = if self.rule == ANY_RULE { 2 } else { self.rule.matches(ANY).count() };
        [&self.layout, &self.name, &self.op].iter().filter(|step| **step == ANY).count() + rule
    }

    fn steps(&self) -> [&String; STEPS] {
        [&self.dialect, &self.layout, &self.name, &self.rule, &self.op]
    }
}

/// The places of [`Pattern::steps`].
const DIALECT: usize = 0;
const LAYOUT: usize = 1;
const NAME: usize = 2;
const RULE: usize = 3;
const OP: usize = 4;
const STEPS: usize = 5;

/// Patterns that differ in one step, in one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Set([BTreeSet<String>; STEPS]);

/// Joins what differs in the name alone, then in the layout, the rule, the operation, the dialect.
fn joined(patterns: &[Pattern]) -> Vec<Set> {
    let mut sets: Vec<Set> =
        patterns.iter().map(|pattern| Set(pattern.steps().map(|step| BTreeSet::from([step.clone()])))).collect();
    for step in [NAME, LAYOUT, RULE, OP, DIALECT] {
        let mut groups: BTreeMap<Set, BTreeSet<String>> = BTreeMap::new();
        let mut whole = Vec::new();
        for mut set in sets {
            // Cases of one name fail for one reason in every type; two names in every type have nothing in common.
            if step == NAME && set.0[LAYOUT].contains(ANY) {
                whole.push(set);
            } else {
                let values = std::mem::take(&mut set.0[step]);
                groups.entry(set).or_default().extend(values);
            }
        }
        let together = groups.into_iter().map(|(mut set, values)| {
            set.0[step] = values;
            set
        });
        sets = whole.into_iter().chain(together).collect();
    }
    sets
}

impl Set {
    fn written(&self, escaped: &dyn Fn(&str) -> String) -> String {
        let [dialect, layout, name, rule, op] = &self.0;
        let list = |values: &BTreeSet<String>| -> Vec<String> { values.iter().map(|value| escaped(value)).collect() };
        let names = list(name);
        let derived = || braced(&ranges(rule.iter().filter(|rule| !rule.is_empty())));
        let cases = if rule.contains(ANY_RULE) {
            let any =
                |name: &String| if name == ANY { vec![name.clone()] } else { vec![name.clone(), format!("{name}~*")] };
            braced(&names.iter().flat_map(any).collect::<Vec<_>>())
        } else if !rule.contains("") {
            format!("{}~{}", braced(&names), derived())
        } else if rule.len() == 1 {
            braced(&names)
        } else {
            let both = names.iter().cloned().chain([format!("{}~{}", braced(&names), derived())]);
            braced(&both.collect::<Vec<_>>())
        };
        format!("{}/{}/{cases}:{}", braced(&list(dialect)), braced(&list(layout)), braced(&list(op)))
    }
}

/// Rules that differ in their last number alone, in one: `truncated-at-{9,1[0-4]}`.
fn ranges<'r>(rules: impl Iterator<Item = &'r String>) -> Vec<String> {
    let mut numbered: BTreeMap<&str, BTreeSet<u64>> = BTreeMap::new();
    let mut written = Vec::new();
    for rule in rules {
        let head = rule.trim_end_matches(|letter: char| letter.is_ascii_digit());
        match rule[head.len()..].parse() {
            Ok(number) if !rule[head.len()..].starts_with('0') => {
                numbered.entry(head).or_default().insert(number);
            }
            Ok(_) | Err(_) => written.push(escaped(rule)),
        }
    }
    for (head, numbers) in numbered {
        let mut runs: Vec<(u64, u64)> = Vec::new();
        for number in numbers {
            match runs.last_mut() {
                Some((_, to)) if *to + 1 == number => *to = number,
                Some(_) | None => runs.push((number, number)),
            }
        }
        let parts: Vec<String> = runs.into_iter().flat_map(|(from, to)| digits(from, to)).collect();
        written.push(format!("{}{}", escaped(head), braced(&parts)));
    }
    written
}

/// Globs of digits for all numbers from one to another: 14 to 263 is `1[4-9]`, `[2-9]?`, `1??`, `2[0-5]?`, `26[0-3]`.
fn digits(mut from: u64, to: u64) -> Vec<String> {
    let mut parts = Vec::new();
    while from <= to {
        let mut size: u64 = 1;
        // The widest block that begins here: all numbers with these first digits.
        while size < to && from.is_multiple_of(size * 10) && from / (size * 10) > 0 && from + (size * 10 - 1) <= to {
            size *= 10;
        }
        let first = from / size % 10;
        let last = (first + (to - from + 1) / size - 1).min(9);
        let head = Some(from / size / 10).filter(|head| *head > 0).map(|head| head.to_string()).unwrap_or_default();
        let open = "?".repeat(size.ilog10() as usize);
        parts.push(match (first, last) {
            (0, 9) => format!("{head}?{open}"),
            (first, last) if first == last => format!("{head}{first}{open}"),
            (first, last) => format!("{head}[{first}-{last}]{open}"),
        });
        from += (last - first + 1) * size;
    }
    parts
}

fn braced(values: &[String]) -> String {
    match values {
        [one] => one.clone(),
        several => format!("{{{}}}", several.join(",")),
    }
}

/// Letters that a glob would take for its own; its stars stay.
fn escaped(text: &str) -> String {
    let own = |letter: char| "?[]{},!\\".contains(letter);
    text.chars().map(|letter| if own(letter) { format!("[{letter}]") } else { letter.to_string() }).collect()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::{cover, digits};

    #[rstest]
    #[case::all_of_a_type(&["d/t/a:decode", "d/t/b:decode"], &["d/u/a:decode", "d/t/a:encode"], &["d/t/*:decode"])]
    #[case::some_of_a_type(
        &["d/t/a:decode", "d/t/b:decode"],
        &["d/t/c:decode", "d/u/a:decode", "d/t/a:encode"],
        &["d/t/{a,b}:decode"],
    )]
    #[case::all_that_is_derived_by_a_rule(
        &["d/t/a~truncated-at-4:decode", "d/t/a~truncated-at-5:decode", "d/u/b~truncated-at-4:decode"],
        &["d/t/a:decode", "d/t/a~in-array:decode"],
        &["d/*/*~truncated-at-*:decode"],
    )]
    #[case::a_number_that_passes_is_left_out(
        &["d/t/a~flag-16:decode", "d/t/a~flag-17:decode"],
        &["d/t/a~flag-18:decode"],
        &["d/t/a~flag-1[6-7]:decode"],
    )]
    #[case::a_case_and_its_kin(
        &["d/t/a:decode", "d/t/a~in-array:decode"],
        &["d/t/b:decode", "d/t/a:encode"],
        &["d/t/{a,a~*}:decode"],
    )]
    #[case::two_names_in_every_type_stay_apart(
        &["d/t/a:decode", "d/u/a:decode", "d/t/b:decode", "d/u/b:decode"],
        &["d/t/c:decode", "d/u/c:decode"],
        &["d/*/a:decode", "d/*/b:decode"],
    )]
    #[case::nothing(&[], &["d/t/a:decode"], &[])]
    fn as_few_as_will_do(#[case] wanted: &[&str], #[case] forbidden: &[&str], #[case] globs: &[&str]) {
        assert_eq!(cover(wanted, forbidden), globs);
    }

    #[rstest]
    #[case(14, 263, "1[4-9] [2-9]? 1?? 2[0-5]? 26[0-3]")]
    #[case(4, 4, "4")]
    #[case(0, 12, "? 1[0-2]")]
    #[case(100, 199, "1??")]
    #[case(8, 31, "[8-9] [1-2]? 3[0-1]")]
    fn numbers_in_a_row_are_written_by_their_digits(#[case] from: u64, #[case] to: u64, #[case] globs: &str) {
        let globs_of = digits(from, to);
        assert_eq!(globs_of.join(" "), globs);
        let matchers: Vec<_> =
            globs_of.iter().map(|glob| globset::Glob::new(glob).unwrap().compile_matcher()).collect();
        for number in 0..1000 {
            let any = matchers.iter().any(|matcher| matcher.is_match(number.to_string()));
            assert_eq!(any, (from..=to).contains(&number), "{number}");
        }
    }

    #[test]
    fn every_wanted_ask_is_matched_and_no_other() {
        let all: Vec<String> = ["int", "bool", "vector2"]
            .iter()
            .flat_map(|layout| ["a", "b", "a-b"].map(|name| format!("d/{layout}/{name}")))
            .flat_map(|case| {
                ["", "~in-array", "~truncated-at-4", "~truncated-at-5", "~count-minus-1-at-4", "~count-9-at-4"]
                    .map(|rule| format!("{case}{rule}"))
            })
            .flat_map(|case| ["decode", "encode"].map(|op| format!("{case}:{op}")))
            .collect();
        // Every third, every fifth…: sets without a pattern.
        for step in 2..11 {
            let (wanted, forbidden): (Vec<_>, Vec<_>) =
                all.iter().map(String::as_str).enumerate().partition(|(place, _)| place % step == 0);
            let [wanted, forbidden] =
                [wanted, forbidden].map(|part| part.into_iter().map(|(_, test)| test).collect::<Vec<_>>());
            let globs: Vec<_> = cover(&wanted, &forbidden)
                .iter()
                .map(|glob| variant_wire::glob::TestGlob::new(glob).unwrap())
                .collect();
            assert!(globs.len() <= wanted.len(), "{step}: {globs:?}");
            assert!(wanted.iter().all(|test| globs.iter().any(|glob| glob.is_match(test))), "{step}: {globs:?}");
            assert!(!forbidden.iter().any(|test| globs.iter().any(|glob| glob.is_match(test))), "{step}: {globs:?}");
        }
    }
}
