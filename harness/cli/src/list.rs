//! `conform list`.

use std::io::Write;

use variant_corpus::test::tests;
use variant_wire::glob::TestGlob;

use super::{Exit, Failure, ListArgs, SettingArgs, setting};

pub(super) fn list(args: &ListArgs, setting_args: &SettingArgs) -> Result<Exit, Failure> {
    let specs = setting::specs(setting_args)?;
    let corpus = setting::corpus(setting_args, &specs)?;
    let only =
        args.only.as_deref().map(TestGlob::new).transpose().map_err(|error| Failure::usage(error.to_string()))?;
    let mut any = false;
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for name in setting::dialects(&args.dialect, &specs, args.reading.get())? {
        let Some(dialect) = specs.dialect(&name) else { continue };
        for test in tests(&corpus, &specs, dialect, args.reading.get(), args.derived.get())? {
            if only.as_ref().is_some_and(|only| !only.is_match(&test.id)) {
                continue;
            }
            any = true;
            if writeln!(out, "{}", test.id).is_err() {
                // The reader has seen enough.
                return Ok(Exit::AsExpected);
            }
        }
    }
    Ok(if any { Exit::AsExpected } else { Exit::NothingRan })
}
