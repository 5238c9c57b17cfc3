//! The oracle: agree, disagree, or nobody can tell. Pure: it asks nobody.

use variant_codec::{Codec, Framing, Options};
use variant_specs::{Dialect, DictionaryOrder, KeyRule, Reading};

use super::difference::{self, Agreement};
use super::frame;
use super::parts;
use super::said::{Failure, Said};
use super::sides::Side;
use super::signature::{Kind, Signature, general};
use super::stream::op_of;
use variant_wire::handshake::Lossy;
use variant_wire::implementation::{Input, Request};
use variant_wire::reference;

/// What is known while comparing answers of a dialect.
#[derive(Debug)]
pub struct Oracle {
    /// The dialect.
    pub dialect: Dialect,
    /// Names what packets hold, and is asked where sides are as many against as for.
    pub codec: Codec,
    /// The same, where objects are allowed.
    permitting: Codec,
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
    /// What each side said.
    pub said: Vec<Said>,
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
        let known = |side: &Side| Known { name: side.name.clone(), lossy: side.handshake().lossy.clone() };
        let mut verbatim = dialect.clone();
        verbatim.rules.keys = KeyRule::Repeated;
        Self {
            dialect: dialect.clone(),
            codec: Codec::new(dialect, Reading::Engine),
            permitting: Codec::new(dialect, Reading::Engine).with(Options { objects: true }),
            verbatim: Codec::new(&verbatim, Reading::Engine).with(Options { objects: true }),
            sides: sides.iter().map(known).collect(),
        }
    }

    /// What comes of a question, of which each side said that.
    pub fn rule(&self, input: &Request, said: &[&Said]) -> Ruling {
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
        self.rule_closely(input, said)
    }

    #[cold]
    fn rule_closely(&self, input: &Request, said: &[&Said]) -> Ruling {
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
            return self.parted(input, said, kind, "", failed, others, By::Failure);
        }
        let asked = places(said, |said| !matches!(said, Said::Unsupported(_)));
        if asked.len() < 2 {
            let mute = places(said, |said| matches!(said, Said::Unsupported(_)));
            return self.parted(input, said, Kind::Unsupported, "", mute, asked, By::Claim);
        }
        let (mut camps, relaxed) = self.camps(&asked, said, self.terms(input));
        if camps.len() == 1 {
            return if relaxed { Ruling::Undecidable } else { Ruling::Agree };
        }
        let by = self.right_first(&mut camps, input, said);
        let [others, odd, ..] = camps.as_slice() else { return Ruling::Agree };
        let (kind, field) = match self.between(others[0], said[others[0]], odd[0], said[odd[0]], self.terms(input)) {
            Agreement::Parted(kind, field) => (kind, field),
            Agreement::Same | Agreement::Relaxed => return Ruling::Undecidable,
        };
        self.parted(input, said, kind, &field, odd.clone(), others.clone(), by)
    }

    /// Sides that say the same, together; and whether anything was relaxed for that.
    fn camps(&self, asked: &[usize], said: &[&Said], terms: difference::Terms<'_>) -> (Vec<Vec<usize>>, bool) {
        let mut camps: Vec<Vec<usize>> = Vec::new();
        let mut relaxed = false;
        for &place in asked {
            let mut home = None;
            for (index, camp) in camps.iter().enumerate() {
                match self.between(camp[0], said[camp[0]], place, said[place], terms) {
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
    fn right_first(&self, camps: &mut [Vec<usize>], input: &Request, said: &[&Said]) -> By {
        let most = camps.iter().map(Vec::len).max().unwrap_or(0);
        let mut largest = camps.iter().enumerate().filter(|(_, camp)| camp.len() == most);
        let (first, second) = (largest.next(), largest.next());
        if let (Some((index, _)), None) = (first, second) {
            camps.swap(0, index);
            return By::Majority;
        }
        let answer = self.reference(input);
        let with = camps.iter().position(|camp| {
            let lossy = &self.sides[camp[0]].lossy;
            let agreement = difference::between(&answer, &[], said[camp[0]], lossy, self.terms(input));
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

    fn between(&self, left: usize, a: &Said, right: usize, b: &Said, terms: difference::Terms<'_>) -> Agreement {
        difference::between(a, &self.sides[left].lossy, b, &self.sides[right].lossy, terms)
    }

    fn terms(&self, request: &Request) -> difference::Terms<'_> {
        difference::Terms {
            codec: self.codec_for(request),
            framing: request.framing,
            any_order: self.dialect.rules.dictionary_order == DictionaryOrder::Hash,
            unwritten: self.dialect.rules.unwritten_padding,
        }
    }

    /// The codec with what a request allows.
    pub(super) fn codec_for(&self, request: &Request) -> &Codec {
        if request.objects { &self.permitting } else { &self.codec }
    }

    /// What the reference codec says.
    pub fn reference(&self, request: &Request) -> Said {
        Said::of(reference::answer_allowed(self.codec_for(request), request), &self.dialect)
    }

    #[expect(clippy::too_many_arguments, reason = "all that a parting is made of")]
    fn parted(
        &self,
        input: &Request,
        said: &[&Said],
        kind: Kind,
        field: &str,
        odd: Vec<usize>,
        others: Vec<usize>,
        by: By,
    ) -> Ruling {
        let (field, why) = match kind {
            Kind::Refuses | Kind::Accepts => self.refusal(input),
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
            layout: parts::layout_of(input, self.codec_for(input)).unwrap_or_else(|| variant_corpus::PACKET.to_owned()),
            op: op_of(&input.input),
            field,
            kind,
            why,
            odd: names(&odd),
            others: names(&others),
        };
        Ruling::Parted(Box::new(Parting { signature, odd, others, by, said: said.iter().copied().cloned().collect() }))
    }

    /// Where and why the reference codec refuses a packet; nothing where it does not.
    pub(super) fn refusal(&self, request: &Request) -> (String, String) {
        let (Input::Decode(packet) | Input::Reencode(packet)) = &request.input else {
            return (String::new(), String::new());
        };
        let codec = self.codec_for(request);
        let Err(error) = reference::decode(codec, packet, request.framing) else {
            return (String::new(), String::new());
        };
        let field = match frame::field(packet, error.at, request.framing, codec) {
            Some(field) => general(&field),
            None => self.behind(packet, request.framing, codec),
        };
        (field, error.kind.name().to_owned())
    }

    /// The field behind which nothing more could be read.
    fn behind(&self, packet: &[u8], framing: Option<Framing>, codec: &Codec) -> String {
        let body = match framing {
            None => packet,
            Some(framing) => frame::inside(packet, framing).map_or(&[][..], |inside| &packet[inside]),
        };
        match parts::spans(body, codec).last() {
            Some(last) => format!("behind {}", general(&last.path)),
            None if framing.is_some() => frame::FIELD.to_owned(),
            None => "header".to_owned(),
        }
    }
}

fn places(said: &[&Said], is: impl Fn(&Said) -> bool) -> Vec<usize> {
    (0..said.len()).filter(|place| is(said[*place])).collect()
}
