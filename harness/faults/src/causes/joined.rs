//! Groups without a model that look like one bug.

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexSet;
use variant_specs::Shape;
use variant_values::handshake::Op;

use super::bench::Bench;
use super::blamed::{NUMBERS, family_of};
use super::looks::{Kind, Look, Looked, NOT_CANONICAL, OTHER_ORDER, WRONG, where_unfit};
use super::subject::Subject;

/// Groups by how their failures look.
pub(super) type Groups<'a> = BTreeMap<Look, Vec<Looked<'a>>>;

/// Of so many groups that are alike, one function is the reason.
const MANY: usize = 3;

/// So many groups say less than one.
const TOO_MANY: usize = 41;

/// The same groups, with those that are alike as one.
pub(super) fn joined<'a>(bench: &Bench<'_>, groups: Groups<'a>) -> Groups<'a> {
    let groups = together(groups, MANY, |look, looked| of_many_types(bench, look, looked));
    let groups = together(groups, 2, |_, looked| not_refused(bench, looked));
    let groups = together(groups, MANY, of_one_type);
    together(groups, TOO_MANY, |_, looked| of_all(looked))
}

fn together<'a>(groups: Groups<'a>, least: usize, alike: impl Fn(&Look, &[Looked<'a>]) -> Option<Look>) -> Groups<'a> {
    let mut of_one: BTreeMap<Look, Vec<Kind>> = BTreeMap::new();
    for (look, looked) in &groups {
        if let Some(one) = alike(look, looked) {
            of_one.entry(one).or_default().push(look.kind);
        }
    }
    // Each that is accepted and nothing else says what is.
    let is_one = |kinds: &Vec<Kind>| kinds.len() >= least && kinds.iter().any(|kind| *kind != Kind::Accepted);
    let mut joined = Groups::new();
    for (look, looked) in groups {
        let one = alike(&look, &looked).filter(|one| of_one.get(one).is_some_and(is_one));
        joined.entry(one.unwrap_or(look)).or_default().extend(looked);
    }
    joined
}

/// Where the texts, or the numbers, of many types that are alike are wrong, or the headers of many that are not, or many become
/// one other type, one function reads or writes them all.
fn of_many_types(bench: &Bench<'_>, look: &Look, looked: &[Looked<'_>]) -> Option<Look> {
    let layouts = &bench.dialect.layouts;
    if look.becomes.is_some() {
        return looked.iter().all(|looked| looked.key.is_none()).then(|| Look { layout: None, ..look.clone() });
    }
    let part = look.part.as_deref().filter(|_| look.kind == Kind::Wrong)?;
    let Some(layout) = layouts.id_of(look.layout.as_deref()?) else {
        // Types that are alike have one word already.
        return (part == "header").then(|| Look { layout: None, ..look.clone() });
    };
    let (family, part) = match part {
        NUMBERS => (family_of(layouts.get(layout).shape), NUMBERS),
        part if part.ends_with("text") => (family_of(Shape::Text), "text"),
        _ => return None,
    };
    Some(Look { layout: Some(family.to_owned()), part: Some(part.to_owned()), ..look.clone() })
}

/// Of packets that have the same wrong, some are accepted and others end in an exception: one check is missing.
fn not_refused(bench: &Bench<'_>, looked: &[Looked<'_>]) -> Option<Look> {
    let unfit = unfit_alike(looked, |subject| {
        (subject.is_accepted() || subject.is_without_answer()).then(|| where_unfit(bench, subject.test))
    });
    Some(Look::of(Kind::Accepted, format!("not refused, {}", unfit?)))
}

/// What is unfit in all of these, if it is the same.
pub(super) fn unfit_alike(looked: &[Looked<'_>], unfit: impl Fn(&Subject<'_>) -> Option<String>) -> Option<String> {
    let mut all: BTreeSet<Option<String>> = looked.iter().map(|looked| unfit(looked.subject)).collect();
    all.pop_first().flatten().filter(|_| all.is_empty())
}

/// What is read wrongly looks wrong in many ways.
fn of_one_type(look: &Look, looked: &[Looked<'_>]) -> Option<Look> {
    fn layout<'l>(looked: &'l Looked<'_>) -> &'l str {
        looked.layout.as_deref().unwrap_or(looked.subject.layout())
    }
    let first = looked.first()?;
    let way = first.subject.way;
    let is_alike = |looked: &Looked<'_>| {
        layout(looked) == layout(first) && looked.subject.way == way && !looked.subject.is_deadly()
    };
    let is_read = look.kind != Kind::Said || looked.iter().all(|looked| looked.subject.refusal().is_some());
    let is_known = look.becomes.is_some() || look.what == OTHER_ORDER || look.what.starts_with(NOT_CANONICAL);
    (is_read && !is_known && looked.iter().all(is_alike)).then(|| Look {
        layout: Some(layout(first).to_owned()),
        op: Some(way),
        ..Look::of(Kind::Wrong, if way == Op::Decode { "read wrongly" } else { "written wrongly" })
    })
}

/// What is wrong everywhere begins before all values.
fn of_all(looked: &[Looked<'_>]) -> Option<Look> {
    looked.iter().all(|looked| !looked.subject.is_deadly()).then(|| Look::of(Kind::Wrong, MANY_WAYS))
}

const MANY_WAYS: &str = "wrong in many ways";

/// How failures look of a group that was joined, the most of them first, or what to look at; nothing, if all look like the
/// group.
pub(super) fn ways(look: &Look, looked: &[Looked<'_>]) -> String {
    const SHOWN: usize = 3;
    if look.what == MANY_WAYS {
        let reads = "; if it reads a part of a buffer, check where that begins";
        let writes = "; if it writes into a buffer, check where the packet begins and ends";
        let is_read = looked.iter().any(|looked| looked.subject.way == Op::Decode);
        return if is_read { reads } else { writes }.to_owned();
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for looked in looked {
        *counts.entry(&looked.look.what).or_default() += 1;
    }
    if counts.contains_key(look.what.as_str()) {
        return String::new();
    }
    let mut ways: Vec<(&str, usize)> = counts.into_iter().filter(|(way, _)| *way != WRONG).collect();
    ways.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let mut shown = IndexSet::new();
    // What must be refused is another matter in each.
    shown.extend(ways.into_iter().map(|(way, _)| way.split_once(", but ").map_or(way, |_| "accepts too much")));
    let more = if shown.len() > SHOWN { "; …" } else { "" };
    shown.truncate(SHOWN);
    if shown.is_empty() {
        return String::new();
    }
    format!(": {}{more}", shown.into_iter().collect::<Vec<_>>().join("; "))
}
