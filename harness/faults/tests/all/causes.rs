//! Causes: of codecs with several faults, each is found, and nothing else is said.

use std::collections::{BTreeSet, HashSet};

use rstest::rstest;
use variant_codec::{Array, Codec, Dictionary, F32, Numbers, Role, Spans, Text, Value};
use variant_corpus::test::{Test, TestId, Variants, tests};
use variant_corpus::verdict::Severity;
use variant_faults::{Cause, Failure, Fault, Faulty, RunTests, catalogue, causes};
use variant_runner::judge::Judge;
use variant_runner::results::digest_of;
use variant_specs::{Dialect, JudgedBy};
use variant_values::handshake::{Handshake, Op};
use variant_values::implementation::{
    Answer, Ending, Implementation, Input, Outcome, Outcomes, RefusalReason, Requests,
};
use variant_values::reference::{self, Reference};
use variant_values::value_text::{Form, value_json};

use super::{CORPUS, SPECS};

/// The faults of these names, `name` in all directions or `name:encode` in one.
fn faults_of(dialect: &Dialect, names: &[&str]) -> Vec<Fault> {
    let mut all = catalogue(&SPECS, dialect);
    let mut chosen = Vec::new();
    for name in names {
        let (name, op) = name.split_once(':').map_or((*name, None), |(name, op)| (name, Some(op)));
        let (part, name) = name.split_once('/').map_or((None, name), |(part, name)| (Some(part), name));
        let is = |fault: &Fault| {
            let own = op.is_none_or(|op| fault.id.ends_with(&format!(":{op}")));
            let of_id = fault.id.rsplit('/').next().and_then(|own| own.split(':').next());
            own && (fault.name == name || of_id == Some(name))
                && part.is_none_or(|part| fault.id.split('/').nth(1) == Some(part))
        };
        let before = chosen.len();
        while let Some(place) = all.iter().position(is) {
            chosen.push(all.swap_remove(place));
        }
        assert!(chosen.len() > before, "no fault {name} in {}", dialect.name);
    }
    chosen
}

/// The faults with these ids.
fn faults_called(dialect: &Dialect, ids: &[String]) -> Vec<Fault> {
    let mut all = catalogue(&SPECS, dialect);
    let place = |all: &[Fault], id: &String| all.iter().position(|fault| fault.id == *id).unwrap();
    ids.iter().map(|id| all.swap_remove(place(&all, id))).collect()
}

fn replies(implementation: &mut dyn Implementation, tests: &[Test]) -> Vec<Outcome> {
    let mut outcomes: Vec<Option<Outcome>> = vec![None; tests.len()];
    let requests = tests.iter().map(|test| test.request().unwrap());
    for outcome in implementation.send(Box::new(requests)) {
        let (place, outcome) = outcome.unwrap();
        outcomes[place] = Some(outcome);
    }
    outcomes.into_iter().map(Option::unwrap).collect()
}

fn tests_of(dialect: &Dialect) -> Vec<Test> {
    let all = tests(&CORPUS, &SPECS, dialect, JudgedBy::Engines, Variants::All).unwrap();
    all.into_iter().filter(|test| test.request().is_some()).collect()
}

/// The causes that are found of an implementation.
fn diagnosed(dialect: &Dialect, implementation: &mut dyn Implementation) -> Vec<Cause> {
    diagnosed_within(dialect, implementation, usize::MAX)
}

/// The same, where of a longer reply only its length and hash are recorded.
fn diagnosed_within(dialect: &Dialect, implementation: &mut dyn Implementation, most: usize) -> Vec<Cause> {
    let tests = tests_of(dialect);
    let outcomes = replies(implementation, &tests);
    let judge = Judge::new(dialect, JudgedBy::Engines);
    let mut failures = Vec::new();
    for (test, outcome) in tests.iter().zip(outcomes) {
        let judgement = judge.judge(test, &outcome);
        if judgement.severity(test) >= Severity::Warning {
            let (verdict, field) = (judgement.verdict, judgement.field);
            let (erratum, answer) = (judgement.erratum, outcome.answer);
            let text = match &answer {
                Answer::Value { value, .. } => value_json(value, &dialect.layouts, Form::default()),
                Answer::Bytes(bytes) => hex::encode(bytes),
                _ => String::new(),
            };
            let (answer, whole) = match text.len() > most {
                true => (Answer::Garbled("too long".to_owned()), Some(digest_of(&text))),
                false => (answer, None),
            };
            failures.push(Failure {
                test: test.id.clone(),
                verdict,
                field,
                erratum,
                answer,
                said: None,
                whole,
                depends: false,
            });
        }
    }
    let handshake = reference::handshake(vec![dialect.name.clone()]);
    let all: Vec<&Test> = tests.iter().collect();
    let (judged_by, tests) = (JudgedBy::Engines, all.as_slice());
    let lossy = &HashSet::new();
    causes(RunTests { specs: &SPECS, dialect, judged_by, handshake: &handshake, tests, lossy }, &failures)
}

fn headlines(causes: &[Cause]) -> Vec<&str> {
    causes.iter().map(|cause| cause.headline.as_str()).collect()
}

fn shown(causes: &[Cause]) -> String {
    let line = |cause: &Cause| {
        let figure = cause.figure().unwrap_or_else(|| "no model".to_owned());
        format!("{} {}: {} ({figure}), {}\n", cause.tests.len(), cause.id, cause.headline, cause.samples[0])
    };
    causes.iter().map(line).collect()
}

/// What real codecs do, and which causes are true of them.
#[rstest]
#[case::type_lost_in_a_container("godot-4.4", &["rids-in-containers-are-ints"])]
#[case::vectors_in_containers("godot-4.4", &["vectors-in-containers-are-lists", "packed-in-containers-are-lists"])]
#[case::ids_of_the_outdated_page("godot-3", &["speaks-godot-docs-4"])]
#[case::ids_of_godot_3("godot-4.4", &["speaks-godot-3"])]
#[case::null_writes_nothing("godot-3", &["minus-zero-is-an-int", "null-in-containers-not-written"])]
#[case::value_type_as_key_type("godot-4.4", &["value-type-is-read-as-key-type"])]
#[case::sign_bit_of_a_bool("godot-3", &["truth-without-its-high-bit"])]
#[case::half_is_subtracted("godot-3", &["sign-subtracts-half"])]
#[case::flags_sent_on("godot-3", &["flags-written-again"])]
#[case::null_key("godot-3", &["null-key-refused"])]
#[case::no_padding("godot-3", &["byte_array/padding-left-out:encode"])]
#[case::id_zero("godot-4.4", &["null-id-is-an-object"])]
#[case::marks_and_nuls("godot-3", &["text-drops-bom=false", "text-ends-at-nul=false"])]
#[case::sub_names_first("godot-4.4", &["subnames-come-first"])]
#[case::null_as_a_type("godot-4.4", &["null-is-kept-as-a-type"])]
#[case::seven_bits("godot-4.4", &["length-of-seven-bits"])]
#[case::end_of_the_packet("godot-3", &["end-of-the-packet-refused"])]
#[case::pairs_not_written("godot-3", &["null-values-not-written"])]
fn what_real_codecs_do_is_named(#[case] dialect: &str, #[case] names: &[&str]) {
    let dialect = SPECS.dialect(dialect).unwrap();
    let faults = faults_of(dialect, names);
    let wanted: BTreeSet<String> = faults.iter().map(|fault| fault.name.clone()).collect();
    let found = diagnosed(dialect, &mut Faulty::composed(faults, dialect, JudgedBy::Engines));
    let ids: BTreeSet<String> = found.iter().map(|cause| cause.id.clone()).collect();
    assert_eq!(ids, wanted, "{}", shown(&found));
    for cause in &found {
        let proof = cause.proof.as_ref().unwrap();
        assert_eq!((proof.same, proof.of), (cause.tests.len(), cause.tests.len()), "{}", shown(&found));
    }
}

/// The keys show only beside the length, and another fault of keys explains one test more easily: it spoils what the length explains.
#[test]
fn a_length_does_not_hide_which_keys_are_one() {
    let dialect = SPECS.dialect("pandemonium-40").unwrap();
    let names = ["length-counts-padding:encode", "ints-and-floats-are-one-key:encode"];
    let mut codec = Faulty::composed(faults_of(dialect, &names), dialect, JudgedBy::Engines);
    let found = diagnosed(dialect, &mut codec);
    let ids: Vec<&str> = found.iter().map(|cause| cause.id.as_str()).collect();
    assert_eq!(ids, ["length-counts-padding", "ints-and-floats-are-one-key"], "{}", shown(&found));
}

/// A reply that is too long to be recorded is compared by its length and its hash.
#[test]
fn a_long_reply_is_evidence_too() {
    let dialect = SPECS.dialect("godot-3").unwrap();
    let codec = || Faulty::composed(faults_of(dialect, &["minus-zero-lost-in-vectors"]), dialect, JudgedBy::Engines);
    let whole = diagnosed(dialect, &mut codec());
    assert_eq!(shown(&diagnosed_within(dialect, &mut codec(), 40)), shown(&whole));
    assert_eq!(whole.len(), 1, "{}", shown(&whole));
}

/// Faults of what came before, and those that no reply can show.
const NO_CAUSES: &[&str] = &[
    "nothing-after-a-refusal",
    "last-answer-after-a-refusal",
    "one-answer-late",
    "every-hundredth-fails",
    "first-fails",
];

/// Three to eight faults, chosen by a seed: each is a cause, and nothing else is.
#[rstest]
fn each_of_several_faults_is_a_cause(
    #[values(
        "godot-2",
        "godot-3",
        "godot-4.0",
        "godot-4.3",
        "godot-4.4",
        "pandemonium-27",
        "pandemonium-38",
        "pandemonium-40"
    )]
    dialect: &str,
) {
    let wrong = composed(SPECS.dialect(dialect).unwrap(), 1);
    assert!(wrong.is_empty(), "{wrong}");
}

/// Chooses faults of this dialect by a seed.
fn chosen(dialect: &Dialect, seed: u64) -> Vec<(String, String)> {
    let count = usize::try_from(3 + (seed * 5 + dialect.types.len() as u64) % 6).unwrap();
    let mut all = catalogue(&SPECS, dialect);
    all.retain(|fault| fault.id.contains("/behaviour/") && !NO_CAUSES.contains(&fault.name.as_str()));
    drawn(dialect, all, count, seed).into_iter().map(|fault| (fault.id, fault.name)).collect()
}

/// So many of these faults, drawn by a seed. Another fault in the catalogue seldom changes what is drawn.
fn drawn(dialect: &Dialect, mut all: Vec<Fault>, count: usize, seed: u64) -> Vec<Fault> {
    all.sort_by_cached_key(|fault| variant_corpus::test::hash(&format!("{} {seed} {}", dialect.name, fault.id)));
    all.truncate(count);
    all
}

/// A refusal is one, whatever it says.
fn without_words(mut outcome: Outcome) -> Outcome {
    if let Answer::Refused(why) = &mut outcome.answer {
        *why = RefusalReason::default();
    }
    outcome
}

/// The replies of a codec with these faults to all tests.
fn replies_in(dialect: &Dialect, tests: &[Test], ids: &[String]) -> Vec<Outcome> {
    let codec = &mut Faulty::composed(faults_called(dialect, ids), dialect, JudgedBy::Engines);
    replies(codec, tests).into_iter().map(without_words).collect()
}

/// What is wrong with the causes of a codec with faults that a seed chooses: nothing, if each is a cause and nothing else is.
fn composed(dialect: &Dialect, seed: u64) -> String {
    let mut planted = chosen(dialect, seed);
    let tests = tests_of(dialect);
    let replies_of = |ids: &[String]| replies_in(dialect, &tests, ids);
    let cases: Vec<Test> = tests.iter().filter(|test| test.rule.is_none()).cloned().collect();
    let of_cases = |ids: &[String]| replies_in(dialect, &cases, ids);
    let right = of_cases(&[]);
    // What shows in refusals alone may have no proof.
    let says_something = |id: &String| {
        let replies = of_cases(std::slice::from_ref(id));
        replies.iter().zip(&right).any(|(one, right)| one != right && !matches!(one.answer, Answer::Refused(_)))
    };
    planted.retain(|(id, _)| says_something(id));
    let (planted, of_names): (Vec<String>, Vec<String>) = planted.into_iter().unzip();
    let turned: Vec<String> = planted.iter().rev().cloned().collect();
    // Which of two comes first may matter, and nobody knows of a codec which does.
    if of_cases(&planted) != of_cases(&turned) {
        return composed(dialect, seed + 1);
    }
    let mut codec = Faulty::composed(faults_called(dialect, &planted), dialect, JudgedBy::Engines);
    let found = diagnosed(dialect, &mut codec);
    // What passes has no cause, whatever the reply.
    let judge = Judge::new(dialect, JudgedBy::Engines);
    let fails =
        |at: usize, outcome: &Outcome| judge.judge(&tests[at], outcome).severity(&tests[at]) >= Severity::Warning;
    let same = |one: &[Outcome], other: &[Outcome]| {
        let pairs = one.iter().zip(other).enumerate();
        pairs.filter(|(at, (one, other))| fails(*at, one) || fails(*at, other)).all(|(_, (one, other))| one == other)
    };
    let all = replies_of(&planted);
    let (mut wrong, names): (_, BTreeSet<&str>) = (String::new(), of_names.iter().map(String::as_str).collect());
    let others = |hidden: &String| planted.iter().filter(|id| *id != hidden).cloned().collect::<Vec<String>>();
    let mut named: BTreeSet<&str> = BTreeSet::new();
    let is_found = |name: &str| found.iter().any(|cause| cause.id == name);
    for (hidden, _) in planted.iter().zip(&of_names).filter(|(_, name)| !is_found(name)) {
        // Some faults hide behind others: whatever is not a cause may as well not be there.
        if same(&replies_of(&others(hidden)), &all) {
            continue;
        }
        // Another fault is as true where a codec with it in the place of this one gives the same replies, whichever of
        // the two comes first.
        let alike = found.iter().find(|cause| {
            let of_name = catalogue(&SPECS, dialect).into_iter().filter(|fault| fault.name == cause.id);
            let of_name: Vec<String> = of_name.map(|fault| fault.id).filter(|id| !planted.contains(id)).collect();
            let each = of_name.iter().map(|id| vec![id.clone()]);
            each.chain([of_name.clone()]).any(|these| {
                let orders = [[others(hidden), these.clone()].concat(), [these, others(hidden)].concat()];
                orders.iter().any(|ids| same(&replies_of(ids), &all))
            })
        });
        match alike {
            Some(cause) => drop(named.insert(&cause.id)),
            None => wrong += &format!("  missing: {hidden}\n"),
        }
    }
    for cause in &found {
        if cause.proof.is_none() {
            wrong += &format!("  plain: {}\n", cause.id);
        } else if !names.contains(cause.id.as_str()) && !named.contains(cause.id.as_str()) {
            wrong += &format!("  stranger: {}\n", cause.id);
        }
    }
    let doubtful = found.iter().filter(|cause| cause.proof.as_ref().is_some_and(|proof| proof.same != proof.of));
    for cause in doubtful {
        wrong += &format!("  doubtful: {}\n", cause.id);
    }
    if !wrong.is_empty() {
        wrong = format!("{planted:#?}\n{wrong}{}", shown(&found));
    }
    wrong
}

/// A codec whose answers are changed in a way that is not in the catalogue.
struct Changed<F>(Faulty, F);

impl<F: Fn(Answer) -> Answer> Implementation for Changed<F> {
    fn handshake(&self) -> &Handshake {
        self.0.handshake()
    }
    fn send<'a>(&'a mut self, requests: Requests<'a>) -> Outcomes<'a> {
        let Self(codec, change) = self;
        Box::new(codec.send(requests).map(|outcome| outcome.map(|(place, own)| (place, change(own.answer).into()))))
    }
}

/// What no fault explains is said as it is.
#[rstest]
fn what_has_no_model_claims_nothing() {
    let dialect = SPECS.dialect("godot-3").unwrap();
    let codec = Faulty::composed(Vec::new(), dialect, JudgedBy::Engines);
    let mut codec = Changed(codec, |answer| match answer {
        Answer::Refused(why) if why.kind.as_deref() == Some("bad-utf8") => {
            Answer::Unsupported(format!("UnicodeDecodeError: can't decode byte at {:?}", why.at))
        }
        Answer::Bytes(bytes) if bytes.len() == 20 => Answer::Crashed(Ending::new("exited with status 3")),
        answer => answer,
    });
    let found = diagnosed(dialect, &mut codec);
    let headlines: Vec<&str> = found.iter().map(|cause| cause.headline.as_str()).collect();
    assert!(found[0].deadly && headlines[0].ends_with("the process ends: exited with status 3"), "{headlines:?}");
    assert!(found.iter().all(|cause| cause.proof.is_none()), "{}", shown(&found));
    assert!(found.len() <= 2, "{}", shown(&found));
}

/// A dictionary of two lists in the place of each Rect2 in a container: no catalogue has that.
fn rects_lost(value: &mut Value) {
    let [rect2, string] = ["rect2", "string"].map(|name| SPECS.layouts.id_of(name).unwrap());
    for child in value.children_mut() {
        rects_lost(child);
        if let Value::Fields(layout, Numbers::Float32(numbers)) = &*child
            && *layout == rect2
        {
            let list = |numbers: &[F32]| {
                let items = numbers.iter().map(|number| Value::Float(number.widen())).collect();
                Value::Array(Array { items, ..Array::default() })
            };
            let key = |name: &str| Value::Text(string, Text::from(name));
            let entries = vec![(key("extent"), list(&numbers[2..])), (key("corner"), list(&numbers[..2]))];
            *child = Value::Dictionary(Dictionary { entries, ..Dictionary::default() });
        }
    }
}

#[test]
fn what_becomes_of_a_type_is_learnt_from_a_reply() {
    let dialect = SPECS.dialect("godot-4.4").unwrap();
    let mut codec = Changed(Faulty::composed(Vec::new(), dialect, JudgedBy::Engines), |answer| match answer {
        Answer::Value { mut value, used } => {
            rects_lost(&mut value);
            Answer::Value { value, used }
        }
        Answer::Bytes(bytes) => {
            let codec = Codec::new(SPECS.dialect("godot-4.4").unwrap(), JudgedBy::Engines);
            match codec.decode(&bytes) {
                Ok(mut decoded) if decoded.used == bytes.len() => {
                    let before = decoded.value.clone();
                    rects_lost(&mut decoded.value);
                    let is_same = decoded.value == before;
                    Answer::Bytes(if is_same { bytes } else { codec.encode(&decoded.value).unwrap() })
                }
                _ => Answer::Bytes(bytes),
            }
        }
        answer => answer,
    });
    let found = diagnosed(dialect, &mut codec);
    assert_eq!(headlines(&found), ["Rect2: read and written as Dictionary within containers"], "{}", shown(&found));
    let proof = found[0].proof.as_ref().unwrap();
    assert_eq!((proof.same, proof.of), (found[0].tests.len(), found[0].tests.len()));
}

/// A codec that keeps the NULs of node paths: a wrong reader with a right writer.
struct KeepsNuls {
    right: Faulty,
    keeping: Codec,
}

impl Implementation for KeepsNuls {
    fn handshake(&self) -> &Handshake {
        self.right.handshake()
    }
    fn send<'a>(&'a mut self, requests: Requests<'a>) -> Outcomes<'a> {
        let right = Codec::new(SPECS.dialect("godot-4.4").unwrap(), JudgedBy::Engines);
        Box::new(requests.enumerate().map(move |(place, request)| {
            let is_path = match &request.input {
                Input::Decode(packet) | Input::Reencode(packet) => packet.first() == Some(&22),
                Input::Encode(_) => false,
            };
            let codec = if is_path { &self.keeping } else { &right };
            Ok((place, reference::answer(codec, &request).into()))
        }))
    }
}

/// What is sent on is what was read: it is no proof that something is written wrongly.
#[test]
fn what_is_read_wrongly_and_written_rightly_has_one_cause() {
    let dialect = SPECS.dialect("godot-4.4").unwrap();
    let mut changed = dialect.clone();
    changed.rules.text_ends_at_nul = false;
    let right = Faulty::composed(Vec::new(), dialect, JudgedBy::Engines);
    let mut codec = KeepsNuls { right, keeping: Codec::new(&changed, JudgedBy::Engines) };
    let found = diagnosed(dialect, &mut codec);
    assert!(found.iter().all(|cause| cause.proof.is_none()), "{}", shown(&found));
    let sent_on = |test: &&TestId| test.parts().op == Op::Reencode;
    let read = |test: &&TestId| test.parts().op == Op::Decode;
    for cause in &found {
        let counts = [cause.tests.iter().filter(sent_on).count(), cause.tests.iter().filter(read).count()];
        assert!(counts[0] > 0 && counts[1] > 0, "{}", shown(&found));
    }
}

/// Changes the packets of a codec where they are whole packets.
fn repacked(bytes: Vec<u8>, change: fn(&Codec, &mut Vec<u8>)) -> Answer {
    let codec = Codec::new(SPECS.dialect("godot-4.4").unwrap(), JudgedBy::Engines);
    let mut packet = bytes;
    change(&codec, &mut packet);
    Answer::Bytes(packet)
}

#[test]
fn padding_that_is_filled_is_one_cause_whatever_fills_it() {
    let dialect = SPECS.dialect("godot-4.4").unwrap();
    let mut codec = Changed(Faulty::composed(Vec::new(), dialect, JudgedBy::Engines), |answer| match answer {
        Answer::Bytes(bytes) => repacked(bytes, |codec, packet| {
            let mut trace = Spans::default();
            if codec.decode_traced(packet, &mut trace).is_ok_and(|decoded| decoded.used == packet.len()) {
                for span in trace.spans.into_iter().filter(|span| span.role == Role::Padding) {
                    packet[span.bytes].fill(b'~');
                }
            }
        }),
        answer => answer,
    });
    let found = diagnosed(dialect, &mut codec);
    let headlines: Vec<&str> = found.iter().map(|cause| cause.headline.as_str()).collect();
    let filled = "the padding of byte arrays is filled with 0x7e, not with zeros; \
                  the padding of texts is filled with 0x7e, not with zeros";
    assert_eq!(headlines, [filled], "{}", shown(&found));
}

/// Bools become integers in arrays, and stay what they are everywhere else.
/// Changes each value in another one by what it stands in.
fn within(answer: Answer, change: fn(&mut Value)) -> Answer {
    fn everywhere(value: &mut Value, change: fn(&mut Value)) {
        value.children_mut().into_iter().for_each(|child| everywhere(child, change));
        change(value);
    }
    match answer {
        Answer::Value { mut value, used } => {
            everywhere(&mut value, change);
            Answer::Value { value, used }
        }
        answer => answer,
    }
}

fn truth_lost(value: &mut Value) {
    if let Value::Bool(truth) = value {
        *value = Value::Int(i64::from(*truth));
    }
}

fn in_elements(answer: Answer) -> Answer {
    within(answer, |value| {
        if let Value::Array(array) = value {
            array.items.iter_mut().for_each(truth_lost);
        }
    })
}

fn in_first_elements(answer: Answer) -> Answer {
    within(answer, |value| {
        if let Value::Array(array) = value {
            array.items.iter_mut().take(1).for_each(truth_lost);
        }
    })
}

fn in_keys(answer: Answer) -> Answer {
    within(answer, |value| {
        if let Value::Dictionary(dictionary) = value {
            dictionary.entries.iter_mut().for_each(|(key, _)| truth_lost(key));
        }
    })
}

/// A codec with a function for what is alone, and others for elements and keys, is wrong in one of them.
#[rstest]
#[case::elements(in_elements, "bool: truth values are integers, when read, only in elements of arrays")]
#[case::keys(in_keys, "bool: truth values are integers, when read, only in keys of dictionaries")]
#[case::some(in_first_elements, "bool, decode: some become int within containers")]
fn what_is_not_true_of_all_is_said_of_what_it_is_true_of(#[case] lose: fn(Answer) -> Answer, #[case] headline: &str) {
    let dialect = SPECS.dialect("godot-4.4").unwrap();
    let mut codec = Changed(Faulty::composed(Vec::new(), dialect, JudgedBy::Engines), lose);
    let found = diagnosed(dialect, &mut codec);
    assert!(found.iter().any(|cause| cause.headline == headline), "{}", shown(&found));
}

/// Who says nothing of the length has not read another one: that is no reason against a fault.
#[test]
fn what_is_not_said_speaks_against_nothing() {
    let dialect = SPECS.dialect("godot-3").unwrap();
    let faults = faults_of(dialect, &["node_path/padding-left-out:decode"]);
    let mut codec = Changed(Faulty::composed(faults, dialect, JudgedBy::Engines), |answer| match answer {
        Answer::Value { value, .. } => Answer::Value { value, used: None },
        answer => answer,
    });
    let found = diagnosed(dialect, &mut codec);
    assert_eq!(headlines(&found), ["NodePath: padding is left out, when read"], "{}", shown(&found));
}

/// In a language whose list and table are one, what is empty is either.
#[test]
fn what_only_some_become_is_said_of_these() {
    let dialect = SPECS.dialect("godot-4.4").unwrap();
    let mut codec = Changed(Faulty::composed(Vec::new(), dialect, JudgedBy::Engines), |answer| {
        within(answer, |value| {
            if matches!(value, Value::Array(array) if array.items.is_empty()) {
                *value = Value::Dictionary(Dictionary::default());
            }
        })
    });
    let found = diagnosed(dialect, &mut codec);
    assert_eq!(headlines(&found), ["Array: read as Dictionary where it is empty"], "{}", shown(&found));
}

/// The reference codec, which sends null objects on as they came.
struct KeepsNullObjects(Reference);

impl Implementation for KeepsNullObjects {
    fn handshake(&self) -> &Handshake {
        self.0.handshake()
    }
    fn send<'a>(&'a mut self, requests: Requests<'a>) -> Outcomes<'a> {
        let reference = &self.0;
        Box::new(requests.enumerate().map(move |(place, request)| {
            let is_null = [24, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
            match &request.input {
                Input::Reencode(packet) if packet.windows(is_null.len()).any(|bytes| bytes == is_null) => {
                    Ok((place, Answer::Bytes(packet.clone()).into()))
                }
                _ => Ok((place, reference.answer(&request).into())),
            }
        }))
    }
}

/// What stays as it was sent, where it should have become null, has not become another type.
#[test]
fn what_stays_as_it_was_sent_becomes_nothing() {
    let dialect = SPECS.dialect("godot-4.4").unwrap();
    let found = diagnosed(dialect, &mut KeepsNullObjects(Reference::new(&SPECS, JudgedBy::Engines)));
    let is_of_key = |cause: &Cause| cause.tests.iter().any(|test| test.contains("null-object-as-a-key~sent-on"));
    assert!(found.iter().any(is_of_key), "{}", shown(&found));
    assert!(!found.iter().any(|cause| cause.headline.contains("become")), "{}", shown(&found));
}

/// Who returns a whole buffer has one bug, whatever the size of the buffer.
#[rstest]
#[case::of_one_length("zeros-up-to-a-length", |length: usize| length.max(1024))]
#[case::of_blocks("zeros-up-to-a-multiple", |length: usize| length.next_multiple_of(48))]
#[case::that_doubles("zeros-up-to-a-power-of-two", |length: usize| length.next_power_of_two().max(16))]
fn zeros_behind_each_packet_are_one_cause(#[case] name: &str, #[case] size: fn(usize) -> usize) {
    let dialect = SPECS.dialect("godot-3").unwrap();
    let mut codec = Changed(Faulty::composed(Vec::new(), dialect, JudgedBy::Engines), |answer| match answer {
        Answer::Bytes(mut packet) => {
            packet.resize(size(packet.len()), 0);
            Answer::Bytes(packet)
        }
        other => other,
    });
    let found = diagnosed(dialect, &mut codec);
    // Behind a packet with its length in front, zeros are another matter: if they are few, they are shown with it.
    let ids: Vec<&str> = found.iter().map(|cause| cause.id.as_str()).collect();
    assert!(matches!(ids[..], [own] | [own, "right-with-zeros-behind-it"] if own == name), "{}", shown(&found));
}

/// Nobody reads a hundred groups: they are one, which says how many.
#[test]
fn too_many_ways_are_one_group() {
    let dialect = SPECS.dialect("godot-4.4").unwrap();
    let mut codec = Changed(Faulty::composed(Vec::new(), dialect, JudgedBy::Engines), |answer| {
        let letters = |text: String| {
            let sum = text.bytes().fold(7u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
            (0..3u32).map(|at| char::from(b'a' + u8::try_from(sum / 20u32.pow(at) % 20).unwrap())).collect::<String>()
        };
        Answer::Refused(RefusalReason { text: letters(format!("{answer:?}")), ..RefusalReason::default() })
    });
    let found = diagnosed(dialect, &mut codec);
    let many: Vec<&Cause> = found.iter().filter(|cause| cause.id == "wrong-in-many-ways").collect();
    assert_eq!(many.len(), 1, "{}", shown(&found));
    assert!(many[0].tests.len() > 1000 && found.len() < 10, "{}", shown(&found));
}

/// Packets may end within the length in front of them.
#[test]
fn what_ends_in_its_length_prefix_is_grouped_too() {
    let dialect = SPECS.dialect("godot-4.4").unwrap();
    let mut codec = Changed(Faulty::composed(Vec::new(), dialect, JudgedBy::Engines), |answer| match answer {
        Answer::Refused(_) => Answer::Value { value: Value::Bool(true), used: None },
        answer => answer,
    });
    let found = diagnosed(dialect, &mut codec);
    let ends = |test: &TestId| test.parts().layout == "framing";
    assert!(found.iter().any(|cause| cause.tests.iter().any(ends)), "{}", shown(&found));
}

/// A panic is no reply: it does not speak against what the replies show.
#[test]
fn what_is_no_reply_speaks_against_nothing() {
    let dialect = SPECS.dialect("godot-4.4").unwrap();
    let codec = Faulty::composed(faults_of(dialect, &["nan-written-narrow"]), dialect, JudgedBy::Engines);
    let mut codec = Changed(codec, |answer| match answer {
        Answer::Bytes(bytes) if bytes.len() > 12 => {
            Answer::Unsupported("panic: runtime error: hash of unhashable type []uint8".to_owned())
        }
        answer => answer,
    });
    let found = diagnosed(dialect, &mut codec);
    let ids: BTreeSet<&str> = found.iter().map(|cause| cause.id.as_str()).collect();
    let panic = "unsupported-panic-runtime-error-hash-of-unhashable-type";
    assert_eq!(ids, BTreeSet::from(["nan-written-narrow", panic]), "{}", shown(&found));
}

/// A codec with many faults reads and writes anything without a panic: each fault sees what the others have left.
#[rstest]
fn many_faults_at_once_do_not_panic(#[values("godot-3", "godot-4.4", "pandemonium-40")] dialect: &str) {
    const DRAWS: u64 = 12;
    let dialect = SPECS.dialect(dialect).unwrap();
    let tests = tests(&CORPUS, &SPECS, dialect, JudgedBy::Engines, Variants::None).unwrap();
    let tests: Vec<Test> = tests.into_iter().filter(|test| test.request().is_some()).collect();
    for seed in 0..DRAWS {
        let faults = drawn(dialect, catalogue(&SPECS, dialect), 8, seed);
        let mut codec = Faulty::composed(faults, dialect, JudgedBy::Engines);
        assert_eq!(replies(&mut codec, &tests).len(), tests.len());
    }
}
