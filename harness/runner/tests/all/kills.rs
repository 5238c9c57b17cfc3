//! The record at every write: whatever was written when the program ended is resumed, to the same record.

use std::io::{self, Write};
use std::path::Path;
use std::sync::LazyLock;

use variant_corpus::Corpus;
use variant_corpus::findings::Tracker;
use variant_runner::record::RunRecord;
use variant_runner::resume::ResumeState;
use variant_runner::run::{Run, RunError};
use variant_specs::{Reading, Specs};
use variant_wire::glob::TestGlob;
use variant_wire::reference::Reference;

static SPECS: LazyLock<Specs> = LazyLock::new(|| Specs::builtin().unwrap());
static CORPUS: LazyLock<Corpus> =
    LazyLock::new(|| Corpus::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus"), &SPECS).unwrap());

/// Takes so many bytes, and then has no room.
struct Disk {
    written: Vec<u8>,
    room: usize,
}

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let fits = bytes.len().min(self.room - self.written.len());
        self.written.extend_from_slice(&bytes[..fits]);
        if fits > 0 { Ok(fits) } else { Err(io::ErrorKind::StorageFull.into()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What is written to a disk with this much room by a run that resumes, and whether it came to its end.
fn run(room: usize, resume: Option<ResumeState>) -> (Vec<u8>, bool) {
    let mut reference = Reference::new(&SPECS, Reading::Engine);
    let only = Some(TestGlob::new("godot-3/bool/*").unwrap());
    let run = Run { only, resume, ..Run::new(&SPECS, &CORPUS, vec!["godot-3".to_owned()]) };
    let mut disk = Disk { written: Vec::new(), room };
    let ended = run.run(&mut reference, &mut Tracker::default(), &mut disk, &|_, _| {});
    assert!(matches!(ended, Ok(_) | Err(RunError::Record(_))), "{ended:?}");
    (disk.written, ended.is_ok())
}

#[test]
fn what_was_written_is_resumed_wherever_it_ends() {
    let (whole, ended) = run(usize::MAX, None);
    assert!(ended);
    let plan = whole.iter().position(|byte| *byte == b'\n').unwrap();
    // Around every line end, and here and there within the lines.
    let ends: Vec<usize> = (0..whole.len()).filter(|at| whole[*at] == b'\n').collect();
    let near = |room: &usize| room.is_multiple_of(211) || ends.iter().any(|end| end.abs_diff(*room) < 2);
    for room in (1..whole.len()).filter(near) {
        let (written, ended) = run(room, None);
        assert!(!ended && written.len() == room, "{room} of {}", whole.len());
        let Ok(resume) = ResumeState::read(written.as_slice()) else {
            assert!(room < plan, "the plan is whole, and is not resumed from: {room}");
            continue;
        };
        // Only the last newline may be missing from a record that counts as whole. Nothing is left to run then.
        assert_eq!(RunRecord::read(written.as_slice()).is_ok(), room == whole.len() - 1, "{room}");
        assert_eq!(resume.is_complete(), room == whole.len() - 1, "{room}");
        if resume.is_complete() {
            continue;
        }
        assert_eq!(run(usize::MAX, Some(resume)).0, whole, "{room}");
    }
}
