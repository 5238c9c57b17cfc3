//! The oracle: agree, disagree, or nobody can tell. Pure: it asks nobody.

use variant_codec::{Codec, DecodeError, Value};
use variant_specs::{Dialect, DictionaryOrder, KeyRule, Reading};

use super::difference::{self, Agreement};
use super::parts;
use super::said::{Failure, Said};
use super::sides::Side;
use super::signature::{Kind, Signature, general};
use super::stream::op_of;
use crate::hello::Lossy;
use crate::implementation::Question;

/// What is known while comparing answers of a dialect.
#[derive(Debug)]
pub struct Oracle {
    /// The dialect.
    pub dialect: Dialect,
    /// Names what packets hold, and is asked where sides are as many against as for.
    pub codec: Codec,
    /// The same, which leaves repeated keys as they are: what is made simpler is what stands in a packet.
    pub(super) verbatim: Codec,
    sides: Vec<Known>,
}

/// What is known of a side.
#[derive(Debug)]
struct Known {
    name: String,
    lossy: Vec<Lossy>,
}

/// What comes of a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ruling {
    /// All say the same.
    Agree,
    /// Nobody can tell: they would part, were it not for what some host language cannot tell apart.
    Undecidable,
    /// They part.
    Parted(Box<Parting>),
    /// Some side was not asked: why.
    NotRun(String),
}

/// Sides that part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parting {
    /// What it is about.
    pub signature: Signature,
    /// The places of the odd ones out.
    pub odd: Vec<usize>,
    /// The places of the others.
    pub others: Vec<usize>,
    /// How it was told which are odd.
    pub by: By,
}

/// How it was told who is the odd one out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// More say otherwise.
    Majority,
    /// The reference codec says otherwise.
    Reference,
    /// A failure is odd, whoever else fails.
    Failure,
    /// What is claimed can be asked.
    Claim,
    /// Nobody can tell: the ones that were named last.
    Nobody,
}

impl Oracle {
    /// An oracle for these sides.
    pub fn new(dialect: &Dialect, sides: &[Side]) -> Self {
        let known = |side: &Side| Known { name: side.name.clone(), lossy: side.hello().lossy.clone() };
        let mut verbatim = dialect.clone();
        verbatim.rules.keys = KeyRule::Repeated;
        Self {
            dialect: dialect.clone(),
            codec: Codec::new(dialect, Reading::Engine),
            verbatim: Codec::new(&verbatim, Reading::Engine),
            sides: sides.iter().map(known).collect(),
        }
    }

    /// What comes of a question, of which each side said that.
    pub fn rule(&self, question: &Question, said: &[&Said]) -> Ruling {
        if let [first, rest @ ..] = said
            && rest.iter().all(|other| difference::is_plainly_same(first, other))
        {
            return Ruling::Agree;
        }
        for said in said {
            if let Said::NotRun(why) = said {
                return Ruling::NotRun(why.clone());
            }
        }
        self.rule_closely(question, said)
    }

    #[cold]
    fn rule_closely(&self, question: &Question, said: &[&Said]) -> Ruling {
        let failed: Vec<usize> = places(said, |said| matches!(said, Said::Failed(..)));
        if let Some(first) = failed.first() {
            let others = places(said, |said| !matches!(said, Said::Failed(..)));
            let kind = match said[*first] {
                Said::Failed(Failure::Crashed, _) => Kind::Crashes,
                Said::Failed(Failure::TimedOut, _) => Kind::Hangs,
                Said::Failed(Failure::OrderDependent, _) => Kind::DependsOnOrder,
                Said::Failed(Failure::Garbled, _)
                | Said::Value(..)
                | Said::NoValue(_)
                | Said::Bytes(_)
                | Said::Refused(_)
                | Said::Unsupported(_)
                | Said::NotRun(_) => Kind::Garbles,
            };
            return self.parted(question, kind, "", failed, others, By::Failure);
        }
        let asked = places(said, |said| !matches!(said, Said::Unsupported(_)));
        if asked.len() < 2 {
            let mute = places(said, |said| matches!(said, Said::Unsupported(_)));
            return self.parted(question, Kind::Unsupported, "", mute, asked, By::Claim);
        }
        let (mut camps, relaxed) = self.camps(&asked, said);
        if camps.len() == 1 {
            return if relaxed { Ruling::Undecidable } else { Ruling::Agree };
        }
        let by = self.right_first(&mut camps, question, said);
        let [others, odd, ..] = camps.as_slice() else { return Ruling::Agree };
        let (kind, field) = match self.between(others[0], said[others[0]], odd[0], said[odd[0]]) {
            Agreement::Parted(kind, field) => (kind, field),
            Agreement::Same | Agreement::Relaxed => return Ruling::Undecidable,
        };
        self.parted(question, kind, &field, odd.clone(), others.clone(), by)
    }

    /// Sides that say the same, together; and whether anything was relaxed for that.
    fn camps(&self, asked: &[usize], said: &[&Said]) -> (Vec<Vec<usize>>, bool) {
        let mut camps: Vec<Vec<usize>> = Vec::new();
        let mut relaxed = false;
        for &place in asked {
            let mut home = None;
            for (index, camp) in camps.iter().enumerate() {
                match self.between(camp[0], said[camp[0]], place, said[place]) {
                    Agreement::Same => home = Some(index),
                    Agreement::Relaxed => {
                        relaxed = true;
                        home = Some(index);
                    }
                    Agreement::Parted(..) => continue,
                }
                break;
            }
            match home {
                Some(index) => camps[index].push(place),
                None => camps.push(vec![place]),
            }
        }
        (camps, relaxed)
    }

    /// Puts the camp first that is right: the largest, and of equals the one that the reference codec is in.
    fn right_first(&self, camps: &mut [Vec<usize>], question: &Question, said: &[&Said]) -> By {
        let most = camps.iter().map(Vec::len).max().unwrap_or(0);
        let mut largest = camps.iter().enumerate().filter(|(_, camp)| camp.len() == most);
        let (first, second) = (largest.next(), largest.next());
        if let (Some((index, _)), None) = (first, second) {
            camps.swap(0, index);
            return By::Majority;
        }
        let answer = self.reference(question);
        let with = camps.iter().position(|camp| {
            let agreement = difference::between(&answer, &[], said[camp[0]], &self.sides[camp[0]].lossy, self.terms());
            !matches!(agreement, Agreement::Parted(..))
        });
        match with {
            Some(index) => {
                camps.swap(0, index);
                By::Reference
            }
            None => By::Nobody,
        }
    }

    fn between(&self, left: usize, a: &Said, right: usize, b: &Said) -> Agreement {
        difference::between(a, &self.sides[left].lossy, b, &self.sides[right].lossy, self.terms())
    }

    fn terms(&self) -> difference::Terms<'_> {
        difference::Terms {
            codec: &self.codec,
            any_order: self.dialect.rules.dictionary_order == DictionaryOrder::Hash,
            unwritten: self.dialect.rules.unwritten_padding,
        }
    }

    /// What the reference codec says.
    pub fn reference(&self, question: &Question) -> Said {
        let refused = |error: DecodeError| Said::Refused(error.to_string());
        let write = |value: &Value| match self.codec.encode(value) {
            Ok(packet) => Said::Bytes(packet),
            Err(error) => Said::Refused(error.to_string()),
        };
        match question {
            Question::Encode(value) => write(value),
            Question::Decode(packet) => match self.codec.decode(packet) {
                Ok(decoded) => Said::Value(decoded.value, u64::try_from(decoded.used).ok()),
                Err(error) => refused(error),
            },
            Question::Reencode(packet) => match self.codec.decode(packet) {
                Ok(decoded) => write(&decoded.value),
                Err(error) => refused(error),
            },
        }
    }

    fn parted(
        &self,
        question: &Question,
        kind: Kind,
        field: &str,
        odd: Vec<usize>,
        others: Vec<usize>,
        by: By,
    ) -> Ruling {
        let (field, why) = match kind {
            Kind::Refuses | Kind::Accepts => self.refusal(question),
            Kind::Value
            | Kind::NanBits
            | Kind::Length
            | Kind::Bytes
            | Kind::Form
            | Kind::Crashes
            | Kind::Hangs
            | Kind::Garbles
            | Kind::DependsOnOrder
            | Kind::Unsupported => (general(field), String::new()),
        };
        let names = |places: &[usize]| places.iter().map(|place| self.sides[*place].name.clone()).collect();
        let signature = Signature {
            dialect: self.dialect.name.clone(),
            layout: parts::layout_of(question, &self.codec).unwrap_or_else(|| crate::corpus::PACKET.to_owned()),
            op: op_of(question),
            field,
            kind,
            why,
            odd: names(&odd),
            others: names(&others),
        };
        Ruling::Parted(Box::new(Parting { signature, odd, others, by }))
    }

    /// Where and why the reference codec refuses a packet; nothing where it does not.
    fn refusal(&self, question: &Question) -> (String, String) {
        let (Question::Decode(packet) | Question::Reencode(packet)) = question else {
            return (String::new(), String::new());
        };
        let Err(error) = self.codec.decode(packet) else { return (String::new(), String::new()) };
        let spans = parts::spans(packet, &self.codec);
        let at = spans.iter().find(|span| span.bytes.start == error.at);
        let field = match (at, spans.last()) {
            (Some(span), _) => general(&span.path),
            (None, Some(last)) => format!("behind {}", general(&last.path)),
            (None, None) => "header".to_owned(),
        };
        (field, error.kind.name().to_owned())
    }
}

fn places(said: &[&Said], is: impl Fn(&Said) -> bool) -> Vec<usize> {
    (0..said.len()).filter(|place| is(said[*place])).collect()
}
