//! Values as the corpus writes them: tags, reals with a point, texts quoted.

use std::fmt::Write;

use variant_codec::Value;
use variant_specs::Dialect;

use variant_wire::value_text::{Form, SyntaxTree, value_json};

/// A value on one line.
pub(super) fn value(value: &Value, dialect: &Dialect) -> String {
    let mut text = String::new();
    match serde_json::from_str::<SyntaxTree>(&json(value, dialect)) {
        Ok(node) => write(&mut text, &node, dialect),
        // Whatever is written as JSON can be read as such.
        Err(error) => text.push_str(&quoted(&error.to_string())),
    }
    text
}

/// The same as JSON.
pub(super) fn json(value: &Value, dialect: &Dialect) -> String {
    value_json(value, &dialect.layouts, Form::default())
}

/// A text as a JSON string, in which all that YAML does not let stand is escaped.
pub(super) fn json_text(text: &str) -> String {
    let mut json = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => json.extend(['\\', letter]),
            letter if is_printable(letter) => json.push(letter),
            letter => {
                for unit in letter.encode_utf16(&mut [0; 2]) {
                    // Writing to a String cannot fail.
                    let _ = write!(json, "\\u{unit:04x}");
                }
            }
        }
    }
    json.push('"');
    json
}

/// A text that can stand on a line of YAML: what is not printable is escaped, and what is long is cut.
pub(super) fn line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for letter in text.chars() {
        if line.len() > LONGEST {
            line.push('…');
            break;
        }
        if is_printable(letter) { line.push(letter) } else { line.extend(letter.escape_unicode()) }
    }
    line
}

const LONGEST: usize = 2000;

fn write(text: &mut String, node: &SyntaxTree, dialect: &Dialect) {
    // Writing to a String cannot fail.
    let _ = match node {
        SyntaxTree::Null => write!(text, "null"),
        SyntaxTree::Bool(bool) => write!(text, "{bool}"),
        SyntaxTree::Int(int) => write!(text, "{int}"),
        SyntaxTree::BigInt(int) => write!(text, "{int}"),
        SyntaxTree::Real(real) => write!(text, "{}", real_text(*real)),
        SyntaxTree::Text(plain) => write!(text, "{}", quoted(plain)),
        SyntaxTree::List(nodes) => {
            text.push('[');
            for (index, node) in nodes.iter().enumerate() {
                text.push_str(if index > 0 { ", " } else { "" });
                write(text, node, dialect);
            }
            text.push(']');
            Ok(())
        }
        SyntaxTree::Map(pairs) => match pairs.as_slice() {
            [(layout, body)] if dialect.layouts.id_of(layout).is_some() => {
                let _ = write!(text, "!{layout} ");
                // A tag without content is null; a space must follow it.
                if *body != SyntaxTree::Null {
                    write(text, body, dialect);
                }
                Ok(())
            }
            pairs => {
                text.push('{');
                for (index, (key, node)) in pairs.iter().enumerate() {
                    let _ = write!(text, "{}{}: ", if index > 0 { ", " } else { "" }, key);
                    write(text, node, dialect);
                }
                text.push('}');
                Ok(())
            }
        },
        SyntaxTree::Tagged(tagged) => {
            let (tag, body) = &**tagged;
            let _ = write!(text, "!{tag} ");
            write(text, body, dialect);
            Ok(())
        }
    };
}

/// With a point, always.
fn real_text(real: f64) -> String {
    let text = format!("{real:?}");
    match text.split_once('e') {
        Some((number, exponent)) if !number.contains('.') => format!("{number}.0e{exponent}"),
        _ => text,
    }
}

fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => {
                quoted.push('\\');
                quoted.push(letter);
            }
            letter if is_printable(letter) => quoted.push(letter),
            letter => {
                // Writing to a String cannot fail.
                let _ = write!(quoted, "\\U{:08x}", u32::from(letter));
            }
        }
    }
    quoted.push('"');
    quoted
}

/// Whether YAML lets it stand as it is.
fn is_printable(letter: char) -> bool {
    let number = u32::from(letter);
    !letter.is_control() && !matches!(number, 0x2028 | 0x2029 | 0xfeff) && number & 0xfffe != 0xfffe
}
