//! A finding as a corpus case: a file of its own, written whole, and read again before anybody believes it.

use std::fmt::Write;
use std::path::Path;

use variant_codec::Value;
use variant_specs::{Dialect, Precision, Reading, Specs};

use super::campaign::Finding;
use super::listing;
use super::oracle::{By, Oracle};
use super::parts;
use super::said::Said;
use super::signature::Kind;
use super::yaml;
use variant_corpus as corpus;
use variant_corpus::test::hash;
use variant_corpus::{Class, Corpus};
use variant_wire::atomic_write;
use variant_wire::explain::ExplainedRow;
use variant_wire::implementation::{Input, Request};
use variant_wire::reference;

/// What is asked of a case.
#[derive(Clone)]
struct Case {
    class: &'static str,
    why: Option<&'static str>,
    value: Option<Value>,
    packet: Option<Vec<u8>>,
    rejects: Option<String>,
    /// The bytes consumed, where that is more than there are: the last padding may be missing.
    used: Option<usize>,
}

/// Writes a finding under `folder`, reads it again, and gives back the case's name as `conform run --only` takes it.
///
/// # Errors
/// Why it is not there: the file could not be written, or what is read from it is not what was found.
pub fn save(
    folder: &Path,
    finding: &Finding,
    answers: &[(String, String)],
    specs: &Specs,
    oracle: &Oracle,
) -> Result<String, String> {
    let dialect = &oracle.dialect;
    let cases = cases(finding, oracle);
    let signature = finding.signature.to_string();
    let name = format!(
        "found-{}-{}-{:08x}",
        finding.signature.op.name(),
        finding.signature.kind.name(),
        hash(&signature) & 0xffff_ffff
    );
    let layout = &finding.signature.layout;
    let path = folder.join(dialect.base()).join(format!("{layout}-{name}.yaml"));
    let text = text(&name, finding, &cases, answers, dialect);
    atomic_write::write(&path, text.as_bytes())
        .map_err(|error| format!("{}: cannot be written: {error}", path.display()))?;
    check(folder, &path, &cases, &finding.request, specs, dialect)
        .map_err(|why| format!("{}: was written, and when it was read again: {why}", path.display()))?;
    Ok(format!("{}/{layout}/{name}", dialect.name))
}

/// The cases that show it: what the reference codec says is asked for, unless nobody can tell who is right.
fn cases(finding: &Finding, oracle: &Oracle) -> Vec<Case> {
    let open = finding.by == By::Nobody;
    let (codec, framing) = (oracle.codec_for(&finding.request), finding.request.framing);
    let write = |value: &Value| match framing {
        None => parts::packet(value, codec),
        Some(framing) => codec.encode_framed(value, framing).ok(),
    };
    let as_value = |value: &Value, class| {
        let packet = write(value);
        // What is written as something else has no canonical form.
        let back = packet.as_ref().and_then(|packet| reference::decode(codec, packet, framing).ok());
        let comes_back = back.is_some_and(|decoded| decoded.value == *value);
        let (class, why) = if comes_back { (class, None) } else { ("open", Some("silent")) };
        Case { class, why, packet, value: Some(value.clone()), rejects: None, used: None }
    };
    let cases = match &finding.request.input {
        Input::Encode(value) if write(value).is_some() => vec![as_value(value, "canonical")],
        Input::Encode(value) => {
            vec![Case {
                class: "invalid",
                why: None,
                value: Some(value.clone()),
                packet: None,
                rejects: None,
                used: None,
            }]
        }
        Input::Decode(packet) | Input::Reencode(packet) => match reference::decode(codec, packet, framing) {
            Err(error) => vec![Case {
                class: "invalid",
                why: None,
                value: None,
                packet: Some(packet.clone()),
                rejects: Some(error.to_string()),
                used: None,
            }],
            // What stands behind the value is said to be no part of it, where somebody thinks otherwise.
            Ok(decoded) if decoded.used < packet.len() && is_about_the_rest(finding) => {
                let (packet, value) = (Some(packet.clone()), Some(decoded.value));
                vec![Case { class: "open", why: Some("silent"), packet, value, rejects: None, used: None }]
            }
            Ok(decoded) => {
                let used = Some(decoded.used).filter(|used| *used > packet.len());
                let packet = &packet[..decoded.used.min(packet.len())];
                let again = write(&decoded.value);
                let canonical = as_value(&decoded.value, "canonical");
                if again.as_deref() == Some(packet) {
                    vec![canonical]
                } else {
                    // What is wrong with reading it shows in the packet; with writing it again, in the value.
                    let written = matches!(finding.request.input, Input::Reencode(_)) && again.is_some();
                    let written = Some(canonical).filter(|case| written && case.class == "canonical");
                    let (packet, value) = (Some(packet.to_vec()), Some(decoded.value));
                    let readable = Case { class: "readable", why: None, packet, value, rejects: None, used };
                    [readable].into_iter().chain(written).collect()
                }
            }
        },
    };
    let open =
        |case| if open { Case { class: "open", why: Some("engines-differ"), rejects: None, ..case } } else { case };
    cases.into_iter().map(open).collect()
}

/// Whether it may be the bytes behind the value on which they part.
fn is_about_the_rest(finding: &Finding) -> bool {
    match finding.signature.kind {
        Kind::Length | Kind::Refuses => true,
        Kind::Value
        | Kind::NanBits
        | Kind::Bytes
        | Kind::Form
        | Kind::Accepts
        | Kind::Crashes
        | Kind::Hangs
        | Kind::Garbles
        | Kind::DependsOnOrder
        | Kind::Unsupported => false,
    }
}

fn text(name: &str, finding: &Finding, cases: &[Case], answers: &[(String, String)], dialect: &Dialect) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = writeln!(text, "# Found by conform diff: {}", yaml::line(&finding.signature.to_string()));
    let input = match &finding.request.input {
        Input::Decode(packet) => format!("decode {}", hex::encode(packet)),
        Input::Reencode(packet) => format!("reencode {}", hex::encode(packet)),
        Input::Encode(_) => "encode the value".to_owned(),
    };
    let _ = writeln!(text, "# Asked: {}", yaml::line(&input));
    for (side, said) in answers {
        let _ = writeln!(text, "# {}: {}", yaml::line(side), yaml::line(said));
    }
    let _ = writeln!(text, "# Give it a name that says what a failure teaches, and move it to the file of its type.");
    let _ = writeln!(text, "dialect: {}", dialect.base());
    match dialect.precision {
        Precision::Single => {}
        Precision::Double => text.push_str("double: true\n"),
    }
    if dialect.parent.is_some() {
        // A finding is one case more, and no reason to do without those of the parent.
        text.push_str("beside-parent: true\n");
    }
    let _ = writeln!(text, "type: {}\ncases:", finding.signature.layout);
    for (case, suffix) in cases.iter().zip(["", "-written"]) {
        text.push_str(&case_text(&format!("{name}{suffix}"), case, finding, dialect));
    }
    text
}

fn case_text(name: &str, case: &Case, finding: &Finding, dialect: &Dialect) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = writeln!(text, "- name: {name}\n  class: {}", case.class);
    if finding.request.objects {
        text.push_str("  objects: true\n");
    }
    if let Some(framing) = finding.request.framing {
        let _ = writeln!(text, "  framing: {}", framing.name());
    }
    if let Some(why) = case.why {
        let _ = writeln!(text, "  why: {why}");
    }
    if let Some(value) = &case.value {
        let _ = writeln!(text, "  value: {}", yaml::value(value, dialect));
    }
    if let Some(rejects) = &case.rejects {
        let _ = writeln!(text, "  rejects: {rejects}");
    }
    if let Some(used) = case.used {
        let _ = writeln!(text, "  used: {used}");
    }
    match case.packet.as_deref() {
        None => {}
        Some([]) => text.push_str("  bytes: \"\"\n"),
        Some(packet) => {
            text.push_str("  bytes: |\n");
            for ExplainedRow { offset, bytes, name, meaning } in listing::rows(packet, &finding.request, dialect) {
                let line = format!("    {offset}  {bytes}  {name}  {meaning}");
                let _ = writeln!(text, "{}", line.trim_end());
            }
        }
    }
    text
}

/// What is read from the file is what was to be written.
fn check(
    folder: &Path,
    path: &Path,
    cases: &[Case],
    request: &Request,
    specs: &Specs,
    dialect: &Dialect,
) -> Result<(), String> {
    let corpus = Corpus::load(folder, specs).map_err(|problem| problem.to_string())?;
    let file = corpus.files.iter().find(|file| Path::new(&file.path) == path).ok_or("it is not in the folder")?;
    if file.cases.len() != cases.len() {
        return Err("it holds more cases, or fewer".to_owned());
    }
    cases.iter().zip(&file.cases).try_for_each(|(case, read)| is_same(case, read, request, dialect))
}

fn is_same(case: &Case, read: &corpus::Case, request: &Request, dialect: &Dialect) -> Result<(), String> {
    if (read.objects, read.framing) != (request.objects, request.framing) {
        return Err("what is allowed, or stands in front, is another".to_owned());
    }
    let read = read.reading(Reading::Engine).expectation(dialect).map_err(|error| error.to_string())?;
    let class = |class: Class| class.name() == case.class;
    let packet = read.packet.as_ref().map(|packet| &packet.bytes);
    let value = read.value.as_ref().map(|expected| &expected.value);
    let rejects = read.rejects.map(|rejects| format!("{} at {}", rejects.kind.name(), rejects.at));
    let of_bytes = (packet, rejects) == (case.packet.as_ref(), case.rejects.clone());
    if !class(read.class) || !of_bytes || case.used.is_some_and(|used| read.used != Some(used)) {
        return Err("class, bytes, how many are consumed, or refusal are others".to_owned());
    }
    if value != case.value.as_ref() {
        return Err("the value is another".to_owned());
    }
    Ok(())
}

/// What each side said, a line each.
pub fn answers(names: &[String], finding: &Finding, oracle: &Oracle) -> Vec<(String, String)> {
    let line = |said: &Said| match said {
        Said::Value(value, used) => {
            let used = used.map_or_else(String::new, |used| format!(", {used} bytes consumed"));
            format!("{}{used}", yaml::json(value, &oracle.dialect))
        }
        Said::Bytes(bytes) => hex::encode(bytes),
        Said::NoValue(why) => format!("no value: {why}"),
        Said::Refused(why) => format!("refused: {why}"),
        Said::Unsupported(why) => format!("cannot be asked: {why}"),
        Said::Failed(failure, why) => format!("{}: {why}", failure.name()),
        Said::NotRun(why) => format!("not asked: {why}"),
    };
    names.iter().cloned().zip(finding.said.iter().map(line)).collect()
}
