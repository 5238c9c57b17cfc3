//! The bugs that were found in somebody's code: every finding of every list, the worst first.

use serde::Serialize;
use variant_corpus::findings::{Finding, Findings, PAGE, flat};

/// So many sentences say what is unusual about a library.
const UNUSUAL: usize = 5;

/// What was found in one library, or in its versions.
#[derive(Debug, Serialize)]
pub struct TrophyShelf<'a> {
    implementation: &'a str,
    /// Its page, from the root of the project.
    page: String,
    /// The worst findings, a sentence each.
    unusual: Vec<String>,
    /// The worst first.
    pub(crate) trophies: Vec<Trophy<'a>>,
}

/// A bug, and what became of it.
#[derive(Debug, Serialize)]
pub(crate) struct Trophy<'a> {
    #[serde(flatten)]
    pub(crate) finding: &'a Finding,
    /// The page of the site that shows it; `None` if none does.
    pub(crate) page: Option<String>,
    heading: String,
    /// A packet or value that shows it, in Markdown.
    shown_by: String,
    /// Where it is reported, and whether it is fixed.
    state: String,
}

/// The shelves of these lists, each with the name of the adapter's folder that has it.
pub fn shelves<'a>(lists: impl IntoIterator<Item = (&'a str, &'a Findings)>) -> Vec<TrophyShelf<'a>> {
    let has_any = |(_, list): &(&str, &Findings)| !list.findings.is_empty();
    lists.into_iter().filter(has_any).map(|(folder, list)| TrophyShelf::new(folder, list)).collect()
}

impl<'a> TrophyShelf<'a> {
    fn new(folder: &str, list: &'a Findings) -> Self {
        let findings = list.by_severity();
        Self {
            implementation: &list.implementation,
            page: format!("adapters/{folder}/{PAGE}"),
            unusual: findings.iter().take(UNUSUAL).map(|finding| flat(&finding.finding)).collect(),
            trophies: findings.into_iter().map(Trophy::new).collect(),
        }
    }
}

impl<'a> Trophy<'a> {
    fn new(finding: &'a Finding) -> Self {
        let state = match (&finding.reported, &finding.fixed) {
            (None, None) => "not known".to_owned(),
            (Some(reported), None) => format!("[reported]({reported})"),
            (None, Some(fixed)) => format!("fixed in {fixed}"),
            (Some(reported), Some(fixed)) => format!("[reported]({reported}), fixed in {fixed}"),
        };
        let shown_by = flat(finding.packet.as_deref().or(finding.value.as_deref()).unwrap_or_default());
        Self {
            finding,
            page: None,
            heading: finding.heading(),
            shown_by: shown_by.strip_suffix('.').unwrap_or(&shown_by).to_owned(),
            state,
        }
    }
}

impl Trophy<'_> {
    /// The adapters that show it, where others on its shelf do not.
    fn shown_in(&self) -> String {
        match self.finding.adapters.as_slice() {
            [] => String::new(),
            adapters => format!(" (in {})", adapters.join(", ")),
        }
    }
}

/// The page `trophies.md`, in the folder `reports`.
pub fn markdown(shelves: &[TrophyShelf<'_>]) -> String {
    let count: usize = shelves.iter().map(|shelf| shelf.trophies.len()).sum();
    let mut page = format!(
        "# Trophies\n\n<!-- Generated from the lists of findings by `conform matrix`; edit those. -->\n\n\
         {count} bugs that this suite found in {}.\n",
        tested(shelves.len())
    );
    for shelf in shelves {
        page += &format!("\n## {}\n\nWhat is unusual about it:\n\n", shelf.implementation);
        for sentence in &shelf.unusual {
            page += &format!("- {sentence}\n");
        }
        page += "\n| severity | bug | packet or value | reported, fixed |\n|---|---|---|---|\n";
        for trophy in &shelf.trophies {
            let Finding { id, severity, .. } = trophy.finding;
            let link = format!("[{}](../{}#{id}){}", trophy.heading, shelf.page, trophy.shown_in());
            let severity = severity.map(|severity| severity.to_string()).unwrap_or_default();
            let cells = [&severity, &link, &cut(&trophy.shown_by), &trophy.state];
            let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
            page += &format!("| {} |\n", cells.join(" | "));
        }
    }
    page
}

/// So many libraries and engines.
pub(crate) fn tested(count: usize) -> String {
    if count == 1 { "1 library or engine".to_owned() } else { format!("{count} libraries and engines") }
}

/// A text that is a packet or a value, and what it is: the packet, or the value.
fn cut(text: &str) -> String {
    let is_shown =
        |code: &&str| code.starts_with('{') || code.bytes().all(|byte| byte == b' ' || byte.is_ascii_hexdigit());
    let code = text.strip_prefix('`').and_then(|rest| rest.split('`').next()).filter(is_shown);
    code.map_or_else(|| text.to_owned(), |code| format!("`{code}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_come_first_and_what_became_of_them_is_said() {
        let yaml = "implementation: lib 1\nfindings:\n\
                    - {id: b, severity: low, finding: B., packet: '`01`, a bool.', tests: ['*/bool/*']}\n\
                    - {id: a, severity: critical, finding: A., fixed: '2.0', reported: https://example.org/1, tests: ['*/int/*']}\n";
        let folder = tempfile::TempDir::new().unwrap();
        let file = folder.path().join("findings.yaml");
        std::fs::write(&file, yaml).unwrap();
        let list = Findings::draft(&file).unwrap();
        insta::assert_snapshot!(markdown(&shelves([("lib", &list)])));
    }
}
