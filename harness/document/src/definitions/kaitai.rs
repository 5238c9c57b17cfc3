//! A dialect as a definition for Kaitai Struct (`.ksy`).

mod bodies;
mod model;
mod records;
mod texts;

use indexmap::IndexMap;
use serde_yaml::Value;
use variant_specs::{Dialect, FLAG_1, Type as Entry, UnknownFlags};

use self::model::{Attributes, KaitaiField, KaitaiType, mapping, switch};
use crate::definitions::identifier;
use crate::definitions::notes::unchecked;

/// The name of the enumeration of type ids.
const IDS: &str = "type_id";
/// How many bytes are left.
const LEFT: &str = "(_io.size - _io.pos)";

/// The definition of a dialect, for a corpus with this version and digest.
pub fn kaitai(dialect: &Dialect, corpus: &str) -> Result<String, serde_yaml::Error> {
    let text = serde_yaml::to_string(&Ksy { dialect }.definition()?)?;
    Ok(format!("# {} for Kaitai Struct, by `conform document --format kaitai`; corpus {corpus}\n{text}", dialect.name))
}

struct Ksy<'d> {
    dialect: &'d Dialect,
}

impl Ksy<'_> {
    fn definition(&self) -> Result<Value, serde_yaml::Error> {
        // A packet after its length in 32 bits.
        let packet = KaitaiField::of("packet", "variant(1)").with("size", "len_packet");
        let frame = KaitaiType::new([KaitaiField::of("len_packet", "u4"), packet]);
        let mut types = IndexMap::from([("variant".to_owned(), self.variant()), ("frame".to_owned(), frame)]);
        types.extend(self.text_types());
        types.extend(self.element_type());
        for entry in &self.dialect.types {
            types.extend(self.body(self.dialect.layout(entry)));
        }
        let ids = self.dialect.types.iter().map(|entry| (entry.id, self.dialect.layout(entry).name.as_str().into()));
        let notes: String = unchecked(self.dialect, false).iter().map(|note| format!("- {note}\n")).collect();
        let meta = [
            ("id", identifier(&self.dialect.name).into()),
            ("title", format!("Variant of Godot's family, dialect {}", self.dialect.name).into()),
            ("ks-version", "0.11".into()),
            ("endian", "le".into()),
        ];
        let doc = "A packet: one value. If packets have a length prefix, use `frame`.\nWhat this cannot check:\n";
        Ok(mapping([
            ("meta", mapping(meta)),
            ("doc", (doc.to_owned() + &notes).into()),
            ("seq", serde_yaml::to_value([KaitaiField::of("value", "variant(1)")])?),
            ("types", serde_yaml::to_value(types)?),
            ("enums", mapping([(IDS, mapping(ids))])),
        ]))
    }

    /// A value: its header, then the body of its type.
    fn variant(&self) -> KaitaiType {
        let body_of = |entry: &Entry| {
            let layout = self.dialect.layout(entry);
            self.own_body(layout).map(|body| (format!("{IDS}::{}", layout.name), call(&body_name(&layout.name), &body)))
        };
        let cases = self.dialect.types.iter().filter_map(body_of);
        let mut value = KaitaiType::new([
            KaitaiField::of("header", "u4").valid(self.valid_header()),
            KaitaiField::of("body", switch("type", cases)),
        ]);
        value = value.given("depth", "u4").with("type", Attributes::value(self.masked("header")).with("enum", IDS));
        value = value.with("flag_1", Attributes::value(format!("(header & {FLAG_1}) != 0")));
        value
            .with("kind", Attributes::value("(header >> 16) & 3"))
            .with("second_kind", Attributes::value("(header >> 18) & 3"))
    }

    /// The id in a header.
    fn masked(&self, word: &str) -> String {
        match self.dialect.header.id_mask {
            // In JavaScript this mask would make a large word negative.
            u32::MAX => word.to_owned(),
            mask => format!("{word} & {mask}"),
        }
    }

    fn valid_header(&self) -> String {
        let id = self.masked("_");
        let mut conditions = match self.dialect.header.unknown_flags {
            UnknownFlags::Ignored => vec![format!("({id}) < {}", self.dialect.max)],
            UnknownFlags::Refused => vec![self.exact_headers()],
        };
        let dialect = self.dialect;
        let unsupported = dialect.types.iter().filter(|entry| !dialect.rules.supports(dialect.layout(entry)));
        conditions.extend(unsupported.map(|entry| format!("({id}) != {}", entry.id)));
        conditions.extend(self.dialect.depth.map(|depth| format!("depth <= {depth}")));
        conditions.join(" and ")
    }

    /// Any id, with no flag but those that mean something for its type.
    fn exact_headers(&self) -> String {
        let known =
            |entry: &Entry| self.dialect.known_flags(self.dialect.layout(entry), variant_specs::JudgedBy::Engines);
        if self.dialect.types.iter().all(|entry| known(entry) == 0) {
            return format!("_ < {}", self.dialect.max);
        }
        let header = |entry: &Entry| format!("(_ & {}) == {}", !known(entry), entry.id);
        format!("({})", self.dialect.types.iter().map(header).collect::<Vec<_>>().join(" or "))
    }
}

/// The type of the body of a layout: not its name alone, which may be a word of a programming language.
fn body_name(layout: &str) -> String {
    format!("{layout}_body")
}

/// A type with its arguments: whoever calls it has them under the names of its parameters.
fn call(name: &str, body: &KaitaiType) -> String {
    match body.params.as_slice() {
        [] => name.to_owned(),
        params => format!("{name}({})", params.iter().map(|param| param.id.as_str()).collect::<Vec<_>>().join(", ")),
    }
}
