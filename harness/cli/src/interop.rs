//! `conform interop`.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use variant_corpus::observed::Observed;
use variant_runner::interop::{Exchange, Fate, InteropCell, InteropRecord, InteropTable};
use variant_runner::results::DialectPlan;
use variant_specs::{Dialect, JudgedBy, Specs};
use variant_values::implementation::{Answer, Implementation};

use super::paths::{self, Paths, adapter_folder};
use super::run::spoken;
use super::subject::{Program, Side, start};
use super::terminal::{interrupt, prose, say, warn, write_file};
use super::{Exit, Failure, InteropArgs};

/// At most so many packets that did not arrive are shown in each dialect.
const SHOWN: usize = 12;

pub(super) fn interop(args: &InteropArgs, paths: &Paths) -> Result<Exit, Failure> {
    let (specs, corpus) = paths.load()?;
    let wanted = paths::dialects(&args.dialects.dialect, &specs, JudgedBy::Engines)?;
    let dialects: Vec<&Dialect> = wanted.iter().filter_map(|name| specs.dialect(name)).collect();
    let named = !args.sides.is_empty();
    let mut sides: Vec<Side> = if named {
        args.sides.iter().map(|given| Side::new(given, args.limits)).collect()
    } else {
        Side::all(args.limits, paths)?
    };
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
    let (mut present, mut absent, mut endings) = (Vec::new(), false, BTreeSet::new());
    let recorded: Vec<&Observed> = corpus.observed.iter().filter(|observed| !observed.wrote.is_empty()).collect();
    let is_no_adapter = |side: &Side| side.subject.name.as_ref().is_some_and(|name| paths.adapter(name).is_err());
    for side in sides {
        let write = |participant: &mut dyn Implementation| {
            if named {
                spoken(&wanted, participant.handshake(), false)?;
            }
            Ok(exchange.write(&side.shown, participant)?)
        };
        match started(&side, paths, &specs, write) {
            Ok(ending) => {
                endings.extend(ending);
                present.push(side);
            }
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
    for (place, side) in present.iter().enumerate() {
        endings.extend(started(side, paths, &specs, |participant| Ok(exchange.read(place, participant)?))?);
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

/// Starts a side, has it do this, and ends it. What went wrong at the end, if anything did.
fn started(
    side: &Side,
    paths: &Paths,
    specs: &Specs,
    mut act: impl FnMut(&mut dyn Implementation) -> Result<(), Failure>,
) -> Result<Option<String>, Failure> {
    let program = Program::new(&side.subject, paths)?;
    let started = start(program.as_ref(), specs, JudgedBy::Engines);
    let mut implementation = started.map_err(|Failure(exit, why)| Failure(exit, format!("{}: {why}", side.shown)))?;
    act(implementation.as_mut())?;
    let ending = implementation.finish().filter(|_| !interrupt().is_set());
    Ok(ending.and_then(|end| match end.answer {
        Answer::Crashed(why) | Answer::TimedOut(why) | Answer::Garbled(why) => Some(format!("{}: {why}", side.shown)),
        _ => None,
    }))
}

/// A table, and the first packets that did not arrive.
fn text(table: &InteropTable, record: &InteropRecord, specs: &Specs) -> String {
    let dialect = specs.dialect(&table.dialect).map(DialectPlan::of);
    let name = |place: usize| record.plan.participants.get(place).map_or("", |of| of.name.as_str());
    let members: BTreeSet<usize> = table.writers.iter().chain(&table.readers).copied().collect();
    let number = |place: usize| members.range(..=place).count();
    let mut out = format!(
        "{}: types that arrive, out of the types that both support; after `+`, those that are written again correctly\n",
        dialect.as_ref().map_or_else(|| table.dialect.clone(), DialectPlan::title)
    );
    let width = members.iter().map(|place| name(*place).len()).max().unwrap_or(0);
    let headings = table.readers.iter().map(|place| format!("{:>13}", format!("to {}", number(*place))));
    // Writing to a String cannot fail.
    let _ = writeln!(out, "     {:width$}{}", "", headings.collect::<String>());
    for (writer, row) in table.writers.iter().zip(&table.rows) {
        let cells = row.iter().map(|cell| format!("{:>13}", cell.as_ref().map(counts).unwrap_or_default()));
        let _ = writeln!(out, "{:>4} {:width$}{}", number(*writer), name(*writer), cells.collect::<String>());
    }
    for reader in table.readers.iter().filter(|reader| !table.writers.contains(reader)) {
        let _ = writeln!(out, "{:>4} {} only reads", number(*reader), name(*reader));
    }
    let only_writes = table.writers.iter().filter(|writer| !table.readers.contains(writer));
    let engines: Vec<&str> = only_writes.map(|writer| name(*writer)).collect();
    if !engines.is_empty() {
        let _ = writeln!(
            out,
            "  {} only write here: their packets are recorded. Whether they read what others write, `conform run` tests, byte \
             for byte",
            engines.join(", ")
        );
    }
    for line in types(table, dialect.as_ref(), name) {
        let _ = writeln!(out, "  {line}");
    }
    let lost: Vec<String> = lost(table, record, name);
    for line in lost.iter().take(SHOWN) {
        let _ = writeln!(out, "  {line}");
    }
    if lost.len() > SHOWN {
        let _ = writeln!(out, "  and {} more, in the record (--out)", lost.len() - SHOWN);
    }
    out + "\n"
}

fn counts(cell: &InteropCell) -> String {
    let of = |way| cell.types(way).map(|(surviving, claimed)| format!("{surviving}/{claimed}"));
    [of(0), of(1)].into_iter().flatten().collect::<Vec<_>>().join("+")
}

/// A line for each type that does not arrive everywhere: from whom to whom, and how many of its values do.
fn types<'a>(table: &InteropTable, dialect: Option<&DialectPlan>, name: impl Fn(usize) -> &'a str) -> Vec<String> {
    let mut lost: Vec<(&str, Vec<String>)> = Vec::new();
    for (writer, row) in table.writers.iter().zip(&table.rows) {
        for (reader, cell) in table.readers.iter().zip(row) {
            let types = cell.iter().flat_map(|cell| &cell.types);
            for of in types.filter(|of| !of.survives(0) && of.sent(0) + of.unsent > 0) {
                let all = of.sent(0) + of.unsent;
                let way = format!("{} → {} ({} of {all} values)", name(*writer), name(*reader), of.same[0]);
                match lost.iter_mut().find(|(layout, _)| *layout == of.layout) {
                    Some((_, ways)) => ways.push(way),
                    None => lost.push((&of.layout, vec![way])),
                }
            }
        }
    }
    let line = |(layout, ways): (&str, Vec<String>)| {
        let name = dialect.map_or(layout, |dialect| dialect.type_name(layout));
        format!("{name} does not arrive whole: {}", ways.join(", "))
    };
    lost.into_iter().map(line).map(|line| variant_values::sanitize::short(&line, 300)).collect()
}

/// A line for each packet that somebody did not get as it was meant.
fn lost<'a>(table: &InteropTable, record: &'a InteropRecord, name: impl Fn(usize) -> &'a str) -> Vec<String> {
    let names = |places: &[usize]| places.iter().map(|place| name(*place)).collect::<Vec<_>>().join(", ");
    let cases = record.cases.iter().filter(|case| case.of().0 == table.dialect);
    let packets = cases.flat_map(|case| case.packets.iter().map(move |packet| (case, packet)));
    packets
        .flat_map(|(case, packet)| {
            let bad = packet.decode.iter().filter(|arrival| arrival.fate != Fate::Same);
            bad.map(move |arrival| (case, packet, arrival))
        })
        .map(|(case, packet, arrival)| {
            let fate = match arrival.fate {
                Fate::Same => "the same",
                Fate::Other => "reads",
                Fate::Refused => "refuses",
                Fate::Failed => "fails",
            };
            let (from, by) = (names(&packet.from), names(&arrival.by));
            format!("{} from {from}: {by} {fate} {}: {}", case.case, packet.bytes, arrival.answer)
        })
        .map(|line| variant_values::sanitize::short(&line, 300))
        .collect()
}
