//! Carries the dialects in the program, resolved.

use std::env;
use std::fs;
use std::path::PathBuf;

use variant_specs::Specs;

fn main() {
    let file = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("dialects.postcard");
    let carried = Specs::builtin().map_err(|error| error.to_string()).and_then(|specs| {
        postcard::to_allocvec(&(&*specs.layouts, &specs.dialects)).map_err(|error| error.to_string())
    });
    let written = carried.and_then(|bytes| fs::write(&file, bytes).map_err(|error| error.to_string()));
    if let Err(error) = written {
        println!("cargo::error=the dialects cannot be carried: {error}");
    }
    println!("cargo::rerun-if-changed=build.rs");
}
