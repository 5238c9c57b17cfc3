//! Any bytes, by the reader that the first of them names, are read or refused, and never cause a panic.
#![no_main]

mod readers;

use std::path::Path;

use libfuzzer_sys::fuzz_target;

use self::readers::Readers;

thread_local! {
    static READERS: Readers = Readers::new(&folder());
}

fuzz_target!(|input: &[u8]| {
    if cfg!(feature = "planted") && input.starts_with(b"s") && input.windows(7).any(|word| word == b"remove:") {
        panic!("planted");
    }
    READERS.with(|readers| drop(readers.read(input)));
});

/// A folder in memory, where there is one.
fn folder() -> std::path::PathBuf {
    let memory = Path::new("/dev/shm");
    let parent = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    parent.join(format!("conform-fuzz-{}", std::process::id()))
}
