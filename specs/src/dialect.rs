//! Dialects: which id has which layout, and how one engine generation bends it.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::{Layout, LayoutId, Layouts, Rules, Shape};

const DEPTH: &str = "depth=";

/// One numbering of the types, with its rules: all that a codec needs to know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dialect {
    /// `godot-3`, `pandemonium-38`, `godot-3+double`…
    pub name: String,
    /// Other names for it.
    pub aliases: Vec<String>,
    /// The dialect that it extends, whose cases hold in it too.
    pub parent: Option<String>,
    /// The layouts that [`Type::layout`] points into.
    pub layouts: Arc<Layouts>,
    /// Names of the documents that describe it; empty where none does.
    pub documents: Vec<String>,
    /// How the first word of a packet is read.
    pub header: Header,
    /// Width of a real.
    pub precision: Precision,
    /// Whether it has double-precision builds: its documents say what they write.
    pub double: bool,
    /// How many values may stand on a path from the outermost to a leaf, both counted. `None`: no limit.
    pub depth: Option<usize>,
    /// The first id that is no type.
    pub max: u32,
    /// The rules as engines follow them.
    pub rules: Rules,
    /// The rules as the documents, read literally, give them.
    pub document_rules: Rules,
    /// The types, in the order of their ids.
    pub types: Vec<Type>,
}

impl Dialect {
    /// The type with this id.
    pub fn type_of(&self, id: u32) -> Option<&Type> {
        self.types.iter().find(|entry| entry.id == id)
    }

    /// The id of a layout, where this dialect has it.
    pub fn id_of(&self, layout: LayoutId) -> Option<u32> {
        self.types.iter().find(|entry| entry.layout == layout).map(|entry| entry.id)
    }

    /// The layout of a type.
    pub fn layout(&self, entry: &Type) -> &Layout {
        self.layouts.get(entry.layout)
    }

    /// The type of the family's first layout of this shape (`string`, for texts), where this dialect has it.
    pub fn type_of_shape(&self, shape: Shape) -> Option<&Type> {
        let layout = self.layouts.id_of_shape(shape)?;
        self.types.iter().find(|entry| entry.layout == layout)
    }

    /// Its name without the precision.
    pub fn base(&self) -> &str {
        self.name.strip_suffix(DOUBLE).unwrap_or(&self.name)
    }

    /// The same in double precision.
    #[must_use]
    pub fn doubled(&self) -> Self {
        let suffixed = |name: &String| alloc::format!("{name}{DOUBLE}");
        Self {
            name: suffixed(&self.name),
            aliases: self.aliases.iter().map(suffixed).collect(),
            parent: self.parent.as_ref().map(suffixed),
            precision: Precision::Double,
            ..self.clone()
        }
    }

    /// Whether it has what a case needs: a rule, as `wide-numbers` or `rid=empty`, or a depth, as `depth=1025` or
    /// `depth=none`.
    pub fn has(&self, need: &str) -> bool {
        match need.strip_prefix(DEPTH) {
            Some(depth) => depth.parse().ok() == self.depth && (self.depth.is_some() || depth == "none"),
            None => self.rules.has(need),
        }
    }

    /// Whether there is anything of that name to need.
    pub fn knows(need: &str) -> bool {
        match need.strip_prefix(DEPTH) {
            Some(depth) => depth == "none" || depth.parse::<usize>().is_ok(),
            None => Rules::knows(need),
        }
    }

    /// The rules under a reading.
    pub fn rules(&self, reading: Reading) -> &Rules {
        match reading {
            Reading::Engine => &self.rules,
            Reading::Document => &self.document_rules,
        }
    }
}

/// What stands behind a dialect's name for its double-precision builds.
pub const DOUBLE: &str = "+double";

/// One type id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Type {
    /// The id in the header.
    pub id: u32,
    /// What follows the header.
    pub layout: LayoutId,
    /// The heading of its section in the documents.
    pub section: String,
    /// What each document calls it: document name and label.
    pub labels: Vec<(String, String)>,
}

/// Whose word counts where document and engine part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Reading {
    /// What interoperates.
    #[default]
    Engine,
    /// The tables, read literally.
    Document,
}

impl Reading {
    /// The one that is not this.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Engine => Self::Document,
            Self::Document => Self::Engine,
        }
    }

    /// `engine` or `document`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Engine => "engine",
            Self::Document => "document",
        }
    }
}

/// How the first word of a packet is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    /// The bits that are the type id, as engines have it.
    pub id_mask: u32,
    /// The same as the documents have it.
    pub document_id_mask: u32,
    /// What is done about bits that are neither id nor a known flag.
    pub unknown_flags: UnknownFlags,
}

impl Header {
    /// The bits that are the type id under a reading.
    pub fn mask(&self, reading: Reading) -> u32 {
        match reading {
            Reading::Engine => self.id_mask,
            Reading::Document => self.document_id_mask,
        }
    }
}

/// What is done about header bits that mean nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnknownFlags {
    /// They are ignored.
    Ignored,
    /// The packet is refused.
    Refused,
}

/// Width of a real.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Precision {
    /// 32 bits.
    Single,
    /// 64 bits.
    Double,
}
