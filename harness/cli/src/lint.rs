//! `conform lint`.

use variant_adapter::folder;
use variant_corpus::{expectations, lint, released};
use variant_diff::Expected;

use super::{Exit, Failure, SettingArgs, setting};

pub(super) fn lint(setting_args: &SettingArgs) -> Result<Exit, Failure> {
    let specs = setting::specs(setting_args)?;
    let corpus = setting::corpus(setting_args, &specs)?;
    let mut problems = lint::lint(&corpus, &specs);
    // A corpus of somebody's own has no adapters beside it.
    if let Ok(adapters) = setting::adapters(setting_args) {
        let folders: Vec<_> = folder::names(&adapters).into_iter().map(|name| adapters.join(name)).collect();
        let lists = |file| folders.iter().map(move |folder| folder.join(file)).filter(|list| list.is_file());
        problems.extend(lists(folder::EXPECTED_FAILURES).flat_map(|list| expectations::problems(&list, &specs)));
        problems.extend(lists(folder::EXPECTED_FINDINGS).flat_map(|list| Expected::problems(&list, &specs)));
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
