//! What a certificate is for.

use serde::{Deserialize, Serialize};
use strum::{EnumMessage, IntoStaticStr, VariantArray as _};
use variant_runner::ability::Ability;
use variant_runner::status::CellStatus;
use variant_runner::summary::{Summary, TypeScore};

/// What a codec is used for, which decides what a certificate asks of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, EnumMessage, IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Profile {
    /// Talks to an engine: reads, writes and is safe in every type that it supports
    Client,
    /// Talks to anyone: as a client, and safe whatever the packet is
    Server,
    /// Reads files: reads every type that it supports
    SaveReader,
    /// Takes the place of an engine: reads and writes all that it supports, and no reply is wrong
    Engine,
}

impl Profile {
    /// Every profile.
    pub const ALL: [Self; 4] = [Self::Client, Self::Server, Self::SaveReader, Self::Engine];

    /// Its word: `save-reader`.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// What it asks of a codec, as help says it: its comment here.
    pub fn means(self) -> &'static str {
        self.get_documentation().unwrap_or_default()
    }

    /// What a certificate says of the implementation.
    pub(super) fn states(self) -> &'static str {
        match self {
            Self::Client => "is fit for a client of an engine, in what it supports (profile client)",
            Self::Server => "is fit for a server that anyone talks to, in what it supports (profile server)",
            Self::SaveReader => "is fit to read files, in what it supports (profile save-reader)",
            Self::Engine => "reads and writes what it supports without a wrong reply (profile engine)",
        }
    }

    fn needs(self) -> &'static [Ability] {
        match self {
            Self::Client | Self::Server => &[Ability::Reads, Ability::Writes, Ability::Safe],
            Self::SaveReader => &[Ability::Reads],
            Self::Engine => Ability::VARIANTS,
        }
    }

    /// Where an implementation does not have what the profile asks for, in words; `None` if it has all of it.
    pub(super) fn lacks(self, summary: &Summary<'_>) -> Option<String> {
        let lacking = self.lacking(summary);
        let fits = |other: &Self| other.lacking(summary).is_empty();
        let other = Self::ALL.into_iter().find(fits).map_or("", Self::name);
        let other =
            if other.is_empty() { String::new() } else { format!("; it has what the profile {other} asks for") };
        let more = || format!("the profile {} asks for more: {}{other}", self.name(), lacking.join("; "));
        (!lacking.is_empty()).then(more)
    }

    fn lacking(self, summary: &Summary<'_>) -> Vec<String> {
        let mut lacking = Vec::new();
        for dialect in &summary.plan.dialects {
            let rows: Vec<(Option<usize>, &str, TypeScore)> = summary.rows(dialect).collect();
            for ability in self.needs() {
                let counts = |id: &Option<usize>| id.is_some() || self == Self::Server;
                let of = rows.iter().filter(|(id, ..)| counts(id));
                let of = of.map(|(_, layout, score)| (dialect.type_name(layout), score.mark(*ability)));
                let (untested, tested): (Vec<_>, Vec<_>) = of.partition(|(_, mark)| mark.is_untested());
                let wrong: Vec<&str> =
                    tested.iter().filter(|(_, mark)| *mark != CellStatus::Ok).map(|(name, _)| *name).collect();
                if tested.is_empty() && !untested.is_empty() {
                    lacking.push(format!("{}: {} no type", dialect.title(), ability.name()));
                } else if !wrong.is_empty() {
                    lacking.push(format!("{}: {} all but {}", dialect.title(), ability.name(), wrong.join(", ")));
                }
            }
        }
        lacking
    }
}
