//! `conform document`.

use variant_document::{Page, PageFormat, kaitai, render, wireshark};

use crate::args::{DocumentArgs, DocumentFormat};
use crate::failure::{Exit, Failure};
use crate::paths::{self, Paths};
use crate::terminal::put;

pub(super) fn document(args: &DocumentArgs, paths: &Paths) -> Result<Exit, Failure> {
    let (specs, corpus) = paths.load()?;
    let dialect = paths::dialect(&args.dialect, &specs)?;
    let page = |format| render(&Page::new(&corpus, &specs, dialect), format).map_err(Failure::page);
    let text = match args.written.format() {
        DocumentFormat::Markdown => page(PageFormat::Markdown)?,
        DocumentFormat::Rst => page(PageFormat::Rst)?,
        DocumentFormat::Kaitai => kaitai(dialect, &corpus.id().named()).map_err(Failure::usage)?,
        DocumentFormat::Wireshark => wireshark(dialect, &corpus.id().named()),
    };
    put(&text, args.written.out())?;
    Ok(Exit::AsExpected)
}
