//! `conform demo`: what a report looks like, shown with a codec that has three faults.

use variant_corpus::Corpus;
use variant_corpus::test::Variants;
use variant_faults::{Faulty, catalogue};
use variant_report::text::{Extent, render};
use variant_runner::record::RunRecord;
use variant_runner::run::Run;
use variant_runner::summary::Summary;
use variant_specs::{JudgedBy, Specs};
use variant_values::implementation::Implementation as _;

use crate::failure::{Exit, Failure};
use crate::paths::Paths;
use crate::records::explain;
use crate::terminal::{interrupt, prose, show, width};

/// The name of the codec, for `conform run`.
pub(super) const NAME: &str = "demo";
/// What it speaks: the newest dialect of this engine.
const DIALECT: &str = "godot-4";
/// What is wrong with it: parts of the ids of faults in the catalogue.
const FAULTS: [&str; 3] = ["/length-in-characters:", "/int-cut-to-32-bits:", "/transform/transposed:"];

const INTRODUCTION: &str = "\
`conform demo` tests a codec for Godot 4 that has three faults, as many first codecs do. This is the report.

";
const NEXT: &str = "
This was a demonstration: no file was written. The commands above work, and write a record. Next, test a codec of your own:
  conform new-adapter python adapters/mine   # languages: new-adapter --help
  conform vet mine                           # does it speak the protocol?
  conform run mine                           # is its codec right?
";

pub(super) fn demo() -> Result<Exit, Failure> {
    let specs = Specs::builtin()?;
    let corpus = Corpus::carried(&[], &specs)?;
    let mut codec = codec(&specs)?;
    let run = Run {
        implementation: NAME.to_owned(),
        interrupt: interrupt(),
        // Who looks on is not kept waiting for tens of thousands.
        variants: Variants::None,
        ..Run::new(&specs, &corpus, codec.handshake().dialects.clone())
    };
    let mut record = Vec::new();
    let handshake = codec.handshake().clone();
    run.run_planned(run.planned(&handshake)?, &mut codec, &mut record, &|_, _| ())?;
    let mut recorded = RunRecord::read(record.as_slice()).map_err(Failure::usage)?;
    explain(&mut recorded, &specs, &corpus)?;
    prose(INTRODUCTION)?;
    show(&render(&Summary::of(&recorded), Extent { width: width(), ..Extent::default() }))?;
    prose(NEXT)?;
    Ok(Exit::AsExpected)
}

/// Whether this name is meant: an adapter of that name is somebody's own.
pub(super) fn is_meant(name: Option<&str>, paths: &Paths) -> bool {
    name == Some(NAME) && paths.adapter(NAME).is_err()
}

/// The codec; `conform run demo` tests the same one with the options of a run.
pub(super) fn codec(specs: &Specs) -> Result<Faulty, Failure> {
    let dialect = specs.find(DIALECT).map_err(Failure::usage)?;
    let mut faults = catalogue(specs, dialect);
    faults.retain(|fault| FAULTS.iter().any(|name| fault.id.contains(name)));
    Ok(Faulty::composed(faults, dialect, JudgedBy::Engines).named(NAME))
}
