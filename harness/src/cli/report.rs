//! `conform report`.

use variant_conformance::report::text::Extent;

use super::run::show;
use super::{Exit, Failure, ReportArgs};

pub(super) fn report(args: &ReportArgs) -> Result<Exit, Failure> {
    let extent =
        if args.full { Extent { full: usize::MAX, named: usize::MAX, lines: usize::MAX } } else { Extent::default() };
    show(&args.results, extent)?;
    Ok(Exit::AsExpected)
}
