//! Failures without a model: grouped by what they are. A headline says what is seen, and nothing else.

use std::collections::{BTreeMap, BTreeSet};

use variant_corpus::FRAMING;
use variant_corpus::test::{Rule, Test};
use variant_corpus::verdict::{Reason, Verdict};
use variant_runner::summary::label;
use variant_specs::{JudgedBy, Layouts, Shape};
use variant_values::fields::any_index;
use variant_values::handshake::Op;
use variant_values::implementation::{ALONE, Answer};

use super::bench::Bench;
use super::blamed::{Blamed, KEYS, alike, end_of};
use super::subject::Subject;
use super::{Cause, Failure, OF_ORDER};

/// What failures of one group have in common.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Look {
    /// `None` where the words of the implementation say enough.
    layout: Option<String>,
    op: Option<Op>,
    kind: Kind,
    what: String,
    /// The layout of what came instead.
    becomes: Option<String>,
    /// The part of the value that is wrong.
    part: Option<String>,
}

impl Look {
    fn of(kind: Kind, what: impl Into<String>) -> Self {
        Self { layout: None, op: None, kind, what: what.into(), becomes: None, part: None }
    }

    /// Whether something was accepted that must be refused.
    pub(super) fn is_accepted(&self) -> bool {
        self.kind == Kind::Accepted
    }

    /// Whether nothing is wrong but the order of pairs, for which there are many reasons.
    pub(super) fn is_of_order(&self) -> bool {
        self.what == OTHER_ORDER
    }
}

/// A failure, how it looks, and what is named of it.
struct Looked<'a> {
    subject: &'a Subject<'a>,
    look: Look,
    /// The field that is wrong, where others of the same group may be wrong first.
    field: Option<String>,
    /// The type of the value that is wrong.
    layout: Option<String>,
    /// The type of a key that becomes one of another type.
    key: Option<String>,
    /// Whether that value stands in another, and is wrong by itself.
    is_inner: bool,
    /// What the text or number is that is wrong.
    traits: Vec<&'static str>,
}

impl<'a> Looked<'a> {
    fn of(subject: &'a Subject<'a>, look: Look) -> Self {
        Self { subject, look, field: None, layout: None, key: None, is_inner: false, traits: Vec::new() }
    }
}

/// What a failure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// The implementation has words for it.
    Said,
    Refused,
    Accepted,
    /// Another value, or another packet.
    Wrong,
}

/// What no request repeats is of no type.
const BY_ITSELF: &str = "; no request alone makes that happen";

const NOT_CANONICAL: &str = "right, but not as engines write it";

const OTHER_ORDER: &str = "the pairs are in another order";

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
    of_many_types(bench, groups).iter().map(|(look, looked)| group(bench, look, looked)).collect()
}

/// Where the texts, or the numbers, of so many types that are alike are wrong, or the headers of so many that are not, one
/// function reads or writes them all.
const MANY: usize = 3;

/// The same groups, with those of many types that are alike as one.
fn of_many_types<'a>(bench: &Bench<'_>, groups: BTreeMap<Look, Vec<Looked<'a>>>) -> BTreeMap<Look, Vec<Looked<'a>>> {
    let layouts = &bench.dialect.layouts;
    let of_all = |look: &Look| {
        let part = look.part.as_deref().filter(|_| look.kind == Kind::Wrong)?;
        let Some(layout) = layouts.id_of(look.layout.as_deref()?) else {
            // Types that are alike have one word already.
            return (look.becomes.is_none() && part == "header").then(|| Look { layout: None, ..look.clone() });
        };
        let (alike, part) = match part {
            "numbers" => (alike(layouts.get(layout).shape), "numbers"),
            part if part.ends_with("text") => (alike(Shape::Text), "text"),
            _ => return None,
        };
        Some(Look { layout: Some(alike.to_owned()), part: Some(part.to_owned()), ..look.clone() })
    };
    let mut counts: BTreeMap<Look, usize> = BTreeMap::new();
    for look in groups.keys().filter_map(of_all) {
        *counts.entry(look).or_default() += 1;
    }
    let mut joined: BTreeMap<Look, Vec<Looked<'a>>> = BTreeMap::new();
    for (look, looked) in groups {
        let many = of_all(&look).filter(|all| counts.get(all).is_some_and(|count| *count >= MANY));
        joined.entry(many.unwrap_or(look)).or_default().extend(looked);
    }
    joined
}

/// How these failures look, beside others.
pub(super) fn looks(bench: &Bench<'_>, places: &[usize], beside: &[usize]) -> Vec<(usize, Look)> {
    let subject = |place: &usize| &bench.fails[*place];
    let all: Vec<&Subject<'_>> = places.iter().chain(beside).map(subject).collect();
    let faulty = Faulty::of(bench, &all);
    places.iter().filter_map(|place| Some((*place, look(bench, &faulty, subject(place))?.look))).collect()
}

/// What fails only after other requests, if anything does.
pub(super) fn dependent(bench: &Bench<'_>) -> Option<Cause> {
    let subjects: Vec<&Subject<'_>> = bench.fails.iter().filter(|subject| subject.depends).collect();
    let headline = "fails only after other requests: state is kept between requests".to_owned();
    (!subjects.is_empty()).then(|| Cause { deadly: false, ..Cause::of(OF_ORDER.to_owned(), headline, &subjects) })
}

/// The case of a test and its direction: what is sent on wrongly was mostly read wrongly.
fn case<'a>(subject: &'a Subject<'_>) -> (&'a str, &'a str, Op) {
    (subject.layout(), subject.test.case.name.as_str(), subject.way)
}

/// What is wrong by itself: only that is blamed for what is wrong around it.
struct Faulty<'a> {
    /// Types whose own tests fail, and the direction.
    types: BTreeSet<(&'a str, Op)>,
    /// Types of which something is accepted that must be refused.
    accepted: BTreeSet<&'a str>,
    /// Fields of types in which ordinary numbers are wrong.
    fields: BTreeSet<(String, String)>,
    /// How values look that are not in keys.
    looks: BTreeSet<Look>,
}

impl<'a> Faulty<'a> {
    fn of(bench: &Bench<'_>, subjects: &[&'a Subject<'a>]) -> Self {
        let types = subjects.iter().map(|subject| (subject.layout(), subject.way)).collect();
        let is_accepted = |failure: &&Failure| failure.verdict == Verdict::Fail(Reason::AcceptedInvalid);
        let accepted = subjects.iter().filter(|subject| subject.failure.as_ref().is_some_and(is_accepted));
        let accepted = accepted.map(|subject| subject.layout()).collect();
        // Those of which the fault is known show it too.
        let blamed = bench.fails.iter().filter_map(|subject| blamed(bench, subject));
        let ordinary =
            blamed.filter(|blamed| blamed.special.is_none() && blamed.becomes.is_none() && !blamed.is_in_key());
        let fields = ordinary.map(|blamed| (blamed.layout, blamed.field)).collect();
        let mut faulty = Self { types, accepted, fields, looks: BTreeSet::new() };
        for subject in subjects {
            if let Some(blamed) = faulty.blamed(bench, subject).filter(|blamed| !blamed.is_in_key())
                && let Some(failure) = subject.failure
            {
                faulty.looks.insert(look_of(bench, subject, failure, Some(&blamed)));
            }
        }
        faulty
    }

    /// Whether a type is wrong by itself in the direction of a test.
    fn is_type(&self, layout: &str, subject: &Subject<'_>) -> bool {
        layout == subject.layout() || self.types.contains(&(layout, subject.way))
    }

    /// Whether a value is to blame. Keys are where a dictionary is tested.
    fn is_to_blame(&self, blamed: &Blamed, subject: &Subject<'_>, layouts: &Layouts) -> bool {
        let shape = layouts.id_of(subject.layout()).map(|layout| layouts.get(layout).shape);
        match blamed.layout.as_str() {
            KEYS => shape == Some(Shape::Dictionary),
            layout => self.is_type(layout, subject),
        }
    }

    /// What is wrong first: of a type that is right by itself, the whole value is.
    fn blamed(&self, bench: &Bench<'_>, subject: &Subject<'_>) -> Option<Blamed> {
        let layouts = &bench.dialect.layouts;
        let mut blamed = blamed(bench, subject)?;
        if self.fields.contains(&(blamed.layout.clone(), blamed.field.clone())) {
            blamed.special = None;
        }
        // What is wrong of keys alone is a matter of the dictionary.
        let look = look_of(bench, subject, subject.failure?, Some(&blamed));
        let is_known = self.looks.contains(&look) && self.is_to_blame(&blamed, subject, layouts);
        if blamed.is_in_key() && !is_known {
            blamed = blamed.of_key();
        }
        if !self.is_to_blame(&blamed, subject, layouts)
            && let Some(whole) = layouts.id_of(subject.layout())
        {
            return Some(blamed.of_whole(layouts.get(whole)));
        }
        Some(blamed)
    }
}

fn blamed(bench: &Bench<'_>, subject: &Subject<'_>) -> Option<Blamed> {
    match (subject.failure?.verdict, subject.reply()) {
        (Verdict::Fail(Reason::AcceptedInvalid), _) => None,
        (_, Some(Answer::Refused(_) | Answer::Unsupported(_))) => None,
        _ => bench.seen(subject).1.clone(),
    }
}

fn look<'a>(bench: &'a Bench<'a>, faulty: &Faulty<'_>, subject: &'a Subject<'a>) -> Option<Looked<'a>> {
    if let Some(read) = subject.read {
        return Some(Looked { subject, ..look(bench, faulty, &bench.fails[read])? });
    }
    let failure = subject.failure?;
    if bench.seen(subject).0 {
        let look = Look::of(Kind::Wrong, OTHER_ORDER);
        let dictionary = bench.dialect.type_of_shape(Shape::Dictionary)?;
        let layout = Some(bench.dialect.layout(dictionary).name.clone());
        return Some(Looked { layout, ..Looked::of(subject, look) });
    }
    let blamed = faulty.blamed(bench, subject);
    let look = look_of(bench, subject, failure, blamed.as_ref());
    if look.kind == Kind::Accepted {
        // Of what nests too deep, the paths take memory by the square of the levels.
        let refused = if subject.is_read_too_deep() { None } else { bench.refused_in(subject.test) };
        let layout = refused.filter(|layout| faulty.accepted.contains(layout.as_str()));
        let layout = layout.or_else(|| Some(subject.layout().to_owned()));
        return Some(Looked { layout, ..Looked::of(subject, look) });
    }
    if let Some(container) = subject.test.id.parts().container().filter(|_| subject.is_deadly())
        && !bench.works(container, subject.test.op)
    {
        return Some(Looked { layout: Some(container.to_owned()), ..Looked::of(subject, look) });
    }
    let of_value = blamed.filter(|_| look.kind == Kind::Wrong);
    // What the right packet does not have is named as it is.
    let own = failure.field.as_ref().filter(|_| look.kind == Kind::Wrong && of_value.is_none());
    let layout = of_value.as_ref().map(|blamed| blamed.layout.clone());
    let is_inner = of_value
        .as_ref()
        .is_some_and(|blamed| blamed.layout != KEYS && !blamed.is_whole && blamed.path != blamed.field);
    let key = of_value.as_ref().and_then(|blamed| blamed.key.clone());
    let traits = of_value.as_ref().map(|blamed| blamed.traits.clone()).unwrap_or_default();
    let named = of_value.filter(|blamed| blamed.becomes.is_none() && blamed.special.is_none());
    let field = named.map(|blamed| blamed.field).or_else(|| own.map(|path| end_of(&any_index(path), 2)));
    Some(Looked { subject, look, field, layout, key, is_inner, traits })
}

fn look_of(bench: &Bench<'_>, subject: &Subject<'_>, failure: &Failure, blamed: Option<&Blamed>) -> Look {
    let of_words = |what: String| Look::of(Kind::Said, what);
    // The judge has compared it with a codec that follows the other side.
    if let Some(erratum) = &failure.erratum {
        return of_words(match bench.judged_by {
            JudgedBy::Engines => format!("as in the document, not in the engines (documentation error {erratum})"),
            JudgedBy::Documents => format!("as in the engines, not in the document (documentation error {erratum})"),
        });
    }
    let verdict = failure.verdict;
    let said = match subject.reply() {
        Some(Answer::Refused(why)) => class(&why.text).map(|class| format!("refused ({class})")),
        Some(Answer::Unsupported(text)) => class(text).map(|class| format!("unsupported ({class})")),
        Some(Answer::Crashed(how)) if how.contains(ALONE) => {
            let how = how.split(" while ").next().unwrap_or(how).trim_start_matches("crashed: ");
            Some(format!("the process {}{BY_ITSELF}", how.trim_start_matches("it ")))
        }
        Some(Answer::TimedOut(how)) if how.contains(ALONE) => Some(format!("the process hangs{BY_ITSELF}")),
        Some(Answer::Crashed(how)) => {
            Some(format!("the process ends: {}", ending(how.trim_start_matches("crashed: "))))
        }
        Some(Answer::Garbled(text) | Answer::TimedOut(text) | Answer::NotRun(text) | Answer::Skipped(text))
            if !matches!(verdict, Verdict::Fail(_)) =>
        {
            let name = verdict.name().replace('-', " ");
            let what = text.strip_prefix(&format!("{name}: ")).unwrap_or(text);
            // The line itself may follow.
            let what = what.split(": {").next().unwrap_or(what);
            // How long it was waited for is another matter.
            let what = if what.starts_with("did not reply in") { "no reply in time" } else { what };
            Some(format!("{name}: {}", our_words(what)))
        }
        _ => None,
    };
    if let Some(what) = said {
        return of_words(what);
    }
    let of_type = |layout: &str, kind, what: &str| Look {
        layout: Some(layout.to_owned()),
        op: Some(subject.way),
        ..Look::of(kind, what)
    };
    match (verdict, subject.reply()) {
        (Verdict::Fail(_), Some(Answer::Refused(_))) => {
            of_type(subject.layout(), Kind::Refused, "refused, but must be accepted")
        }
        (Verdict::Fail(_), Some(Answer::Unsupported(_))) => {
            of_type(subject.layout(), Kind::Refused, "unsupported after all")
        }
        (Verdict::Fail(Reason::AcceptedInvalid), _) => Look {
            // A frame is no value.
            layout: (subject.layout() == FRAMING).then(|| FRAMING.to_owned()),
            ..of_type("", Kind::Accepted, &format!("accepted, but {}", unfit(bench, subject.test)))
        },
        (Verdict::Fail(_), Some(Answer::Invalid { why, .. })) => {
            let why = what_is_invalid(&why.to_string());
            Look::of(Kind::Wrong, format!("no value of the dialect ({why})"))
        }
        (verdict, _) => {
            let what = match verdict {
                Verdict::Fail(Reason::WrongLength) => "wrong length",
                Verdict::Fail(_) => "wrong",
                Verdict::NonCanonical => NOT_CANONICAL,
                verdict => verdict.name(),
            };
            let wrong = |layout: Option<&str>, what: String| Look {
                layout: layout.map(str::to_owned),
                ..Look::of(Kind::Wrong, what.replace('-', " "))
            };
            match blamed {
                // One bug mostly makes the same of several types that are alike.
                Some(Blamed { becomes: Some(other), alike, .. }) => {
                    Look { becomes: Some(other.clone()), ..wrong(Some(alike), "become".to_owned()) }
                }
                Some(Blamed { special: Some(number), .. }) => {
                    Look { part: Some("numbers".to_owned()), ..wrong(None, format!("{what}, where {number} stands")) }
                }
                Some(Blamed { layout, part, field, alike, is_whole, .. }) => {
                    let of = if *is_whole || field == "header" || part == "types" { *alike } else { layout };
                    Look { part: Some(part.clone()), ..wrong(Some(of), what.to_owned()) }
                }
                // How much was read is wrong for one reason in every type.
                None if verdict == Verdict::Fail(Reason::WrongLength) => wrong(None, what.to_owned()),
                None => of_type(subject.layout(), Kind::Wrong, &what.replace('-', " ")),
            }
        }
    }
}

/// Why a packet or value must be refused. Whoever does not look whether enough is there does not in any type.
fn unfit(bench: &Bench<'_>, test: &Test) -> String {
    let rule = match (test.rule, &test.expected.rejects) {
        (None, Some(rejects)) => rejects.kind.name(),
        (Some(Rule::TruncatedAt), _) => "truncated",
        (Some(Rule::Count), _) => "length",
        (Some(Rule::Id), _) => "unknown-type",
        (Some(Rule::Depth), _) => "too-deep",
        (_, _) => "",
    };
    match rule {
        "length" if bench.is_negative(test) => "a length or count in it is negative".to_owned(),
        "truncated" | "length" => "it is shorter than it says".to_owned(),
        "" => "must be refused".to_owned(),
        kind => format!("must be refused ({kind})"),
    }
}

/// What is unfit about a packet to which there is no answer.
fn of_unfit(bench: &Bench<'_>, subject: &Subject<'_>) -> String {
    if !matches!(subject.right, Some(Answer::Refused(_))) || !matches!(subject.reply(), Some(Answer::Unsupported(_))) {
        return String::new();
    }
    let why = unfit(bench, subject.test);
    format!(", where {}{why}", if why.starts_with("must") { "it " } else { "" })
}

/// A text of at most so many letters stands in a headline.
const SHORT: usize = 60;

/// What an implementation said when it refused a request.
fn refusal<'a>(subject: &'a Subject<'a>) -> Option<&'a str> {
    match subject.reply()? {
        Answer::Refused(why) => Some(&why.text),
        Answer::Unsupported(text) => Some(text),
        _ => None,
    }
}

fn group(bench: &Bench<'_>, look: &Look, looked: &[Looked<'_>]) -> Cause {
    let subjects: Vec<&Subject<'_>> = looked.iter().map(|looked| looked.subject).collect();
    let part = look.part.as_deref().unwrap_or("");
    let becomes = look.becomes.as_deref().unwrap_or("");
    let key = [look.layout.as_deref().unwrap_or(""), look.op.map_or("", Op::name), &look.what, becomes, part].join(" ");
    let mut cause = Cause::of(slug(&key), String::new(), &subjects);
    let of_values: BTreeSet<String> = looked.iter().filter_map(|looked| looked.layout.clone()).collect();
    let types = if of_values.is_empty() { cause.types.iter().cloned().collect() } else { of_values };
    let name = |layout: &str| label(bench.dialect.type_name_of(layout)).to_owned();
    let types: BTreeMap<String, String> = types.into_iter().map(|layout| (layout.clone(), name(&layout))).collect();
    let fields = looked.iter().filter_map(|looked| looked.field.as_ref()).map(|field| format!("`{field}`")).collect();
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
    let texts: BTreeSet<Option<&str>> = looked.iter().map(|looked| refusal(looked.subject)).collect();
    let is_shown = |text: &&str| texts.len() == 1 && text.chars().count() <= SHORT && !text.contains(char::is_control);
    let text = texts.first().copied().flatten().filter(is_shown);
    let as_said = text.and_then(|text| Some(look.what.replace(&class(text)?, text)));
    let keys: BTreeSet<String> = looked.iter().filter_map(|looked| Some(name(looked.key.as_ref()?))).collect();
    let keys = (!keys.is_empty()).then(|| format!("{} keys", some(&keys)));
    let words = some_of.into_iter().chain(keys).chain(look.what.split(' ').map(shown)).chain(becomes);
    let what = words.collect::<Vec<_>>().join(" ");
    // What all packets have that the implementation has no answer to.
    let unfit: BTreeSet<String> = looked.iter().map(|looked| of_unfit(bench, looked.subject)).collect();
    let unfit = unfit.first().filter(|_| unfit.len() == 1 && look.kind == Kind::Said).cloned().unwrap_or_default();
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

/// What is seen of failures without a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// Layouts, and the engines' names of their types: of several dialects, those of the first.
    types: BTreeMap<String, String>,
    fields: BTreeSet<String>,
    what: String,
    /// The same, in the words of all its replies.
    as_said: Option<String>,
    /// Whether nothing but values in containers is wrong.
    is_inner: bool,
}

impl Seen {
    pub(super) fn join(&mut self, other: Self) {
        for (layout, name) in other.types {
            self.types.entry(layout).or_insert(name);
        }
        self.fields.extend(other.fields);
        self.is_inner &= other.is_inner;
        self.as_said = self.as_said.take().filter(|said| other.as_said.as_ref() == Some(said));
    }

    pub(super) fn headline(&self, ops: &[Op]) -> String {
        if self.what.ends_with(BY_ITSELF) {
            return self.what.clone();
        }
        let ops: Vec<&str> = ops.iter().map(|op| op.name()).collect();
        let first = if self.fields.is_empty() { String::new() } else { format!(", first at {}", some(&self.fields)) };
        let within = if self.is_inner { " within containers" } else { "" };
        // Of many, the names are no help.
        let types = if self.types.len() > NAMED {
            // What is of no type is none.
            let count = self.types.keys().filter(|layout| label(layout) == layout.as_str()).count();
            format!("{count} types")
        } else {
            some(&self.types.values().cloned().collect())
        };
        let what = self.as_said.as_ref().unwrap_or(&self.what);
        format!("{types}, {}: {what}{within}{first}", ops.join(", "))
    }
}

/// So many names are listed.
const NAMED: usize = 6;

/// The first few of these, and how many more there are.
pub(super) fn some(names: &BTreeSet<String>) -> String {
    let first = names.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(NAMED) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

/// The class of an exception, or its text without what changes from input to input. `None` if there is no text.
pub(super) fn class(text: &str) -> Option<String> {
    let mut words = text.split(|c: char| !c.is_alphanumeric() && !"._".contains(c));
    let class = words.find(|word| word.ends_with("Error") || word.ends_with("Exception"));
    let class = class.map_or_else(|| plain(text), str::to_owned);
    (!class.is_empty()).then_some(class)
}

/// A word with `N` for each number in it: digits that belong to a name, as in `int32` or `UTF-8`, stay.
fn without_numbers(word: &str) -> String {
    let mut out = String::new();
    let (mut in_name, mut in_number) = (false, false);
    // A character is as good as another.
    if let Some(code) = word.strip_prefix("U+") {
        return "U+N".to_owned() + code.trim_start_matches(|c: char| c.is_ascii_hexdigit());
    }
    for c in word.chars() {
        let begins = c.is_ascii_digit() && !in_name && !in_number;
        if begins {
            out.push('N');
        }
        // A hexadecimal number, a fraction and a unit are part of it.
        in_number = begins || in_number && (c.is_alphanumeric() || c == '.');
        in_name = !in_number && (c.is_alphabetic() || c == '_' || in_name && (c.is_alphanumeric() || c == '-'));
        if !in_number {
            out.push(c);
        }
    }
    out
}

/// How a process ended, and the first words of the line behind that in which it said why: they name the error, and not what
/// it is about.
fn ending(how: &str) -> String {
    const MOST: usize = 6;
    let (exit, said) = how.split_once('\n').unwrap_or((how, ""));
    let said = plain(said);
    let words: Vec<&str> = said.split_whitespace().take(MOST).collect();
    if words.is_empty() { our_words(exit) } else { format!("{}: {}", our_words(exit), words.join(" ")) }
}

/// What is wrong with a reply: where in it is another matter.
fn what_is_invalid(why: &str) -> String {
    our_words(why.rsplit_once(": ").map_or(why, |(_, what)| what))
}

/// A text of an implementation without numbers and without what is in quotes, in few words.
fn plain(text: &str) -> String {
    without_values(text, &['"', '`'], 60)
}

/// The same of what conform says: what is between backquotes are words of the protocol.
fn our_words(text: &str) -> String {
    without_values(text, &['"'], 120)
}

fn without_values(text: &str, quotes: &[char], most: usize) -> String {
    let (mut out, mut quote) = (String::new(), None);
    for c in text.lines().next().unwrap_or_default().chars() {
        match quote {
            Some(end) if c == end => quote = None,
            Some(_) => {}
            None if quotes.contains(&c) => {
                quote = Some(c);
                out.push('…');
            }
            None if c == '\'' && !out.ends_with(char::is_alphanumeric) => {
                quote = Some(c);
                out.push('…');
            }
            None => out.push(c),
        }
    }
    let mut words: Vec<String> = Vec::new();
    for word in out.split_whitespace() {
        // What is no word is a value, or a type or a file of a language.
        let is_path = word.contains('.') && word.split('.').all(|part| part.starts_with(char::is_alphabetic));
        if word.chars().any(|c| "[]{}".contains(c)) || is_path {
            if words.last().is_none_or(|last| last != "…") {
                words.push("…".to_owned());
            }
            continue;
        }
        // How a process exits says what ended it.
        let is_status = words.last().is_some_and(|last| last == "status" || last == "signal");
        words.push(if is_status { word.to_owned() } else { without_numbers(word) });
    }
    let whole = words.join(" ");
    match whole.char_indices().nth(most) {
        None => whole,
        // No word is cut. An id has no `…`.
        Some((end, _)) => {
            whole[..end]
                .rsplit_once(' ')
                .map_or(&whole[..end], |(first, _)| first)
                .trim_end_matches([':', ',', ';'])
                .to_owned()
                + " …"
        }
    }
}

fn slug(text: &str) -> String {
    let kept = text.chars().map(|c| if c.is_alphanumeric() || c == '_' { c.to_ascii_lowercase() } else { ' ' });
    kept.collect::<String>().split_whitespace().collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::{class, plain};

    #[test]
    fn one_exception_is_one_class_whatever_it_quotes() {
        let texts = [
            "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff in position 0: invalid start byte",
            "UnicodeDecodeError: 'utf-8' codec can't decode bytes in position 3-4: unexpected end of data",
        ];
        assert_eq!(texts.map(class), [Some("UnicodeDecodeError".to_owned()), Some("UnicodeDecodeError".to_owned())]);
        assert_eq!(plain("no type has the id 27"), "no type has the id N");
        assert_eq!(plain("byte 12 is not UTF-8"), "byte N is not UTF-8");
        assert_eq!(class("unknown key \"a b\" at 12"), Some("unknown key … at N".to_owned()));
    }
}
