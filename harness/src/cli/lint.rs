//! `conform lint`.

use variant_conformance::lint;

use super::{Exit, Failure, SettingArgs, setting};

pub(super) fn lint(setting_args: &SettingArgs) -> Result<Exit, Failure> {
    let specs = setting::specs(setting_args)?;
    let corpus = setting::corpus(setting_args, &specs)?;
    let problems = lint::lint(&corpus, &specs);
    for problem in &problems {
        anstream::println!("{problem}");
    }
    let cases: usize = corpus.files.iter().map(|file| file.cases.len()).sum();
    anstream::println!("{} files, {cases} cases, {} problems", corpus.files.len(), problems.len());
    Ok(if problems.is_empty() { Exit::AsExpected } else { Exit::NotAsExpected })
}
