//! Texts and padding.

use super::model::{Attributes, KaitaiField, KaitaiType};
use super::{Ksy, LEFT};

impl Ksy<'_> {
    /// A text with its length and padding; if the padding may be missing there, another one where it must not.
    pub(super) fn text_types(&self) -> Vec<(String, KaitaiType)> {
        let optional = self.dialect.rules.text_padding_optional_at_end;
        let mut types = vec![("text".to_owned(), text(optional)), ("text_content".to_owned(), self.content())];
        if optional {
            types.push((self.strict_text().to_owned(), text(false)));
        }
        types
    }

    /// The type of a text whose padding has to be there.
    pub(super) fn strict_text(&self) -> &'static str {
        if self.dialect.rules.text_padding_optional_at_end { "strict_text" } else { "text" }
    }

    fn content(&self) -> KaitaiType {
        let rules = &self.dialect.rules;
        let text = KaitaiField::of("text", "str").with("size-eos", true);
        let text = if rules.text_ends_at_nul { text.with("terminator", 0) } else { text };
        let text = text.with("encoding", "UTF-8");
        if !rules.text_drops_bom {
            return KaitaiType::new([text]);
        }
        KaitaiType::new([KaitaiField::bytes("bom", "3").only_if("has_bom"), text])
            .with("start", Attributes::default().with("pos", 0).with("size", 3))
            .with("has_bom", Attributes::value("_io.size >= 3 and start == [0xef, 0xbb, 0xbf]"))
    }
}

fn text(optional: bool) -> KaitaiType {
    KaitaiType::new([
        length("len_content", 1),
        KaitaiField::of("content", "text_content").with("size", "len_content"),
        padding("len_content", optional),
    ])
}

/// A count or length of things of `size` bytes, all of which must fit.
pub(super) fn length(id: &str, size: usize) -> KaitaiField {
    let room = if size == 1 { LEFT.to_owned() } else { format!("{LEFT} / {size}") };
    KaitaiField::of(id, "u4").valid(format!("_ <= {room}"))
}

/// The padding after `length` bytes. If `optional`, it may be missing at the end of the input.
pub(super) fn padding(length: &str, optional: bool) -> KaitaiField {
    let size = format!("(4 - {length} % 4) % 4");
    KaitaiField::bytes("padding", if optional { format!("{size} < {LEFT} ? {size} : {LEFT}") } else { size })
}
