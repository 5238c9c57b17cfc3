//! Rules: how a dialect bends the layouts. What each means is explained where it is set: `specs/*.yaml`.

use crate::Shape;

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
        #[cfg_attr(feature = "yaml", derive(serde::Deserialize, schemars::JsonSchema))]
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
        /// As `Lenient`, but nothing is refused: what cannot be read is empty. Surrogates are written as they came.
        Any = "any",
    }
    /// A string array with a negative count.
    NegativeTextCount {
        /// Read as empty.
        Empty = "empty",
        /// Refused.
        Refused = "refused",
    }
    /// A node path that is one string.
    OldNodePath {
        /// Read as the path that the string spells.
        Read = "read",
        /// The same, but no padding follows the string.
        ReadUnpadded = "read-unpadded",
        /// Refused.
        Refused = "refused",
    }
    /// What flag 2 of a node path brings.
    NodePathProperty {
        /// One more sub-name.
        LastSubname = "last-subname",
        /// A property beside the sub-names.
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
        /// That of insertion.
        Insertion = "insertion",
        /// That of a hash table: any.
        Hash = "hash",
    }
    /// A repeated key in a dictionary.
    KeyRule {
        /// Keeps its first place and its last value.
        Unique = "unique",
        /// The same; a string is the same key as a string name, a dictionary as one with the same pairs, and numbers in
        /// packed arrays are compared by value, not by their bits.
        ByContent = "by-content",
        /// Stays as it is.
        Repeated = "repeated",
    }
    /// What follows the header of a `rid`.
    RidRule {
        /// Nothing.
        Empty = "empty",
        /// A 64-bit id.
        Id = "id",
        /// The type is not part of the format.
        Unsupported = "unsupported",
    }
    /// What flag 1 means in the header of a type of reals.
    WideReals {
        /// Nothing.
        Ignored = "ignored",
        /// That they are doubles: read in any precision, written in double precision.
        Flag1 = "flag-1",
    }
    /// Which containers may have a type, in two bits of their header for each.
    TypedContainers {
        /// None.
        None = "none",
        /// Arrays.
        Arrays = "arrays",
        /// Arrays, and dictionaries for keys and for values.
        All = "all",
    }
    /// What follows the header of an `object`.
    ObjectRule {
        /// Behind flag 1, a 64-bit instance id; without it, a class name and properties.
        ById = "by-id",
        /// Nothing.
        Empty = "empty",
        /// The type is not part of the format.
        Unsupported = "unsupported",
    }
    /// An image whose data is not as long as its size calls for.
    BadImage {
        /// Read as an empty image.
        Empty = "empty",
        /// Read as it is.
        Kept = "kept",
    }
    /// Padding that engines do not write: what stood in memory goes out.
    UnwrittenPadding {
        /// They write all of it, as zeros.
        None = "none",
        /// That of the names in node paths.
        NodePath = "node-path",
        /// All of it.
        All = "all",
    }
}

/// Calls a macro with every rule: its name, its field, its type, and its default where few dialects care.
macro_rules! for_each_rule {
    ($callback:ident) => {
        $callback! {
            /// The numbers of a matrix stand in the order that the documents list.
            "document-fields" document_fields: bool,
            /// `int` and `float` have a 64-bit form behind flag 1.
            "wide-numbers" wide_numbers: bool,
            /// Which bytes are a text.
            "utf8" utf8: crate::Utf8,
            /// An embedded NUL ends a text; its length is consumed all the same.
            "text-ends-at-nul" text_ends_at_nul: bool,
            /// A leading byte order mark is dropped on input.
            "text-drops-bom" text_drops_bom: bool,
            /// A text's padding may be missing where the input ends.
            "text-padding-optional-at-end" text_padding_optional_at_end: bool,
            /// In a string array, each length counts a terminating NUL that is written.
            "string-array-nul" string_array_nul: bool,
            /// A string array with a negative count.
            "negative-text-count" negative_text_count: crate::NegativeTextCount,
            /// A byte array's padding may be missing where the input ends.
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
            /// An image whose data is not as long as its size calls for.
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
        /// How a dialect bends the layouts.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub struct Rules {
            $($(#[$doc])* pub $field: $type),+
        }

        impl Rules {
            /// Whether the rule of this name has the value of this word.
            fn is(&self, name: &str, word: &str) -> bool {
                match name {
                    $($name => <$type>::of_word(word) == Some(self.$field),)+
                    _ => false,
                }
            }

            /// The rules that differ from these in one: its name, the word that it has there, and all of them.
            pub fn variants(&self) -> alloc::vec::Vec<(&'static str, &'static str, Self)> {
                let mut variants = alloc::vec::Vec::new();
                $(for (word, choice) in <$type>::WORDS.iter().filter(|(_, choice)| *choice != self.$field) {
                    variants.push(($name, *word, Self { $field: *choice, ..self.clone() }));
                })+
                variants
            }

            /// Whether there is a rule of this name, and a value of this word.
            fn knows_word(name: &str, word: &str) -> bool {
                match name {
                    $($name => <$type>::of_word(word).is_some(),)+
                    _ => false,
                }
            }
        }
    };
}
for_each_rule!(define);

impl Rules {
    /// Whether a case that needs this holds: `wide-numbers` where that is true, `rid=empty` where it has that value,
    /// `utf8=strict|lenient` where it has one of those.
    pub fn has(&self, need: &str) -> bool {
        let (name, mut words) = need_of(need);
        words.any(|word| self.is(name, word))
    }

    /// Whether there is such a rule, with such values.
    pub fn knows(need: &str) -> bool {
        let (name, mut words) = need_of(need);
        words.all(|word| Self::knows_word(name, word))
    }

    /// Whether any packet of this shape is the one form of its value: not where only other types are written.
    pub fn has_canonical(&self, shape: Shape) -> bool {
        match shape {
            Shape::Rid => self.rid != RidRule::Unsupported,
            Shape::Object => self.object != ObjectRule::Unsupported,
            Shape::Empty
            | Shape::Bool
            | Shape::Int
            | Shape::Float
            | Shape::Text
            | Shape::Fields
            | Shape::Packed
            | Shape::PackedText
            | Shape::Array
            | Shape::Dictionary
            | Shape::NodePath
            | Shape::Image
            | Shape::InputEvent
            | Shape::Callable
            | Shape::Signal
            | Shape::Typed => true,
        }
    }
}

fn need_of(need: &str) -> (&str, core::str::Split<'_, char>) {
    let (name, words) = need.split_once('=').unwrap_or((need, "true"));
    (name, words.split('|'))
}
