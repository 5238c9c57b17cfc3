//! Mutants of the tables: one fact of `specs/` changed, in the reader or in the writer.

pub(super) mod dialects;
mod ids;
mod layouts;
mod records;

use variant_codec::{Refusal, Value};
use variant_specs::{Dialect, Precision, Rules, Scalar, Shape, UnknownFlags, WideReals};

use super::builder::{change_layouts, is_refused_as, killed};
use super::fault::{Fault, FaultFamily, Mutation, RequestHistory, TableChange};
use variant_values::handshake::Op;
use variant_values::implementation::{Answer, Input, Request};

/// A mutant for each fact of the tables, as engines judge.
pub(super) fn of_the_tables(dialect: &Dialect) -> Vec<Fault> {
    let mut mutants = Vec::new();
    // A double-precision build has the same ids.
    if dialect.precision == Precision::Single {
        mutants.extend(ids::mutants(dialect));
    }
    mutants.extend(header(dialect));
    mutants.extend(depth(dialect));
    mutants.extend(precision(dialect));
    mutants.extend(dialect.rules.variants().into_iter().map(|(rule, word, _)| {
        let name = format!("{rule}={word}");
        let fault =
            Fault::of_tables(dialect, "rules", &name, None, move |changed| set_rule(&mut changed.rules, rule, word));
        match SENTENCES.iter().find(|(own, _)| *own == name) {
            Some((_, sentence)) => fault.described(*sentence),
            None => fault,
        }
    }));
    mutants.extend(nuls_kept(dialect));
    mutants.extend(widened(dialect));
    mutants.extend(classes_kept(dialect));
    mutants.extend(layouts::mutants(dialect));
    mutants
}

/// A NUL ends no text that is read. What is written has the NULs of string arrays or not: that is another function.
fn nuls_kept(dialect: &Dialect) -> Option<Fault> {
    dialect.rules.text_ends_at_nul.then(|| {
        Fault::of_tables(dialect, "rules", "nuls-kept", Some(Op::Decode), |changed| {
            changed.rules.text_ends_at_nul = false;
            changed.rules.string_array_nul = false;
        })
        .described("a NUL ends no text that is read, not even the one behind each text of a string array")
    })
}

/// Flag 1 widens the reals of vectors as in Godot 4, or of every packed array too, where it widens none.
fn widened(dialect: &Dialect) -> Vec<Fault> {
    let (rules, single) = (&dialect.rules, dialect.precision == Precision::Single);
    // Where no type has a flag, no header shows it.
    if rules.wide_reals != WideReals::Ignored || !rules.wide_numbers || !single {
        return Vec::new();
    }
    let but_colors =
        Fault::of_tables(dialect, "rules", "flag-1-widens-reals-but-colors", Some(Op::Decode), |changed| {
            changed.rules.wide_reals = WideReals::Flag1;
            changed.rules.wide_colors = false;
        });
    let all = Fault::of_tables(dialect, "rules", "flag-1-widens-all-reals", Some(Op::Decode), |changed| {
        changed.rules.wide_reals = WideReals::Flag1;
        change_layouts(changed, |_, layout| {
            if layout.of == Some(Scalar::Float32) {
                layout.of = Some(Scalar::Real);
            }
        });
    });
    vec![
        but_colors.called("wide-reals=flag-1").described("flag 1 of vectors is read as reals of 64 bits"),
        all.described("flag 1 of vectors and of all packed arrays of reals is read as reals of 64 bits"),
    ]
}

/// What elements of objects are is kept where objects are not allowed.
fn classes_kept(dialect: &Dialect) -> Option<Fault> {
    dialect.has("typed-containers=arrays|all").then(|| {
        Fault::of_tables(dialect, "rules", "classes-without-permission", None, |changed| {
            change_layouts(changed, |_, layout| layout.stand_in = None);
        })
        .described("the class or script of a typed container is kept where objects are not allowed")
    })
}

/// Mutants of what documents, read literally, may state differently from engines: rules and the mask of the id.
pub(super) fn of_the_document(dialect: &Dialect) -> Vec<Fault> {
    let rules = dialect.document_rules.variants().into_iter().map(|(rule, word, _)| {
        Fault::of_tables(dialect, "document", &format!("{rule}={word}"), None, move |changed| {
            set_rule(&mut changed.document_rules, rule, word);
        })
    });
    let own = dialect.header.document_id_mask;
    rules.chain(masks(dialect, "document", own, |changed| &mut changed.header.document_id_mask)).collect()
}

/// What a codec does that follows another rule.
const SENTENCES: &[(&str, &str)] = &[
    (
        "document-fields=true",
        "Basis: transposed, also within a transform: its numbers go column by column, as the document says, not row by row",
    ),
    ("document-fields=false", "fields are in the order of engines"),
    ("wide-numbers=false", "numbers of 64 bits are not known: all have 32"),
    ("wide-numbers=true", "numbers may have 64 bits, which the dialect does not know"),
    ("utf8=strict", "text that is not UTF-8 is refused"),
    ("utf8=lenient", "text that is not quite UTF-8 is read"),
    ("utf8=any", "text that is not UTF-8 is read as it is"),
    ("text-ends-at-nul=false", "a text is read beyond its first NUL"),
    ("text-ends-at-nul=true", "a text is cut at its first NUL"),
    ("text-drops-bom=false", "a byte order mark in front of a text is kept"),
    ("text-drops-bom=true", "a byte order mark in front of a text is dropped"),
    ("text-padding-optional-at-end=true", "a text whose padding is missing at the end of a packet is accepted"),
    ("text-padding-optional-at-end=false", "a text whose padding is missing at the end of a packet is refused"),
    ("byte-padding-optional-at-end=true", "a byte array whose padding is missing at the end of a packet is accepted"),
    ("byte-padding-optional-at-end=false", "a byte array whose padding is missing at the end of a packet is refused"),
    (
        "string-array-nul=false",
        "texts of a string array are read and written without a NUL, in the length or behind them",
    ),
    ("string-array-nul=true", "texts of a string array are read and written with a NUL that is counted"),
    ("negative-text-count=refused", "a negative count of a string array is refused"),
    ("negative-text-count=empty", "a negative count of a string array is read as none"),
    ("old-node-path=read", "the old form of a node path, one text, is read"),
    ("old-node-path=read-unpadded", "the old form of a node path is read without its padding"),
    ("old-node-path=refused", "the old form of a node path is refused"),
    ("node-path-property=own", "flag 2 of a node path is read as a property of its own"),
    ("node-path-property=last-subname", "flag 2 of a node path is read as one more sub-name"),
    ("shared-bit=kept", "bit 31 of a count is kept as a flag"),
    ("shared-bit=masked", "bit 31 of a count is dropped"),
    ("dictionary-order=hash", "the order of the pairs of a dictionary is lost"),
    ("dictionary-order=insertion", "the pairs of a dictionary keep their order"),
    ("keys=repeated", "both pairs of a repeated key are kept"),
    (
        "keys=by-content",
        "keys are compared by their content: two containers that are equal are one key, unless a NaN is in them",
    ),
    ("keys=unique", "two containers that are equal stay two keys"),
    ("rid=empty", "a RID has no bytes behind its header"),
    ("rid=id", "a RID has an id of eight bytes"),
    ("rid=unsupported", "a RID is not supported"),
    ("object=by-id", "objects are always read as ids"),
    ("object=empty", "objects have no bytes behind their header"),
    ("object=unsupported", "objects are not supported"),
    ("wide-reals=ignored", "flag 1 of vectors is ignored: their reals always have 32 bits"),
    ("wide-reals=flag-1", "flag 1 of vectors is read as reals of 64 bits"),
    ("wide-colors=false", "colors have 32 bits in double precision too"),
    ("wide-colors=true", "colors have 64 bits in double precision"),
    ("typed-containers=none", "the types of typed arrays and dictionaries are not read or written"),
    ("typed-containers=arrays", "of typed containers, the types of arrays alone are read and written"),
    ("typed-containers=all", "the types of typed arrays and dictionaries are read and written"),
    ("bad-image=empty", "an image whose size is wrong is read as empty"),
    ("bad-image=kept", "an image whose size is wrong is kept"),
];

/// Changes one rule, and leaves the others as they are.
fn set_rule(rules: &mut Rules, rule: &str, word: &str) {
    if let Some((.., changed)) = rules.variants().into_iter().find(|(own, other, _)| (*own, *other) == (rule, word)) {
        *rules = changed;
    }
}

/// Every other mask that has room for all ids.
fn masks(dialect: &Dialect, part: &str, own: u32, mask: fn(&mut Dialect) -> &mut u32) -> Vec<Fault> {
    let others = [0x1f, 0x3f, 0x7f, 0xff, 0xffff, 0xffff_ffff].into_iter().filter(|mask| *mask != own);
    let mutant = |other: u32| id_mask_of(dialect, part, own, other, mask);
    others.filter(|mask| dialect.max <= *mask).map(mutant).collect()
}

/// The id has another width.
pub(super) fn id_mask(dialect: &Dialect, other: u32) -> Fault {
    id_mask_of(dialect, "header", dialect.header.id_mask, other, |changed| &mut changed.header.id_mask)
}

fn id_mask_of(dialect: &Dialect, part: &str, own: u32, other: u32, mask: fn(&mut Dialect) -> &mut u32) -> Fault {
    let sentence = match other {
        u32::MAX => "the type id takes the whole header: its flags are not masked".to_owned(),
        _ => format!("the type id takes {} bits of the header, not {}", other.count_ones(), own.count_ones()),
    };
    Fault::of_tables(dialect, part, &format!("id-mask-{other:x}"), Some(Op::Decode), move |changed| {
        *mask(changed) = other;
    })
    .of(FaultFamily::IdMask)
    .described(sentence)
}

/// The mask of the id, and what happens to bits beyond it.
fn header(dialect: &Dialect) -> Vec<Fault> {
    let mut mutants = masks(dialect, "header", dialect.header.id_mask, |changed| &mut changed.header.id_mask);
    let (unknown_flags, name, sentence) = match dialect.header.unknown_flags {
        UnknownFlags::Ignored => (
            UnknownFlags::Refused,
            "unknown-flags-refused",
            "a header with a bit that its type does not have is refused",
        ),
        UnknownFlags::Refused => {
            (UnknownFlags::Ignored, "unknown-flags-ignored", "bits of a header that its type does not have are ignored")
        }
    };
    let change = move |changed: &mut Dialect| changed.header.unknown_flags = unknown_flags;
    mutants.push(Fault::of_tables(dialect, "header", name, Some(Op::Decode), change).described(sentence));
    mutants
}

/// The name of the faults that read what nests too deep.
pub(super) const DEEP: &str = "depth-limit-none";

/// One level more or less; with or without a limit at all.
fn depth(dialect: &Dialect) -> Vec<Fault> {
    let limits = match dialect.depth {
        Some(limit) => vec![None, Some(limit - 1), Some(limit + 1), Some(limit / 2)],
        None => vec![Some(64), Some(512), Some(1024)],
    };
    // The packets that show it do not say at which level it begins.
    let sentence = |limit: Option<usize>| match limit {
        Some(limit) if dialect.depth.is_none_or(|right| limit < right) => {
            "values are refused that do not nest too deep"
        }
        Some(_) | None => "values are read that nest too deep",
    };
    let mutant = |limit: Option<usize>| {
        let name = limit.map_or_else(|| "limit-none".to_owned(), |limit| format!("limit-{limit}"));
        let called = match limit {
            Some(limit) if dialect.depth.is_none_or(|right| limit < right) => "depth-limit-too-low",
            Some(_) => "depth-limit-too-high",
            None => DEEP,
        };
        Fault::of_tables(dialect, "depth", &name, None, move |changed| changed.depth = limit)
            .called(called)
            .described(sentence(limit))
    };
    let mut mutants: Vec<Fault> = limits.into_iter().map(mutant).collect();
    if let Some(limit) = dialect.depth {
        mutants.extend(uncounted(dialect, limit));
        // The stack may be the limit.
        for (name, most) in [("limit-none-at-all", usize::MAX), ("limit-of-the-stack", 400_000)] {
            let fault = Fault::new(dialect, "depth", name, None, read_deep(most));
            mutants.push(fault.called(DEEP).described(sentence(None)));
        }
        mutants.push(leaking(dialect, limit));
        mutants.extend(deadly(dialect));
    }
    mutants.into_iter().map(|fault| fault.of(FaultFamily::Depth)).collect()
}

/// What nests too deep ends the process: of dictionaries alone, or whatever nests.
fn deadly(dialect: &Dialect) -> Vec<Fault> {
    let dictionary = dialect.type_of_shape(Shape::Dictionary).and_then(|entry| u8::try_from(entry.id).ok());
    let kinds =
        [("deep-values-kill", "levels", None), ("deep-dictionaries-kill", "levels of dictionaries", dictionary)];
    let fault = |(name, levels, first): (&str, &str, Option<u8>)| {
        let answers = move |request: &Request, answer: Answer, _: &RequestHistory| {
            let is_of_kind = match &request.input {
                Input::Decode(packet) | Input::Reencode(packet) => first.is_none() || packet.first().copied() == first,
                Input::Encode(_) => first.is_none(),
            };
            if is_of_kind && is_refused_as(&answer, Refusal::TooDeep) { killed() } else { answer }
        };
        let mutation = Mutation { answers: Some(Box::new(answers)), ..Mutation::default() };
        Fault::new(dialect, "depth", name, None, mutation)
            .described(format!("{levels} are not counted, which ends the process"))
    };
    kinds.into_iter().map(fault).collect()
}

/// What nests deeper than the reference codec itself can is read too, in packets of at most so many bytes: its value cannot
/// be compared, and its packet is canonical.
fn read_deep(most: usize) -> Mutation {
    let answers = move |request: &Request, answer: Answer, _: &RequestHistory| match &request.input {
        Input::Decode(packet) if packet.len() <= most && is_refused_as(&answer, Refusal::TooDeep) => {
            Answer::Value { value: Value::Null, used: None }
        }
        Input::Reencode(packet) if packet.len() <= most && is_refused_as(&answer, Refusal::TooDeep) => {
            Answer::Bytes(packet.clone())
        }
        _ => answer,
    };
    let tables: TableChange = Box::new(|changed| changed.depth = None);
    Mutation { tables: Some(tables), answers: Some(Box::new(answers)), ..Mutation::default() }
}

/// Whether a value is a level of its own.
type Counts = fn(&Value) -> bool;

/// The levels of one kind of container are not counted.
fn uncounted(dialect: &Dialect, limit: usize) -> [Fault; 2] {
    let kinds: [(&str, Counts); 2] = [
        ("dictionaries", |value| matches!(value, Value::Array(_) | Value::Record(..))),
        ("arrays", |value| matches!(value, Value::Dictionary(_) | Value::Record(..))),
    ];
    kinds.map(|(kind, counts)| {
        let mutation = Mutation {
            tables: Some(Box::new(|changed| changed.depth = None)),
            refuses: Some(Box::new(move |value| levels(value, counts) > limit)),
            ..Mutation::default()
        };
        Fault::new(dialect, "depth", &format!("{kind}-not-counted"), None, mutation)
            .called(format!("depth-without-{kind}"))
            .described(format!("levels of {kind} are not counted"))
    })
}

/// A level that is counted where a null begins, and not given back where it ends.
fn leaking(dialect: &Dialect, limit: usize) -> Fault {
    let is_too_deep = move |value: &Value| {
        let (mut nulls, mut left) = (0, vec![(value, 1)]);
        while let Some((value, level)) = left.pop() {
            if level + nulls > limit {
                return true;
            }
            nulls += usize::from(*value == Value::Null);
            left.extend(value.children().into_iter().rev().map(|child| (child, level + 1)));
        }
        false
    };
    let mutation = Mutation { refuses: Some(Box::new(is_too_deep)), ..Mutation::default() };
    Fault::new(dialect, "depth", "nulls-take-a-level", Some(Op::Decode), mutation)
        .described("each null takes a level of depth for good, so that many nulls are refused")
}

/// How many levels there are of the values that count, and the one within.
fn levels(value: &Value, counts: Counts) -> usize {
    let (mut most, mut left) = (0, vec![(value, 1)]);
    while let Some((value, level)) = left.pop() {
        most = most.max(level);
        let within = level + usize::from(counts(value));
        left.extend(value.children().into_iter().map(|child| (child, within)));
    }
    most
}

/// Every real in the other width.
fn precision(dialect: &Dialect) -> [Fault; 2] {
    let (precision, name) = match dialect.precision {
        Precision::Single => (Precision::Double, "all-double"),
        Precision::Double => (Precision::Single, "all-single"),
    };
    [Op::Decode, Op::Encode].map(|op| {
        Fault::of_tables(dialect, "reals", name, Some(op), move |changed| changed.precision = precision)
            .called(format!("reals-{name}"))
            .described(format!("every real number is {}", &name[4..]))
    })
}
