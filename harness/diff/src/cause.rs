//! Why participants disagree: what the reply of one lacks beside a reply that is right.

use variant_causes::{Difference, Examiner, Lack, Reply, Wrong};
use variant_corpus::verdict::{Reason, Verdict};
use variant_specs::{Dialect, Reading};
use variant_wire::handshake::Handshake;

use super::oracle::Disagreement;
use super::response::Response;
use super::signature::DisagreementKind as Kind;

/// What the first participant that is taken to be wrong lacks; `handshakes` are those of all participants.
pub(super) fn cause(found: &Disagreement, dialect: &Dialect, handshakes: &[Handshake]) -> Difference {
    let reply = |index: Option<&usize>| index.and_then(|index| found.responses.get(*index)).map_or(NOTHING, reply);
    let (right, wrong) = (reply(found.others.first()), reply(found.odd.first()));
    let lossy = found.odd.first().and_then(|index| handshakes.get(*index)).map_or(&[][..], |of| &of.lossy);
    let examiner = Examiner::new(dialect, Reading::Engine, lossy);
    let (verdict, reason) = judged(found.signature.kind);
    let wrong = Wrong { verdict, reason, reply: &wrong };
    let difference = examiner.beside(&found.request, &found.signature.layout, &right, &wrong);
    if matches!(difference.lack, Lack::Refuses(_) | Lack::Unsupported(_)) {
        return examiner.refused_where(&found.request).unwrap_or(difference);
    }
    difference
}

const NOTHING: Reply = Reply::Words(String::new());

fn reply(response: &Response) -> Reply {
    match response {
        Response::Value(value, used) => Reply::Value(value.clone(), *used),
        Response::Bytes(bytes) => Reply::Bytes(bytes.clone()),
        Response::NoValue(why)
        | Response::Refused(why)
        | Response::Unsupported(why)
        | Response::Failed(_, why)
        | Response::NotRun(why) => Reply::Words(why.clone()),
    }
}

/// As a run judges it.
fn judged(kind: Kind) -> (Verdict, Option<Reason>) {
    let failed = |reason| (Verdict::Fail, Some(reason));
    match kind {
        Kind::Value | Kind::NanBits => failed(Reason::WrongValue),
        Kind::Bytes | Kind::Form => failed(Reason::WrongBytes),
        Kind::Length => failed(Reason::WrongLength),
        Kind::Refuses => failed(Reason::RefusedValid),
        Kind::Accepts => failed(Reason::AcceptedInvalid),
        Kind::Unsupported => failed(Reason::UnsupportedButClaimed),
        Kind::Crashes => (Verdict::Crashed, None),
        Kind::Hangs => (Verdict::TimedOut, None),
        Kind::Garbles => (Verdict::Garbled, None),
        Kind::DependsOnOrder => (Verdict::OrderDependent, None),
    }
}
