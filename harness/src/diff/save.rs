//! A finding as a corpus case: a file of its own, written whole, and read again before anybody believes it.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use variant_codec::Value;
use variant_specs::{Dialect, Precision, Reading, Specs};

use super::campaign::Finding;
use super::frame;
use super::oracle::{By, Oracle};
use super::parts;
use super::said::Said;
use super::signature::Kind;
use super::yaml;
use crate::ask::hash;
use crate::corpus::{Class, Corpus};
use crate::explain::{ExplainedRow, whole_rows};
use crate::implementation::{Question, Request};
use crate::reference;
use crate::whole;

/// What is asked of a case.
struct Case {
    class: &'static str,
    why: Option<&'static str>,
    value: Option<Value>,
    packet: Option<Vec<u8>>,
    rejects: Option<String>,
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
    let case = case(finding, oracle);
    let signature = finding.signature.to_string();
    let name = format!(
        "found-{}-{}-{:08x}",
        finding.signature.op.name(),
        finding.signature.kind.name(),
        hash(&signature) & 0xffff_ffff
    );
    let layout = &finding.signature.layout;
    let path = folder.join(dialect.base()).join(format!("{layout}-{name}.yaml"));
    let text = text(&name, finding, &case, answers, dialect);
    whole::write(&path, text.as_bytes()).map_err(|error| format!("{}: cannot be written: {error}", path.display()))?;
    check(folder, &path, &case, &finding.request, specs, dialect)
        .map_err(|why| format!("{}: was written, and when it was read again: {why}", path.display()))?;
    Ok(format!("{}/{layout}/{name}", dialect.name))
}

/// The case that shows it: what the reference codec says is asked for, unless nobody can tell who is right.
fn case(finding: &Finding, oracle: &Oracle) -> Case {
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
        Case { class, why, packet, value: Some(value.clone()), rejects: None }
    };
    let case = match &finding.request.question {
        Question::Encode(value) if write(value).is_some() => as_value(value, "canonical"),
        Question::Encode(value) => {
            Case { class: "invalid", why: None, value: Some(value.clone()), packet: None, rejects: None }
        }
        Question::Decode(packet) | Question::Reencode(packet) => match reference::decode(codec, packet, framing) {
            Err(error) => Case {
                class: "invalid",
                why: None,
                value: None,
                packet: Some(packet.clone()),
                rejects: Some(error.to_string()),
            },
            // What stands behind the value is said to be no part of it, where somebody thinks otherwise.
            Ok(decoded) if decoded.used < packet.len() && is_about_the_rest(finding) => {
                let (packet, value) = (Some(packet.clone()), Some(decoded.value));
                Case { class: "open", why: Some("silent"), packet, value, rejects: None }
            }
            Ok(decoded) => {
                let packet = &packet[..decoded.used.min(packet.len())];
                let again = write(&decoded.value);
                // What is wrong with writing it again shows when the value is asked for.
                let written = matches!(finding.request.question, Question::Reencode(_)) && again.is_some();
                let canonical = as_value(&decoded.value, "canonical");
                if again.as_deref() == Some(packet) || written && canonical.class == "canonical" {
                    canonical
                } else {
                    let packet = Some(packet.to_vec());
                    Case { class: "readable", why: None, packet, value: Some(decoded.value), rejects: None }
                }
            }
        },
    };
    if open { Case { class: "open", why: Some("engines-differ"), rejects: None, ..case } } else { case }
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

fn text(name: &str, finding: &Finding, case: &Case, answers: &[(String, String)], dialect: &Dialect) -> String {
    let mut text = String::new();
    // Writing to a String cannot fail.
    let _ = writeln!(text, "# Found by conform diff: {}", yaml::line(&finding.signature.to_string()));
    let question = match &finding.request.question {
        Question::Decode(packet) => format!("decode {}", hex::encode(packet)),
        Question::Reencode(packet) => format!("reencode {}", hex::encode(packet)),
        Question::Encode(_) => "encode the value".to_owned(),
    };
    let _ = writeln!(text, "# Asked: {}", yaml::line(&question));
    for (side, said) in answers {
        let _ = writeln!(text, "# {}: {}", yaml::line(side), yaml::line(said));
    }
    let _ = writeln!(text, "# Give it a name that says what a failure teaches, and move it to the file of its type.");
    match dialect.precision {
        Precision::Single => {
            let _ = writeln!(text, "dialect: {}", dialect.name);
        }
        Precision::Double => text.push_str("double: true\n"),
    }
    let _ = writeln!(text, "type: {}\ncases:\n- name: {name}\n  class: {}", finding.signature.layout, case.class);
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
    match case.packet.as_deref() {
        None => {}
        Some([]) => text.push_str("  bytes: \"\"\n"),
        Some(packet) => {
            text.push_str("  bytes: |\n");
            for row in rows(packet, &finding.request, dialect) {
                let (offset, bytes, name) = (row.offset, &row.bytes, &row.name);
                let meaning = yaml::line(&row.meaning);
                let line = format!("    {offset}  {bytes}  {name}  {meaning}");
                let _ = writeln!(text, "{}", line.trim_end());
            }
        }
    }
    text
}

/// The rows of a listing, the length in front with them.
fn rows(input: &[u8], request: &Request, dialect: &Dialect) -> Vec<ExplainedRow> {
    let rows = |packet: &[u8]| whole_rows(packet, request.objects, dialect, Reading::Engine);
    let Some(framing) = request.framing else { return rows(input) };
    let row = |at: usize, bytes: &[u8], name: &str, meaning: String| {
        let bytes: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        ExplainedRow { offset: at, bytes: bytes.join(" "), name: name.to_owned(), meaning }
    };
    let Some(inside) = frame::inside(input, framing) else {
        return (!input.is_empty()).then(|| row(0, input, "rest", String::new())).into_iter().collect();
    };
    let (prefix, rest) = input.split_at(inside.start);
    let mut all = vec![row(0, prefix, frame::FIELD, inside.len().to_string())];
    let shifted = |row: ExplainedRow| ExplainedRow { offset: row.offset + prefix.len(), ..row };
    all.extend(rows(&rest[..inside.len()]).into_iter().map(shifted));
    if inside.end < input.len() {
        all.push(row(inside.end, &input[inside.end..], "trailing", String::new()));
    }
    all
}

/// What is read from the file is what was to be written.
fn check(
    folder: &Path,
    path: &Path,
    case: &Case,
    request: &Request,
    specs: &Specs,
    dialect: &Dialect,
) -> Result<(), String> {
    let corpus = Corpus::load(folder, specs).map_err(|problem| problem.to_string())?;
    let shown: PathBuf = path.to_owned();
    let file = corpus.files.iter().find(|file| Path::new(&file.path) == shown).ok_or("it is not in the folder")?;
    let first = file.cases.first().ok_or("it holds no case")?;
    if (first.objects, first.framing) != (request.objects, request.framing) {
        return Err("what is allowed, or stands in front, is another".to_owned());
    }
    let read = first.side(Reading::Engine).expectation(dialect)?;
    let class = |class: Class| class.name() == case.class;
    let packet = read.packet.as_ref().map(|packet| &packet.bytes);
    let value = read.value.as_ref().map(|expected| &expected.value);
    let rejects = read.rejects.map(|rejects| format!("{} at {}", rejects.kind.name(), rejects.at));
    if !class(read.class) || packet != case.packet.as_ref() || rejects != case.rejects {
        return Err("class, bytes or refusal are others".to_owned());
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
