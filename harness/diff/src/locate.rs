//! Where a disagreement lives: the innermost value that parts when it is asked alone.

use super::oracle::{Oracle, Parting, Ruling};
use super::parts;
use super::said::Said;
use super::sides::Sides;
use variant_wire::implementation::{ImplementationError, Request};

/// A question on which sides part.
#[derive(Debug, Clone)]
pub struct Disagreement {
    /// It.
    pub request: Request,
    /// How they part.
    pub parting: Parting,
}

/// What came of questions that were asked on the way.
pub(super) type Rulings = Vec<Ruling>;

/// Asks everybody, and rules.
pub(super) fn rulings(
    sides: &mut Sides,
    oracle: &Oracle,
    requests: Vec<Request>,
) -> Result<Rulings, ImplementationError> {
    let posted = sides.post_first(requests);
    let said = sides.collect(&posted)?;
    Ok(rule_all(oracle, &posted.requests, &said))
}

/// Rules on all of them.
pub(super) fn rule_all(oracle: &Oracle, requests: &[Request], said: &[Vec<Said>]) -> Rulings {
    let rule = |(place, request): (usize, &Request)| {
        let all: smallvec::SmallVec<[&Said; 4]> = said.iter().map(|side| &side[place]).collect();
        oracle.rule(request, &all)
    };
    requests.iter().enumerate().map(rule).collect()
}

/// Follows each disagreement to the innermost value on which sides part, level by level, all at once.
pub(super) fn locate(
    sides: &mut Sides,
    oracle: &Oracle,
    mut found: Vec<Disagreement>,
) -> Result<Vec<Disagreement>, ImplementationError> {
    let mut active: Vec<usize> = (0..found.len()).collect();
    while !active.is_empty() {
        let mut asked: Vec<(usize, Request)> = Vec::new();
        for &place in &active {
            let request = &found[place].request;
            let within = parts::parts(request, oracle.codec_for(request));
            asked.extend(within.into_iter().map(|request| (place, request)));
        }
        let rulings = rulings(sides, oracle, asked.iter().map(|(_, request)| request.clone()).collect())?;
        active.clear();
        for ((place, request), ruling) in asked.into_iter().zip(rulings) {
            // The first that parts is followed.
            if let Ruling::Parted(parting) = ruling
                && active.last() != Some(&place)
            {
                found[place] = Disagreement { request, parting: *parting };
                active.push(place);
            }
        }
    }
    Ok(found)
}
