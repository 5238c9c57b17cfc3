//! The result of a campaign, for people.

use std::collections::BTreeSet;

use variant_codec::{Framing, Value};
use variant_specs::{Dialect, Reading, RestsOn, Specs};

use super::blame::Blame;
use super::campaign::{CampaignResult, CampaignTally, FoundDifference};
use super::cause::cause;
use super::oracle::Disagreement;
use super::parts;
use super::record::generated;
use super::response::{Response, consumed};
use super::signature::Signature;
use variant_causes::{Difference, joined};
use variant_wire::explain::{explain, explain_framed, render};
use variant_wire::fields::fields_of;
use variant_wire::handshake::Handshake;
use variant_wire::implementation::{Input, Request};
use variant_wire::sanitize;
use variant_wire::value_text::{Form, value_json};

/// The most lines of one listing.
const MOST_LINES: usize = 24;
/// The most letters of one line.
const MOST_LETTERS: usize = 160;

/// Describes the findings of a campaign.
#[derive(Debug)]
pub struct FindingReport<'a> {
    /// The specs, which list the divergences.
    pub specs: &'a Specs,
    /// The dialect of the campaign.
    pub dialect: &'a Dialect,
    /// Says who is wrong, and under which rule.
    pub blame: Blame<'a>,
    /// The participants' names, in the order of their responses.
    pub names: Vec<String>,
    /// What each participant declares, in the same order.
    pub handshakes: Vec<Handshake>,
}

impl FindingReport<'_> {
    /// Why a finding is one, as far as its smallest request tells.
    pub fn cause(&self, finding: &FoundDifference) -> Difference {
        cause(&finding.smallest, self.dialect, &self.handshakes)
    }

    /// The id of its cause, as far as it alone tells.
    pub fn cause_id(&self, finding: &FoundDifference) -> String {
        let (cause, layouts) = (self.cause(finding), self.layouts(finding));
        let causes = joined(&[generated(&finding.smallest.signature, &cause, &layouts)]);
        causes.into_iter().next().map_or_else(String::new, |(id, _)| id)
    }

    /// The layouts in its smallest packet. Behind what cannot be read, whatever looks like a header may be one.
    pub fn layouts(&self, finding: &FoundDifference) -> Vec<String> {
        let (request, codec) = (&finding.smallest.request, self.blame.codec());
        let packet = parts::packet_of(&request.input, codec).unwrap_or_default();
        let skipped =
            request.framing.filter(|_| !matches!(request.input, Input::Encode(_))).map_or(0, |_| Framing::PREFIX);
        let packet = packet.get(skipped..).unwrap_or_default();
        let layouts = parts::layouts(packet, codec);
        let mut names: BTreeSet<&str> = layouts.into_iter().map(|layout| parts::name(layout, codec)).collect();
        let unread = codec.decode(packet).err().and_then(|error| packet.get(error.at..)).unwrap_or_default();
        let (words, _) = unread.as_chunks();
        let types = words.iter().filter_map(|word| self.dialect.type_of(u32::from_le_bytes(*word)));
        names.extend(types.map(|entry| self.dialect.layout(entry).name.as_str()));
        names.into_iter().map(str::to_owned).collect()
    }

    /// A finding in full, below the line that names it.
    pub fn finding(&self, finding: &FoundDifference) -> String {
        let found = &finding.smallest;
        let Signature { odd, kind, .. } = &found.signature;
        let mut text = format!("  {} {}: {}\n", list(odd), kind.says(), self.blame.sentence(found));
        let mut add = |title: &str, lines: Vec<String>| {
            text.push_str(&format!("  {title}{}\n", lines.first().map_or("", String::as_str)));
            lines.iter().skip(1).for_each(|line| text.push_str(&format!("    {line}\n")));
        };
        add("", self.request(found));
        for (name, response) in self.names.iter().zip(&found.responses) {
            add(&format!("{name}: "), self.response(response, found.request.framing));
        }
        if let Some(divergence) = &finding.legal {
            add("legal: ", vec![self.divergence(divergence)]);
        }
        text
    }

    /// The divergence, and what it rests on.
    fn divergence(&self, id: &str) -> String {
        let divergence = self.specs.divergences.iter().find(|divergence| divergence.id == id);
        let Some(divergence) = divergence else { return id.to_owned() };
        let rests = match &divergence.rests_on {
            RestsOn::Erratum(id) => format!("erratum {id}"),
            RestsOn::Case(case) => format!("open case {case}"),
            RestsOn::Page(page) => page.clone(),
        };
        format!("{id} ({rests}): {}", divergence.because)
    }

    fn request(&self, found: &Disagreement) -> Vec<String> {
        let request = &found.request;
        let packet = match &request.input {
            Input::Decode(packet) | Input::Reencode(packet) => packet,
            Input::Encode(value) => return vec![format!("sent: encode {}{}", self.json(value), options(request))],
        };
        let op = found.signature.op.name();
        let hex = cut(&hex::encode(packet));
        let mut lines = vec![format!("sent: {op} {} bytes, {hex}{}", packet.len(), options(request))];
        lines.extend(self.listing(packet, request.framing));
        lines
    }

    fn listing(&self, packet: &[u8], framing: Option<Framing>) -> Vec<String> {
        let explained = match framing {
            None => explain(packet, self.dialect, Reading::Engine),
            Some(framing) => explain_framed(packet, framing, self.dialect, Reading::Engine),
        };
        some(render(&explained.rows))
    }

    /// The response, then its fields or its listing.
    fn response(&self, response: &Response, framing: Option<Framing>) -> Vec<String> {
        if let Response::Bytes(bytes) = response {
            return [vec![format!("{} bytes", bytes.len())], self.listing(bytes, framing)].concat();
        }
        let Response::Value(value, used) = response else { return vec![cut(&response.line(&self.dialect.layouts))] };
        let mut lines = vec![self.json(value) + &consumed(*used)];
        let fields = fields_of(value, &self.dialect.layouts);
        if fields.len() > 4 {
            lines.extend(fields.iter().map(|field| cut(&format!("{}  {}", field.path, field.value))));
        }
        some(lines)
    }

    fn json(&self, value: &Value) -> String {
        cut(&value_json(value, &self.dialect.layouts, Form::default()))
    }

    /// The length of an input's packet, in bytes; 0 if it has none.
    pub fn packet_length(&self, input: &Input) -> usize {
        parts::packet_of(input, self.blame.codec()).map_or(0, |packet| packet.len())
    }

    /// The notes below the findings, one a line: undecidable requests, divergences, why the campaign ended early.
    pub fn notes(&self, result: &CampaignResult) -> String {
        let CampaignTally { lossy, unsupported, beyond, .. } = result.tally;
        let mut notes = Vec::new();
        if lossy + unsupported > 0 {
            notes.push(format!(
                "undecidable: {lossy} differ only in something that a host language cannot distinguish, {unsupported} are not supported by some participant"
            ));
        }
        if beyond > 0 {
            notes.push(format!("{beyond} more disagreements, beyond the limit of findings"));
        }
        let shown = result.divergences.iter().filter(|(_, count)| *count > 0);
        notes.extend(shown.map(|(id, count)| match count {
            1 => format!("allowed: {id}: once"),
            count => format!("allowed: {id}: {count} times"),
        }));
        notes.extend(result.stopped.iter().map(|why| format!("ended early: {why}")));
        notes.into_iter().map(|note| note + "\n").collect()
    }
}

/// The options of a request, to append to a line; empty if it has none.
fn options(request: &Request) -> String {
    let framing = request.framing.map(|framing| format!(", with a length prefix ({})", framing.name()));
    let objects = request.objects.then(|| ", objects allowed".to_owned());
    framing.into_iter().chain(objects).collect()
}

fn list(names: &[String]) -> String {
    match names {
        [] => "none".to_owned(),
        [one] => one.clone(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}

fn some(mut lines: Vec<String>) -> Vec<String> {
    if lines.len() > MOST_LINES {
        let more = lines.len() - MOST_LINES;
        lines.truncate(MOST_LINES);
        lines.push(format!("… {more} more lines"));
    }
    lines
}

/// One line of a text, without terminal escapes.
fn cut(text: &str) -> String {
    sanitize::short(text, MOST_LETTERS)
}
