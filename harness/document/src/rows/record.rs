//! The tables of a record: a part for each run of fields whose offsets are known.

use variant_specs::{Dialect, FLAG, FieldForm, Layout, RecordField};

use super::row::{FieldType, Offset, Part, part, row, scalar};

/// The tables of a record.
pub(super) fn record(dialect: &Dialect, layout: &Layout) -> Vec<Part> {
    let mut tables = Tables { real: scalar(dialect, layout), parts: Vec::new() };
    tables.fields(dialect.rules.record(layout).unwrap_or_default(), "", "", Some(4));
    tables.parts
}

struct Tables {
    /// How many bytes a real takes, and what it is.
    real: (usize, FieldType),
    parts: Vec<Part>,
}

impl Tables {
    /// Adds the parts of these fields; `when` is that of the first. `at` is an offset in the packet; without one, a part begins
    /// at X.
    fn fields(&mut self, fields: &[RecordField], when: &str, prefix: &str, at: Option<usize>) {
        let mut open = Open { part: part(when, Vec::new()), from: at.unwrap_or(0), in_packet: at.is_some() };
        for field in fields {
            let name = format!("{prefix}{}", field.name);
            match &field.form {
                FieldForm::Flag | FieldForm::Permission => {}
                FieldForm::Word | FieldForm::Size => open.put(Some(4), FieldType::Integer, name),
                FieldForm::Id => open.put(Some(8), FieldType::Integer, name),
                FieldForm::Float32 => open.put(Some(4), FieldType::Float, name),
                FieldForm::Real => open.put(Some(self.real.0), self.real.1, name),
                FieldForm::Padding { bytes } => {
                    open.put(usize::try_from(*bytes).ok(), FieldType::Bytes, format!("{name}.padding"));
                }
                FieldForm::Text => {
                    open.put(Some(4), FieldType::Integer, format!("{name}.length"));
                    open.put(None, FieldType::Bytes, format!("{name}.text"));
                    self.close(&mut open, "after that");
                }
                FieldForm::Bytes { length } => {
                    open.put(Some(4), FieldType::Integer, format!("{prefix}{length}"));
                    open.bytes(name);
                    self.close(&mut open, "after that");
                }
                FieldForm::Value => {
                    open.put(None, FieldType::Value, name);
                    self.close(&mut open, "after that");
                }
                FieldForm::Type { id, .. } => {
                    open.put(Some(4), FieldType::Integer, format!("{prefix}{id}"));
                    self.close(&mut open, "for objects without flag 1: the class, a whole value");
                    open.put(None, FieldType::Value, format!("{prefix}class.header"));
                    self.close(&mut open, "after that");
                }
                FieldForm::Values { count, .. } => {
                    open.put(Some(4), FieldType::Integer, format!("{prefix}{count}"));
                    self.close(&mut open, "after that");
                }
                FieldForm::Repeat { count, of, .. } => {
                    open.put(Some(4), FieldType::Integer, format!("{prefix}{count}"));
                    self.close(&mut open, "after that");
                    self.fields(of, &format!("for each of {name}"), &format!("{name}[i]."), None);
                }
                FieldForm::Choice { by, of, otherwise } => {
                    let at = open.in_packet.then_some(open.from).filter(|_| by == FLAG);
                    self.close(&mut open, "after that");
                    for (number, fields) in of {
                        let when = match (by == FLAG, number) {
                            (false, _) => format!("if {prefix}{by} is {number}"),
                            (true, 1) => "with flag 1".to_owned(),
                            (true, _) => "without flag 1".to_owned(),
                        };
                        self.fields(fields, &when, prefix, at);
                    }
                    let set = of.first().is_some_and(|(number, _)| *number == 1);
                    let otherwise_when = match (by == FLAG, set) {
                        (false, _) => format!("for any other {prefix}{by}"),
                        (true, true) => "without flag 1".to_owned(),
                        (true, false) => "with flag 1".to_owned(),
                    };
                    self.fields(otherwise, &otherwise_when, prefix, at);
                }
            }
        }
        self.close(&mut open, "");
    }

    /// Ends a part, and begins the next at X.
    fn close(&mut self, open: &mut Open, next: &str) {
        let part = std::mem::replace(&mut open.part, part(next, Vec::new()));
        (open.from, open.in_packet) = (0, false);
        if !part.rows.is_empty() {
            self.parts.push(part);
        }
    }
}

/// A part that may get more rows.
struct Open {
    part: Part,
    from: usize,
    in_packet: bool,
}

impl Open {
    /// A row; without a length, of as many bytes as the row before it says: nothing has a known offset after it.
    fn put(&mut self, length: Option<usize>, kind: FieldType, name: String) {
        let offset = if self.in_packet { Offset::At(self.from) } else { Offset::In(self.from) };
        self.part.rows.push(row(offset, length, kind, name));
        self.from += length.unwrap_or(0);
    }

    /// A row of bytes: one for each, if their offset is known.
    fn bytes(&mut self, name: String) {
        if !self.in_packet {
            return self.put(None, FieldType::Bytes, name);
        }
        self.part.rows.push(row(Offset::Each { base: self.from, step: 1 }, Some(1), FieldType::Byte, name));
    }
}
