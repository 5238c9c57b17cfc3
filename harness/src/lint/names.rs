//! Names: unique, described, used.

use std::collections::{BTreeMap, BTreeSet};

use variant_specs::Specs;

use crate::corpus::{Corpus, File, Home};
use crate::problem::Problem;

/// Checks flags, errata and names of cases.
pub(super) fn check(corpus: &Corpus, specs: &Specs, problems: &mut Vec<Problem>) {
    flags(corpus, problems);
    errata(corpus, specs, problems);
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
            file: "flags.yaml".to_owned(),
            line: 0,
            message: format!("flag {flag} is used by no case"),
        });
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

/// The documents of a file's dialect; none for the family.
fn documents_of(file: &File, specs: &Specs) -> Vec<String> {
    match &file.home {
        Home::Family | Home::Double => Vec::new(),
        Home::Dialect(name) => specs.dialect(name).map(|dialect| dialect.documents.clone()).unwrap_or_default(),
    }
}
