//! Names: unique, described, used.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use variant_specs::{Dialect, Reading, RestsOn, Specs};

use crate::{Class, Corpus, FLAGS, FRAMING, File, PACKET, Scope};
use variant_wire::diagnostic::Problem;

/// Checks flags, errata and names of cases.
pub(super) fn check(corpus: &Corpus, specs: &Specs, problems: &mut Vec<Problem>) {
    flags(corpus, problems);
    errata(corpus, specs, problems);
    divergences(corpus, specs, problems);
    rules(corpus, specs, problems);
    notes(corpus, problems);
    for dialect in specs.all() {
        let mut seen: BTreeMap<(&str, &str), &File> = BTreeMap::new();
        for (file, case) in corpus.cases_of(dialect) {
            if let Some(other) = seen.insert((&file.layout, &case.name), file) {
                problems.push(file.problem(
                    case.line,
                    format!(
                        "case {} stands in {} too; in {} both would have one id",
                        case.name, other.path, dialect.name
                    ),
                ));
            }
        }
    }
}

fn flags(corpus: &Corpus, problems: &mut Vec<Problem>) {
    let described: BTreeSet<&str> = corpus.flags.iter().map(|(flag, _)| flag.as_str()).collect();
    let mut used = BTreeSet::new();
    for file in &corpus.files {
        for case in &file.cases {
            for flag in &case.flags {
                used.insert(flag.as_str());
                if !described.contains(flag.as_str()) {
                    problems.push(
                        file.problem(
                            case.line,
                            format!("case {}: flag {flag} is not described in flags.yaml", case.name),
                        ),
                    );
                }
            }
        }
    }
    for flag in described.difference(&used) {
        problems.push(Problem {
            file: corpus.path_of(FLAGS),
            line: 0,
            message: format!("flag {flag} is used by no case"),
        });
    }
}

/// A family case that needs a rule does not hold it: with another rule it would be gone. So each dialect says once
/// more, in `packet.yaml`, what it is to the rules that some case needs.
fn rules(corpus: &Corpus, specs: &Specs, problems: &mut Vec<Problem>) {
    let name = |need: &str| need.split('=').next().unwrap_or(need).to_owned();
    let cases = corpus.files.iter().filter(|file| file.is_shared()).flat_map(|file| &file.cases);
    let needed: BTreeSet<String> = cases.flat_map(|case| &case.needs).map(|need| name(need)).collect();
    for dialect in specs.dialects.iter().filter(|dialect| dialect.parent.is_none()) {
        let own: Vec<_> = corpus.files.iter().filter(|file| file.is_of(dialect) && file.layout == PACKET).collect();
        // What is said stands in one file; a case of packets may stand in another.
        let said = own.iter().find(|file| !file.rules.is_empty());
        let Some(file) = said.or(own.first()) else { continue };
        for rule in file.rules.iter().filter(|rule| !dialect.has(rule)) {
            let message = if Dialect::knows(rule) {
                format!("`rules:` says {rule}, and specs/{}.yaml says otherwise: one of the two is wrong", dialect.name)
            } else {
                format!("`rules:` there is no {rule}; rules are in specs/*.yaml")
            };
            problems.push(file.problem(0, message));
        }
        for rule in needed.iter().filter(|rule| !file.rules.iter().any(|said| name(said) == **rule)) {
            let message = format!("`rules:` says nothing of {rule}, which cases of the family need");
            problems.push(file.problem(0, message));
        }
    }
}

/// What a shared case covers is a sentence of some dialect's documents.
fn notes(corpus: &Corpus, problems: &mut Vec<Problem>) {
    for file in corpus.files.iter().filter(|file| file.is_shared()) {
        let about =
            |other: &&Arc<File>| other.layout == file.layout || file.layout == FRAMING && other.layout == PACKET;
        let known: BTreeSet<&String> = corpus.files.iter().filter(about).flat_map(|other| &other.notes).collect();
        for case in &file.cases {
            if let Some(note) = case.covers.iter().find(|note| !known.contains(note)) {
                let message = format!("case {}: covers {note}, which no dialect has in its `notes:`", case.name);
                problems.push(file.problem(case.line, message));
            }
        }
    }
}

fn errata(corpus: &Corpus, specs: &Specs, problems: &mut Vec<Problem>) {
    let mut used = BTreeSet::new();
    for file in corpus.files.iter().filter(|file| file.inherited.is_none()) {
        for case in &file.cases {
            if let Some(erratum) = &case.erratum {
                used.insert(erratum.as_str());
                if specs.erratum(erratum).is_none() {
                    let message = format!("case {}: no erratum {erratum} in specs/errata.yaml", case.name);
                    problems.push(file.problem(case.line, message));
                }
            }
            let Some(document) = &case.document else { continue };
            used.insert(document.erratum.as_str());
            match specs.erratum(&document.erratum) {
                None => problems.push(file.problem(
                    case.line,
                    format!("case {}: no erratum {} in specs/errata.yaml", case.name, document.erratum),
                )),
                Some(erratum) => {
                    let documents = documents_of(file, specs);
                    if !documents.is_empty() && !erratum.documents.iter().any(|name| documents.contains(name)) {
                        let message = format!(
                            "case {}: erratum {} is about {}, not about a document of this dialect",
                            case.name,
                            erratum.id,
                            erratum.documents.join(", ")
                        );
                        problems.push(file.problem(case.line, message));
                    }
                }
            }
        }
    }
    // One that explains derived cases is shown by these.
    for erratum in
        specs.errata.iter().filter(|erratum| erratum.derived.is_empty() && !used.contains(erratum.id.as_str()))
    {
        problems.push(Problem {
            file: "specs/errata.yaml".to_owned(),
            line: 0,
            message: format!("erratum {} has no case", erratum.id),
        });
    }
}

/// A divergence that rests on a case rests on an open one.
fn divergences(corpus: &Corpus, specs: &Specs, problems: &mut Vec<Problem>) {
    for divergence in &specs.divergences {
        let RestsOn::Case(id) = &divergence.rests_on else { continue };
        let open = specs.all().any(|dialect| {
            corpus.cases_of(dialect).into_iter().any(|(file, case)| {
                case.side(Reading::Engine).class == Class::Open
                    && *id == format!("{}/{}/{}", dialect.name, file.layout, case.name)
            })
        });
        if !open {
            problems.push(Problem {
                file: "specs/divergences.yaml".to_owned(),
                line: 0,
                message: format!("divergence {} rests on {id}, and no open case is called so", divergence.id),
            });
        }
    }
}

/// The documents of a file's dialect; none for the family.
fn documents_of(file: &File, specs: &Specs) -> Vec<String> {
    match &file.home {
        Scope::Family | Scope::Double(None) => Vec::new(),
        Scope::Dialect(name) | Scope::Double(Some(name)) => {
            specs.dialect(name).map(|dialect| dialect.documents.clone()).unwrap_or_default()
        }
    }
}
