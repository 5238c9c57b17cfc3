//! Who can read what whom wrote: every canonical value that one implementation writes is given to every other.

mod count;
mod exchange;

use std::io::{self, BufRead, Write};

use serde::{Deserialize, Serialize};
use variant_corpus::CorpusId;
use variant_corpus::test::case_parts;
use variant_values::input;
use variant_values::version::other_schema;

pub use count::{InteropCell, InteropTable, TypeCount};
pub use exchange::Exchange;

/// The version of the format; a record of another version cannot be read.
pub const SCHEMA: u32 = 1;

/// At most so many implementations take part.
const MOST: usize = 256;

/// A recorded exchange: who took part, and a line for each case.
#[derive(Debug, Clone, PartialEq)]
pub struct InteropRecord {
    /// Who took part, in what.
    pub plan: InteropPlan,
    /// The canonical values of each dialect, in the order of its type ids.
    pub cases: Vec<ExchangedCase>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InteropPlan {
    /// The version of the format, which is [`SCHEMA`].
    pub schema: u32,
    /// The version of conform that wrote the record.
    pub conform: String,
    pub corpus: CorpusId,
    /// Who took part. Everything else names them by their place here.
    pub participants: Vec<ParticipantRecord>,
    /// How many lines follow: without them all, the exchange did not end.
    pub cases: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ParticipantRecord {
    pub name: String,
    /// Its version, by its handshake.
    pub version: String,
}

/// What was exchanged of one canonical value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExchangedCase {
    /// The case: `godot-3/vector2/negative-zero-keeps-its-sign`.
    pub case: String,
    /// Who claims to read it.
    pub readers: Vec<usize>,
    /// Who of these claims to read it and write it again.
    pub relays: Vec<usize>,
    /// Each packet that somebody wrote.
    pub packets: Vec<ExchangedPacket>,
    /// Who claims to write it and wrote no packet.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unwritten: Vec<Unwritten>,
}

/// A packet, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExchangedPacket {
    pub bytes: String,
    /// Who wrote it, by their places in `participants`, from 0.
    pub from: Vec<usize>,
    /// What readers got from it.
    pub decode: Vec<Arrival>,
    /// What was in it after it was read and written again.
    pub reencode: Vec<Arrival>,
}

/// What some readers made of a packet, all alike.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arrival {
    /// What became of the value.
    pub fate: Fate,
    /// The value that arrived instead, or the words of the refusal, shortened; empty if it is the same.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub answer: String,
    /// Who made that of it.
    pub by: Vec<usize>,
}

/// What became of a value on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fate {
    /// It arrived as it was sent, apart from what writer and reader declare that they cannot tell apart.
    Same,
    /// The reader got a different value than was sent.
    Other,
    Refused,
    /// The reader crashed, hung, or gave no answer that can be read.
    Failed,
}

/// Why somebody wrote no packet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unwritten {
    /// In its own words, shortened.
    pub why: String,
    /// Who said so, by their places in `participants`, from 0.
    pub by: Vec<usize>,
}

impl InteropRecord {
    /// Reads a record, and checks that it is whole.
    pub fn read(from: impl BufRead) -> Result<Self, String> {
        let unreadable = |number: usize, error: io::Error| format!("line {number} cannot be read: {error}");
        let mut lines = (1..).zip(input::lines(from));
        let (_, first) = lines.next().ok_or("it is empty; `conform interop --out FILE` writes a record")?;
        let first = first.map_err(|error| unreadable(1, error))?;
        if let Some(schema) = other_schema(&first, None, SCHEMA) {
            return Err(format!(
                "this is schema {schema}, and this conform reads {SCHEMA}: run `conform interop` again"
            ));
        }
        let plan: InteropPlan = serde_json::from_slice(&first).map_err(|error| {
            format!("line 1 is not the plan of an exchange: {error}; `conform interop --out FILE` writes one")
        })?;
        let mut cases = Vec::new();
        let count = plan.participants.len();
        if count > MOST {
            return Err(format!("line 1 names participant {count}, and there are {MOST}"));
        }
        for (number, line) in lines {
            let line = line.map_err(|error| unreadable(number, error))?;
            let case: ExchangedCase = serde_json::from_slice(&line)
                .map_err(|error| format!("line {number} is not a case of an exchange: {error}"))?;
            if let Some(stranger) = case.participants().find(|place| *place >= count) {
                return Err(format!("line {number} names participant {stranger}, and there are {count}"));
            }
            cases.push(case);
        }
        if cases.len() != plan.cases {
            let (found, all) = (cases.len(), plan.cases);
            return Err(format!("it has {found} cases, but {all} were exchanged: run `conform interop` again"));
        }
        Ok(Self { plan, cases })
    }

    pub fn write(&self, mut out: impl Write) -> io::Result<()> {
        serde_json::to_writer(&mut out, &self.plan)?;
        for case in &self.cases {
            out.write_all(b"\n")?;
            serde_json::to_writer(&mut out, case)?;
        }
        out.write_all(b"\n")
    }
}

impl ExchangedCase {
    /// Its dialect, and the layout that it is about.
    pub fn dialect_and_layout(&self) -> (&str, &str) {
        let (dialect, layout, _) = case_parts(&self.case);
        (dialect, layout)
    }

    fn participants(&self) -> impl Iterator<Item = usize> + '_ {
        let packets = self.packets.iter().flat_map(|packet| {
            let arrivals = packet.decode.iter().chain(&packet.reencode).flat_map(|arrival| &arrival.by);
            packet.from.iter().chain(arrivals)
        });
        let unwritten = self.unwritten.iter().flat_map(|unwritten| &unwritten.by);
        self.readers.iter().chain(&self.relays).chain(packets).chain(unwritten).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: &str = r#"{"schema":1,"conform":"0.1.0","corpus":{"version":"1","digest":"d"},"participants":[{"name":"a","version":""}],"cases":1}"#;

    #[test]
    fn what_is_no_whole_record_is_refused_with_its_reason() {
        let case = r#"{"case":"godot-3/int/five","readers":[0],"relays":[],"packets":[]}"#;
        assert!(InteropRecord::read(format!("{PLAN}\n{case}\n").as_bytes()).is_ok());
        let refused = |text: &str, why: &str| {
            let error = InteropRecord::read(text.as_bytes()).expect_err(text);
            assert!(error.contains(why), "{error}");
        };
        refused("", "it is empty");
        refused(case, "line 1 is not the plan");
        refused(&PLAN.replace("\"schema\":1", "\"schema\":9"), "schema 9");
        refused(r#"{"schema":9,"members":[]}"#, "schema 9");
        refused(PLAN, "it has 0 cases, but 1 were exchanged");
        refused(&format!("{PLAN}\n{}", &case[..20]), "line 2 is not a case");
        refused(&format!("{PLAN}\n{}", case.replace("[0]", "[1]")), "line 2 names participant 1, and there are 1");
    }
}
