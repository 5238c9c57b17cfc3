//! What the tables of a document cannot say, in sentences: flags, padding, keys, limits, refusals. Each follows from a rule of
//! the dialect. The page of a dialect shows all of them, and a failure quotes the one that it is about.

use variant_specs::{
    Dialect, DictionaryOrder, FieldForm, JudgedBy, KeyRule, Layout, NegativeTextCount, NodePathProperty, OldNodePath,
    Precision, Rules, Scalar, Shape, SharedBit, Type, TypedContainers, UnwrittenPadding, Utf8, WideReals, any_field,
};

/// A sentence, and what it is about: the names of fields, each with a dot before it, the tags of cases (`corpus/tags.yaml`),
/// and the rules that cases need.
#[derive(Debug, Clone)]
pub struct Fact {
    pub text: String,
    about: &'static [&'static str],
}

fn fact(about: &'static [&'static str], text: impl Into<String>) -> Fact {
    Fact { text: text.into(), about }
}

/// The sentence that says most about a failed test: one about a rule that its case needs, else about the field that
/// differs, else about a tag; where none is, what the type is, and `false`. `tags` are those of a case or the rule of a variant,
/// why it must be refused, and `REFUSED`: what is refused is no rule for a value or packet that is right. Of a case, what is about
/// other fields than the one that differs says nothing.
pub fn quoted(
    dialect: &Dialect,
    entry: Option<&Type>,
    needs: &[String],
    field: Option<&str>,
    tags: &[&str],
    is_variant: bool,
) -> Option<(Fact, bool)> {
    // The field itself, then what it is a part of, as the length of a class.
    let mut parts =
        field.unwrap_or_default().rsplit(['.', ']']).filter(|part| !part.is_empty()).map(|part| format!(".{part}"));
    let (last, before) = (parts.next(), parts.next());
    let mut facts = Vec::new();
    if let Some(entry) = entry {
        facts.extend(of_type(dialect, entry));
        facts.push(fact(&[IS_TYPE], format!("Type {} is {}.", entry.id, dialect.type_name(entry))));
    }
    if tags.contains(&REFUSED) {
        facts.extend(refusals(dialect));
    }
    facts.extend(of_all(dialect));
    let weight = |fact: &Fact| {
        let names = |word: &str| fact.about.contains(&word);
        let is_about = |part: &Option<String>| usize::from(part.as_ref().is_some_and(|part| names(part)));
        let of_fields = !is_variant && last.is_some() && fact.about.iter().any(|word| word.starts_with('.'));
        let tags = if of_fields { &[] } else { tags };
        16 * usize::from(needs.iter().any(|need| names(need)))
            + 8 * is_about(&last)
            + 4 * is_about(&before)
            + 2 * tags.iter().filter(|tag| **tag != REFUSED && names(tag)).count()
            + usize::from(tags.contains(&REFUSED) && names(REFUSED))
    };
    // Of equals the first, which is of the type itself.
    let most = facts.into_iter().rev().max_by_key(weight)?;
    let says = weight(&most) > 1;
    Some((most, says))
}

/// The tag of what must be refused.
pub const REFUSED: &str = "refused";
/// The field of which a decoder is wrong that takes the type for another.
pub const ANOTHER_TYPE: &str = "another type";
const IS_TYPE: &str = ".another type";
/// The field of which a codec is wrong that has the right pairs in another order.
pub const PAIR_ORDER: &str = "order of pairs";
const IS_PAIR_ORDER: &str = ".order of pairs";

/// What the numbers or fields of a type are: its table in a sentence.
fn numbers(dialect: &Dialect, entry: &Type) -> Option<Fact> {
    let (layout, name) = (dialect.layout(entry), dialect.type_name(entry));
    if layout.shape == Shape::Record {
        let is_none =
            |form: &FieldForm| matches!(form, FieldForm::Choice { .. } | FieldForm::Flag | FieldForm::Permission);
        let fields = dialect.rules.record(layout)?.iter().filter(|field| !is_none(&field.form));
        let names: Vec<&str> = fields.map(|field| field.name.as_str()).collect();
        return (!names.is_empty()).then(|| fact(&[], format!("{name} is made of {}.", names.join(", "))));
    }
    layout.of?;
    let wide = if dialect.known_flags(layout, JudgedBy::Engines) != 0 { ", of 64 bits with flag 1" } else { "" };
    let kind = match dialect.scalar(layout) {
        Scalar::Byte => "bytes",
        Scalar::Int32 => "32-bit integers",
        Scalar::Int64 => "64-bit integers",
        Scalar::Float32 | Scalar::Real | Scalar::Channel => "32-bit floats",
        Scalar::Float64 => "64-bit floats",
    };
    let names: Vec<&str> =
        layout.wire.iter().filter_map(|index| layout.fields.get(*index)).map(String::as_str).collect();
    let what = match (layout.shape == Shape::Packed, names.is_empty()) {
        (true, true) => format!("a count, then {kind}"),
        (true, false) => format!("a count, then {} of each element: {kind}", names.join(", ")),
        (false, _) => format!("{}: {kind}", names.join(", ")),
    };
    let about: &[&str] = if wide.is_empty() { &[] } else { &["width", ".header"] };
    Some(fact(about, format!("{name} is {what}{wide}.")))
}

/// What holds for every packet.
pub fn of_all(dialect: &Dialect) -> Vec<Fact> {
    let order = "A packet is a header of 4 bytes, then what the tables below list. All numbers are little-endian.";
    let kinds = "Integers are signed, Floats are IEEE 754, ids are unsigned.";
    let text = "Text is UTF-8; its length is in bytes.";
    let nan = "A Float keeps its bits if its width stays the same, even those of a signalling NaN. A language that widens 4 \
         bytes to 8 may quiet them: then declare `nan-payload`.";
    let letters = "In the tables, N is the preceding length, P is N rounded up to a multiple of 4, i counts from 0, and X is the \
         start of a part.";
    let padding = "Text and byte arrays are padded with zeros to a multiple of 4. Lengths do not include the padding. Readers do \
         not check its bytes.";
    let unwritten = match dialect.rules.unwritten_padding {
        UnwrittenPadding::None => "",
        UnwrittenPadding::NodePath => {
            "Engines leave the padding of names in node paths as it was in memory: do not compare it. Godot writes zeros since \
             4.6.3 (godot#116105)."
        }
        UnwrittenPadding::All => "Engines do not initialise padding: do not compare it.",
    };
    let nested =
        "Nested values are complete packets, one after the other. Bytes after the outermost value are ignored.";
    let framing = "var_to_bytes (var2bytes before Godot 4) and packet peers send the bare packet. Files and streams (store_var, \
         put_var) prefix its length, 4 bytes in the byte order of the file or stream.";
    held([
        (true, fact(&["byte-order"], order)),
        (true, fact(&[".header", "header-flags", "flag"], header(dialect))),
        (true, fact(&[], kinds)),
        (true, fact(&[".text"], text)),
        (true, fact(&["nan-payload", "nan"], nan)),
        (true, fact(&[], letters)),
        (true, fact(&["padding", "padding-ff", ".padding"], padding)),
        (!unwritten.is_empty(), fact(&[], unwritten)),
        (true, fact(&["nesting", "in-array", "in-dictionary", "trailing", "followed-by-bytes"], nested)),
        (true, fact(&["framing", ".prefix"], framing)),
        (true, fact(&[], precision(dialect))),
    ])
}

fn header(dialect: &Dialect) -> String {
    match dialect.header.id_mask {
        u32::MAX => "The whole header is the type id. There are no flags.".to_owned(),
        mask => format!(
            "The header's lowest byte is the type id (header & {mask:#x}); flags are the upper half (header >> 16), so that flag 1 is \
             bit 16. Other bits are written as zero and ignored."
        ),
    }
}

fn precision(dialect: &Dialect) -> &'static str {
    match (dialect.precision, dialect.rules.wide_reals, dialect.double) {
        (Precision::Double, WideReals::Flag1, _) => "Double precision: types with a Float are written with flag 1.",
        (Precision::Double, WideReals::Ignored, _) => {
            "Double precision: each Float of a vector or color has 8 bytes, and nothing in the packet says so. Counts keep 4 bytes."
        }
        (Precision::Single, WideReals::Flag1, _) => {
            "Double-precision builds set flag 1 on types made of Floats (vectors, matrices, their packed arrays): then each Float \
             has 8 bytes. Every build reads both. Colors, counts and integers never widen."
        }
        (Precision::Single, WideReals::Ignored, true) => {
            "Flag 1 does not widen vectors. According to the documents, double-precision builds write each Float in 8 bytes; no \
             release does."
        }
        (Precision::Single, WideReals::Ignored, false) => "There is no double-precision form.",
    }
}

/// What readers refuse, and what they allow.
pub fn refusals(dialect: &Dialect) -> Vec<Fact> {
    let rules = &dialect.rules;
    let always = "Refused: an id that is not in the table; a packet that ends early; a negative length or count, or one beyond the \
         end.";
    let depth = match dialect.depth {
        Some(depth) => format!("Refused: more than {depth} nested values, including the outermost and the innermost."),
        None => "Engines do not limit the depth of nested values: limit it yourself.".to_owned(),
    };
    let utf8 = match rules.utf8 {
        Utf8::Strict => "Refused: text that is not UTF-8 by Unicode's definition.",
        Utf8::Lenient => {
            "Refused: text that is not UTF-8; of overlong forms, those of two bytes, and of numbers below 16 in three bytes, 512 \
             in four, 16384 in five and 524288 in six. Surrogates, numbers beyond U+10FFFF and the other overlong forms may be \
             read or refused: engines differ."
        }
        Utf8::Any => "Text that is not UTF-8 is read as empty.",
    };
    let padding = match (rules.byte_padding_optional_at_end, rules.text_padding_optional_at_end) {
        (true, true) => "The last padding of a packet may be missing; it counts as read.",
        (true, false) => {
            "The padding of a byte array may be missing at the end of a packet, and counts as read; that of a text may not."
        }
        (false, _) => "",
    };
    let debugger = "The debugger drops the connection at the first message that it cannot decode (godot#113905): one wrong byte \
         ends a session.";
    // Readers of Godot 4 know flag 1.
    let is_godot_4 = rules.wide_reals == WideReals::Flag1;
    held([
        (true, fact(&["max", "id", "truncated", "truncated-at", "count", "length", "unknown-type", REFUSED], always)),
        (true, fact(&["depth", "too-deep"], depth)),
        (true, fact(&["utf-8", "bad-utf8"], utf8)),
        (!padding.is_empty(), fact(&["padding", ".padding"], padding)),
        (is_godot_4, fact(&[], debugger)),
    ])
}

/// What a type is, and what is particular to it.
pub fn of_type(dialect: &Dialect, entry: &Type) -> Vec<Fact> {
    let layout = dialect.layout(entry);
    let Rules { string_array_nul, negative_text_count, shared_bit, .. } = dialect.rules;
    let mut facts: Vec<Fact> = numbers(dialect, entry).into_iter().collect();
    match layout.shape {
        Shape::Empty => facts.push(fact(&[".header"], "There is nothing after the header.")),
        Shape::Bool => {
            facts.push(fact(&["truth", ".value"], "0 is false, any other number is true; true is written as 1."));
        }
        Shape::Int if dialect.rules.wide_numbers => facts.extend([
            fact(&[".value"], "A signed number of 32 bits, or of 64 with flag 1."),
            fact(&[".header"], "Flag 1 is set only for numbers that do not fit in 32 bits. Both forms are read."),
        ]),
        Shape::Float if dialect.rules.wide_numbers => facts.extend([
            fact(&[".value"], "A number of 32 bits, or of 64 with flag 1."),
            fact(
                &[".header"],
                "Flag 1 is set unless the number fits in 32 bits exactly; every NaN is written in 64 bits. Both forms are read.",
            ),
        ]),
        Shape::Int | Shape::Float => facts.push(fact(&[".header", ".value"], "A number of 32 bits. There is no 64-bit form.")),
        Shape::Text => facts.extend(of_text(dialect).into_iter().chain(of_letters(&dialect.rules))),
        Shape::Fields | Shape::Packed => facts.extend(of_numbers(dialect, layout)),
        Shape::PackedText => {
            facts.push(fact(&[".length", ".text", "padding", ".padding"], if string_array_nul {
                "Each length includes a NUL after the text, and padding follows each text. Texts without a NUL are read too."
            } else {
                "Padding follows each text."
            }));
            if negative_text_count == NegativeTextCount::Empty {
                facts.push(fact(&[".count"], "A negative count is read as 0."));
            }
            facts.extend(of_letters(&dialect.rules));
        }
        Shape::Array => {
            facts.push(fact(&["nesting", ".count"], "That many values follow, each with its header."));
            if dialect.rules.typed_containers != TypedContainers::None {
                facts.push(fact(&["nesting"],
                    "Elements have it whatever the type of the array. A class or script is padded.",
                ));
                facts.extend(element_types(dialect, layout));
            }
        }
        Shape::Dictionary => {
            facts.push(fact(&["order", "nesting"],
                "That many pairs follow: a key, then its value. A repeated key keeps its first place and its last value.",
            ));
            facts.push(fact(&[IS_PAIR_ORDER], match dialect.rules.dictionary_order {
                DictionaryOrder::Insertion => "The pairs of a Dictionary keep their order: they are written as they were added or read.",
                DictionaryOrder::Hash => "The pairs of a Dictionary are in the order of the engine's hash table, which can be any.",
            }));
            facts.push(equal_keys(dialect));
            if dialect.rules.typed_containers == TypedContainers::All {
                facts.push(fact(&["nesting"],
                    "Keys and values keep their headers. A class or script is padded, and read as in arrays.",
                ));
                facts.extend(element_types(dialect, layout));
            }
        }
        Shape::NodePath => facts.extend(of_node_path(dialect).into_iter().chain(of_letters(&dialect.rules))),
        Shape::Record if dialect.rules.record(layout).is_none_or(<[_]>::is_empty) && !layout.record.is_empty() => {
            return vec![fact(&[".header"], "There is nothing after the header.")];
        }
        Shape::Record => {
            facts.extend(of_record(layout));
            if any_field(&layout.record, |form| matches!(form, FieldForm::Text)) {
                facts.extend(of_letters(&dialect.rules));
            }
        }
    }
    if layout.shape.is_container() {
        facts.push(fact(
            &["shared-bit"],
            match shared_bit {
                SharedBit::Masked => "Bit 31 of the count is never written, and ignored when read.",
                SharedBit::Kept => "Bit 31 of the count says that the container is shared.",
            },
        ));
    }
    facts.extend(layout.notes.iter().map(|note| fact(&[], note.clone())));
    facts
}

fn of_text(dialect: &Dialect) -> Vec<Fact> {
    let rules = &dialect.rules;
    let padding = match rules.text_padding_optional_at_end {
        true => "Padding follows; the last of a packet may be missing, and counts as read.",
        false => "Padding follows, at the end of a packet too.",
    };
    held([
        (true, fact(&[".length"], "The length counts bytes of UTF-8.")),
        (true, fact(&["padding", ".padding"], padding)),
    ])
}

/// What the letters of any text are.
fn of_letters(rules: &Rules) -> Vec<Fact> {
    let bom = "A leading byte order mark is dropped when read, and written like any other character.";
    held([
        (rules.text_ends_at_nul, fact(&["text-ends-at-nul"], "A NUL ends a text; its whole length is consumed.")),
        (rules.text_drops_bom, fact(&["text-drops-bom", "byte-order-mark"], bom)),
    ])
}

fn of_numbers(dialect: &Dialect, layout: &Layout) -> Vec<Fact> {
    let has_reals = !matches!(dialect.scalar(layout), Scalar::Byte | Scalar::Int32 | Scalar::Int64);
    let is_matrix = layout.fields == ["x.x", "x.y", "x.z", "y.x", "y.y", "y.z", "z.x", "z.y", "z.z"];
    let axes = "x, y and z are the axes, the columns of the matrix; the matrix is written row by row.";
    held([
        (is_matrix, fact(&["rows"], axes)),
        (has_reals, fact(&["range"], "Any number is copied bit by bit: none is clamped, rounded or normalized.")),
        (layout.of == Some(Scalar::Byte), fact(&["padding", ".padding"], "Padding follows.")),
    ])
}

fn held<const N: usize>(facts: [(bool, Fact); N]) -> Vec<Fact> {
    facts.into_iter().filter(|(holds, _)| *holds).map(|(_, fact)| fact).collect()
}

/// What the ids of types mean in the header of a typed container.
fn element_types(dialect: &Dialect, layout: &Layout) -> Vec<Fact> {
    let kept = match (dialect.objects(), &layout.stand_in) {
        (Some(object), Some(class)) => format!(
            "A value keeps the type that it has. Type {} is any object. Where objects are not allowed, it and every class and \
             script are read and written as the class {class}.",
            object.id
        ),
        _ => "A value keeps the type that it has.".to_owned(),
    };
    let mut facts = vec![
        fact(
            &["typed", ".header"],
            "Two bits of the header say how a type is given: 1 for an id of a type, 2 for the name of a class, 3 for the path of a \
             script, which then follows.",
        ),
        fact(&["typed"], "Id 0 is no type: the container is read as one without."),
        fact(&["permission", "typed", ".type", ".class", ".script"], kept),
    ];
    if let Some(scripts) = &layout.scripts {
        facts.push(fact(
            &["permission", "typed", REFUSED],
            format!(
                "Where objects are allowed, a class without a name is any object, and a script whose path is empty or does not \
                 begin with `{scripts}` is refused."
            ),
        ));
    }
    facts
}

/// When two keys of a dictionary are one.
fn equal_keys(dialect: &Dialect) -> Fact {
    let text = match dialect.rules.keys {
        KeyRule::Repeated => "Each pair stays as it is: a key may be there twice.",
        KeyRule::Unique => {
            "Two keys are equal if type and value are: the int 1, the float 1.0, true and the text \"1\" are four keys. Arrays are \
             equal if their elements are; vectors, and packed arrays of them, if their numbers are, for which both zeros are \
             one number. A NaN equals one of the same bits, in vectors and arrays too. It is undecided for dictionaries, for NaNs of \
             other bits, and for the two zeros as Floats."
        }
        KeyRule::ByContent => {
            "Two keys are equal if type and value are: the int 1, the float 1.0, true and the text \"1\" are four keys. A String and \
             a StringName of one text are one key, as a key within a dictionary too, but not as elements of an array. 0.0 and \
             -0.0 are one key, and so are two NaNs. Arrays are equal if their elements are; dictionaries if their pairs are, in \
             the same order. An array with the Float NaN as an element equals nothing, nor does a dictionary with the Float NaN or an \
             object as a value; a NaN in a vector or a packed array equals any other, in those too."
        }
    };
    fact(&["keys"], text)
}

fn of_node_path(dialect: &Dialect) -> Vec<Fact> {
    let flags = "The name count has bit 31 set. Flag 1 of the field `flags`: absolute. Padding follows each text.";
    let names =
        "Each name and sub-name is a text of its own: an empty one counts, and `/` and `:` within one are letters.";
    let property = match dialect.rules.node_path_property {
        NodePathProperty::LastSubname => "Flag 2: one sub-name more than counted.",
        NodePathProperty::Own => "Flag 2: a property follows the sub-names.",
    };
    let old = match dialect.rules.old_node_path {
        OldNodePath::Refused => "Without bit 31 the packet is refused.",
        OldNodePath::Read => "Without bit 31 it is one text, padded.",
        OldNodePath::ReadUnpadded => "Without bit 31 it is one text, without padding.",
    };
    vec![
        fact(&["path-flags", "padding", ".padding"], flags),
        fact(&[".name-count", ".subname-count", ".names", ".subnames"], names),
        fact(&["path-flags"], property),
        fact(&[], old),
    ]
}

fn of_record(layout: &Layout) -> Vec<Fact> {
    let has = |is| any_field(&layout.record, is);
    let is_padded = has(|form| matches!(form, FieldForm::Text | FieldForm::Bytes { .. }));
    held([
        (is_padded, fact(&["padding", ".padding"], "Padding follows each text and byte field.")),
        (has(|form| *form == FieldForm::Word), fact(&[], "Its integers are unsigned.")),
        (has(|form| matches!(form, FieldForm::Values { .. })), fact(&["nesting"], "As many whole values follow.")),
        (
            has(|form| *form == FieldForm::Size),
            fact(&[".size"], "The size is that of all fields, including itself; readers ignore it."),
        ),
    ])
}
