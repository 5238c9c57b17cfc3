//! Failures without a model: grouped by what they are. A headline says what is seen, and nothing else.

use std::collections::{BTreeMap, BTreeSet};

use variant_corpus::verdict::{Reason, Verdict};
use variant_specs::Reading;
use variant_values::fields::any_index;
use variant_values::handshake::Op;

use super::Cause;
use super::bench::{Bench, Reply, Seen, Subject};

impl Subject {
    pub(super) fn is_deadly(&self) -> bool {
        self.seen.as_ref().is_some_and(|seen| matches!(seen.verdict, Verdict::Crashed | Verdict::TimedOut))
    }
}

/// What failures of one group have in common.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Look {
    /// `None` where the words of the implementation say enough.
    layout: Option<String>,
    op: Option<Op>,
    what: String,
}

pub(super) fn groups(bench: &Bench<'_>, left: Vec<usize>) -> Vec<Cause> {
    let mut groups: BTreeMap<Look, Vec<&Subject>> = BTreeMap::new();
    for place in left {
        let subject = &bench.fails[place];
        if let Some(seen) = &subject.seen {
            groups.entry(look(subject, seen, bench.reading)).or_default().push(subject);
        }
    }
    groups.into_iter().map(|(look, subjects)| group(&look, &subjects)).collect()
}

fn look(subject: &Subject, seen: &Seen, reading: Reading) -> Look {
    // The judge has compared it with a codec that follows the other side.
    if let Some(erratum) = &seen.erratum {
        let what = match reading {
            Reading::Engine => format!("follows the document, not the engines (erratum {erratum})"),
            Reading::Document => format!("follows the engines, not the document (erratum {erratum})"),
        };
        return Look { layout: None, op: None, what };
    }
    let said = match &seen.reply {
        Reply::Refused(text) => class(text).map(|class| format!("refused ({class})")),
        Reply::Unsupported(text) => class(text).map(|class| format!("unsupported ({class})")),
        Reply::Crashed(how) => Some(format!("the process ends: {}", plain(how.trim_start_matches("crashed: ")))),
        Reply::Other(text) if !matches!(seen.verdict, Verdict::Fail(_)) => {
            Some(format!("{}: {}", seen.verdict.name().replace('-', " "), plain(text)))
        }
        Reply::Value(..) | Reply::Bytes(_) | Reply::Other(_) => None,
    };
    if let Some(what) = said {
        return Look { layout: None, op: None, what };
    }
    let field = seen.field.as_deref().map(any_index);
    let at = field.filter(|field| !field.is_empty()).map_or(String::new(), |field| format!(", first at `{field}`"));
    let what = match (seen.verdict, &seen.reply) {
        (Verdict::Fail(_), Reply::Refused(_)) => "refused, but must be accepted".to_owned(),
        (Verdict::Fail(_), Reply::Unsupported(_)) => "unsupported, but claimed".to_owned(),
        (Verdict::Fail(_), Reply::Other(text)) => format!("no value of the dialect: {}", plain(text)),
        (Verdict::Fail(Reason::AcceptedInvalid), _) => match &subject.test.expected.rejects {
            Some(rejects) => format!("accepted, but must be refused ({})", rejects.kind.name()),
            None => "accepted, but must be refused".to_owned(),
        },
        (Verdict::Fail(reason), _) => format!("{}{at}", reason.name().replace('-', " ")),
        (verdict, _) => format!("{}{at}", verdict.name().replace('-', " ")),
    };
    Look { layout: Some(subject.layout().to_owned()), op: Some(subject.test.op), what }
}

fn group(look: &Look, subjects: &[&Subject]) -> Cause {
    let types: BTreeSet<&str> = subjects.iter().map(|subject| subject.layout()).collect();
    let ops: BTreeSet<Op> = subjects.iter().map(|subject| subject.test.op).collect();
    let smallest = subjects.iter().min_by_key(|subject| (!subject.is_authored(), subject.size(), &subject.test.id));
    let of_types = types.iter().copied().collect::<Vec<_>>().join(", ");
    let of_ops = ops.iter().map(|op| op.name()).collect::<Vec<_>>().join(", ");
    let headline = format!("{of_types}, {of_ops}: {}", look.what);
    let key = [look.layout.as_deref().unwrap_or(""), look.op.map_or("", Op::name), &look.what].join(" ");
    Cause {
        id: slug(&key),
        headline,
        types: types.into_iter().map(str::to_owned).collect(),
        ops: ops.into_iter().collect(),
        tests: subjects.iter().map(|subject| subject.test.id.to_string()).collect(),
        smallest: smallest.map(|subject| subject.test.id.to_string()).unwrap_or_default(),
        deadly: subjects.iter().any(|subject| subject.is_deadly()),
        proof: None,
    }
}

/// The class of an exception, or its text without what changes from input to input. `None` if there is no text.
pub(super) fn class(text: &str) -> Option<String> {
    let mut words = text.split(|c: char| !c.is_alphanumeric() && !"._".contains(c));
    let class = words.find(|word| word.ends_with("Error") || word.ends_with("Exception"));
    let class = class.map_or_else(|| plain(text), str::to_owned);
    (!class.is_empty()).then_some(class)
}

/// A text without numbers and without what is in quotes, in few words.
fn plain(text: &str) -> String {
    const MOST: usize = 60;
    let (mut out, mut quote) = (String::new(), None);
    for c in text.lines().next().unwrap_or_default().chars() {
        match quote {
            Some(end) if c == end => quote = None,
            Some(_) => {}
            None if matches!(c, '"' | '`') => {
                quote = Some(c);
                out.push('…');
            }
            None if c == '\'' && !out.ends_with(char::is_alphanumeric) => {
                quote = Some(c);
                out.push('…');
            }
            None => out.push(c),
        }
    }
    let words = out.split_whitespace().map(|word| {
        let number = word.contains(|c: char| c.is_ascii_digit());
        if number { "N".to_owned() } else { word.to_owned() }
    });
    words.collect::<Vec<_>>().join(" ").chars().take(MOST).collect()
}

fn slug(text: &str) -> String {
    let kept = text.chars().map(|c| if c.is_alphanumeric() || c == '_' { c.to_ascii_lowercase() } else { ' ' });
    kept.collect::<String>().split_whitespace().collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::{class, plain};

    #[test]
    fn one_exception_is_one_class_whatever_it_quotes() {
        let texts = [
            "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff in position 0: invalid start byte",
            "UnicodeDecodeError: 'utf-8' codec can't decode bytes in position 3-4: unexpected end of data",
        ];
        assert_eq!(texts.map(class), [Some("UnicodeDecodeError".to_owned()), Some("UnicodeDecodeError".to_owned())]);
        assert_eq!(plain("no type has the id 27"), "no type has the id N");
        assert_eq!(class("unknown key \"a b\" at 12"), Some("unknown key … at N".to_owned()));
    }
}
