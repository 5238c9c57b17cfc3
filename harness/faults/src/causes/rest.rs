//! Failures without a model: grouped by what they are. A headline says what is seen, and nothing else.

use std::collections::{BTreeMap, BTreeSet};

use variant_runner::results::label;
use variant_values::handshake::Op;

use super::bench::Bench;
use super::cause::{Cause, OF_ORDER};
use super::joined::{joined, unfit_alike, ways};
use super::looks::{Faulty, Kind, Look, Looked, NOT_CANONICAL, look, where_unfit};
use super::seen::{Seen, some};
use super::subject::Subject;
use super::words::class;

/// Groups of failures. Variants go to the group of their case, where that fails in the same direction.
pub(super) fn groups(bench: &Bench<'_>, left: Vec<usize>) -> Vec<Cause> {
    let subjects: Vec<&Subject<'_>> = left.into_iter().map(|place| &bench.fails[place]).collect();
    let faulty = Faulty::of(bench, &subjects);
    let looks = subjects.into_iter().filter_map(|subject| look(bench, &faulty, subject));
    let (of_cases, variants): (Vec<_>, Vec<_>) = looks.partition(|looked| looked.subject.is_of_case());
    let mut of_case: BTreeMap<_, Look> = BTreeMap::new();
    let mut groups: BTreeMap<Look, Vec<Looked<'_>>> = BTreeMap::new();
    for looked in of_cases {
        if looked.look.kind == Kind::Wrong {
            of_case.insert(case(looked.subject), looked.look.clone());
        }
        groups.entry(looked.look.clone()).or_default().push(looked);
    }
    for looked in variants {
        let own = of_case.get(&case(looked.subject)).filter(|_| looked.look.kind == Kind::Wrong);
        // What is wrong is no more of what is right in another way.
        let own = own.filter(|own| own.what == looked.look.what || own.what != NOT_CANONICAL);
        match own.filter(|own| **own != looked.look) {
            // The field and the type are those of its case.
            Some(own) => {
                let look = own.clone();
                let looked = Looked { field: None, layout: None, key: None, ..looked };
                groups.entry(look).or_default().push(looked);
            }
            None => groups.entry(looked.look.clone()).or_default().push(looked),
        }
    }
    joined(bench, groups).iter().map(|(look, looked)| group(bench, look, looked)).collect()
}

/// What fails only after other requests, if anything does.
pub(super) fn dependent(bench: &Bench<'_>) -> Option<Cause> {
    let subjects: Vec<&Subject<'_>> = bench.fails.iter().filter(|subject| subject.depends).collect();
    let headline =
        "fails only after other requests: state is kept between them, or memory is read that was not set".to_owned();
    (!subjects.is_empty()).then(|| Cause { deadly: false, ..Cause::of(OF_ORDER.to_owned(), headline, &subjects) })
}

/// The case of a test and its direction: what is sent on wrongly was mostly read wrongly.
fn case<'a>(subject: &'a Subject<'_>) -> (&'a str, &'a str, Op) {
    (subject.layout(), subject.test.case.name.as_str(), subject.way)
}

/// A text of at most so many letters stands in a headline.
const SHORT: usize = 60;

fn group(bench: &Bench<'_>, look: &Look, looked: &[Looked<'_>]) -> Cause {
    let subjects: Vec<&Subject<'_>> = looked.iter().map(|looked| looked.subject).collect();
    let part = look.part.as_deref().unwrap_or("");
    let becomes = look.becomes.as_deref().unwrap_or("");
    let key = [look.layout.as_deref().unwrap_or(""), look.op.map_or("", Op::name), &look.what, becomes, part].join(" ");
    let mut cause = Cause::of(slug(&key), String::new(), &subjects);
    // What is put in a container that ends the process is of that, and what stands by itself of its type.
    let own = |looked: &Looked<'_>| looked.subject.is_deadly().then(|| looked.subject.layout().to_owned());
    let of_values: BTreeSet<String> =
        looked.iter().filter_map(|looked| looked.layout.clone().or_else(|| own(looked))).collect();
    // Groups that were joined say how they look.
    let ways = ways(look, looked);
    let is_whole = of_values.is_empty() || !ways.is_empty();
    let types = if is_whole { types_of(&subjects) } else { of_values };
    let name = |layout: &str| label(bench.dialect.type_name_of(layout)).to_owned();
    let types: BTreeMap<String, String> = types.into_iter().map(|layout| (layout.clone(), name(&layout))).collect();
    let fields = looked.iter().filter_map(|looked| looked.field.as_ref()).filter(|_| ways.is_empty());
    let fields = fields.map(|field| format!("`{field}`")).collect();
    // A number stands for others too.
    let shown = |word: &str| {
        let is_number = word.trim_matches(|c: char| !c.is_alphanumeric()) == "N";
        if is_number { word.replace('N', "…") } else { word.to_owned() }
    };
    let is_inner = looked.iter().all(|looked| looked.is_inner);
    // Where others stay what they are, it is not true of all.
    let stays = |looked: &Looked<'_>| match (&looked.key, &looked.layout) {
        (Some(key), _) => bench.stays_as_key(key, looked.subject.test.op),
        (None, layout) => layout.as_ref().is_some_and(|layout| bench.stays(layout, is_inner, looked.subject.test.op)),
    };
    let some_of = (look.becomes.is_some() && looked.iter().any(stays)).then(|| "some".to_owned());
    let becomes = look.becomes.as_ref().map(|layout| name(layout));
    // What all say alike is shown as it is.
    let texts: BTreeSet<Option<&str>> = looked.iter().map(|looked| looked.subject.refusal()).collect();
    let is_shown = |text: &&str| texts.len() == 1 && text.chars().count() <= SHORT && !text.contains(char::is_control);
    let text = texts.first().copied().flatten().filter(is_shown);
    let as_said = text.and_then(|text| Some(look.what.replace(&class(text)?, text)));
    let of_keys = looked.iter().filter(|_| ways.is_empty()).filter_map(|looked| looked.key.as_deref());
    let keys: BTreeSet<String> = of_keys.map(name).collect();
    let keys = (!keys.is_empty()).then(|| format!("{} keys", some(&keys)));
    let what = [look.what.as_str(), &ways].concat();
    let words = some_of.into_iter().chain(keys).chain(what.split(' ').map(shown)).chain(becomes);
    let what = words.collect::<Vec<_>>().join(" ");
    // What all packets have that the implementation has no answer to.
    let unfit = unfit_alike(looked, |subject| subject.is_without_answer().then(|| where_unfit(bench, subject.test)));
    let unfit = unfit.filter(|_| look.kind == Kind::Said).map_or_else(String::new, |unfit| format!(", {unfit}"));
    // What all have that are wrong, and none that is right.
    let parts: BTreeSet<&str> = looked.iter().filter_map(|looked| looked.field.as_deref()).collect();
    let is_seen = |what: &&&str| {
        looked.iter().all(|looked| looked.traits.contains(what))
            && !types.keys().any(|layout| cause.ops.iter().any(|op| bench.keeps(layout, &parts, *op, what)))
    };
    let seen = looked.first().and_then(|first| first.traits.iter().find(is_seen));
    let stands = seen.map(|what| format!(", where {what}")).unwrap_or_default();
    let (what, as_said) = (what + &unfit + &stands, as_said.map(|said| said + &unfit));
    cause.seen = Some(Seen { types, fields, what, as_said, is_inner });
    cause.headline = cause.seen.as_ref().map_or_else(String::new, |seen| seen.headline(&cause.ops));
    cause
}

/// The types of these tests. Of a value that was put into a container, the container is to blame where others fail too.
fn types_of(subjects: &[&Subject<'_>]) -> BTreeSet<String> {
    let is_put_in = |subject: &&&Subject<'_>| subject.test.id.parts().container().is_some();
    let (put_in, by_itself): (Vec<&Subject<'_>>, Vec<&Subject<'_>>) = subjects.iter().partition(is_put_in);
    let blamed = if by_itself.is_empty() { put_in } else { by_itself };
    blamed.into_iter().map(|subject| subject.layout().to_owned()).collect()
}

fn slug(text: &str) -> String {
    let kept = text.chars().map(|c| if c.is_alphanumeric() || c == '_' { c.to_ascii_lowercase() } else { ' ' });
    kept.collect::<String>().split_whitespace().collect::<Vec<_>>().join("-")
}
