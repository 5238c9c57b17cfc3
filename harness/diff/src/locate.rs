//! Where a failure is: the innermost value to which a side replies wrongly when it is sent alone.

use smallvec::SmallVec;

use super::failed::Failed;
use super::oracle::{Oracle, Ruling};
use super::parts;
use super::sides::Sides;
use variant_values::implementation::{ImplementationError, Outcome, Request};

/// Sends requests, and judges the replies.
pub(super) fn rulings(
    sides: &mut Sides<'_>,
    oracle: &Oracle<'_>,
    requests: &[Request],
) -> Result<Vec<Ruling>, ImplementationError> {
    Ok(rule_all(oracle, requests, &sides.ask(requests)?))
}

pub(super) fn rule_all(oracle: &Oracle<'_>, requests: &[Request], replies: &[Vec<Outcome>]) -> Vec<Ruling> {
    let rule = |(index, request): (usize, &Request)| {
        let all: SmallVec<[&Outcome; 4]> = replies.iter().map(|of_side| &of_side[index]).collect();
        oracle.rule(request, &all)
    };
    requests.iter().enumerate().map(rule).collect()
}

/// The wrong replies among what was judged.
pub(super) fn wrong(rulings: impl IntoIterator<Item = Ruling>) -> Vec<Failed> {
    let wrong = |ruling| if let Ruling::Wrong(wrong) = ruling { wrong } else { Vec::new() };
    rulings.into_iter().flat_map(wrong).collect()
}

/// Follows each failure to the innermost value to which the same side replies wrongly, level by level, all at once. One that
/// ends where the packet of an undecided case is within it goes: no reply to that is wrong. After an error, each is followed as
/// far as it was.
pub(super) fn locate(
    sides: &mut Sides<'_>,
    oracle: &Oracle<'_>,
    found: &mut Vec<Failed>,
) -> Result<(), ImplementationError> {
    let mut open = vec![false; found.len()];
    let mut active: Vec<usize> = (0..found.len()).collect();
    while !active.is_empty() {
        let (mut owners, mut requests) = (Vec::new(), Vec::new());
        for &index in &active {
            let request = &found[index].request;
            requests.extend(parts::parts(request, oracle.codec_for(request), oracle.all_decode));
            owners.resize(requests.len(), index);
        }
        let rulings = rulings(sides, oracle, &requests)?;
        active.drain(..).for_each(|index| open[index] = false);
        for (index, ruling) in owners.into_iter().zip(rulings) {
            open[index] |= matches!(ruling, Ruling::Undecided);
            // Only the first inner request that shows a failure is followed.
            if active.last() != Some(&index)
                && let Some(failed) = wrong([ruling]).into_iter().find(|failed| failed.side == found[index].side)
            {
                found[index] = failed;
                active.push(index);
            }
        }
    }
    let mut open = open.into_iter();
    found.retain(|_| open.next() == Some(false));
    Ok(())
}
