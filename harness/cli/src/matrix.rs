//! `conform matrix`.

use variant_adapter::folder;
use variant_adapter::folder::Adapter;
use variant_corpus::Corpus;
use variant_corpus::findings::{self, Findings, Tracker};
use variant_corpus::test::Derivation;
use variant_report::html::matrix_page;
use variant_report::matrix::{Attempt, Matrix, Ran, Row, SCHEMA, markdown};
use variant_runner::run::Run;
use variant_specs::{Reading, Specs};
use variant_wire::reference::NAME as REFERENCE;

use super::folder::Folder;
use super::output::write_file;
use super::run::{record, refuse_unknown_layouts, spoken};
use super::subject::{Subject, SubjectArgs};
use super::{Exit, Failure, MatrixArgs, SettingArgs, report, setting, signals};

/// Where an adapter's folder tells what was found: wrong in it, or by it in the corpus.
const PAGES: [&str; 2] = [findings::PAGE, "FIRST-CONTACT.md"];

pub(super) fn matrix(args: &MatrixArgs, setting_args: &SettingArgs) -> Result<Exit, Failure> {
    let specs = setting::specs(setting_args)?;
    let corpus = setting::corpus(setting_args, &specs)?;
    let desk = Desk { args, setting_args, specs: &specs, corpus: &corpus };
    let mut matrix = Matrix {
        schema: SCHEMA,
        conform: env!("CARGO_PKG_VERSION").to_owned(),
        corpus: variant_corpus::CorpusId { version: corpus.version.clone(), digest: corpus.digest.clone() },
        reading: Reading::Engine.name().to_owned(),
        implementations: Vec::new(),
    };
    for name in names(args, setting_args)? {
        let row = desk.row(&name)?;
        if signals::interrupt().is_set() {
            anstream::eprintln!("interrupted; nothing was written");
            return Ok(Exit::Incomplete);
        }
        anstream::println!("{}", line(&row));
        matrix.implementations.push(row);
    }
    let json = serde_json::to_vec_pretty(&matrix).map_err(Failure::usage)?;
    write_file(&args.out.join("matrix.json"), &[json.as_slice(), b"\n"].concat())?;
    write_file(&args.out.join("matrix.md"), markdown(&matrix).as_bytes())?;
    let page = matrix_page(&matrix).map_err(|error| Failure::usage(format!("the page cannot be made: {error}")))?;
    write_file(&args.out.join("matrix.html"), page.as_bytes())?;
    let [text, page, data] = ["matrix.md", "matrix.html", "matrix.json"].map(|file| args.out.join(file));
    anstream::println!("{}, {} and {}", text.display(), page.display(), data.display());
    Ok(status(&matrix))
}

/// Who is asked for, or everybody.
fn names(args: &MatrixArgs, setting_args: &SettingArgs) -> Result<Vec<String>, Failure> {
    let mut names = vec![REFERENCE.to_owned()];
    names.extend(folder::subjects(&setting::adapters(setting_args)?)?);
    if args.name.is_empty() {
        return Ok(names);
    }
    if let Some(unknown) = args.name.iter().find(|name| !names.contains(name)) {
        return Err(Failure::usage(format!("there is no {unknown:?}; there are {}", names.join(", "))));
    }
    names.retain(|name| args.name.contains(name));
    Ok(names)
}

/// What every run needs.
struct Desk<'a> {
    args: &'a MatrixArgs,
    setting_args: &'a SettingArgs,
    specs: &'a Specs,
    corpus: &'a Corpus,
}

impl Desk<'_> {
    fn row(&self, name: &str) -> Result<Row, Failure> {
        let adapter = match name {
            REFERENCE => None,
            _ => Some(Adapter::load(&setting::adapters(self.setting_args)?, name)?),
        };
        // The folder's name; the project is the same wherever it stands.
        let folder = format!("adapters/{}", name.split('@').next().unwrap_or(name));
        let install = adapter.as_ref().and_then(Adapter::install).map(|command| {
            let variant = name.split_once('@').map(|(_, variant)| format!(" {variant}"));
            format!("{folder}/{}{}", command.trim_start_matches("./"), variant.unwrap_or_default())
        });
        let attempt = match self.ran(name, &folder) {
            Ok(ran) => Attempt::Run(Box::new(ran)),
            Err(Failure(Exit::ImplementationError, why)) => {
                anstream::eprintln!("{name}: {why}");
                let mend = install.as_ref().map(|install| format!("; {install} installs it")).unwrap_or_default();
                let why = why.strip_prefix("it speaks").map(|rest| format!("it speaks{rest}"));
                Attempt::NotRun { why: why.unwrap_or(format!("it could not be started{mend}")) }
            }
            Err(failure) => return Err(failure),
        };
        let page = |adapter: &Adapter| PAGES.iter().find(|page| adapter.folder.join(page).is_file());
        Ok(Row {
            name: name.to_owned(),
            about: adapter.as_ref().map_or("the reference codec of this project", Adapter::about).to_owned(),
            home: adapter.as_ref().map_or("", Adapter::home).to_owned(),
            install,
            findings: adapter.as_ref().and_then(page).map(|page| format!("{folder}/{page}")),
            attempt,
        })
    }

    /// Runs everything that there is to ask.
    fn ran(&self, name: &str, folder: &str) -> Result<Ran, Failure> {
        let named = Some(name.to_owned()).filter(|name| name != REFERENCE);
        let subject_args = SubjectArgs::named(named, self.args.timeout);
        let mut subject = Subject::new(&subject_args, self.setting_args, self.specs, Reading::Engine, &[])?;
        let handshake = subject.implementation.handshake().clone();
        refuse_unknown_layouts(&handshake, self.specs)?;
        let list = subject.findings.as_deref().filter(|list| list.is_file());
        let list = list.map(Findings::load).transpose()?.unwrap_or_default();
        let mut findings = Tracker::new(list, &handshake.version);
        let wanted = setting::dialects(&[], self.specs, Reading::Engine)?;
        let run = Run {
            specs: self.specs,
            corpus: self.corpus,
            dialects: spoken(&wanted, &handshake, false)?,
            reading: Reading::Engine,
            only: None,
            smoke: None,
            derivation: Derivation::All,
            recording: false,
            implementation: subject.shown.clone(),
            options: String::new(),
            resume: None,
            interrupt: signals::interrupt(),
        };
        let place = Folder::new(self.args.runs.join(name));
        record(&run, &mut subject, &mut findings, &place)?;
        place.replace(None)?;
        Ok(Ran::of(&report::read(&place.record())?, &findings, folder))
    }
}

fn line(row: &Row) -> String {
    let Row { name, attempt, .. } = row;
    match attempt {
        Attempt::NotRun { why } => format!("{name}: NOT RUN, {why}"),
        Attempt::Run(ran) if ran.is_as_expected() => {
            let (green, ids) = ran.dialects.iter().fold((0, 0), |sum, of| (sum.0 + of.green, sum.1 + of.ids));
            format!("{name}: as expected; {green} of {ids} types pass both ways, {} known failures", ran.known)
        }
        Attempt::Run(ran) => format!(
            "{name}: NOT AS EXPECTED, {} red, {} claims no longer true{}; `conform run {name}` shows them",
            ran.red,
            ran.stale.len(),
            if ran.complete { "" } else { ", incomplete" }
        ),
    }
}

fn status(matrix: &Matrix) -> Exit {
    let attempts = || matrix.implementations.iter().map(|row| &row.attempt);
    if attempts().any(|attempt| matches!(attempt, Attempt::Run(ran) if !ran.is_as_expected())) {
        Exit::NotAsExpected
    } else if attempts().any(|attempt| matches!(attempt, Attempt::NotRun { .. })) {
        Exit::Incomplete
    } else {
        Exit::AsExpected
    }
}
