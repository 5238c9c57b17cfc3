//! What the tables cannot say, in sentences: flags, padding, limits, refusals. Each follows from a rule of the dialect.

use variant_specs::{
    Dialect, FieldForm, Layout, NegativeTextCount, NodePathProperty, OldNodePath, Precision, Rules, Shape, SharedBit,
    TypedContainers, UnwrittenPadding, Utf8, WideReals, any_field,
};

/// What holds for every packet.
pub(crate) fn of_all(dialect: &Dialect) -> Vec<String> {
    let rules = &dialect.rules;
    let mut facts = vec![
        "A packet is a header of 4 bytes, then what the tables below list. All numbers are little-endian.".to_owned(),
        header(dialect),
        "Integers are signed, Floats are IEEE 754, ids are unsigned. Text is UTF-8; its length is in bytes.".to_owned(),
        "A Float keeps its bits if its width stays the same, even those of a signalling NaN. A language that widens 4 bytes to 8 \
         may quiet them."
            .to_owned(),
        "In the tables, N is the preceding length, P is N rounded up to a multiple of 4, i counts from 0, and X is the start of a part."
            .to_owned(),
        "Text and byte arrays are padded with zeros to a multiple of 4. Lengths do not include the padding. Readers do not check its bytes."
            .to_owned(),
    ];
    match rules.unwritten_padding {
        UnwrittenPadding::None => {}
        UnwrittenPadding::NodePath => {
            facts.push("Engines may not initialise the padding of names in node paths: do not compare it.".to_owned());
        }
        UnwrittenPadding::All => facts.push("Engines do not initialise padding: do not compare it.".to_owned()),
    }
    facts.push(
        "Nested values are complete packets, one after the other. Bytes after the outermost value are ignored."
            .to_owned(),
    );
    facts.push(
        "var2bytes and packet peers send the bare packet. Files and streams (store_var, put_var) prefix its length, 4 bytes in \
         the byte order of the file or stream."
            .to_owned(),
    );
    facts.push(precision(dialect).to_owned());
    facts
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
pub(crate) fn refusals(dialect: &Dialect) -> Vec<String> {
    let rules = &dialect.rules;
    let mut facts = vec![
        "Refused: an id that is not in the table; a packet that ends early; a negative length or count, or one beyond the end."
            .to_owned(),
        match dialect.depth {
            Some(depth) => format!("Refused: more than {depth} nested values, including the outermost and the innermost."),
            None => "Engines do not limit the depth of nested values: limit it yourself.".to_owned(),
        },
        match rules.utf8 {
            Utf8::Strict => "Refused: text that is not UTF-8 by Unicode's definition.",
            Utf8::Lenient => {
                "Refused: text that is not UTF-8. Surrogates, numbers beyond U+10FFFF and some overlong forms are read."
            }
            Utf8::Any => "Text that is not UTF-8 is read as empty.",
        }
        .to_owned(),
    ];
    let mut text = Vec::new();
    if rules.text_ends_at_nul {
        text.push("A NUL ends a text; its whole length is consumed.");
    }
    if rules.text_drops_bom {
        text.push("A leading byte order mark is dropped.");
    }
    if !text.is_empty() {
        facts.push(text.join(" "));
    }
    match (rules.byte_padding_optional_at_end, rules.text_padding_optional_at_end) {
        (true, true) => facts.push("The last padding of a packet may be missing.".to_owned()),
        (true, false) => facts.push(
            "The padding of a byte array may be missing at the end of a packet; that of a text may not.".to_owned(),
        ),
        (false, _) => {}
    }
    facts
}

/// What is particular to a type.
pub(crate) fn of_type<'l>(dialect: &Dialect, layout: &'l Layout) -> Vec<&'l str> {
    let Rules { string_array_nul, negative_text_count, shared_bit, .. } = dialect.rules;
    let mut facts = Vec::new();
    match layout.shape {
        Shape::Empty => facts.push("There is nothing after the header."),
        Shape::Bool => facts.push("0 is false, any other number is true; true is written as 1."),
        Shape::Int if dialect.rules.wide_numbers => {
            facts.push("Flag 1 is set only for numbers that do not fit in 32 bits. Both forms are read.");
        }
        Shape::Float if dialect.rules.wide_numbers => facts.push(
            "Flag 1 is set unless the number fits in 32 bits exactly; every NaN is written in 64 bits. Both forms are read.",
        ),
        Shape::Int | Shape::Float => facts.push("There is no 64-bit form."),
        Shape::Text => facts.push("Padding follows."),
        Shape::Fields | Shape::Packed => {
            if dialect.precision == Precision::Single && dialect.known_flags(layout, variant_specs::Reading::Engine) != 0 {
                facts.push("With flag 1, each Float has 8 bytes.");
            }
            if layout.fields == ["x.x", "x.y", "x.z", "y.x", "y.y", "y.z", "z.x", "z.y", "z.z"] {
                facts.push("x, y and z are the axes, the columns of the matrix; the matrix is written row by row.");
            }
            if layout.of == Some(variant_specs::Scalar::Byte) {
                facts.push("Padding follows.");
            }
        }
        Shape::PackedText => {
            facts.push(if string_array_nul {
                "Each length includes a NUL after the text, and padding follows each text. Texts without a NUL are read too."
            } else {
                "Padding follows each text."
            });
            if negative_text_count == NegativeTextCount::Empty {
                facts.push("A negative count is read as 0.");
            }
        }
        Shape::Array => {
            facts.push("That many values follow.");
            if dialect.rules.typed_containers != TypedContainers::None {
                facts.push("Elements keep their headers, whatever the type of the array. A class or script is padded.");
                facts.push("If the reader does not allow objects, classes and scripts are read and written as EncodedObjectAsID.");
            }
        }
        Shape::Dictionary => {
            facts.push("That many pairs follow: a key, then its value. A repeated key keeps its first place and its last value.");
            if dialect.rules.typed_containers == TypedContainers::All {
                facts.push("Keys and values keep their headers. A class or script is padded, and read as in arrays.");
            }
        }
        Shape::NodePath => {
            facts.push("The name count has bit 31 set. Flag 1 of the field `flags`: absolute. Padding follows each text.");
            facts.push(match dialect.rules.node_path_property {
                NodePathProperty::LastSubname => "Flag 2: one sub-name more than counted.",
                NodePathProperty::Own => "Flag 2: a property follows the sub-names.",
            });
            facts.push(match dialect.rules.old_node_path {
                OldNodePath::Refused => "Without bit 31 the packet is refused.",
                OldNodePath::Read => "Without bit 31 it is one text, padded.",
                OldNodePath::ReadUnpadded => "Without bit 31 it is one text, without padding.",
            });
        }
        Shape::Record if dialect.rules.record(layout).is_none_or(<[_]>::is_empty) && !layout.record.is_empty() => {
            return vec!["There is nothing after the header."];
        }
        Shape::Record => {
            let has = |is| any_field(&layout.record, is);
            if has(|form| matches!(form, FieldForm::Text | FieldForm::Bytes { .. })) {
                facts.push("Padding follows each text and byte field.");
            }
            if has(|form| matches!(form, FieldForm::Values { .. })) {
                facts.push("As many whole values follow.");
            }
            if has(|form| *form == FieldForm::Size) {
                facts.push("The size is that of all fields, including itself; readers ignore it.");
            }
        }
    }
    if layout.shape.is_container() {
        facts.push(match shared_bit {
            SharedBit::Masked => "Bit 31 of the count is never written, and ignored when read.",
            SharedBit::Kept => "Bit 31 of the count says that the container is shared.",
        });
    }
    facts.extend(layout.notes.iter().map(String::as_str));
    facts
}
