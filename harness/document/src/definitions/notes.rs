//! What a definition cannot say of a dialect, for its head.

use variant_specs::{BadImage, Dialect, FieldForm, KeyRule, OldNodePath, Shape, TypedContainers, Utf8, any_field};

/// A sentence for each thing that engines do and a definition does not. One that is a program may check UTF-8.
pub(crate) fn unchecked(dialect: &Dialect, checks_utf8: bool) -> Vec<&'static str> {
    let rules = &dialect.rules;
    let has = |shape| dialect.type_of_shape(shape).is_some();
    let text = match rules.utf8 {
        Utf8::Strict if checks_utf8 => None,
        Utf8::Strict => Some("Text: whether bytes are UTF-8. The tool decides what to do with bytes that are not."),
        Utf8::Lenient => {
            Some("Text: engines also read surrogates and some overlong forms. The tool decides what to do with them.")
        }
        Utf8::Any => Some("Text: engines read text that is not UTF-8 as empty. The tool decides what to do with it."),
    };
    let mut notes: Vec<_> = text.into_iter().collect();
    notes.extend([
        match rules.keys {
            KeyRule::Unique | KeyRule::ByContent => {
                "Dictionaries: every pair is given. In engines a repeated key keeps its first place and its last value."
            }
            KeyRule::Repeated => "Dictionaries: every pair is given.",
        },
        "Bytes after the value: they are ignored silently.",
    ]);
    if rules.text_padding_optional_at_end || rules.byte_padding_optional_at_end {
        notes.push("Padding that is missing at the end: it is accepted. Engines count it as consumed; here the position ends before it.");
    }
    let records = dialect.types.iter().filter_map(|entry| rules.record(dialect.layout(entry)));
    if records.into_iter().any(|record| any_field(record, |form| *form == FieldForm::Permission)) {
        notes.push("Objects with properties: they are read. Engines refuse them unless the caller allows objects.");
    }
    if rules.typed_containers != TypedContainers::None {
        notes.push("Container types that are classes or scripts: they are given as sent, and no class is looked up.");
    }
    if has(Shape::NodePath) && rules.old_node_path != OldNodePath::Refused {
        notes.push("Node paths in the old form: they are given as one text, which engines split.");
    }
    let has_images = dialect.types.iter().any(|entry| !dialect.layout(entry).pixels.is_empty());
    if has_images && rules.bad_image == BadImage::Empty {
        notes.push("Images: engines read data of the wrong length as an empty image; here it is given as sent.");
    }
    if dialect.depth.is_none() {
        notes.push("Depth: it is not limited, as in engines; a value that is too deep for the tool makes it fail.");
    }
    notes
}
