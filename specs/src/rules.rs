//! Rules: how the layouts vary from dialect to dialect. Each is explained where it is set: `specs/*.yaml`.

use crate::{Bit31, Layout, RecordField};

/// The values that a rule may have, and the words for them.
pub(crate) trait Choice: Copy + PartialEq + 'static {
    const WORDS: &'static [(&'static str, Self)];

    fn of_word(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(name, _)| *name == word).map(|(_, value)| *value)
    }
}

impl Choice for bool {
    const WORDS: &'static [(&'static str, Self)] = &[("true", true), ("false", false)];
}

macro_rules! choices {
    ($($(#[$doc:meta])* $name:ident { $($(#[$meaning:meta])* $variant:ident = $word:literal),+ $(,)? })+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[cfg_attr(feature = "yaml", derive(serde::Serialize, serde::Deserialize))]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        pub enum $name {
            $($(#[$meaning])* #[cfg_attr(feature = "yaml", serde(rename = $word))] $variant),+
        }

        impl Choice for $name {
            const WORDS: &'static [(&'static str, Self)] = &[$(($word, Self::$variant)),+];
        }
    )+};
}

choices! {
    /// Which bytes are a text.
    Utf8 {
        /// Those of Unicode's definition; all else is refused.
        Strict = "strict",
        /// Surrogates, numbers beyond U+10FFFF and some overlong forms too; a lone surrogate is written as a space.
        Lenient = "lenient",
        /// As `Lenient`, but nothing is refused: unreadable text becomes empty. Surrogates are written as they came.
        Any = "any",
    }
    /// A string array with a negative count.
    NegativeTextCount {
        /// It is read as an empty array.
        Empty = "empty",
        /// The packet is refused.
        Refused = "refused",
    }
    /// A node path that is one string.
    OldNodePath {
        /// Read as the path that the string spells.
        Read = "read",
        /// The same, but no padding follows the string.
        ReadUnpadded = "read-unpadded",
        /// The packet is refused.
        Refused = "refused",
    }
    /// What flag 2 of a node path brings.
    NodePathProperty {
        /// One more sub-name, the last one.
        LastSubname = "last-subname",
        /// A property, apart from the sub-names.
        Own = "own",
    }
    /// Bit 31 of a container's count.
    SharedBit {
        /// Ignored on input, never written.
        Masked = "masked",
        /// A property of the value.
        Kept = "kept",
    }
    /// The order of a dictionary's pairs.
    DictionaryOrder {
        /// The order in which they were inserted.
        Insertion = "insertion",
        /// The order of a hash table, which can be any.
        Hash = "hash",
    }
    /// A repeated key in a dictionary.
    KeyRule {
        /// Keeps its first place and its last value.
        Unique = "unique",
        /// The same; a string is the same key as a string name, a dictionary as one with the same pairs, and numbers in
        /// packed arrays are compared by value, not by their bits.
        ByContent = "by-content",
        /// Stays in the dictionary as it is.
        Repeated = "repeated",
    }
    /// What follows the header of a `rid`.
    RidRule {
        /// Nothing: the header is all.
        Empty = "empty",
        /// An unsigned id of 64 bits.
        Id = "id",
        /// The type is not part of the format.
        Unsupported = "unsupported",
    }
    /// What flag 1 means in the header of a type of reals.
    WideReals {
        /// Nothing: the flag is ignored.
        Ignored = "ignored",
        /// That they are doubles: read in any precision, written in double precision.
        Flag1 = "flag-1",
    }
    /// Which containers may have a type, in two bits of their header for each.
    TypedContainers {
        /// No container may have one.
        None = "none",
        /// Arrays, but not dictionaries.
        Arrays = "arrays",
        /// Arrays, and dictionaries for keys and for values.
        All = "all",
    }
    /// What follows the header of an `object`.
    ObjectRule {
        /// With flag 1, a 64-bit instance id; without it, a class name and properties.
        ById = "by-id",
        /// Nothing: the header is all.
        Empty = "empty",
        /// The type is not part of the format.
        Unsupported = "unsupported",
    }
    /// An image whose data does not have the length that its format and size need.
    BadImage {
        /// Read as an empty image.
        Empty = "empty",
        /// Read as it is.
        Kept = "kept",
    }
    /// Padding that engines do not write: it has whatever was in memory.
    UnwrittenPadding {
        /// They write all of it, as zeros.
        None = "none",
        /// That of the names in node paths.
        NodePath = "node-path",
        /// All padding, in every type.
        All = "all",
    }
}

/// Calls a macro with every rule: its name, its field, its type, and its default if it has one.
macro_rules! for_each_rule {
    ($callback:ident) => {
        $callback! {
            /// The numbers of a matrix are in the order that the documents list.
            "document-fields" document_fields: bool,
            /// `int` and `float` have a 64-bit form, marked by flag 1.
            "wide-numbers" wide_numbers: bool,
            /// Which bytes are a text.
            "utf8" utf8: crate::Utf8,
            /// An embedded NUL ends a text; its length is consumed all the same.
            "text-ends-at-nul" text_ends_at_nul: bool,
            /// A leading byte order mark is dropped on input.
            "text-drops-bom" text_drops_bom: bool,
            /// A text's padding may be missing at the end of the input.
            "text-padding-optional-at-end" text_padding_optional_at_end: bool,
            /// In a string array, each length counts a terminating NUL that is written.
            "string-array-nul" string_array_nul: bool,
            /// A string array with a negative count.
            "negative-text-count" negative_text_count: crate::NegativeTextCount,
            /// A byte array's padding may be missing at the end of the input.
            "byte-padding-optional-at-end" byte_padding_optional_at_end: bool,
            /// A node path without bit 31 in its first word.
            "old-node-path" old_node_path: crate::OldNodePath,
            /// What flag 2 of a node path brings.
            "node-path-property" node_path_property: crate::NodePathProperty,
            /// Bit 31 in the count of an array or dictionary.
            "shared-bit" shared_bit: crate::SharedBit,
            /// The order of a dictionary's pairs.
            "dictionary-order" dictionary_order: crate::DictionaryOrder,
            /// What a repeated key in a dictionary means.
            "keys" keys: crate::KeyRule,
            /// What follows the header of a `rid`.
            "rid" rid: crate::RidRule,
            /// What follows the header of an `object`.
            "object" object: crate::ObjectRule,
            /// What flag 1 means in the header of a type of reals.
            "wide-reals" wide_reals: crate::WideReals = crate::WideReals::Ignored,
            /// In double precision the numbers of a color are doubles too.
            "wide-colors" wide_colors: bool = true,
            /// Which containers may have a type.
            "typed-containers" typed_containers: crate::TypedContainers = crate::TypedContainers::None,
            /// An image whose data does not have the length that its format and size need.
            "bad-image" bad_image: crate::BadImage = crate::BadImage::Kept,
            /// Padding that engines do not write.
            "unwritten-padding" unwritten_padding: crate::UnwrittenPadding,
        }
    };
}
#[cfg(feature = "yaml")]
pub(crate) use for_each_rule;

macro_rules! define {
    ($($(#[$doc:meta])* $name:literal $field:ident: $type:ty $(= $default:expr)?,)+) => {
        /// The rules of a dialect: how it varies the layouts.
        #[derive(Debug, Clone, PartialEq, Eq)]
        #[cfg_attr(feature = "yaml", derive(serde::Serialize, serde::Deserialize))]
        pub struct Rules {
            $($(#[$doc])* pub $field: $type),+
        }

        impl Rules {
            /// Whether the rule of this name has the value that this word names; `None` if there is no such rule or value.
            fn is(&self, name: &str, word: &str) -> Option<bool> {
                match name {
                    $($name => <$type>::of_word(word).map(|value| value == self.$field),)+
                    _ => None,
                }
            }

            /// Every set of rules that differs from this one in a single rule: its name, its new word, and the set.
            pub fn variants(&self) -> alloc::vec::Vec<(&'static str, &'static str, Self)> {
                let mut variants = alloc::vec::Vec::new();
                $(for (word, choice) in <$type>::WORDS.iter().filter(|(_, choice)| *choice != self.$field) {
                    variants.push(($name, *word, Self { $field: *choice, ..self.clone() }));
                })+
                variants
            }
        }
    };
}
for_each_rule!(define);

impl From<NegativeTextCount> for Bit31 {
    fn from(rule: NegativeTextCount) -> Self {
        match rule {
            NegativeTextCount::Empty => Self::Empty,
            NegativeTextCount::Refused => Self::Refused,
        }
    }
}

impl Rules {
    /// Whether a case that needs this applies: `wide-numbers` if that is true, `rid=empty` if it has that value,
    /// `utf8=strict|lenient` if it has one of those.
    pub fn has(&self, need: &str) -> bool {
        let (name, mut words) = need_of(need);
        words.any(|word| self.is(name, word) == Some(true))
    }

    /// Whether a need names an existing rule, and only values that this rule may have.
    pub fn knows(&self, need: &str) -> bool {
        let (name, mut words) = need_of(need);
        words.all(|word| self.is(name, word).is_some())
    }

    /// Whether a type is part of the format: a rule of its layout's name, if there is one, may say `unsupported`.
    pub fn supports(&self, layout: &Layout) -> bool {
        self.is(&layout.name, "unsupported") != Some(true)
    }

    /// The fields of a record, of which there are none if the rule of its name says `empty`; `None` if it is not part of
    /// the format.
    pub fn record<'l>(&self, layout: &'l Layout) -> Option<&'l [RecordField]> {
        self.supports(layout).then_some(if self.is(&layout.name, "empty") == Some(true) { &[] } else { &layout.record })
    }
}

fn need_of(need: &str) -> (&str, core::str::Split<'_, char>) {
    let (name, words) = need.split_once('=').unwrap_or((need, "true"));
    (name, words.split('|'))
}
