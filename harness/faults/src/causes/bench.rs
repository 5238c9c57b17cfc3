//! The tests of a run with what the implementation replied, and codecs with faults to compare with.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use similar::{Algorithm, capture_diff_slices, get_diff_ratio};
use variant_codec::{Codec, Framing, Refusal, Role, Span, Value};
use variant_corpus::test::Test;
use variant_corpus::verdict::Verdict;
use variant_corpus::{Class, FieldOwners};
use variant_specs::{Dialect, JudgedBy, Shape};
use variant_values::compare::{is_packet_but_for_losses, is_value_but_for_losses};
use variant_values::fields::{Field, FieldValue, fields_of};
use variant_values::handshake::{Lossy, Op};
use variant_values::implementation::{Answer, Input, Request};
use variant_values::reference;
use variant_values::value_text::{Form, value_json};

use variant_runner::judge::Judge;
use variant_runner::results::digest_of;

use super::run_tests::{Failure, RunTests};
use super::subject::Subject;
use crate::fault::{Codecs, Pairs, Part, REFUSES, RequestHistory, answer, header_before};
use crate::place::{Place, children_of};

/// How much it says that two replies are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Match {
    /// The same value or packet.
    Exact,
    /// The same but for what is a declared loss.
    Settled,
    /// Both refused, or accepted what nests too deep to be compared: there are many reasons for that.
    Ended,
    /// Both refused, and the fault refuses nothing by itself: it has lost its place in the packet.
    Strayed,
}

impl Match {
    /// Whether it says little.
    pub(super) fn is_weak(self) -> bool {
        matches!(self, Self::Ended | Self::Strayed)
    }
}

pub(super) struct Bench<'a> {
    pub(super) dialect: &'a Dialect,
    pub(super) judged_by: JudgedBy,
    judge: Judge<'a>,
    pub(super) codec: Codec,
    pub(super) lossy: &'a [Lossy],
    /// Whether replies say how many bytes were read.
    says_used: bool,
    /// Those of cases first.
    pub(super) fails: Vec<Subject<'a>>,
    pub(super) passes: Vec<Subject<'a>>,
    /// How many cases of a type with a value are right, and how many are wrong, in each operation.
    counts: HashMap<(&'a str, Op), [usize; 2]>,
    fails_of: HashMap<Arc<str>, Vec<usize>>,
    passes_of: HashMap<Arc<str>, Vec<usize>>,
}

impl<'a> Bench<'a> {
    pub(super) fn new(run: RunTests<'a>, failures: &'a [Failure]) -> Self {
        let RunTests { dialect, judged_by, handshake, tests, lossy, .. } = run;
        let failed: HashMap<&str, &Failure> = failures.iter().map(|failure| (&*failure.test, failure)).collect();
        let (mut fails, mut passes) = (Vec::new(), Vec::new());
        let codec = Codec::new(dialect, judged_by);
        let dictionary = dialect.type_of_shape(Shape::Dictionary).map(|entry| dialect.layout(entry).name.as_str());
        for (place, test) in tests.iter().copied().enumerate() {
            let Some(request) = test.request() else { continue };
            let failure = failed.get(test.id.as_str()).copied();
            let mut subject = Subject {
                test,
                request,
                place,
                failure,
                right: None,
                class: None,
                holds: BTreeSet::new(),
                has_pairs: dictionary.is_some_and(|layout| test.layouts.contains(layout)),
                is_lossy: lossy.contains(&test.id),
                depends: failure.is_some_and(|failure| failure.depends),
                read: None,
                way: if test.op == Op::Encode { Op::Encode } else { Op::Decode },
                seen: OnceLock::new(),
            };
            if failure.is_none() {
                passes.push(subject);
                continue;
            }
            subject.right = Some(reference::answer(&codec, &subject.request));
            let said = failure.and_then(|failure| failure.said.as_deref());
            subject.class = match subject.reply() {
                Some(Answer::Refused(why)) => super::words::class(&why.text),
                Some(Answer::Crashed(ending)) => super::words::class(said.unwrap_or(&ending.did)),
                _ => None,
            };
            fails.push(subject);
        }
        fails.sort_by_key(|subject| subject.test.rule.is_some());
        let reads = read_first(&fails, &codec);
        let right: HashSet<Sent<'_>> =
            passes.iter().filter(|subject| subject.test.op == Op::Decode).filter_map(sent).collect();
        for (subject, read) in fails.iter_mut().zip(reads) {
            subject.read = read;
            if subject.test.op == Op::Reencode && sent(subject).is_some_and(|sent| right.contains(&sent)) {
                subject.way = Op::Encode;
            }
        }
        let mut values = failures.iter().filter_map(|failure| match &failure.answer {
            Answer::Value { used, .. } => Some(used.is_some()),
            _ => None,
        });
        let says_used = values.clone().next().is_none() || values.any(|says| says);
        let mut counts: HashMap<_, [usize; 2]> = HashMap::new();
        for (kind, subjects) in [&passes, &fails].into_iter().enumerate() {
            for Subject { test, .. } in subjects.iter().filter(|subject| subject.is_of_case()) {
                let of_type = counts.entry((&*test.layout, test.op)).or_default();
                of_type[kind] += usize::from(test.expected.class.has_value());
            }
        }
        let mut bench = Self {
            says_used,
            counts,
            judge: Judge::for_claims(dialect, judged_by, handshake),
            codec,
            lossy: &handshake.lossy,
            fails_of: by_layout(&fails),
            passes_of: by_layout(&passes),
            dialect,
            judged_by,
            fails,
            passes,
        };
        for at in 0..bench.fails.len() {
            let given = bench.given(&bench.fails[at]).map(Cow::into_owned);
            given.into_iter().for_each(|mut value| hold(&mut value, &mut bench.fails[at].holds));
        }
        bench
    }

    /// Whether it was asked to read, and to write.
    pub(super) fn asks_both(&self) -> bool {
        let asks = |op| self.passes.iter().chain(&self.fails).any(|subject| subject.test.op == op);
        asks(Op::Decode) && asks(Op::Encode)
    }

    /// Whether the implementation is right in a case of this type, in this direction.
    pub(super) fn works(&self, layout: &str, op: Op) -> bool {
        let is_right = |place: &usize| {
            let test = self.passes[*place].test;
            *test.layout == *layout && test.op == op && test.rule.is_none() && test.expected.class == Class::Canonical
        };
        self.passes_of.get(layout).is_some_and(|passes| passes.iter().any(is_right))
    }

    /// Whether most cases of a type with a value are right, in this direction.
    pub(super) fn mostly_works(&self, layout: &str, op: Op) -> bool {
        self.counts.get(&(layout, op)).is_some_and(|[passes, fails]| fails < passes)
    }

    /// Whether the implementation keeps the type of some such value in this direction, by itself or within another.
    pub(super) fn stays(&self, layout: &str, is_inner: bool, op: Op) -> bool {
        let is_kept = |place: &usize| {
            let test = self.passes[*place].test;
            test.op == op && test.expected.class == Class::Canonical && (*test.layout == *layout) != is_inner
        };
        self.passes_of.get(layout).is_some_and(|passes| passes.iter().any(is_kept))
    }

    /// Whether a key in a value is of this type.
    pub(super) fn has_key(&self, value: &Value, layout: &str) -> bool {
        let is_one = |field: &Field| {
            field.path.ends_with("].key.header") && matches!(&field.value, FieldValue::Header(own) if own == layout)
        };
        fields_of(value, &self.dialect.layouts).iter().any(is_one)
    }

    /// Whether the implementation keeps some key of this type.
    pub(super) fn stays_as_key(&self, layout: &str, op: Op) -> bool {
        let is_kept = |place: &usize| {
            let subject = &self.passes[*place];
            let is_own = subject.test.op == op && subject.is_of_case() && subject.has_pairs;
            is_own && subject.value().is_some_and(|value| self.has_key(value, layout))
        };
        self.passes_of.get(layout).is_some_and(|passes| passes.iter().any(is_kept))
    }

    /// The places of the failures that have one of these layouts; all, if none is named.
    pub(super) fn fails_about(&self, about: &[Arc<str>]) -> Vec<usize> {
        places(&self.fails_of, self.fails.len(), about)
    }

    pub(super) fn passes_about(&self, about: &[Arc<str>]) -> Vec<usize> {
        places(&self.passes_of, self.passes.len(), about)
    }

    pub(super) fn codecs(&self, parts: &[Part<'_>]) -> Codecs {
        Codecs::new(parts, &self.codec, self.dialect, self.judged_by)
    }

    /// The failures of cases: what suggests a fault.
    pub(super) fn failed_cases(&self) -> impl Iterator<Item = &Subject<'a>> {
        self.fails.iter().filter(|subject| subject.is_of_case())
    }

    /// The value of a packet, where it is one.
    pub(super) fn read(&self, packet: &[u8]) -> Option<Value> {
        Some(self.codec.decode(packet).ok()?.value)
    }

    /// The value that was sent, or that is in the packet that was.
    pub(super) fn given<'s>(&self, subject: &'s Subject<'_>) -> Option<Cow<'s, Value>> {
        match &subject.request.input {
            Input::Encode(value) => Some(Cow::Borrowed(value)),
            Input::Decode(packet) | Input::Reencode(packet) => self.read(packet).map(Cow::Owned),
        }
    }

    /// The value that was replied, or written.
    pub(super) fn value_of<'s>(&self, subject: &'s Subject<'_>) -> Option<Cow<'s, Value>> {
        match subject.reply()? {
            Answer::Value { value, .. } => Some(Cow::Borrowed(value)),
            Answer::Bytes(bytes) => self.read(bytes.get(subject.frame()..)?).map(Cow::Owned),
            _ => None,
        }
    }

    /// The answer of a codec with these faults.
    pub(super) fn answer(&self, parts: &[Part<'_>], codecs: &Codecs, subject: &Subject<'_>) -> Answer {
        // Faults of what came before are no causes of one test.
        let mut calm = RequestHistory { requests: 1, last: None, refused: 0 };
        answer(parts, codecs, &mut calm, &subject.request)
    }

    /// Whether a codec with these faults gives the implementation's reply to a test that failed, and its answer.
    pub(super) fn try_on(&self, parts: &[Part<'_>], codecs: &Codecs, subject: &Subject<'_>) -> (Answer, Option<Match>) {
        let answer = self.answer(parts, codecs, subject);
        let same = self.same(&answer, subject);
        if same.is_some() || !Self::changes(&answer, subject) {
            return (answer, same);
        }
        // Beside a fault, a codec shows how it does what makes no difference without one.
        let is_shifted = matches!((&answer, &subject.right), (Answer::Bytes(bytes), Some(Answer::Bytes(right))) if bytes.len() != right.len());
        let joining = Pairs::OTHERS.into_iter().filter(|_| subject.has_pairs);
        for other in joining.map(|pairs| codecs.joining(pairs)).chain(is_shifted.then(|| codecs.aligning())) {
            let other = self.answer(parts, &other, subject);
            if let Some(same) = self.same(&other, subject) {
                return (other, Some(same));
            }
        }
        (answer, None)
    }

    /// Whether a fault changes the answer to a test that failed.
    pub(super) fn changes(answer: &Answer, subject: &Subject<'_>) -> bool {
        match (answer, &subject.right) {
            (Answer::Refused(_), Some(Answer::Refused(_))) => false,
            (answer, right) => right.as_ref() != Some(answer),
        }
    }

    /// Whether a packet that has something else wrong is more like that of a faulty codec than like the right one.
    pub(super) fn is_shown(faulty: &Answer, subject: &Subject<'_>) -> bool {
        const LONGEST: usize = 4096;
        let (Answer::Bytes(faulty), Some(Answer::Bytes(right)), Some(Answer::Bytes(reply))) =
            (faulty, &subject.right, subject.reply())
        else {
            return false;
        };
        if [faulty, right, reply].iter().any(|packet| packet.len() > LONGEST) {
            return false;
        }
        let likeness = |other: &[u8]| {
            let edits = capture_diff_slices(Algorithm::Myers, other, reply);
            get_diff_ratio(&edits, other.len(), reply.len())
        };
        likeness(faulty) > likeness(right)
    }

    /// Whether the implementation's reply is no other than the right one before the answer of a faulty codec is.
    pub(super) fn goes_wrong_where(&self, faulty: &Answer, subject: &Subject<'_>) -> bool {
        let bytes = |answer: &Answer| match answer {
            Answer::Bytes(bytes) => Some(bytes.clone()),
            Answer::Value { value, .. } => self.codec.encode(value).ok(),
            _ => None,
        };
        let (Some(right), Some(seen)) = (subject.right.as_ref(), subject.reply()) else { return false };
        let (Some(right), Some(seen), Some(faulty)) = (bytes(right), bytes(seen), bytes(faulty)) else { return false };
        let first = |other: &[u8]| {
            let differs = |at: &usize| right.get(*at) != other.get(*at);
            (0..right.len().max(other.len())).find(differs)
        };
        first(&faulty).zip(first(&seen)).is_some_and(|(faulty, seen)| faulty <= seen)
    }

    /// Whether a codec with these faults fails a test that the implementation passes.
    pub(super) fn is_against(&self, parts: &[Part<'_>], codecs: &Codecs, pass: usize) -> bool {
        let subject = &self.passes[pass];
        let is_failed = |codecs: &Codecs| match self.answer(parts, codecs, subject) {
            Answer::Value { value, .. } if !self.says_used => {
                self.is_failed(Answer::Value { value, used: None }, subject)
            }
            answer => self.is_failed(answer, subject),
        };
        let joining = Pairs::OTHERS.into_iter().filter(|_| subject.has_pairs);
        is_failed(codecs) && joining.map(|pairs| codecs.joining(pairs)).all(|other| is_failed(&other))
    }

    /// Whether this answer fails a test.
    pub(super) fn is_failed(&self, answer: Answer, subject: &Subject<'_>) -> bool {
        match self.judge.judge(subject.test, &answer.into()).verdict {
            Verdict::Pass | Verdict::DeclaredLoss | Verdict::Undecided => false,
            // What is a declared loss need not be canonical.
            Verdict::NonCanonical => !subject.is_lossy,
            _ => true,
        }
    }

    /// Whether a reply that a fault does not give speaks against it: what is no reply shows nothing, but that a packet is
    /// not read which must be refused.
    pub(super) fn speaks(&self, place: usize) -> bool {
        self.may_be_same(place) || matches!(self.fails[place].right, Some(Answer::Refused(_)))
    }

    /// Whether a fault could give the reply to a test that failed.
    pub(super) fn may_be_same(&self, place: usize) -> bool {
        let seen = self.fails[place].reply();
        let no_codec_gives_it = |answer: &Answer| {
            matches!(
                answer,
                Answer::Unsupported(_)
                    | Answer::Garbled(_)
                    | Answer::TimedOut(_)
                    | Answer::NotRun(_)
                    | Answer::Skipped(_)
            )
        };
        !seen.is_some_and(no_codec_gives_it)
    }

    /// Whether an answer is what the implementation replied, and not the right one.
    fn same(&self, answer: &Answer, subject: &Subject<'_>) -> Option<Match> {
        // With what is declared as lossy, the right reply may be as good as the one that is not canonical.
        if !Self::changes(answer, subject) {
            return None;
        }
        let how = self.same_reply(answer, subject)?;
        // A fault that loses only what is declared explains no failure.
        (how != Match::Settled || self.is_failed(answer.clone(), subject)).then_some(how)
    }

    fn same_reply(&self, answer: &Answer, subject: &Subject<'_>) -> Option<Match> {
        if subject.is_too_deep() {
            return matches!(answer, Answer::Value { .. }).then_some(Match::Ended);
        }
        let failure = subject.failure.filter(|failure| failure.verdict != Verdict::Nondeterministic)?;
        if let Some(whole) = &failure.whole {
            let text = match answer {
                Answer::Value { value, .. } => value_json(value, &self.dialect.layouts, Form::default()),
                Answer::Bytes(bytes) => hex::encode(bytes),
                _ => return None,
            };
            return (digest_of(&text) == *whole).then_some(Match::Exact);
        }
        match (answer, &failure.answer) {
            (Answer::Value { value, used }, Answer::Value { value: seen, used: seen_used }) => {
                // Of a packet that must be refused, nobody knows how much was read.
                let is_valid = matches!(subject.right, Some(Answer::Value { .. }));
                let length = !is_valid || seen_used.is_none() || used.is_none() || seen_used == used;
                if length { self.same_value(value, seen) } else { None }
            }
            (Answer::Bytes(bytes), Answer::Bytes(seen)) => self.same_bytes(bytes, seen),
            (Answer::Invalid { json, .. }, Answer::Invalid { why, .. }) => {
                let why = why.to_string();
                json.split(' ').any(|number| why.contains(number)).then_some(Match::Exact)
            }
            (Answer::Refused(why), Answer::Refused(_)) => {
                let has_strayed = match why.kind.as_deref().and_then(Refusal::from_name) {
                    // A limit, and a field that is refused.
                    Some(Refusal::TooDeep | Refusal::UnsupportedForm) => false,
                    // The first header is where it is.
                    Some(Refusal::UnknownType) => why.at != Some(0),
                    Some(_) => true,
                    None => why.text != REFUSES,
                };
                Some(if has_strayed { Match::Strayed } else { Match::Ended })
            }
            (Answer::Crashed(_), Answer::Crashed(_)) => Some(Match::Ended),
            _ => None,
        }
    }

    /// The type of the value in which a packet is refused.
    pub(super) fn refused_in(&self, test: &Test) -> Option<String> {
        let packet = test.packet().filter(|_| test.case.framing.is_none())?;
        let codec = reference::allowing(&self.codec, test.case.objects);
        let (trace, Err(_)) = codec.traced(&packet.bytes) else { return None };
        let mut owners = FieldOwners::default();
        let mut last = None;
        for span in &trace.spans {
            if let Role::Header(layout) = span.role {
                owners.enter(span.path.strip_suffix("header").unwrap_or(""), layout);
            }
            last = owners.owner(&span.path).map(|(layout, _)| *layout).or(last);
        }
        Some(self.dialect.layouts.get(last?).name.clone())
    }

    /// Whether a packet is refused where a length or count is negative. The count of a container has no sign, and the number
    /// of names of a node path has a mark in its place.
    pub(super) fn is_negative(&self, test: &Test) -> bool {
        let Some(packet) = test.packet().filter(|_| test.case.framing.is_none()) else { return false };
        let codec = reference::allowing(&self.codec, test.case.objects);
        let (trace, Err(error)) = codec.traced(&packet.bytes) else { return false };
        let has_sign = |(layout, end)| match self.dialect.layouts.get(layout).shape {
            Shape::Array | Shape::Dictionary => false,
            Shape::NodePath => end != error.at,
            _ => true,
        };
        let is_high = packet.bytes.get(error.at + 3).is_some_and(|high| high & 0x80 != 0);
        let is_length = |span: &Span| span.bytes.start == error.at && span.role == Role::Length;
        is_high && (trace.spans.iter().any(is_length) || header_before(&trace, error.at).is_some_and(has_sign))
    }

    fn same_value(&self, value: &Value, seen: &Value) -> Option<Match> {
        if value == seen {
            return Some(Match::Exact);
        }
        is_value_but_for_losses(value, seen, self.lossy, &self.dialect.layouts).then_some(Match::Settled)
    }

    fn same_bytes(&self, bytes: &[u8], seen: &[u8]) -> Option<Match> {
        if bytes == seen {
            return Some(Match::Exact);
        }
        is_packet_but_for_losses(bytes, seen, self.lossy, &self.codec).then_some(Match::Settled)
    }
}

/// Adds where there are values within a value.
fn hold(value: &mut Value, places: &mut BTreeSet<Place>) {
    for (place, child) in children_of(value) {
        places.extend([Place::Within, place]);
        hold(child, places);
    }
}

/// A packet, and how it is read.
type Sent<'s> = (&'s [u8], Option<Framing>, bool);

/// The packet that is sent.
fn sent<'s>(subject: &'s Subject<'_>) -> Option<Sent<'s>> {
    let Request { input: Input::Decode(packet) | Input::Reencode(packet), framing, objects, .. } = &subject.request
    else {
        return None;
    };
    Some((packet, *framing, *objects))
}

/// For each failure in which what was read is written rightly, or refused, the place of that in which the same packet is read
/// wrongly.
fn read_first(fails: &[Subject<'_>], codec: &Codec) -> Vec<Option<usize>> {
    let independent = |subject: &Subject<'_>| subject.test.op == Op::Decode && !subject.depends;
    let mut reads = HashMap::new();
    for (place, subject) in fails.iter().enumerate().filter(|(_, subject)| independent(subject)) {
        if let (Some(sent), Some(Answer::Value { value, .. })) = (sent(subject), subject.reply()) {
            reads.insert(sent, (place, value));
        }
    }
    let read = |subject: &Subject<'_>| {
        let is_sent_on = subject.test.op == Op::Reencode && !subject.depends;
        let (place, value) = reads.get(&sent(subject)?).filter(|_| is_sent_on)?;
        let written = Request { input: Input::Encode((*value).clone()), ..subject.request.clone() };
        let is_refused = matches!(subject.reply(), Some(Answer::Refused(_) | Answer::Unsupported(_)));
        (is_refused || subject.reply() == Some(&reference::answer(codec, &written))).then_some(*place)
    };
    fails.iter().map(read).collect()
}

fn by_layout(subjects: &[Subject<'_>]) -> HashMap<Arc<str>, Vec<usize>> {
    let mut by: HashMap<Arc<str>, Vec<usize>> = HashMap::new();
    for (place, subject) in subjects.iter().enumerate() {
        for layout in subject.test.layouts.iter() {
            by.entry(Arc::clone(layout)).or_default().push(place);
        }
    }
    by
}

fn places(by: &HashMap<Arc<str>, Vec<usize>>, all: usize, about: &[Arc<str>]) -> Vec<usize> {
    match about {
        [] => (0..all).collect(),
        [one] => by.get(one).cloned().unwrap_or_default(),
        more => {
            let mut places: Vec<usize> = more.iter().filter_map(|layout| by.get(layout)).flatten().copied().collect();
            places.sort_unstable();
            places.dedup();
            places
        }
    }
}
