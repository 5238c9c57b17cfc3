//! Where a disagreement is: the innermost value on which participants disagree when it is sent alone.

use smallvec::SmallVec;

use super::oracle::{Disagreement, Oracle, OracleVerdict};
use super::participants::Participants;
use super::parts;
use super::response::Response;
use variant_wire::implementation::{ImplementationError, Request};

/// Sends requests ahead of everything that waits, and rules on the responses.
pub(super) fn verdicts(
    participants: &mut Participants,
    oracle: &Oracle,
    requests: Vec<Request>,
) -> Result<Vec<OracleVerdict>, ImplementationError> {
    let submission = participants.submit_first(requests);
    let responses = participants.collect(&submission)?;
    Ok(rule_all(oracle, &submission.requests, &responses))
}

/// Rules on each request, given the responses of each participant.
pub(super) fn rule_all(oracle: &Oracle, requests: &[Request], responses: &[Vec<Response>]) -> Vec<OracleVerdict> {
    let rule = |(index, request): (usize, &Request)| {
        let all: SmallVec<[&Response; 4]> = responses.iter().map(|of_one| &of_one[index]).collect();
        oracle.rule(request, &all)
    };
    requests.iter().enumerate().map(rule).collect()
}

/// Sends requests, and locates the disagreements among the responses.
pub(super) fn disagreements(
    participants: &mut Participants,
    oracle: &Oracle,
    requests: Vec<Request>,
) -> Result<Vec<Disagreement>, ImplementationError> {
    let found = verdicts(participants, oracle, requests)?.into_iter().filter_map(OracleVerdict::disagreement);
    let mut found = found.collect::<Vec<_>>();
    locate(participants, oracle, &mut found)?;
    Ok(found)
}

/// Follows each disagreement to the innermost value on which participants disagree, level by level, all at once. After an
/// error, each is followed as far as it was.
pub(super) fn locate(
    participants: &mut Participants,
    oracle: &Oracle,
    found: &mut [Disagreement],
) -> Result<(), ImplementationError> {
    let mut active: Vec<usize> = (0..found.len()).collect();
    while !active.is_empty() {
        let (mut owners, mut requests) = (Vec::new(), Vec::new());
        for &index in &active {
            let request = &found[index].request;
            requests.extend(parts::parts(request, oracle.codec_for(request), oracle.all_decode()));
            owners.resize(requests.len(), index);
        }
        let verdicts = verdicts(participants, oracle, requests)?;
        active.clear();
        for (index, verdict) in owners.into_iter().zip(verdicts) {
            // Only the first inner request that shows a disagreement is followed.
            if active.last() != Some(&index)
                && let Some(disagreement) = verdict.disagreement()
            {
                found[index] = disagreement;
                active.push(index);
            }
        }
    }
    Ok(())
}
