//! What came of a campaign, for people.

use std::fmt::Write;

use variant_codec::{Framing, Value};
use variant_specs::{Dialect, Reading, RestsOn, Specs};

use super::blame::Blame;
use super::campaign::{Finding, Outcome};
use super::parts;
use super::said::Said;
use variant_wire::explain::{explain, explain_framed, render};
use variant_wire::fields::fields_of;
use variant_wire::implementation::{Input, Request};
use variant_wire::sanitize;
use variant_wire::value_text::{Form, value_json};

/// Lines of one listing.
const MOST_LINES: usize = 24;
/// Letters of one line.
const MOST_LETTERS: usize = 160;

/// What is needed to tell of findings.
#[derive(Debug)]
pub struct Report<'a> {
    /// The specs.
    pub specs: &'a Specs,
    /// The dialect.
    pub dialect: &'a Dialect,
    /// Says whose fault it is.
    pub blame: Blame<'a>,
    /// The names of the sides.
    pub names: Vec<String>,
}

impl Report<'_> {
    /// One finding, in full, below the line that names it.
    pub fn finding(&self, finding: &Finding) -> String {
        let signature = &finding.signature;
        let mut text = String::new();
        // Writing to a String cannot fail.
        let _ =
            writeln!(text, "  {} {}: {}", list(&signature.odd), signature.kind.says(), self.blame.sentence(finding));
        for line in self.input(finding) {
            let _ = writeln!(text, "  {line}");
        }
        for (name, said) in self.names.iter().zip(&finding.said) {
            let lines = self.said(said, finding.request.framing);
            let mut lines = lines.iter();
            let _ = writeln!(text, "  {name}: {}", lines.next().map_or("", String::as_str));
            for line in lines {
                let _ = writeln!(text, "    {line}");
            }
        }
        if let Some(legal) = &finding.legal {
            let _ = writeln!(text, "  legal: {}", self.legal(legal));
        }
        text
    }

    /// The divergence, and what it rests on.
    fn legal(&self, id: &str) -> String {
        let divergence = self.specs.divergences.iter().find(|divergence| divergence.id == id);
        let Some(divergence) = divergence else { return id.to_owned() };
        let rests = match &divergence.rests_on {
            RestsOn::Erratum(id) => format!("erratum {id}"),
            RestsOn::Case(case) => format!("open case {case}"),
            RestsOn::Page(page) => page.clone(),
        };
        format!("{id} ({rests}): {}", divergence.because)
    }

    fn input(&self, finding: &Finding) -> Vec<String> {
        let request = &finding.request;
        let packet = match &request.input {
            Input::Decode(packet) | Input::Reencode(packet) => packet,
            Input::Encode(value) => {
                return vec![format!("asked to encode {}{}", self.json(value), options(request))];
            }
        };
        let mut lines = vec![format!(
            "asked to {} {} bytes, {}{}",
            finding.signature.op.name(),
            packet.len(),
            cut(hex::encode(packet)),
            options(request)
        )];
        lines.extend(self.listing(packet, request.framing).into_iter().map(|line| format!("  {line}")));
        lines
    }

    fn listing(&self, packet: &[u8], framing: Option<Framing>) -> Vec<String> {
        let explained = match framing {
            None => explain(packet, self.dialect, Reading::Engine),
            Some(framing) => explain_framed(packet, framing, self.dialect, Reading::Engine),
        };
        some(render(&explained.rows))
    }

    fn said(&self, said: &Said, framing: Option<Framing>) -> Vec<String> {
        match said {
            Said::Value(value, used) => {
                let mut lines = vec![match used {
                    Some(used) => format!("{}, {used} bytes consumed", self.json(value)),
                    None => self.json(value),
                }];
                let leaves = fields_of(value, &self.dialect.layouts);
                if leaves.len() > 4 {
                    lines.extend(leaves.iter().map(|leaf| cut(format!("{}  {}", leaf.path, leaf.value))));
                }
                some(lines)
            }
            Said::NoValue(why) => vec![format!("no value: {}", cut(why.clone()))],
            Said::Bytes(bytes) => {
                let mut lines = vec![format!("{} bytes", bytes.len())];
                lines.extend(self.listing(bytes, framing));
                lines
            }
            Said::Refused(why) => vec![cut(format!("refused: {why}"))],
            Said::Unsupported(why) => vec![cut(format!("cannot be asked: {why}"))],
            Said::Failed(failure, why) => vec![cut(format!("{}: {why}", failure.name()))],
            Said::NotRun(why) => vec![cut(format!("not asked: {why}"))],
        }
    }

    fn json(&self, value: &Value) -> String {
        cut(value_json(value, &self.dialect.layouts, Form::default()))
    }

    /// The packet of a question, where it has one.
    pub fn packet(&self, input: &Input) -> Option<Vec<u8>> {
        match input {
            Input::Encode(value) => parts::packet(value, self.blame.codec()),
            Input::Decode(packet) | Input::Reencode(packet) => Some(packet.clone()),
        }
    }

    /// The numbers.
    pub fn summary(&self, outcome: &Outcome) -> String {
        let tally = &outcome.tally;
        let mut text = String::new();
        let _ = writeln!(
            text,
            "{}: {}: {} questions, {} agreed, {} parted",
            self.names.join(" against "),
            self.dialect.name,
            tally.asked,
            tally.agreed,
            tally.parted
        );
        if tally.lossy + tally.unsupported > 0 {
            let _ = writeln!(
                text,
                "nobody can tell: {} for what a host language cannot tell apart, {} that some side cannot be asked",
                tally.lossy, tally.unsupported
            );
        }
        if tally.beyond > 0 {
            let _ = writeln!(text, "{} more beyond the findings that are kept", tally.beyond);
        }
        for (id, count) in &outcome.divergences {
            let _ = match count {
                0 => writeln!(text, "legal: {id}: stale, nothing here witnessed it"),
                1 => writeln!(text, "legal: {id}: once"),
                count => writeln!(text, "legal: {id}: {count} times"),
            };
        }
        if let Some(why) = &outcome.stopped {
            let _ = writeln!(text, "ended early: {why}");
        }
        text
    }
}

/// What stands in the request beside the question.
fn options(request: &Request) -> String {
    let framing = request.framing.map(|framing| format!(", behind its length ({})", framing.name()));
    let objects = request.objects.then(|| ", objects allowed".to_owned());
    framing.into_iter().chain(objects).collect()
}

fn list(names: &[String]) -> String {
    match names {
        [] => "nobody".to_owned(),
        [one] => one.clone(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}

fn some(mut lines: Vec<String>) -> Vec<String> {
    if lines.len() > MOST_LINES {
        let more = lines.len() - MOST_LINES;
        lines.truncate(MOST_LINES);
        lines.push(format!("… {more} lines more"));
    }
    lines
}

/// One line of it, and nothing in it that a terminal obeys.
#[expect(clippy::needless_pass_by_value, reason = "made where it is cut")]
fn cut(text: String) -> String {
    sanitize::short(&text, MOST_LETTERS)
}
