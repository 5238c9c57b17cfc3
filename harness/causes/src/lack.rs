//! What a wrong reply lacks, in a word and in a sentence.

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

/// What a wrong reply lacks. Two failures with the same lack in the same place have one cause.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, IntoStaticStr, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Lack {
    /// A negative number comes back as a positive one, or the other way round.
    Sign,
    /// A negative number of 64 bits comes back as a positive one.
    WideSign,
    /// Only this many low bits are kept.
    HighBits(u32),
    /// An integer beyond 2^53 is rounded, as a double rounds it.
    LongDigits,
    /// An integer of 32 bits is read from, or written as, the bits of a float.
    AsFloat,
    /// A double is rounded to a single.
    SinglePrecision,
    /// -0.0 becomes 0.0.
    NegativeZero,
    /// A NaN has other bits, or is no NaN.
    NanBits,
    /// An infinity becomes something else.
    Infinity,
    /// The bytes of a number are the other way round.
    ByteOrder,
    /// The right numbers in the wrong order.
    Order,
    /// A matrix by columns where it is by rows.
    Transposed,
    /// All first numbers of the elements of an array, then all second ones.
    Planar,
    /// Multiplied or divided by 255.
    Scaled,
    /// Moved to the nearest number of a range.
    Clamped,
    /// The other sign of the whole number.
    Negated,
    /// Its fraction is gone.
    Fraction,
    /// Zero instead of the number.
    Zero,
    /// Nearly the number.
    Rounding,
    /// Another number.
    Number,
    /// False instead of true.
    True,
    /// False instead of a true that is written as another number than 1.
    OtherTrue,
    /// True is written as another number than 1.
    WrittenTrue,
    /// True instead of false.
    False,
    /// A path that is absolute becomes relative.
    Absolute,
    /// A path that is relative becomes absolute.
    Relative,
    /// Of two kinds, each becomes the other.
    Inverted,
    /// Another type: its name.
    Type(String),
    /// The wide form of a number is not written.
    WideForm,
    /// The number in 64 bits, without the flag that says so.
    Unflagged,
    /// The flag of the header that says what follows, and nothing else.
    FlagOnly,
    /// The wide form of a number is read as the narrow one.
    WideRead,
    /// The wide form where the narrow one belongs.
    NeedlessWideForm,
    /// The flags of a header.
    HeaderFlags,
    /// A length in UTF-16 units.
    Utf16Length,
    /// A length in characters.
    CharacterLength,
    /// A length that counts what follows the text: NUL or padding.
    CountsPadding,
    /// A length that counts a NUL.
    CountsNul,
    /// A count that takes this many bytes instead of four.
    CountWidth(usize),
    /// A count that takes only this many low bits.
    CountBits(u32),
    /// A count of numbers, where several are one element.
    CountsNumbers,
    /// Another count.
    Count,
    /// A field of four bytes that takes this many.
    FieldWidth(usize),
    /// Bit 31 of a count, which says that the form is the new one.
    TopBit,
    /// Two fields that have changed places.
    Exchanged(String),
    /// A type id of this many bits.
    IdBits(u32),
    /// The bytes consumed, which are all that was sent.
    TookAll,
    /// Two types that have each other's ids: the other one.
    ExchangedIds(String),
    /// Text that is not UTF-8.
    Encoding,
    /// Text that ends at its first NUL.
    CutAtNul,
    /// A NUL at the end of a text that has none.
    ExtraNul,
    /// The NUL that ends each text of a list.
    MissingNul,
    /// The byte order mark.
    ByteOrderMark,
    /// The byte order mark that a text begins with, kept where it is no part of the text.
    KeptByteOrderMark,
    /// What is behind a NUL that ends a text.
    PastNul,
    /// The ids of another dialect.
    TypeIds,
    /// Characters replaced by U+FFFD or others.
    Replaced,
    /// The end of a text.
    TextEnd,
    /// Another text.
    Text,
    /// Padding after a text or bytes.
    Padding,
    /// Padding where none belongs.
    NeedlessPadding,
    /// Padding that is not zero.
    NonzeroPadding,
    /// Entries whose keys are taken for one.
    Keys,
    /// Keys that are one, taken for several.
    SplitKeys,
    /// Keys that come again, whose first value is kept.
    FirstValue,
    /// Keys that become texts.
    TextKeys,
    /// The order of a dictionary.
    DictionaryOrder,
    /// Elements.
    Elements,
    /// What the type of a typed container is.
    ElementType,
    /// Another type of a typed container's elements.
    OtherElementType,
    /// The elements of a typed container have no headers.
    Headerless,
    /// The bytes of a value.
    Bytes,
    /// Bytes at the end.
    End,
    /// More bytes than the value has.
    MoreBytes,
    /// The right value from the wrong number of bytes.
    Length,
    /// The right value from fewer bytes than are said to be consumed.
    ExtraLength,
    /// The padding, in the number of bytes consumed.
    PaddingLength,
    /// The place in a container after such a value.
    Place,
    /// A field, by its name.
    Field(String),
    /// Some numbers of a row, and what they are instead.
    Component(String),
    /// A value that takes this many bytes instead of another number.
    Size(usize, usize),
    /// An element that takes this many bytes instead of another number.
    ElementSize(usize, usize),
    /// The packet has its length prefix.
    Prefix,
    /// A length prefix of each packet, which is not asked for.
    NeedlessPrefix,
    /// The reading of the document, where engines win: the erratum.
    Erratum(String),
    /// The reading of engines, where the document wins: the erratum.
    EngineErratum(String),
    /// Whether the reply is a value of the dialect at all.
    NoValue,
    /// It refuses what is valid: its words, without numbers and names.
    Refuses(String),
    /// It refuses what is valid, always where a packet or value is like this.
    RefusesWhere(String),
    /// It refuses values of so many levels within each other.
    RefusesDeep(usize),
    /// It refuses every value of a type.
    RefusesAll(String),
    /// It takes other bits of the header for the type id: which.
    HeaderBits(String),
    /// It gives a meaning to a header flag that has none: the bit.
    Flag(String),
    /// It accepts what it must refuse.
    Accepts(Accepted),
    /// Its process ends: in what words.
    Crashes(String),
    /// It does not reply in time.
    Hangs,
    /// Its reply is not one of the protocol: in what words.
    Garbles(String),
    /// It fails, but not alone.
    DependsOnOrder,
    /// Its replies to one request differ.
    Varies,
    /// It takes too much memory or time.
    Resources,
    /// It refuses no packet at all.
    NeverRefuses,
    /// It answers something else than a refusal to malformed packets: in what words.
    NotRefused(String),
    /// It does not support what it claims: in what words.
    Unsupported(String),
    /// Distinctions that are declared as lost.
    Declared,
    /// A failure that cannot be told more closely: its verdict.
    Other(String),
}

/// What is refused where padding is not skipped.
pub(crate) const UNREAD_PADDING: &str = "padding before something else";

/// What is wrong with a packet or value that is accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, IntoStaticStr, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Accepted {
    /// It ends before all that it announces is there.
    BeyondTheEnd,
    /// A count or length below zero.
    NegativeCount,
    /// The last padding is missing.
    MissingPadding,
    /// An id of no type.
    UnknownType,
    /// A flag that is refused.
    UnknownFlag,
    /// Text that is not UTF-8.
    BadUtf8,
    /// More levels than allowed.
    TooDeep,
    /// An object that is not allowed.
    BadObject,
    /// A form that is not supported.
    UnsupportedForm,
    /// A value that has no packet.
    NoPacket,
    /// What the case says.
    Other,
}

impl Lack {
    /// The lack and what it has with it, as a part of an id: `high-bits-32`.
    pub fn slug(&self) -> String {
        let name: &'static str = self.into();
        match self {
            Self::HighBits(bits) | Self::CountBits(bits) | Self::IdBits(bits) => format!("{name}-{bits}"),
            Self::CountWidth(bytes)
            | Self::FieldWidth(bytes)
            | Self::Size(bytes, _)
            | Self::ElementSize(bytes, _)
            | Self::RefusesDeep(bytes) => format!("{name}-{bytes}"),
            Self::Type(of)
            | Self::Exchanged(of)
            | Self::ExchangedIds(of)
            | Self::NotRefused(of)
            | Self::Field(of)
            | Self::Component(of)
            | Self::Erratum(of)
            | Self::EngineErratum(of)
            | Self::Refuses(of)
            | Self::RefusesWhere(of)
            | Self::RefusesAll(of)
            | Self::HeaderBits(of)
            | Self::Flag(of)
            | Self::Crashes(of)
            | Self::Garbles(of)
            | Self::Unsupported(of)
            | Self::Other(of) => format!("{name} {of}"),
            Self::Accepts(what) => format!("{name} {}", <&'static str>::from(*what)),
            _ => name.to_owned(),
        }
    }

    /// The erratum by which the reply follows the other reading.
    pub(crate) fn erratum(&self) -> Option<&str> {
        if let Self::Erratum(id) | Self::EngineErratum(id) = self { Some(id) } else { None }
    }

    /// What is wrong, in one sentence about a place: a type or a part of several.
    pub fn sentence(&self, place: &str) -> String {
        let words = |words: &str| if words.is_empty() { String::new() } else { format!(": {words}") };
        match self {
            Self::Sign => format!("{place}: the sign is lost"),
            Self::WideSign => format!("{place}: negative numbers of 64 bits come back as positive ones"),
            Self::HighBits(bits) => format!("{place}: only the low {bits} bits are kept"),
            Self::LongDigits => format!("{place}: integers beyond 2^53 are rounded to what a double holds"),
            Self::AsFloat => format!("{place}: 32-bit integers are read or written as floats"),
            Self::SinglePrecision => format!("{place}: doubles are rounded to 32 bits"),
            Self::NegativeZero => format!("{place}: -0.0 loses its sign"),
            Self::NanBits => format!("{place}: a NaN does not keep its bits"),
            Self::Infinity => format!("{place}: an infinity is not kept"),
            Self::ByteOrder => format!("{place}: the bytes of numbers are in big-endian order"),
            Self::Order => format!("{place}: the right numbers in the wrong order"),
            Self::Transposed => format!("{place}: the matrix is transposed, columns for rows"),
            Self::Planar => format!("{place}: the first number of every element comes first, then every second one"),
            Self::Scaled => format!("{place}: numbers are multiplied or divided by 255"),
            Self::Clamped => format!("{place}: numbers are moved into a range"),
            Self::Negated => format!("{place}: numbers have the opposite sign"),
            Self::Fraction => format!("{place}: the fraction is lost"),
            Self::Zero => format!("{place}: zero instead of the number"),
            Self::Rounding => format!("{place}: numbers are rounded"),
            Self::Number => format!("{place}: a wrong number"),
            Self::True => format!("{place}: true becomes false"),
            Self::OtherTrue => format!("{place}: only 1 counts as true, not every number but 0"),
            Self::WrittenTrue => format!("{place}: true is written as a number other than 1"),
            Self::False => format!("{place}: false becomes true"),
            Self::Absolute => format!("{place}: absolute paths become relative"),
            Self::Relative => format!("{place}: relative paths become absolute"),
            Self::Inverted if place == "bool" => "bool: true and false are swapped".to_owned(),
            Self::Inverted => format!("{place}: absolute and relative paths are swapped"),
            Self::Type(other) => format!("{place} becomes {other}"),
            Self::WideForm => format!("{place}: the 64-bit form is not used where the value needs it"),
            Self::WideRead => format!("{place}: the 64-bit form is read as the 32-bit one, as if flag 1 were not set"),
            Self::Unflagged => format!("{place}: 64 bits are used without the flag that says so"),
            Self::FlagOnly => format!("{place}: the header flag that says what follows is not set"),
            Self::NeedlessWideForm => format!("{place}: the 64-bit form is used where 32 bits are enough"),
            Self::HeaderFlags => format!("{place}: wrong flags in the header"),
            Self::Utf16Length => format!("{place} length counts UTF-16 units, not bytes"),
            Self::CharacterLength => format!("{place} length counts characters, not bytes"),
            Self::CountsPadding => format!("{place} length counts the padding"),
            Self::CountsNul => format!("{place} length counts a NUL at the end"),
            Self::CountWidth(1) => format!("{place}: the count takes one byte, not four"),
            Self::CountWidth(bytes) => format!("{place}: the count takes {bytes} bytes, not four"),
            Self::CountBits(bits) => format!("{place}: the count keeps only its low {bits} bits"),
            Self::CountsNumbers => format!("{place}: the count is of numbers, not of elements"),
            Self::Count => format!("{place}: a wrong count"),
            Self::FieldWidth(1) => format!("{place} takes one byte, not four"),
            Self::FieldWidth(bytes) => format!("{place} takes {bytes} bytes, not four"),
            Self::TopBit => format!("{place}: bit 31 of the first count is not set, which is the old form"),
            Self::Exchanged(fields) => format!("{place}: {fields} are swapped"),
            Self::IdBits(bits) => format!("the type id takes {bits} bits of the header, not 8"),
            Self::TookAll => "the whole input is reported as consumed, even bytes after the value".to_owned(),
            Self::ExchangedIds(other) => format!("the type ids of {place} and {other} are swapped"),
            Self::Encoding => format!("{place} is not written or read as UTF-8"),
            Self::CutAtNul => format!("{place} ends at its first NUL"),
            Self::ExtraNul => format!("{place} has a NUL at its end that is not part of it"),
            Self::MissingNul => format!("{place}: the NUL after each text is missing"),
            Self::ByteOrderMark => format!("{place} loses its byte order mark"),
            Self::KeptByteOrderMark => format!("{place} keeps a byte order mark that is no part of it"),
            Self::PastNul => format!("{place} does not end at its first NUL"),
            Self::TypeIds => format!("the type ids are not those of the dialect: {place}"),
            Self::Replaced => format!("{place}: characters are replaced"),
            Self::TextEnd => format!("{place} loses its end"),
            Self::Text => format!("{place}: the characters are wrong"),
            Self::Padding => format!("{place}: the padding to a multiple of 4 bytes is missing"),
            Self::NeedlessPadding => format!("{place}: padding is written where none belongs"),
            Self::NonzeroPadding => format!("{place}: the padding is not zero"),
            Self::Keys => format!("{place}: different keys count as equal"),
            Self::SplitKeys => format!("{place}: equal keys count as different"),
            Self::FirstValue => format!("{place}: for a repeated key, the first value is kept, not the last"),
            Self::TextKeys => format!("{place}: keys become texts"),
            Self::DictionaryOrder => format!("{place}: the entries are in a wrong order"),
            Self::Elements => format!("{place}: a wrong number of elements"),
            Self::ElementType => format!("{place}: the type of the elements is lost"),
            Self::OtherElementType => format!("{place}: a wrong type of elements"),
            Self::Headerless => format!("{place}: the elements are written or read without their headers"),
            Self::Bytes => format!("{place}: wrong bytes"),
            Self::End => format!("{place}: the packet ends too early"),
            Self::MoreBytes => format!("{place}: bytes are added at the end of the packet"),
            Self::Length => format!("{place}: the right value, but a wrong number of bytes consumed"),
            Self::ExtraLength => format!("{place}: the right value, but more bytes consumed than it has"),
            Self::PaddingLength => format!("{place}: the padding is not counted in the bytes consumed"),
            Self::Place => format!("after {place} in a container, reading or writing goes on at the wrong offset"),
            Self::Field(field) => match field.strip_suffix("-count") {
                Some(of) => format!("{place}: a wrong number of {of}s"),
                None if field.ends_with('s') => format!("{place}: wrong {field}"),
                None => format!("{place}: a wrong {field}"),
            },
            Self::Component(what) => format!("{place}: {what}"),
            Self::Size(1, right) => format!("{place} takes one byte, not {right}"),
            Self::Size(wrong, right) => format!("{place} takes {wrong} bytes, not {right}"),
            Self::ElementSize(1, right) => format!("{place}: an element takes one byte, not {right}"),
            Self::ElementSize(wrong, right) => format!("{place}: an element takes {wrong} bytes, not {right}"),
            Self::NeedlessPrefix => {
                "each packet has a length prefix of four bytes: declare `framed` in the handshake".to_owned()
            }
            Self::Prefix => "the length prefix of the packet is wrong".to_owned(),
            Self::Erratum(id) => format!("{place}: follows the document, not the engines (erratum {id})"),
            Self::EngineErratum(id) => format!("{place}: follows the engines, not the document (erratum {id})"),
            Self::NoValue => format!("{place}: the reply is a value that does not exist"),
            Self::Refuses(text) => format!("a valid {place} is refused{}", words(text)),
            Self::RefusesWhere(what) => format!("{place} is refused if it has {what}"),
            Self::RefusesDeep(levels) => format!("{place}: {levels} levels are refused as too deep"),
            Self::RefusesAll(text) => format!("every value of {place} is refused{}", words(text)),
            Self::HeaderBits(bits) => match bits.as_str() {
                "8-15" => "the type id takes 16 bits of the header, not 8: bits 8 to 15 change the type".to_owned(),
                "8-31" => "the type id takes the whole header: no flag is masked".to_owned(),
                bits => format!("header bits that mean nothing are not ignored: {bits}"),
            },
            Self::Flag(bit) => format!("{place}: header bit {bit} has no meaning there, but is not ignored"),
            Self::Accepts(what) => match what {
                Accepted::BeyondTheEnd => format!("{place}: a packet that ends early is accepted"),
                Accepted::NegativeCount => format!("{place}: a count or length below zero is accepted"),
                Accepted::MissingPadding => format!("{place}: a packet without its last padding is accepted"),
                Accepted::UnknownType => format!("{place}: an unknown type id is accepted"),
                Accepted::UnknownFlag => format!("{place}: a flag that must be refused is accepted"),
                Accepted::BadUtf8 => format!("{place} that is not UTF-8 is accepted"),
                Accepted::TooDeep => format!("{place}: more levels than allowed are accepted"),
                Accepted::BadObject => format!("{place}: an object that is not allowed is accepted"),
                Accepted::UnsupportedForm => format!("{place}: a form that must be refused is accepted"),
                Accepted::NoPacket => format!("{place}: a value that has no packet is written"),
                Accepted::Other => format!("{place}: what must be refused is accepted"),
            },
            Self::Crashes(text) => format!("{place}: the process ends{}", words(text)),
            Self::Hangs => format!("{place}: no reply in time"),
            Self::Garbles(text) => format!("{place}: the reply does not follow the protocol{}", words(text)),
            Self::DependsOnOrder => format!("{place}: the reply depends on earlier requests"),
            Self::Varies => format!("{place}: two replies to one request differ"),
            Self::Resources => format!("{place}: the reply takes too much memory or time"),
            Self::NeverRefuses => "malformed packets are never refused: each is read as some value".to_owned(),
            Self::NotRefused(text) => {
                format!("malformed packets get a reply other than a refusal{}", words(text))
            }
            Self::Unsupported(text) => format!("{place} is claimed, but not supported{}", words(text)),
            Self::Declared => format!("{place}: correct, apart from what is declared as lossy"),
            Self::Other(what) => format!("{place}: {what}"),
        }
    }
}
