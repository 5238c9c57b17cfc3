//! The tests of a run with what the implementation replied, and codecs with faults to compare with.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use similar::{Algorithm, capture_diff_slices, get_diff_ratio};
use variant_codec::{Codec, Role, Spans, Value};
use variant_corpus::test::{Rule, Test};
use variant_corpus::verdict::Verdict;
use variant_corpus::{Class, FieldOwners};
use variant_specs::{Dialect, JudgedBy, Shape};
use variant_values::compare::{settled, undone};
use variant_values::fields::{Field, FieldValue, any_index, fields_of};
use variant_values::handshake::{Lossy, Op};
use variant_values::implementation::{Answer, Input, Request};
use variant_values::reference;
use variant_values::value_text::{Form, value_json};

use variant_runner::judge::Judge;
use variant_runner::results::RecordedReply;

use super::blamed::{Blamed, KEYS, alike, is_in_key, part, special};
use super::entries::other_orders;
use super::{Failure, Tried};
use crate::fault::{Codecs, Part, RequestHistory, answer};

/// A test that failed or passed.
pub(super) struct Subject<'a> {
    pub(super) test: &'a Test,
    pub(super) request: Request,
    /// Where it stands among all tests: those of the first type first.
    pub(super) place: usize,
    /// How it failed.
    pub(super) failure: Option<&'a Failure>,
    /// The same with the entries of dictionaries in other orders, where that is a declared loss of a test that failed.
    reordered: Vec<Request>,
    /// The right answer to a test that failed.
    right: Option<Answer>,
    /// The class of what it was refused with.
    class: Option<String>,
    /// Whether it is right only by a loss that is declared.
    is_lossy: bool,
    /// Whether it failed with a reply that depends on what was sent before.
    pub(super) depends: bool,
}

/// How much it says that two replies are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Match {
    /// The same value or packet.
    Exact,
    /// The same but for what is a declared loss.
    Settled,
    /// Both refused, or accepted what nests too deep to be compared: there are many reasons for that.
    Ended,
}

pub(super) struct Bench<'a> {
    pub(super) dialect: &'a Dialect,
    pub(super) judged_by: JudgedBy,
    judge: Judge<'a>,
    codec: Codec,
    lossy: &'a [Lossy],
    /// Those of cases first.
    pub(super) fails: Vec<Subject<'a>>,
    pub(super) passes: Vec<Subject<'a>>,
    fails_of: HashMap<Arc<str>, Vec<usize>>,
    passes_of: HashMap<Arc<str>, Vec<usize>>,
}

/// Packets with more bytes take much longer than all others: no fault is tried on them.
const HEAVY: usize = 1100;

impl<'a> Bench<'a> {
    pub(super) fn new(tried: Tried<'a>, failures: &'a [Failure]) -> Self {
        let Tried { dialect, judged_by, handshake, tests, lossy, .. } = tried;
        let failed: HashMap<&str, &Failure> = failures.iter().map(|failure| (&*failure.test, failure)).collect();
        let (mut fails, mut passes) = (Vec::new(), Vec::new());
        let codec = Codec::new(dialect, judged_by);
        for (place, test) in tests.iter().copied().enumerate() {
            let Some(request) = test.request() else { continue };
            let failure = failed.get(test.id.as_str()).copied();
            let mut subject = Subject {
                test,
                request,
                place,
                failure,
                reordered: Vec::new(),
                right: None,
                class: None,
                is_lossy: lossy.contains(&test.id),
                depends: failure.is_some_and(|failure| failure.depends),
            };
            if failure.is_none() {
                passes.push(subject);
                continue;
            }
            subject.right = Some(reference::answer(&codec, &subject.request));
            subject.class = match subject.reply() {
                Some(Answer::Refused(why)) => super::rest::class(&why.text),
                Some(Answer::Crashed(how)) => super::rest::class(how),
                _ => None,
            };
            if handshake.lossy.contains(&Lossy::DictionaryOrder) {
                subject.reordered = other_orders(&subject.request, &codec);
            }
            fails.push(subject);
        }
        fails.sort_by_key(|subject| subject.test.rule.is_some());
        Self {
            judge: Judge::for_claims(dialect, judged_by, handshake),
            codec,
            lossy: &handshake.lossy,
            fails_of: by_layout(&fails),
            passes_of: by_layout(&passes),
            dialect,
            judged_by,
            fails,
            passes,
        }
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
            Answer::Bytes(bytes) => self.read(bytes).map(Cow::Owned),
            _ => None,
        }
    }

    /// The answer of a codec with these faults.
    pub(super) fn answer(&self, parts: &[Part<'_>], codecs: &Codecs, subject: &Subject<'_>) -> Answer {
        answer_to(parts, codecs, &subject.request)
    }

    /// Whether a codec with these faults gives the implementation's reply to a test that failed, and its answer.
    pub(super) fn try_on(&self, parts: &[Part<'_>], codecs: &Codecs, subject: &Subject<'_>) -> (Answer, Option<Match>) {
        let answer = self.answer(parts, codecs, subject);
        let reordered = || {
            let mut answers = subject.reordered.iter().map(|request| answer_to(parts, codecs, request));
            answers.find_map(|answer| self.same(&answer, subject))
        };
        let same = self.same(&answer, subject);
        let same = if same.is_none() && Self::changes(&answer, subject) { reordered() } else { same };
        (answer, same)
    }

    /// Whether a fault changes the answer to a test that failed.
    pub(super) fn changes(answer: &Answer, subject: &Subject<'_>) -> bool {
        match (answer, &subject.right) {
            (Answer::Refused(_), Some(Answer::Refused(_))) => false,
            (answer, right) => right.as_ref() != Some(answer),
        }
    }

    /// Whether a fault makes a codec refuse where the implementation has no reply because of an error.
    pub(super) fn ends_alike(answer: &Answer, subject: &Subject<'_>) -> bool {
        matches!((answer, subject.reply()), (Answer::Refused(_), Some(Answer::Unsupported(_))))
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

    /// Whether a codec with these faults fails a test that the implementation passes.
    pub(super) fn is_against(&self, parts: &[Part<'_>], codecs: &Codecs, pass: usize) -> bool {
        let subject = &self.passes[pass];
        self.fails(self.answer(parts, codecs, subject), subject)
    }

    /// Whether this answer fails a test.
    fn fails(&self, answer: Answer, subject: &Subject<'_>) -> bool {
        match self.judge.judge(subject.test, &answer.into()).verdict {
            Verdict::Pass | Verdict::DeclaredLoss | Verdict::Undecided => false,
            // What is a declared loss need not be canonical.
            Verdict::NonCanonical => !subject.is_lossy,
            _ => true,
        }
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
        (how != Match::Settled || self.fails(answer.clone(), subject)).then_some(how)
    }

    fn same_reply(&self, answer: &Answer, subject: &Subject<'_>) -> Option<Match> {
        if subject.is_too_deep() {
            return matches!(answer, Answer::Value { .. }).then_some(Match::Ended);
        }
        let failure = subject.failure.filter(|failure| failure.verdict != Verdict::Nondeterministic)?;
        if let Some(end) = &failure.cut {
            let text = match answer {
                Answer::Value { value, .. } => value_json(value, &self.dialect.layouts, Form::default()),
                Answer::Bytes(bytes) => hex::encode(bytes),
                _ => return None,
            };
            return (RecordedReply::end_of(&text) == *end).then_some(Match::Exact);
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
            (Answer::Refused(_), Answer::Refused(_)) | (Answer::Crashed(_), Answer::Crashed(_)) => Some(Match::Ended),
            _ => None,
        }
    }

    /// Whether nothing is wrong but the order of the pairs of dictionaries.
    pub(super) fn is_in_other_order(&self, subject: &Subject<'_>) -> bool {
        let right = match &subject.right {
            Some(Answer::Value { value, .. }) => Some(value.clone()),
            Some(Answer::Bytes(bytes)) => self.read(bytes),
            _ => None,
        };
        let (Some(right), Some(seen)) = (right, self.value_of(subject)) else { return false };
        let is_right = |lossy: &[Lossy]| settled(&right, &seen, lossy, &self.dialect.layouts) == right;
        !is_right(self.lossy) && is_right(&[self.lossy, &[Lossy::DictionaryOrder]].concat())
    }

    /// What is wrong first: the field, in the innermost value that has it.
    pub(super) fn blamed(&self, subject: &Subject<'_>) -> Option<Blamed> {
        let packet = &subject.test.packet()?.bytes;
        let mut trace = Spans::default();
        reference::allowing(&self.codec, subject.request.objects).decode_traced(packet, &mut trace).ok()?;
        let path = subject.failure?.field.as_deref().filter(|path| !path.is_empty());
        // A packet that cannot be read has no fields, but a first byte that is wrong.
        let byte = match (subject.reply(), path) {
            (Some(Answer::Bytes(bytes)), None) => {
                Some(packet.iter().zip(bytes).take_while(|(one, other)| one == other).count())
            }
            _ => None,
        };
        let mut owners = FieldOwners::default();
        for span in &trace.spans {
            if let Role::Header(layout) = span.role {
                owners.enter(span.path.strip_suffix("header").unwrap_or(""), layout);
            }
            if path.is_some_and(|path| span.path == path) || byte.is_some_and(|byte| span.bytes.contains(&byte)) {
                let (layout, name) = owners.owner(&span.path)?;
                let layout = self.dialect.layouts.get(*layout);
                let (layout, alike) = (layout.name.clone(), alike(layout.shape));
                let becomes = if name == "header" { self.becomes(&span.path, subject) } else { None };
                let becomes = becomes.filter(|other| *other != layout);
                // What is wrong of a key is a matter of the dictionary.
                if is_in_key(&span.path) {
                    // In another order, each is there.
                    let becomes =
                        becomes.filter(|_| span.path.ends_with("].key.header") && !self.has_key(&layout, subject));
                    let key = becomes.is_some().then_some(layout);
                    let (layout, field, part) = (KEYS.to_owned(), "key".to_owned(), String::new());
                    let path = any_index(&span.path);
                    return Some(Blamed {
                        layout,
                        alike: KEYS,
                        field,
                        part,
                        becomes,
                        key,
                        special: None,
                        path,
                        is_whole: false,
                    });
                }
                let (field, path) = (any_index(name), any_index(&span.path));
                let part = part(&field, span.role);
                let special = special(packet.get(span.bytes.clone())?, span.role);
                let key = None;
                return Some(Blamed { layout, alike, field, part, becomes, key, special, path, is_whole: false });
            }
        }
        None
    }

    /// The type of the value in which a packet is refused.
    pub(super) fn refused_in(&self, test: &Test) -> Option<String> {
        let mut trace = Spans::default();
        let packet = test.packet().filter(|_| test.case.framing.is_none())?;
        self.codec.decode_traced(&packet.bytes, &mut trace).err()?;
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

    /// Whether a packet is refused where a length or count is negative. That of a container has no sign.
    pub(super) fn is_negative(&self, test: &Test) -> bool {
        let Some(packet) = test.packet().filter(|_| test.case.framing.is_none()) else { return false };
        let Err(error) = self.codec.decode(&packet.bytes) else { return false };
        let is_container = || {
            let layout = self.refused_in(test).and_then(|layout| self.dialect.layouts.id_of(&layout));
            let shape = layout.map(|layout| self.dialect.layouts.get(layout).shape);
            matches!(shape, Some(Shape::Array | Shape::Dictionary))
        };
        packet.bytes.get(error.at + 3).is_some_and(|high| high & 0x80 != 0) && !is_container()
    }

    /// Whether a key in the reply is of this type.
    fn has_key(&self, layout: &str, subject: &Subject<'_>) -> bool {
        let Some(value) = self.value_of(subject) else { return false };
        let is_one = |field: &Field| {
            field.path.ends_with("].key.header") && matches!(&field.value, FieldValue::Header(own) if own == layout)
        };
        fields_of(&value, &self.dialect.layouts).iter().any(is_one)
    }

    /// The type of the value whose header this is, in the reply.
    fn becomes(&self, path: &str, subject: &Subject<'_>) -> Option<String> {
        let value = self.value_of(subject)?;
        let fields = fields_of(&value, &self.dialect.layouts);
        fields.into_iter().find_map(|field| match field.value {
            FieldValue::Header(layout) if field.path == path => Some(layout),
            _ => None,
        })
    }

    fn same_value(&self, value: &Value, seen: &Value) -> Option<Match> {
        if value == seen {
            return Some(Match::Exact);
        }
        // A walk of both is worth it only where a loss is declared.
        let is_settled = || !self.lossy.is_empty() && settled(value, seen, self.lossy, &self.dialect.layouts) == *value;
        is_settled().then_some(Match::Settled)
    }

    fn same_bytes(&self, bytes: &[u8], seen: &[u8]) -> Option<Match> {
        if bytes == seen {
            return Some(Match::Exact);
        }
        let undone = || undone(bytes, seen, self.lossy, &self.codec);
        // A NaN takes as many bytes as another.
        let may_be = bytes.len() == seen.len() || self.lossy.iter().any(|lossy| *lossy != Lossy::NanPayload);
        let is_settled = || !self.lossy.is_empty() && may_be && undone().is_some_and(|undone| undone == bytes);
        is_settled().then_some(Match::Settled)
    }
}

impl<'a> Subject<'a> {
    /// The reply to a test that failed, where it can be compared: one that nests too deep was not read, and one that is
    /// too long was not recorded.
    pub(super) fn reply(&self) -> Option<&'a Answer> {
        let failure = self.failure.filter(|failure| failure.cut.is_none() && !self.is_too_deep())?;
        Some(&failure.answer)
    }

    /// Whether it was answered with a value that nests too deep to be read.
    fn is_too_deep(&self) -> bool {
        let is_value = |failure: &Failure| matches!(failure.answer, Answer::Value { .. } | Answer::Invalid { .. });
        self.test.is_deep() && self.failure.is_some_and(is_value)
    }

    /// The right value.
    pub(super) fn value(&self) -> Option<&'a Value> {
        self.test.expected.value.as_ref().map(|value| &value.value)
    }

    /// Bytes that are sent, or expected.
    pub(super) fn size(&self) -> usize {
        self.test.packet().map_or(0, |packet| packet.bytes.len())
    }

    pub(super) fn is_of_case(&self) -> bool {
        self.test.rule.is_none()
    }

    /// Whether the process ended, or hung.
    pub(super) fn is_deadly(&self) -> bool {
        self.failure.is_some_and(|failure| matches!(failure.verdict, Verdict::Crashed | Verdict::TimedOut))
    }

    pub(super) fn is_heavy(&self) -> bool {
        self.size() > HEAVY
    }

    /// Whether it is large without being deep.
    pub(super) fn is_large_and_flat(&self) -> bool {
        !self.test.is_deep() && (self.is_heavy() || self.test.rule == Some(Rule::Grown))
    }

    /// The words of a refusal, the type and the direction.
    pub(super) fn refused_with(&self) -> (Option<&str>, &str, Op) {
        (self.class.as_deref(), self.layout(), self.test.op)
    }

    /// The type that it is about, or `packet`, `framing`.
    pub(super) fn layout(&self) -> &str {
        &self.test.layout
    }
}

fn answer_to(parts: &[Part<'_>], codecs: &Codecs, request: &Request) -> Answer {
    // Faults of what came before are no causes of one test.
    let mut calm = RequestHistory { requests: 1, last: None, refused: 0 };
    answer(parts, codecs, &mut calm, request)
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
