//! The rules by which variants are made of cases.

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};

/// How a variant is made of its case.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, IntoStaticStr, EnumString, Serialize, Deserialize,
)]
#[strum(serialize_all = "kebab-case")]
#[serde(rename_all = "kebab-case")]
pub enum Rule {
    /// The packet ends early.
    TruncatedAt,
    /// Other bytes follow the packet.
    FollowedByBytes,
    /// Every byte of padding is `ff`.
    PaddingFf,
    /// A count or length that cannot be right.
    Count,
    /// The value is in an array before an int.
    InArray,
    /// The value is in a dictionary before another entry.
    InDictionary,
    /// A header bit that means nothing.
    Flag,
    /// Another type id, followed by zero bytes.
    Id,
    /// Values nested as deep as the dialect allows, or deeper.
    Depth,
    /// The packet is decoded and encoded again.
    SentOn,
    /// The same request again, in the same process and in a new one: the replies must be equal.
    AskedAgain,
    /// The same request alone in a new process: what failed after others must fail there too.
    Alone,
    /// A packet of many elements and one of eight times as many, to measure how their time grows.
    Grown,
    /// The end of input, after all requests.
    Exit,
}

impl Rule {
    /// Its name, as in ids and errata: `truncated-at`.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The rule by which a variant was made, from what follows `~` in its id: `truncated-at-9`.
    pub fn of(suffix: &str) -> Option<Self> {
        if suffix == DECODED { Some(Self::Depth) } else { family(suffix).parse().ok() }
    }

    /// Whether it sends a request again, or only ends the input, to see what a single request does not show.
    pub fn is_repetition(self) -> bool {
        matches!(self, Self::AskedAgain | Self::Alone | Self::Grown | Self::Exit)
    }
}

/// What follows `~` in an id, without the numbers that distinguish tests by one rule: `truncated-at-9`,
/// `count-minus-1-at-4`.
pub fn family(suffix: &str) -> &str {
    let number = |step: &str| step == "minus" || step.starts_with(|letter: char| letter.is_ascii_digit());
    let end = suffix.match_indices('-').find(|(at, _)| suffix[at + 1..].split('-').next().is_some_and(number));
    end.map_or(suffix, |(at, _)| &suffix[..at])
}

/// What follows `~` in the ids of tests that decode what is too deep for JSON.
pub(super) const DECODED: &str = "decoded";
