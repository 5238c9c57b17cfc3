//! What is wrong with a list of findings beside its adapter, the errata and its page.

use std::path::Path;

use variant_specs::Specs;

use super::page::page;
use super::{FILE, Finding, Findings, PAGE, problem};
use variant_values::diagnostic::Problem;
use variant_values::input;

impl Findings {
    /// What is wrong with the list in an adapter's folder, found without a run: it cannot be read, it names an unknown
    /// erratum or an adapter that does not use it, or the page beside it is out of date.
    pub fn problems(folder: &Path, users: &[String], specs: &Specs) -> Vec<Problem> {
        let path = folder.join(FILE);
        let findings = match Self::load(&path) {
            Err(problem) => return vec![problem],
            Ok(findings) => findings,
        };
        let mut problems = Vec::new();
        for (number, finding) in findings.findings.iter().enumerate() {
            let mut add = |message| problems.push(problem(&path, findings.line(number), message));
            if let Some(id) = finding.errata().into_iter().find(|id| specs.erratum(id).is_none()) {
                add(format!("documentation error {id:?} is not in specs/errata.yaml"));
            }
            let uses = |name: &String| users.iter().any(|user| name.split('@').next() == Some(user));
            if let Some(name) = finding.adapters.iter().find(|name| !uses(name)) {
                let known = users.join(", ");
                add(format!("{name:?} does not use this list ({known} do); correct the name, or delete it"));
            }
        }
        let place = folder.join(PAGE);
        if input::text(&place).ok().as_ref() != Some(&page(&findings)) {
            let name = folder.file_name().unwrap_or_default().display();
            let message = format!("does not match {FILE}; update it with `conform run {name} --bless`");
            problems.push(Problem { file: place.display().to_string(), line: 0, message });
        }
        problems
    }
}

impl Finding {
    /// The errata that it cites: its own, and those that its texts name as `(documentation error ID)`.
    fn errata(&self) -> Vec<&str> {
        let texts = [&self.finding, &self.expected, &self.actual, &self.consequence];
        let texts = texts.into_iter().chain(&self.packet).chain(&self.notes);
        let cited = texts.flat_map(|text| {
            text.split("(documentation error ").skip(1).filter_map(|rest| rest.split([')', ' ', ',']).next())
        });
        self.erratum.as_deref().into_iter().chain(cited).collect()
    }
}
