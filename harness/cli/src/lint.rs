//! `conform lint`.

use variant_adapter::folder;
use variant_corpus::findings::{self, Findings};
use variant_corpus::{lint, released};

use super::{Exit, Failure, SettingArgs, setting};

pub(super) fn lint(setting_args: &SettingArgs) -> Result<Exit, Failure> {
    let specs = setting::specs(setting_args)?;
    let corpus = setting::corpus(setting_args, &specs)?;
    let mut problems = lint::lint(&corpus, &specs);
    // A corpus of somebody's own has no adapters beside it.
    if let Ok(adapters) = setting::adapters(setting_args) {
        let folders = folder::names(&adapters).into_iter().map(|name| adapters.join(name));
        let listed = folders.filter(|folder| folder.join(findings::FILE).is_file());
        problems.extend(listed.flat_map(|folder| Findings::problems(&folder, &specs)));
    }
    // What the program carries was looked at when it was built.
    if let Some(folder) = setting::corpus_folder(setting_args) {
        problems.extend(released::check(&folder, &corpus, &specs)?);
    }
    for problem in &problems {
        anstream::println!("{problem}");
    }
    let cases: usize = corpus.files.iter().map(|file| file.cases.len()).sum();
    anstream::println!("{} files, {cases} cases, {} problems", corpus.files.len(), problems.len());
    Ok(if problems.is_empty() { Exit::AsExpected } else { Exit::NotAsExpected })
}
