//! Any bytes, by the reader that the first of them names, are read or refused, and never cause a panic.
#![no_main]

mod planted;

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use variant_dev::readers::Readers;

use self::planted::PLANTED;

thread_local! {
    static READERS: Readers = Readers::new(&folder());
}

fuzz_target!(|input: &[u8]| {
    if *PLANTED && input.starts_with(b"s") && input.windows(7).any(|word| word == b"remove:") {
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
