//! The oracle: it decides whether responses agree, disagree, or are undecidable. It sends nothing itself.

use std::borrow::Cow;
use std::sync::Arc;

use variant_codec::{Codec, Framing, Options, Refusal, Value};
use variant_specs::{Dialect, DictionaryOrder, KeyRule, Reading};

use super::difference::{Agreement, LossyResponse, ResponseComparer};
use super::frame;
use super::inputs::op_of;
use super::participants::Participant;
use super::parts;
use super::response::Response;
use super::signature::{DisagreementKind, Signature, general};
use variant_wire::handshake::{Handshake, Op, excuse};
use variant_wire::implementation::{Input, Request};
use variant_wire::reference;

/// Compares responses in one dialect.
#[derive(Debug)]
pub struct Oracle {
    /// The dialect of all requests that it rules on.
    pub dialect: Dialect,
    /// Names what packets contain, and decides between groups of equal size.
    pub codec: Codec,
    /// The same codec with objects allowed.
    permitting: Codec,
    /// The codec with objects allowed that keeps repeated keys: shrinking works on what is in a packet.
    pub(super) verbatim: Arc<Codec>,
    /// Each participant's name, and what it declares.
    participants: Vec<(String, Handshake)>,
}

/// What the responses to one request mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OracleVerdict {
    /// All responses are the same.
    Agree,
    /// The responses differ only in what some participant declares as `lossy` or `limits`.
    Undecidable,
    /// Participants disagree, one fails, or fewer than two support the request.
    Disagree(Box<Disagreement>),
    /// Some participant did not get the request, for this reason.
    NotRun(String),
}

impl OracleVerdict {
    pub(super) fn disagreement(self) -> Option<Disagreement> {
        if let Self::Disagree(disagreement) = self { Some(*disagreement) } else { None }
    }
}

/// A request on which participants disagree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disagreement {
    /// The request to which all participants responded.
    pub request: Request,
    /// What it is about: disagreements with the same signature are one finding.
    pub signature: Signature,
    /// Indices of the participants that are taken to be wrong.
    pub odd: Vec<usize>,
    /// Indices of the participants that they differ from.
    pub others: Vec<usize>,
    /// What decided who is wrong.
    pub arbiter: Arbiter,
    /// The response of each participant.
    pub responses: Vec<Response>,
}

/// What decides which participants are wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arbiter {
    /// The largest group of participants that agree is right.
    Majority,
    /// No group is the largest alone; the one that agrees with the reference codec is right.
    Reference,
    /// A participant that fails is always wrong.
    Failure,
    /// A participant refuses as unsupported what it claims.
    Claim,
    /// Nothing decides: the participants that agree with the first one count as right.
    Nobody,
}

/// Who differs from whom, and how.
struct Split {
    kind: DisagreementKind,
    field: String,
    odd: Vec<usize>,
    others: Vec<usize>,
    arbiter: Arbiter,
}

impl Oracle {
    /// An oracle for these participants.
    pub fn new(dialect: &Dialect, participants: &[Participant]) -> Self {
        let known = |one: &Participant| (one.name.clone(), one.handshake().clone());
        let mut verbatim = dialect.clone();
        verbatim.rules.keys = KeyRule::Repeated;
        Self {
            dialect: dialect.clone(),
            codec: Codec::new(dialect, Reading::Engine),
            permitting: Codec::new(dialect, Reading::Engine).with(Options { objects: true }),
            verbatim: Arc::new(Codec::new(&verbatim, Reading::Engine).with(Options { objects: true })),
            participants: participants.iter().map(known).collect(),
        }
    }

    /// Compares the responses of all participants to one request.
    pub fn rule(&self, request: &Request, responses: &[&Response]) -> OracleVerdict {
        if let [first, rest @ ..] = responses
            && rest.iter().all(|other| first.is_plainly_same(other))
        {
            return OracleVerdict::Agree;
        }
        for response in responses {
            if let Response::NotRun(why) = response {
                return OracleVerdict::NotRun(why.clone());
            }
        }
        self.rule_closely(request, responses)
    }

    #[cold]
    fn rule_closely(&self, request: &Request, responses: &[&Response]) -> OracleVerdict {
        let split = |is_odd: &dyn Fn(&Response) -> bool| -> (Vec<usize>, Vec<usize>) {
            (0..responses.len()).partition(|index| is_odd(responses[*index]))
        };
        let (failed, others) = split(&|response| matches!(response, Response::Failed(..)));
        if let Some(Response::Failed(failure, _)) = failed.first().map(|index| responses[*index]) {
            let (kind, arbiter) = (failure.kind(), Arbiter::Failure);
            return self.disagree(
                request,
                responses,
                Split { kind, field: String::new(), odd: failed, others, arbiter },
            );
        }
        let (odd, supported) = split(&|response| matches!(response, Response::Unsupported(_)));
        let value = self.value(request);
        let (limited, supported): (Vec<usize>, Vec<usize>) = supported.into_iter().partition(|index| {
            matches!(responses[*index], Response::Refused(_)) && self.is_limited(*index, request, value.as_ref())
        });
        if supported.len() < 2
            && (limited.len() + odd.len() > 0)
            && odd.iter().all(|index| self.is_limited(*index, request, value.as_ref()))
        {
            return OracleVerdict::Undecidable;
        }
        if supported.len() < 2 {
            let (kind, arbiter) = (DisagreementKind::Unsupported, Arbiter::Claim);
            let split = Split { kind, field: String::new(), odd, others: supported, arbiter };
            return self.disagree(request, responses, split);
        }
        let replies: Vec<LossyResponse<'_>> = responses.iter().zip(&self.participants).map(LossyResponse::of).collect();
        let comparer = self.comparer(request);
        let (mut groups, relaxed) = group(&supported, &replies, &comparer);
        if groups.len() == 1 {
            return if relaxed { OracleVerdict::Undecidable } else { OracleVerdict::Agree };
        }
        let arbiter = self.right_first(&mut groups, request, &replies);
        let [others, odd, ..] = groups.as_slice() else { return OracleVerdict::Agree };
        match comparer.compare(replies[others[0]], replies[odd[0]]) {
            Agreement::Same | Agreement::Relaxed => OracleVerdict::Undecidable,
            Agreement::Different(kind, field) => {
                let (odd, others) = (odd.clone(), others.clone());
                self.disagree(request, responses, Split { kind, field: general(&field), odd, others, arbiter })
            }
        }
    }

    /// Moves the right group to the front: the largest, or of equals the one that agrees with the reference codec.
    fn right_first(&self, groups: &mut [Vec<usize>], request: &Request, replies: &[LossyResponse<'_>]) -> Arbiter {
        let most = groups.iter().map(Vec::len).max().unwrap_or(0);
        let mut largest = groups.iter().enumerate().filter(|(_, group)| group.len() == most);
        if let (Some((index, _)), None) = (largest.next(), largest.next()) {
            groups.swap(0, index);
            return Arbiter::Majority;
        }
        let reference = self.reference(request);
        let reference = LossyResponse { response: &reference, lossy: &[] };
        let comparer = self.comparer(request);
        let agrees =
            |group: &Vec<usize>| !matches!(comparer.compare(reference, replies[group[0]]), Agreement::Different(..));
        match groups.iter().position(agrees) {
            Some(index) => {
                groups.swap(0, index);
                Arbiter::Reference
            }
            None => Arbiter::Nobody,
        }
    }

    /// What the reference codec says the request is about, if it is about a value.
    fn value(&self, request: &Request) -> Option<Value> {
        match &request.input {
            Input::Encode(value) => Some(value.clone()),
            Input::Decode(packet) | Input::Reencode(packet) => {
                let decoded = reference::decode(self.codec_for(request), packet, request.framing);
                decoded.ok().map(|decoded| decoded.value)
            }
        }
    }

    /// Whether a participant declares that it cannot do what the request asks.
    fn is_limited(&self, index: usize, request: &Request, value: Option<&Value>) -> bool {
        let (_, Handshake { lossy, limits, .. }) = &self.participants[index];
        let op = op_of(&request.input);
        value.is_some_and(|value| excuse(lossy, limits, value, op, &self.dialect.layouts).is_some())
    }

    fn comparer(&self, request: &Request) -> ResponseComparer<'_> {
        ResponseComparer {
            codec: self.codec_for(request),
            framing: request.framing,
            any_order: self.dialect.rules.dictionary_order == DictionaryOrder::Hash,
            unwritten: self.dialect.rules.unwritten_padding,
        }
    }

    /// The packet of a request: its own, or that of its value; empty for a value that cannot be encoded.
    pub fn packet_of(&self, request: &Request) -> Vec<u8> {
        parts::packet_of(&request.input, self.codec_for(request)).map_or_else(Vec::new, Cow::into_owned)
    }

    /// Whether all participants decode.
    pub(super) fn all_decode(&self) -> bool {
        self.participants.iter().all(|(_, handshake)| handshake.ops.contains(&Op::Decode))
    }

    /// The codec for a request, with objects allowed if the request allows them.
    pub(super) fn codec_for(&self, request: &Request) -> &Codec {
        if request.objects { &self.permitting } else { &self.codec }
    }

    /// The response of the reference codec.
    pub fn reference(&self, request: &Request) -> Response {
        Response::of(reference::answer_allowed(self.codec_for(request), request), &self.dialect, &[])
    }

    fn disagree(&self, request: &Request, responses: &[&Response], split: Split) -> OracleVerdict {
        let Split { kind, field, odd, others, arbiter } = split;
        let (field, why) = if matches!(kind, DisagreementKind::Refuses | DisagreementKind::Accepts) {
            self.refusal(request)
        } else {
            (field, String::new())
        };
        let names = |indices: &[usize]| indices.iter().map(|index| self.participants[*index].0.clone()).collect();
        // A header with an unknown id is no part of what is around it.
        let layout = match why == Refusal::UnknownType.name() && request.framing.is_none() {
            true => None,
            false => parts::layout_of(request, self.codec_for(request)),
        };
        let signature = Signature {
            dialect: self.dialect.name.clone(),
            layout: layout.unwrap_or_else(|| variant_corpus::PACKET.to_owned()),
            op: op_of(&request.input),
            field,
            kind,
            why,
            odd: names(&odd),
            others: names(&others),
        };
        let (request, responses) = (request.clone(), responses.iter().copied().cloned().collect());
        OracleVerdict::Disagree(Box::new(Disagreement { request, signature, odd, others, arbiter, responses }))
    }

    /// Where and why the reference codec refuses a packet; empty if it does not.
    pub(super) fn refusal(&self, request: &Request) -> (String, String) {
        let (Input::Decode(packet) | Input::Reencode(packet)) = &request.input else { return Default::default() };
        let codec = self.codec_for(request);
        let Err(error) = reference::decode(codec, packet, request.framing) else { return Default::default() };
        let field = match frame::field(packet, error.at, request.framing, codec) {
            Some(field) => general(&field),
            None if error.kind == Refusal::UnknownType => "header".to_owned(),
            None => after_last_field(packet, request.framing, codec),
        };
        (field, error.kind.name().to_owned())
    }
}

/// Groups participants by equal responses. The flag is set if some responses are equal only because a host language
/// cannot tell them apart.
fn group(
    supported: &[usize],
    replies: &[LossyResponse<'_>],
    comparer: &ResponseComparer<'_>,
) -> (Vec<Vec<usize>>, bool) {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut relaxed = false;
    'next: for &index in supported {
        for group in &mut groups {
            let agreement = comparer.compare(replies[group[0]], replies[index]);
            if !matches!(agreement, Agreement::Different(..)) {
                relaxed |= agreement == Agreement::Relaxed;
                group.push(index);
                continue 'next;
            }
        }
        groups.push(vec![index]);
    }
    (groups, relaxed)
}

/// `behind FIELD`, where the field is the last that the reference codec could read.
fn after_last_field(packet: &[u8], framing: Option<Framing>, codec: &Codec) -> String {
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
