//! How a failure without a model looks: what is seen of it, and nothing else.

use std::collections::BTreeSet;

use variant_corpus::FRAMING;
use variant_corpus::test::{Rule, Test};
use variant_corpus::verdict::{Reason, Verdict};
use variant_specs::{JudgedBy, Layouts, Shape};
use variant_values::fields::any_index;
use variant_values::handshake::Op;
use variant_values::implementation::{Answer, Ending};

use super::bench::Bench;
use super::blamed::{KEYS, NUMBERS, end_of};
use super::run_tests::Failure;
use super::seen::BY_ITSELF;
use super::subject::{Blamed, Subject};
use super::words::{class, ending, our_words, what_is_invalid};

/// What failures of one group have in common.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Look {
    /// `None` where the words of the implementation say enough.
    pub(super) layout: Option<String>,
    pub(super) op: Option<Op>,
    pub(super) kind: Kind,
    pub(super) what: String,
    /// The layout of what came instead.
    pub(super) becomes: Option<String>,
    /// The part of the value that is wrong.
    pub(super) part: Option<String>,
}

impl Look {
    pub(super) fn of(kind: Kind, what: impl Into<String>) -> Self {
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
pub(super) struct Looked<'a> {
    pub(super) subject: &'a Subject<'a>,
    pub(super) look: Look,
    /// The field that is wrong, where others of the same group may be wrong first.
    pub(super) field: Option<String>,
    /// The type of the value that is wrong.
    pub(super) layout: Option<String>,
    /// The type of a key that becomes one of another type.
    pub(super) key: Option<String>,
    /// Whether that value stands in another, and is wrong by itself.
    pub(super) is_inner: bool,
    /// What the text or number is that is wrong.
    pub(super) traits: Vec<&'static str>,
}

impl<'a> Looked<'a> {
    fn of(subject: &'a Subject<'a>, look: Look) -> Self {
        Self { subject, look, field: None, layout: None, key: None, is_inner: false, traits: Vec::new() }
    }
}

/// What a failure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// The implementation has words for it.
    Said,
    Refused,
    Accepted,
    /// Another value, or another packet.
    Wrong,
}

pub(super) const WRONG: &str = "wrong";

pub(super) const NOT_CANONICAL: &str = "right, but not as engines write it";

pub(super) const OTHER_ORDER: &str = "the pairs are in another order";

/// How these failures look, beside others.
pub(super) fn looks(bench: &Bench<'_>, places: &[usize], beside: &[usize]) -> Vec<(usize, Look)> {
    let subject = |place: &usize| &bench.fails[*place];
    let all: Vec<&Subject<'_>> = places.iter().chain(beside).map(subject).collect();
    let faulty = Faulty::of(bench, &all);
    places.iter().filter_map(|place| Some((*place, look(bench, &faulty, subject(place))?.look))).collect()
}

/// What is wrong by itself: only that is blamed for what is wrong around it.
pub(super) struct Faulty<'a> {
    /// Types whose own tests fail, and the direction.
    types: BTreeSet<(&'a str, Op)>,
    /// Types of which something is accepted that must be refused.
    accepted: BTreeSet<&'a str>,
    /// Fields of types in which ordinary numbers are wrong.
    fields: BTreeSet<(String, String)>,
    /// Types in which ordinary numbers are wrong for no known reason, and the direction.
    numbers: BTreeSet<(String, Op)>,
    /// How values look that are not in keys.
    looks: BTreeSet<Look>,
}

impl<'a> Faulty<'a> {
    pub(super) fn of(bench: &Bench<'_>, subjects: &[&'a Subject<'a>]) -> Self {
        let types = subjects.iter().map(|subject| (subject.layout(), subject.way)).collect();
        let accepted =
            subjects.iter().filter(|subject| subject.is_accepted()).map(|subject| subject.layout()).collect();
        // Those of which the fault is known show it too.
        let is_ordinary = |blamed: &Blamed| blamed.special.is_none() && blamed.becomes.is_none() && !blamed.is_in_key();
        let ordinary = bench.fails.iter().filter_map(|subject| blamed(bench, subject).filter(is_ordinary));
        let fields = ordinary.map(|blamed| (blamed.layout, blamed.field)).collect();
        let mut numbers = BTreeSet::new();
        for subject in subjects {
            let own = blamed(bench, subject).filter(|blamed| is_ordinary(blamed) && blamed.part == NUMBERS);
            numbers.extend(own.map(|blamed| (blamed.layout, subject.way)));
        }
        let mut faulty = Self { types, accepted, fields, numbers, looks: BTreeSet::new() };
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
        if self.fields.contains(&(blamed.layout.clone(), blamed.field.clone()))
            || self.numbers.contains(&(blamed.layout.clone(), subject.way))
        {
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

pub(super) fn look<'a>(bench: &'a Bench<'a>, faulty: &Faulty<'_>, subject: &'a Subject<'a>) -> Option<Looked<'a>> {
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
        let refused = if subject.is_tried_too_deep() { None } else { bench.refused_in(subject.test) };
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
        Some(Answer::Crashed(Ending { did, by_itself: true, .. })) => Some(format!("the process {did}{BY_ITSELF}")),
        Some(Answer::Crashed(Ending { did, .. })) => {
            Some(format!("the process ends: {}", ending(did, failure.said.as_deref())))
        }
        Some(Answer::TimedOut(Ending { by_itself: true, .. })) => Some(format!("the process hangs{BY_ITSELF}")),
        Some(Answer::TimedOut(Ending { did, .. })) => Some(format!("timed out: {}", our_words(did))),
        Some(Answer::Garbled(text) | Answer::NotRun(text) | Answer::Skipped(text))
            if !matches!(verdict, Verdict::Fail(_)) =>
        {
            // The line itself may follow.
            let what = text.split(": {").next().unwrap_or(text);
            Some(format!("{}: {}", verdict.name().replace('-', " "), our_words(what)))
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
        _ if subject.with_zeros_behind().is_some() => Look::of(Kind::Wrong, "right, with zeros behind it"),
        (verdict, _) => {
            let what = match verdict {
                Verdict::Fail(Reason::WrongLength) => "wrong length",
                Verdict::Fail(_) => WRONG,
                Verdict::NonCanonical => NOT_CANONICAL,
                verdict => verdict.name(),
            };
            let wrong = |layout: Option<&str>, what: String| Look {
                layout: layout.map(str::to_owned),
                ..Look::of(Kind::Wrong, what.replace('-', " "))
            };
            match blamed {
                // One bug mostly makes the same of several types that are family.
                Some(Blamed { becomes: Some(other), family, .. }) => {
                    Look { becomes: Some(other.clone()), ..wrong(Some(family), "become".to_owned()) }
                }
                Some(Blamed { special: Some(number), .. }) => {
                    Look { part: Some(NUMBERS.to_owned()), ..wrong(None, format!("{what}, where {number} stands")) }
                }
                Some(Blamed { layout, part, field, family, is_whole, .. }) => {
                    let of = if *is_whole || field == "header" || part == "types" { *family } else { layout };
                    Look { part: Some(part.clone()), ..wrong(Some(of), what.to_owned()) }
                }
                // How much was read is wrong for one reason in every type.
                None if verdict == Verdict::Fail(Reason::WrongLength) => wrong(None, what.to_owned()),
                None => of_type(subject.layout(), Kind::Wrong, &what.replace('-', " ")),
            }
        }
    }
}

/// Where something is not refused: `where it is shorter than it says`.
pub(super) fn where_unfit(bench: &Bench<'_>, test: &Test) -> String {
    let why = unfit(bench, test);
    format!("where {}{why}", if why.starts_with("must") { "it " } else { "" })
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
