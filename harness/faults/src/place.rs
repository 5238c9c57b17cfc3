//! Where a value stands: by itself, or within another.

use variant_codec::Value;

/// Where a value stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Place {
    /// By itself.
    Whole,
    /// Within another value: anywhere there.
    Within,
    /// As the element of an array.
    Element,
    /// As the key of a dictionary.
    Key,
    /// As the value of a key.
    Value,
}

impl Place {
    /// How the name of a fault ends that is true there alone, and its sentence.
    pub(super) fn said(self) -> [&'static str; 2] {
        match self {
            Self::Whole => ["-outside-containers", "outside containers"],
            Self::Within => ["-within-containers", "within containers"],
            Self::Element => ["-as-elements", "in elements of arrays"],
            Self::Key => ["-as-keys", "in keys of dictionaries"],
            Self::Value => ["-as-values", "in values of dictionaries"],
        }
    }
}

/// Whether a value that stands at `place` is one of those `of` a place; all are, if there is none.
pub(super) fn stands(place: Place, of: Option<Place>) -> bool {
    of.is_none_or(|of| of == place || of == Place::Within && place != Place::Whole)
}

/// The values within a value, and where they stand.
pub(super) fn children_of(value: &mut Value) -> Vec<(Place, &mut Value)> {
    let places = match value {
        Value::Array(_) => [Place::Element; 2],
        // Keys and values come in turn.
        Value::Dictionary(_) => [Place::Key, Place::Value],
        _ => [Place::Within; 2],
    };
    value.children_mut().into_iter().enumerate().map(|(at, child)| (places[at % 2], child)).collect()
}

/// Where the value stands whose fields have this prefix.
pub(super) fn place_of(prefix: &str) -> Place {
    if prefix.is_empty() {
        Place::Whole
    } else if prefix.ends_with("].key.") {
        Place::Key
    } else if prefix.ends_with("].value.") {
        Place::Value
    } else if prefix.ends_with("].") {
        Place::Element
    } else {
        Place::Within
    }
}
