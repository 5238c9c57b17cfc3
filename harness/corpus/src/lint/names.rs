//! Names: unique, described, used.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use variant_codec::Value;
use variant_specs::{Dialect, JudgedBy, RestsOn, Specs};

use super::problem::{in_file, in_specs};
use crate::{Case, Class, Corpus, File, PACKET, TAGS};
use variant_values::diagnostic::Problem;

/// Checks tags, errata, divergences, rules, notes and names of cases.
pub(super) fn check(corpus: &Corpus, specs: &Specs, problems: &mut Vec<Problem>) {
    tags(corpus, problems);
    errata(corpus, specs, problems);
    divergences(corpus, specs, problems);
    rules(corpus, specs, problems);
    notes(corpus, problems);
    for dialect in specs.all() {
        let mut seen: BTreeMap<(&str, &str), &File> = BTreeMap::new();
        let cases = corpus.cases_of(dialect);
        for (file, case) in &cases {
            if let Some(problem) = round_trip(file, case, &cases, dialect) {
                problems.push(problem);
            }
            if let Some(other) = seen.insert((file.layout.as_str(), case.name.as_str()), *file) {
                let message = format!("is also in {}; in {} both would have the same id", other.path, dialect.name);
                problems.push(file.problem(case.line, format!("case {} {message}", case.name)));
            }
        }
    }
}

/// A readable case says what a codec writes that read it, or a canonical case does.
fn round_trip(file: &File, case: &Case, cases: &[(&File, &Arc<Case>)], dialect: &Dialect) -> Option<Problem> {
    let judged_by = case.side(JudgedBy::Engines, dialect);
    let expected = judged_by.expectation(dialect).ok()?.value.filter(|_| judged_by.class == Class::Readable)?;
    let written = case.written_as(cases.iter().map(|(_, case)| *case), JudgedBy::Engines, dialect);
    // A NaN of 32 bits becomes one of 64: no text of a value says that both are one.
    let nan = matches!(&expected.value, Value::Float(float) if float.get().is_nan());
    (written.is_none() && expected.any_nan.is_empty() && !nan).then(|| {
        let message = "no canonical case has this value: add `written-as:` with the packet that an encoder writes";
        file.case_problem(case, message)
    })
}

fn tags(corpus: &Corpus, problems: &mut Vec<Problem>) {
    let mut unused: BTreeSet<&str> = corpus.tags.keys().map(String::as_str).collect();
    for file in &corpus.files {
        for (case, tag) in file.cases.iter().flat_map(|case| case.tags.iter().map(move |tag| (case, tag.as_str()))) {
            unused.remove(tag);
            if !corpus.tags.contains_key(tag) {
                let known = corpus.tags.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
                let message =
                    format!("tag {tag} is not described in tags.yaml; a case needs no tag, and there are {known}");
                problems.push(file.case_problem(case, message));
            }
        }
    }
    let file = format!("{}/{TAGS}", corpus.folder);
    let problem = |tag| in_file(file.clone(), format!("tag {tag} is used by no case"));
    problems.extend(unused.into_iter().map(problem));
}

/// A family case that needs a rule cannot check it: with another rule the case would be gone. So each dialect repeats
/// in `packet.yaml` every rule that some case needs.
fn rules(corpus: &Corpus, specs: &Specs, problems: &mut Vec<Problem>) {
    let name = |need: &str| need.split('=').next().unwrap_or(need).to_owned();
    let cases = corpus.files.iter().filter(|file| file.is_shared()).flat_map(|file| &file.cases);
    let needed: BTreeSet<String> = cases.flat_map(|case| &case.needs).map(|need| name(need)).collect();
    for dialect in specs.dialects.iter().filter(|dialect| dialect.parent.is_none()) {
        let own: Vec<_> = corpus.files.iter().filter(|file| file.is_of(dialect) && file.layout == PACKET).collect();
        // The rules are in one file; cases of packets may be in others.
        let Some(file) = own.iter().find(|file| !file.rules.is_empty()).or(own.first()) else { continue };
        for rule in file.rules.iter().filter(|rule| !dialect.has(rule)) {
            let message = if dialect.knows(rule) {
                format!(
                    "`rules:` says {rule}, but specs/{}.yaml says something else: one of them is wrong",
                    dialect.name
                )
            } else {
                format!("`rules:` names {rule}, which is not a rule; rules are in specs/*.yaml")
            };
            problems.push(file.problem(1, message));
        }
        for rule in needed.iter().filter(|rule| !file.rules.iter().any(|stated| name(stated) == **rule)) {
            problems.push(file.problem(1, format!("`rules:` lacks {rule}, which cases of the family need")));
        }
    }
}

/// A note that a case covers belongs to some dialect's documents.
fn notes(corpus: &Corpus, problems: &mut Vec<Problem>) {
    for file in corpus.files.iter().filter(|file| file.inherited.is_none()) {
        let about = |other: &&Arc<File>| file.is_about(other);
        let known: BTreeSet<&String> = corpus.files.iter().filter(about).flat_map(|other| &other.notes).collect();
        for case in &file.cases {
            if let Some(note) = case.covers.iter().find(|note| !known.contains(note)) {
                let message = format!("covers {note}, which no dialect has in its `notes:`");
                problems.push(file.case_problem(case, message));
            }
        }
    }
}

fn errata(corpus: &Corpus, specs: &Specs, problems: &mut Vec<Problem>) {
    let mut used = BTreeSet::new();
    // A dialect in the place of another has the cases of that.
    let own = |file: &&Arc<File>| file.inherited.is_none() || file.inherited == file.dialect;
    for file in corpus.files.iter().filter(own) {
        let dialect = file.dialect.as_ref().and_then(|name| specs.dialect(name));
        let documents: &[String] = dialect.map_or(&[], |dialect| &dialect.documents);
        for case in &file.cases {
            let of_document = case.document.as_ref().map(|document| &document.erratum);
            for id in case.erratum.iter().chain(of_document) {
                used.insert(id.as_str());
                let message = match specs.erratum(id) {
                    None => format!("no documentation error {id} in specs/errata.yaml"),
                    Some(erratum) if of_document == Some(id) && !documents.is_empty() && !erratum.is_of(documents) => {
                        let about = erratum.documents.join(", ");
                        format!("documentation error {id} is about {about}, not about a document of this dialect")
                    }
                    Some(_) => continue,
                };
                problems.push(file.case_problem(case, message));
            }
        }
    }
    // An erratum about variants needs no case of its own.
    for erratum in specs.errata.iter().filter(|erratum| erratum.variants.is_empty()) {
        if !used.contains(erratum.id.as_str()) {
            problems.push(in_specs("errata", format!("documentation error {} has no case", erratum.id)));
        }
    }
}

/// Checks that the case on which a divergence rests is undecided.
fn divergences(corpus: &Corpus, specs: &Specs, problems: &mut Vec<Problem>) {
    for divergence in &specs.divergences {
        let RestsOn::Case { case: id } = &divergence.rests_on else { continue };
        let undecided = specs.all().any(|dialect| {
            corpus.cases_of(dialect).into_iter().any(|(file, case)| {
                case.class == Class::Undecided && *id == format!("{}/{}/{}", dialect.name, file.layout, case.name)
            })
        });
        if !undecided {
            let message =
                format!("divergence {} names {id}, but there is no undecided case of that name", divergence.id);
            problems.push(in_specs("divergences", message));
        }
    }
}
