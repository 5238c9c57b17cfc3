//! `conform run --bless`: the list of expected failures, made to fit a run.

use std::path::Path;

use variant_corpus::expectations::Expectations;
use variant_runner::run::Totals;

use super::output::write_file;
use super::{Exit, Failure};

/// Writes the list that fits what the run saw, and says what is left to do.
pub(super) fn bless(expectations: &Expectations, totals: Totals, list: &Path) -> Result<Exit, Failure> {
    let shown = list.display();
    if !totals.complete {
        anstream::eprintln!("{shown} stays as it was: not everything was run");
        return Ok(Exit::Incomplete);
    }
    let blessed = expectations.blessed();
    if blessed.text.trim().is_empty() {
        // Nothing fails, so there is no list.
        return match std::fs::remove_file(list) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(Failure::usage(format!("{shown}: cannot be deleted: {error}")))
            }
            Ok(()) | Err(_) => Ok(Exit::AsExpected),
        };
    }
    write_file(list, blessed.text.as_bytes())?;
    for glob in &blessed.dropped {
        anstream::eprintln!("dropped, for nothing of it holds: `{glob}`");
    }
    anstream::eprintln!(
        "{shown}: {} entries stay, {} are narrower, {} are gone, {} are new",
        blessed.kept,
        blessed.narrowed,
        blessed.dropped.len(),
        blessed.added
    );
    if blessed.added == 0 {
        return Ok(Exit::AsExpected);
    }
    anstream::eprintln!("write reason and evidence of the new ones; until then the list is refused");
    Ok(Exit::NotAsExpected)
}
