//! `conform vet`, `conform new-adapter` and `conform serve`: what helps to write an adapter.

use std::io::{BufReader, BufWriter};
use std::path::Path;

use anstyle::{AnsiColor, Style};
use variant_adapter::folder::Adapter;
use variant_adapter::skeleton::{self, SkeletonError};
use variant_adapter::vet::{Check, Found, vet as vet_adapter};
use variant_report::repeat::quoted;
use variant_specs::JudgedBy;
use variant_values::reference::{NAME as REFERENCE, Reference};
use variant_values::sanitize;
use variant_values::serve::serve as serve_codec;

use crate::args::NewAdapterArgs;
use crate::failure::{Exit, Failure};
use crate::paths::{self, Paths};
use crate::subject::{Program, SubjectArgs};
use crate::terminal::{is_quiet, printed, prose, say};

pub(super) fn vet(args: &SubjectArgs, paths: &Paths) -> Result<Exit, Failure> {
    let specs = paths.specs()?;
    let Some(program) = Program::new(args, paths)? else {
        let why = match args.name {
            Some(_) => "the reference codec is not a process; run `conform vet -- conform serve` to vet it as one",
            None => "name an adapter, or put a command after `--`",
        };
        return Err(Failure::usage(why));
    };
    let (mut counts, mut printed) = ([0; 4], Ok(()));
    vet_adapter(&program.command, &program.limits, &specs, &mut |mut check| {
        // The first two are the start and the handshake.
        if let (Found::Bad(why), 0 | 1) = (&mut check.found, counts.iter().sum::<usize>()) {
            *why += &program.how_to_build();
        }
        let (index, line) = describe(&check);
        counts[index] += 1;
        // What is as expected is not printed with --quiet.
        if printed.is_ok() && !(is_quiet() && matches!(check.found, Found::Good(_) | Found::Skipped(_))) {
            printed = prose(&line);
        }
    });
    printed?;
    let [good, remarks, bad, skipped] = counts;
    if !is_quiet() || remarks + bad > 0 {
        say(format!("{good} good, {remarks} with a remark, {bad} bad, {skipped} not checked"))?;
    }
    Ok(if bad == 0 { Exit::AsExpected } else { Exit::NotAsExpected })
}

/// The index of a check's counter, and its line: a figure follows the title, a sentence is below it.
fn describe(check: &Check) -> (usize, String) {
    let [green, amber, red] = [AnsiColor::Green, AnsiColor::Yellow, AnsiColor::Red].map(AnsiColor::on_default);
    let below = |text: &str| format!("\n        {}", sanitize::lines(text).replace('\n', "\n        "));
    let (index, word, style, text) = match &check.found {
        Found::Good(figure) if figure.is_empty() => (0, "ok", green, String::new()),
        Found::Good(figure) => (0, "ok", green, format!(" ({})", sanitize::lines(figure))),
        Found::Remark(text) => (1, "remark", amber, below(text)),
        Found::Bad(text) => (2, "FAIL", red, below(text)),
        Found::Skipped(why) => (3, "-", Style::new().dimmed(), format!(": {}", sanitize::lines(why))),
    };
    (index, format!("{style}{word:>6}{style:#}  {}{text}", check.title))
}

pub(super) fn new_adapter(args: &NewAdapterArgs, paths: &Paths) -> Result<Exit, Failure> {
    if args.folder.file_name().is_some_and(|name| name == REFERENCE) {
        return Err(Failure::usage(format!(
            "`{REFERENCE}` is the reference codec; choose another name for the folder"
        )));
    }
    let specs = paths.specs()?;
    let own = specs.dialects.iter().rfind(|dialect| paths.spec.iter().any(|file| *file == *dialect.file));
    let usual = own.map(|own| own.name.as_str()).or_else(|| skeleton::usual_dialect(args.language));
    let dialect = paths::dialect(args.dialect.as_deref().or(usual).unwrap_or_default(), &specs)?;
    skeleton::check_dialect(args.language, dialect, &specs).map_err(Failure::usage)?;
    let failed = |error| match error {
        SkeletonError::Write { path, error } => Failure::unwritable(&path)(error),
        error => Failure::usage(error),
    };
    for path in skeleton::write(args.language, &args.folder, dialect).map_err(failed)? {
        say(path.display())?;
    }
    let name = args.folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let parent = args.folder.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let adapter = Adapter::load(parent, &name)?;
    say(format!("\nIt speaks {}. Next:", dialect.title()))?;
    if let Some(install) = &adapter.install {
        say(format!("  (cd {} && {install})", quoted(&args.folder.display().to_string())))?;
    }
    if args.language.starts_with("gdscript") && std::env::var_os("GODOT").is_none() {
        say("  export GODOT=/path/to/godot     # the program of your engine")?;
    }
    let known = paths.adapters().ok().and_then(|folder| folder.canonicalize().ok());
    // An adapter beside the others is known by its name, any other by its path.
    let named = if known.is_some() && parent.canonicalize().ok() == known {
        name
    } else {
        quoted(&parent.join(name).display().to_string())
    };
    let options = paths.options();
    say(format!("  conform vet {named}{options}     # does it speak the protocol?"))?;
    say(format!("  conform run {named}{options}     # is its codec right?"))?;
    say(format!(
        "\nThen call your library, type by type. `conform explain PACKET --dialect {0}{options}` shows a value as the JSON of \
         the protocol, and `conform document {0}{options}` what its bytes mean.",
        dialect.name
    ))?;
    Ok(Exit::AsExpected)
}

pub(super) fn serve(judged_by: JudgedBy, paths: &Paths) -> Result<Exit, Failure> {
    let input = BufReader::with_capacity(1 << 16, std::io::stdin().lock());
    let output = BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
    let specs = paths.specs()?;
    let reference = Reference::new(&specs, judged_by);
    // If the reader goes away, the service ends; that is no failure.
    printed(serve_codec(&specs, &reference, input, output))?;
    Ok(Exit::AsExpected)
}
