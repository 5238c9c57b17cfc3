//! Every reader of conform, on any bytes: what is read goes on to whatever is made of it, and what is not is refused with
//! a message that says where. The fuzz target `read` and a test of the program use it.

use std::fs;
use std::path::{Path, PathBuf};

use variant_adapter::folder::Adapter;
use variant_codec::Codec;
use variant_corpus::Corpus;
use variant_corpus::findings::{self, Findings};
use variant_corpus::lint::lint;
use variant_corpus::observed::Observed;
use variant_corpus::test::{Variants, tests};
use variant_document::{Page, PageFormat};
use variant_report::certificate::{self, Certificate, Profile};
use variant_report::gate::Gate;
use variant_report::text::Extent;
use variant_report::{annotations, badge, gate, html, junit, markdown, text};
use variant_runner::record::RunRecord;
use variant_runner::results::FindingRecord;
use variant_runner::run::Run;
use variant_runner::summary::Summary;
use variant_specs::{JudgedBy, Source, Specs};
use variant_values::diagnostic::{Problem, parse_json};
use variant_values::explain::Explainer;
use variant_values::explore::{Question, explore, pasted_json};
use variant_values::glob::TestGlob;
use variant_values::handshake::{Handshake, changes};
use variant_values::implementation::{Answer, Implementation, Outcomes, Requests};
use variant_values::input;
use variant_values::interrupt::Interrupt;
use variant_values::malformed_reply::malformed_reply;
use variant_values::protocol::read_line;
use variant_values::reference::Reference;

/// The readers, each by the letter with which an input for it begins, and the name of the file that it reads.
pub const READERS: [(u8, &str); 12] = [
    (b'a', "answers"),
    (b'c', "corpus/bool.yaml"),
    (b'e', "equivalent-mutants.yaml"),
    (b'f', "adapter/findings.yaml"),
    (b'g', "flags/tags.yaml"),
    (b'h', "handshake.json"),
    (b'o', "observed.yaml"),
    (b'p', "pasted"),
    (b'r', "results.jsonl"),
    (b's', "spec.yaml"),
    (b'v', "certificate.json"),
    (b'y', "adapter/adapter.yaml"),
];

/// What the readers need beside what they read.
pub struct Readers {
    folder: PathBuf,
    specs: Specs,
    corpus: Corpus,
    few: Corpus,
    record: Vec<u8>,
    recorded: RunRecord,
}

impl Readers {
    /// Writes what is to be read below this folder.
    pub fn new(folder: &Path) -> Self {
        let specs = Specs::builtin().expect("the specs are well formed");
        for place in ["adapter", "corpus", "flags"] {
            fs::create_dir_all(folder.join(place)).expect("the folder can be written");
        }
        fs::write(folder.join("flags/bool.yaml"), "family: true\ntype: bool\ncases: []\n")
            .expect("a file can be written");
        let corpus = Corpus::carried(&[], &specs).expect("the corpus is well formed");
        let record = run(&specs, &corpus, &mut Reference::new(&specs, JudgedBy::Engines));
        let mut recorded = RunRecord::read(record.as_slice()).expect("a record can be read");
        // As if it were of a whole run, which has a certificate.
        recorded.plan.selection.only = None;
        let few = Corpus { files: corpus.files.iter().take(4).cloned().collect(), ..corpus.clone() };
        Self { folder: folder.to_owned(), specs, corpus, few, record, recorded }
    }

    /// Reads the input, without its first byte, by the reader that this byte names. The file that was read; and why it
    /// is refused.
    pub fn read(&self, input: &[u8]) -> (PathBuf, Result<(), String>) {
        let (first, content) = input.split_first().unwrap_or((&b'p', &[]));
        let named = READERS.iter().find(|(letter, _)| letter == first);
        let (letter, file) = named.unwrap_or(&READERS[usize::from(*first) % READERS.len()]);
        let path = self.folder.join(file);
        fs::write(&path, content).expect("a file can be written");
        let read = match letter {
            b'a' => self.answers(content),
            b'c' => self.cases(&path),
            b'e' => self.equivalents(&path),
            b'f' => list(&path),
            b'g' => Corpus::load(&self.folder.join("flags"), &[], &self.specs).map(drop),
            b'h' => self.handshake(&path),
            b'o' => observed(&path),
            b'p' => {
                pasted_json(&String::from_utf8_lossy(content), &self.specs);
                explore(content, &self.specs, &Question::default());
                Ok(())
            }
            b'r' => self.results(&path),
            b's' => self.spec(&path),
            b'v' => self.certificate(&path),
            _ => adapter(&self.folder),
        };
        (path, read.map_err(|problem| problem.to_string()))
    }

    /// A record, and each of its reports.
    fn results(&self, path: &Path) -> Result<(), Problem> {
        let opened = input::reader(path)?;
        let recorded = RunRecord::read(opened).map_err(|error| error.in_file(path))?;
        self.reports(&recorded);
        Ok(())
    }

    fn reports(&self, recorded: &RunRecord) {
        let summary = Summary::of(recorded);
        text::render(&summary, Extent { full: true, ..Extent::default() });
        markdown::markdown(&summary);
        annotations::annotations(&summary);
        drop(junit::junit(recorded));
        drop(html::page(recorded, true, None));
        for dialect in &recorded.plan.dialects {
            drop(badge::badge(&summary, dialect));
        }
        for (base, head) in [(&self.recorded, recorded), (recorded, &self.recorded), (recorded, recorded)] {
            if let Ok(compared) = Gate::of(base, head) {
                gate::render(&compared);
                gate::markdown(&compared);
            }
        }
        drop(Certificate::of(recorded, Profile::Engine, &[]));
        drop(certificate::missing(recorded, &self.corpus, &self.specs));
    }

    fn certificate(&self, path: &Path) -> Result<(), Problem> {
        let text = input::text(path)?;
        let certificate: Certificate = parse_json(&path.display().to_string(), &text)?;
        certificate::verify(&certificate, &self.recorded, &self.record);
        Ok(())
    }

    /// A dialect of one's own, and what is done in it.
    fn spec(&self, path: &Path) -> Result<(), Problem> {
        let text = input::yaml(path)?;
        let mut specs = self.specs.clone();
        let known = specs.dialects.len();
        specs.add_dialects(&[Source { file: &path.display().to_string(), text: &text }])?;
        for dialect in &specs.dialects[known..] {
            for judged_by in [JudgedBy::Engines, JudgedBy::Documents] {
                let codec = Codec::new(dialect, judged_by);
                for id in (0..64_u32).chain([1 << 16 | 2, u32::MAX]) {
                    let packet = [id, 1, 2, 3].map(u32::to_le_bytes).concat();
                    if let Ok(decoded) = codec.decode(&packet) {
                        drop(codec.encode(&decoded.value));
                    }
                    Explainer { judged_by, ..Explainer::new(dialect) }.explain(&packet);
                }
            }
            drop(variant_document::render(&Page::new(&self.few, &specs, dialect), PageFormat::Markdown));
        }
        Ok(())
    }

    /// Cases, and the tests of them.
    fn cases(&self, path: &Path) -> Result<(), Problem> {
        let corpus = Corpus::load(path.parent().expect("it is in a folder"), &[], &self.specs)?;
        lint(&corpus, &self.specs);
        for dialect in self.specs.dialects.iter().filter(|dialect| ["godot-3", "godot-4.4"].contains(&&*dialect.name)) {
            for judged_by in [JudgedBy::Engines, JudgedBy::Documents] {
                tests(&corpus, &self.specs, dialect, judged_by, Variants::All)?;
            }
        }
        Ok(())
    }

    /// What an adapter replies, line by line, to each request of a run; the run is recorded and reported.
    fn answers(&self, content: &[u8]) -> Result<(), Problem> {
        let mut replies = Vec::new();
        for line in content.split(|byte| *byte == b'\n') {
            malformed_reply(line);
            let dialect = self.specs.dialect("godot-4.4").expect("it is built in");
            replies.extend(read_line(line).map(|(_, reply)| reply.answer(dialect, &[])));
        }
        let Some(last) = replies.last().cloned() else { return Ok(()) };
        replies.reverse();
        let handshake = Reference::new(&self.specs, JudgedBy::Engines).handshake().clone();
        let record = run(&self.specs, &self.corpus, &mut Scripted { handshake, replies, last });
        self.reports(&RunRecord::read(record.as_slice()).expect("what a run records can be read"));
        Ok(())
    }

    fn handshake(&self, path: &Path) -> Result<(), Problem> {
        let text = input::text(path)?;
        let handshake: Handshake = parse_json(&path.display().to_string(), &text)?;
        changes(&self.recorded.plan.handshake, &handshake);
        let mut recorded = self.recorded.clone();
        recorded.plan.handshake = handshake;
        self.reports(&recorded);
        Ok(())
    }

    fn equivalents(&self, path: &Path) -> Result<(), Problem> {
        let text = input::yaml(path)?;
        variant_faults::load_equivalents(&path.display().to_string(), &text).map(drop)
    }
}

/// The record of a run of the tests of `bool` in one dialect.
fn run(specs: &Specs, corpus: &Corpus, implementation: &mut dyn Implementation) -> Vec<u8> {
    let only = Some(TestGlob::new("godot-3/bool/*").expect("it is a glob"));
    let run = Run { only, interrupt: Interrupt::default(), ..Run::new(specs, corpus, vec!["godot-3".to_owned()]) };
    let mut record = Vec::new();
    run.run(implementation, &mut record, &|_, _| {}).expect("a run comes to its end");
    record
}

/// Gives these answers, from the last to the first, and then one for ever.
struct Scripted {
    handshake: Handshake,
    replies: Vec<Answer>,
    last: Answer,
}

impl Implementation for Scripted {
    fn handshake(&self) -> &Handshake {
        &self.handshake
    }

    fn send<'a>(&'a mut self, requests: Requests<'a>) -> Outcomes<'a> {
        Box::new(requests.enumerate().map(|(place, _)| {
            let answer = self.replies.pop().unwrap_or_else(|| self.last.clone());
            Ok((place, answer.into()))
        }))
    }
}

/// A list of findings, its page, and what a record has of it.
fn list(path: &Path) -> Result<(), Problem> {
    drop(Findings::draft(path));
    let list = Findings::load(path)?;
    findings::page(&list);
    FindingRecord::held(&list);
    Ok(())
}

fn observed(path: &Path) -> Result<(), Problem> {
    let text = input::yaml(path)?;
    let observed = Observed::parse(&path.display().to_string(), &text)?;
    observed.short_name();
    Ok(())
}

fn adapter(folder: &Path) -> Result<(), Problem> {
    let adapter = Adapter::load(folder, "adapter")?;
    adapter.command();
    adapter.limits(variant_adapter::external::Limits::default());
    variant_adapter::folder::subjects(folder).map(drop)
}
