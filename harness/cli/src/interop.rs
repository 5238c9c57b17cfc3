//! `conform interop`.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use variant_corpus::observed::Observed;
use variant_report::interop::text;
use variant_runner::interop::{Exchange, InteropCell};
use variant_specs::{JudgedBy, Specs};
use variant_values::implementation::{Answer, Implementation};

use crate::args::InteropArgs;
use crate::failure::{Exit, Failure};
use crate::paths::{self, Paths, adapter_folder};
use crate::run::spoken;
use crate::subject::{Program, Side, start};
use crate::terminal::{interrupt, prose, say, warn, write_file};

pub(super) fn interop(args: &InteropArgs, paths: &Paths) -> Result<Exit, Failure> {
    let (specs, corpus) = paths.load()?;
    let dialects = paths::dialects(&args.dialects.dialect, &specs, JudgedBy::Engines)?;
    let mut sides = Side::of(&args.sides, &args.command, args.limits);
    let named = !sides.is_empty();
    if !named {
        sides = Side::all(args.limits, paths)?;
    }
    // An adapter's own name is its name here, unless two have it.
    let own = |side: &Side| adapter_folder(&side.shown).map_or_else(|| side.shown.clone(), |(_, name)| name);
    let names: Vec<String> = sides.iter().map(own).collect();
    for (side, name) in sides.iter_mut().zip(&names) {
        if names.iter().filter(|other| *other == name).count() == 1 {
            side.shown.clone_from(name);
        }
    }
    let mut exchange = Exchange::new(&specs, &corpus, &dialects)?;
    // Each writes, and then each reads what all wrote; a program is started for either, so that one runs at a time.
    let (mut present, mut absent) = (Vec::new(), false);
    let mut recorded: Vec<&Observed> = corpus.observed.iter().filter(|observed| !observed.wrote.is_empty()).collect();
    // As everywhere, the newest first.
    let numbers = |of: &Observed| -> Vec<u32> { of.version.split('.').map_while(|part| part.parse().ok()).collect() };
    recorded.sort_by_key(|observed| (&observed.engine, Reverse(numbers(observed))));
    let is_no_adapter = |side: &Side| side.subject.name.as_ref().is_some_and(|name| paths.adapter(name).is_err());
    for side in sides {
        let written = started(&side, paths, &specs).and_then(|mut participant| {
            if named {
                spoken(&dialects, participant.handshake(), false)?;
            }
            exchange.write(&side.shown, participant.as_mut())?;
            participant.restart();
            Ok(participant)
        });
        match written {
            Ok(participant) => present.push((side, participant)),
            Err(Failure(Exit::ImplementationError, why)) if !named => {
                warn(format!("{}: not run: {why}", side.shown));
                absent = true;
            }
            Err(Failure(exit, why)) if !recorded.is_empty() && is_no_adapter(&side) => {
                let engines: Vec<String> = recorded.iter().map(|observed| observed.short_name()).collect();
                let engines = engines.join(", ");
                let hint =
                    format!("To see what arrives from engines, leave them out: what {engines} wrote is recorded");
                return Err(Failure(exit, format!("{why}\n{hint}")));
            }
            Err(failure) => return Err(failure),
        }
    }
    for observed in recorded {
        exchange.recorded(observed);
    }
    let mut endings = BTreeSet::new();
    for (place, (side, participant)) in present.iter_mut().enumerate() {
        exchange.read(place, participant.as_mut())?;
        endings.extend(ending(side, participant.as_mut()));
    }
    if interrupt().is_set() {
        return Err(Failure(Exit::Incomplete, "interrupted; nothing was written".to_owned()));
    }
    let record = exchange.record();
    let tables = record.tables();
    if tables.is_empty() {
        return Err(Failure(Exit::NothingRan, "no side supports any value".to_owned()));
    }
    // What only engines wrote, long ago, nobody here reads.
    for table in tables.iter().filter(|table| !table.readers.is_empty()) {
        prose(&text(table, &record, &specs))?;
    }
    if let Some(out) = &args.record.out {
        let mut lines = Vec::new();
        record.write(&mut lines).map_err(Failure::unwritable(out))?;
        write_file(out, &lines)?;
        say(out.display())?;
    }
    let arrives = |cell: &InteropCell| {
        [0, 1].into_iter().all(|way| cell.types(way).is_none_or(|(surviving, claimed)| surviving == claimed))
    };
    endings.iter().for_each(warn);
    let all = endings.is_empty() && tables.iter().flat_map(|table| table.rows.iter().flatten().flatten()).all(arrives);
    Ok(match (absent, all) {
        (true, _) => Exit::Incomplete,
        (false, true) => Exit::AsExpected,
        (false, false) => Exit::NotAsExpected,
    })
}

fn started(side: &Side, paths: &Paths, specs: &Specs) -> Result<Box<dyn Implementation + Send>, Failure> {
    let program = Program::new(&side.subject, paths)?;
    let started = start(program.as_ref(), specs, JudgedBy::Engines);
    started.map_err(|Failure(exit, why)| Failure(exit, format!("{}: {why}", side.shown)))
}

/// Ends a side. What went wrong then, if anything did.
fn ending(side: &Side, participant: &mut dyn Implementation) -> Option<String> {
    match participant.finish().filter(|_| !interrupt().is_set())?.answer {
        Answer::Crashed(ending) | Answer::TimedOut(ending) => Some(format!("{}: {ending}", side.shown)),
        Answer::Garbled(why) => Some(format!("{}: {why}", side.shown)),
        _ => None,
    }
}
