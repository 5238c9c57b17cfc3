//! Scripts, runs and what is expected of them.

use std::fmt::Display;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::{OnceLock, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use variant_adapter::external::{Command, External, Limits};
use variant_specs::Specs;
use variant_values::implementation::{Answer, Implementation, ImplementationError, Input, Outcome, Request};

const PRELUDE: &str = include_str!("prelude.py");

pub(crate) fn specs() -> Specs {
    Specs::builtin().unwrap()
}

/// Timeouts that not even Python reaches on a busy machine, unless it hangs.
pub(crate) fn limits() -> Limits {
    Limits {
        reply_timeout: Duration::from_secs(5),
        shutdown: Duration::from_millis(800),
        memory: 200 << 20,
        ..Limits::default()
    }
}

/// For those who are to reach them.
pub(crate) fn hasty() -> Limits {
    Limits { reply_timeout: Duration::from_millis(800), ..limits() }
}

/// An adapter in Python: the prelude, and what it does.
pub(crate) fn python(script: &str) -> Command {
    Command::new([interpreter(), "-S", "-E", "-c", &format!("{PRELUDE}\n{script}")])
}

/// Python itself: what `PATH` has may be a wrapper that takes longer to start than Python does.
pub(crate) fn interpreter() -> &'static str {
    static PYTHON: OnceLock<String> = OnceLock::new();
    PYTHON.get_or_init(|| {
        let output = std::process::Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
        let Ok(output) = output else {
            // Not `eprintln!`, which tests keep to themselves.
            let _ =
                std::io::stderr().write_all(b"all these tests are skipped: most start python3, which was not found\n");
            std::process::exit(0);
        };
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    })
}

/// The request number `n`: its four bytes are the number.
pub(crate) fn request(n: usize) -> Request {
    let bytes = u32::try_from(n).unwrap().to_be_bytes().to_vec();
    Request { dialect: "godot-3".into(), input: Input::Reencode(bytes), objects: false, framing: None, kind: None }
}

/// The right answer to it.
pub(crate) fn echoed(n: usize) -> Answer {
    Answer::Bytes(u32::try_from(n).unwrap().to_be_bytes().to_vec())
}

/// Results of some requests.
pub(crate) struct Run {
    pub(crate) outcomes: Vec<Option<Outcome>>,
    pub(crate) result: Result<(), ImplementationError>,
}

/// Sends `count` requests to a scripted adapter, under a guard.
pub(crate) fn run(script: &str, count: usize) -> Run {
    run_with(python(script), count, limits())
}

/// The same, for one that will reach a deadline.
pub(crate) fn run_hasty(script: &str, count: usize) -> Run {
    run_with(python(script), count, hasty())
}

pub(crate) fn run_with(command: Command, count: usize, limits: Limits) -> Run {
    guarded(limits, move || {
        let mut external = External::start(command, &specs(), limits).unwrap();
        send(&mut external, count)
    })
}

/// Sends requests; every place must be reported at most once, and exactly once if there was no error.
pub(crate) fn send(implementation: &mut dyn Implementation, count: usize) -> Run {
    send_these(implementation, (0..count).map(request))
}

pub(crate) fn send_these(
    implementation: &mut dyn Implementation,
    requests: impl ExactSizeIterator<Item = Request>,
) -> Run {
    let mut outcomes = vec![None; requests.len()];
    let mut result = Ok(());
    for outcome in implementation.send(Box::new(requests)) {
        match outcome {
            Ok((place, outcome)) => {
                assert!(outcomes[place].replace(outcome).is_none(), "place {place} was reported twice");
            }
            Err(error) => result = Err(error),
        }
    }
    if result.is_ok() {
        assert!(outcomes.iter().all(Option::is_some), "some places were not reported");
    }
    Run { outcomes, result }
}

/// Starts what should not start, and returns why it did not.
pub(crate) fn refused(command: Command, limits: Limits) -> String {
    guarded(limits, move || External::start(command, &specs(), limits).unwrap_err().0)
}

/// Runs it in a thread of its own, and fails where that takes ten times the longest limit.
pub(crate) fn guarded<T: Send + 'static>(limits: Limits, run: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, wait) = mpsc::channel();
    let thread = thread::spawn(move || done.send(run()));
    match wait.recv_timeout(6 * limits.start_up.max(limits.reply_timeout)) {
        Ok(outcome) => outcome,
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("it hangs"),
        Err(mpsc::RecvTimeoutError::Disconnected) => std::panic::resume_unwind(thread.join().unwrap_err()),
    }
}

/// The text of an answer that is to be of this kind.
macro_rules! text_of {
    ($name:ident, $kind:ident) => {
        pub(crate) fn $name(&self, n: usize) -> String {
            let Answer::$kind(text) = self.answer(n) else { panic!("{n} is {:?}", self.answer(n)) };
            text.to_string()
        }
    };
}

impl Run {
    pub(crate) fn answer(&self, n: usize) -> &Answer {
        &self.outcomes[n].as_ref().unwrap().answer
    }

    pub(crate) fn noise(&self, n: usize) -> &str {
        &self.outcomes[n].as_ref().unwrap().noise
    }

    /// The places whose answer is not the right one.
    pub(crate) fn odd(&self) -> Vec<usize> {
        self.result.as_ref().unwrap();
        (0..self.outcomes.len()).filter(|n| *self.answer(*n) != echoed(*n)).collect()
    }

    text_of!(crashed, Crashed);
    text_of!(timed_out, TimedOut);
    text_of!(garbled, Garbled);
    text_of!(not_run, NotRun);
    text_of!(skipped, Skipped);
}

/// A text has all of these in it.
pub(crate) fn assert_says(text: impl Display, words: &[&str]) {
    let text = text.to_string();
    for word in words {
        assert!(text.contains(word), "{word:?} is missing in {text:?}");
    }
}

/// Whether a process with the id in this file is alive; a zombie is not.
pub(crate) fn alive(pid_file: &PathBuf) -> bool {
    let pid = std::fs::read_to_string(pid_file).unwrap();
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
    stat.is_ok_and(|stat| !stat.rsplit(')').next().unwrap_or_default().trim_start().starts_with('Z'))
}

/// Waits a little for a process to vanish.
pub(crate) fn gone(pid_file: &PathBuf) -> bool {
    let until = Instant::now() + Duration::from_secs(1);
    while alive(pid_file) && Instant::now() < until {
        thread::sleep(Duration::from_millis(10));
    }
    !alive(pid_file)
}
