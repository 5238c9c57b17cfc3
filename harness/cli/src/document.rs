//! `conform document`.

use variant_document::{Page, render};

use super::paths::{self, Paths};
use super::report::no_page;
use super::terminal::put;
use super::{DocumentArgs, Exit, Failure};

pub(super) fn document(args: &DocumentArgs, paths: &Paths) -> Result<Exit, Failure> {
    let (specs, corpus) = paths.load()?;
    let dialect = paths::dialect(&args.dialect, &specs)?;
    put(&render(&Page::new(&corpus, &specs, dialect), args.format).map_err(no_page)?, args.out.as_deref())?;
    Ok(Exit::AsExpected)
}
