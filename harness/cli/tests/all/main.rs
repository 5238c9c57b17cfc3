//! The program as a person runs it: arguments, output, exit status, files.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod ask;
mod bounded;
mod certificate;
mod cli;
mod convert;
mod coverage;
mod damaged;
mod diff;
mod exact_numbers;
mod faults;
mod first_hour;
mod forks;
mod framing;
mod gate;
mod godot_docs_4;
mod green;
mod growth;
mod interop;
mod interrupted;
mod kaitai;
mod leftovers;
mod lists;
mod memory;
mod obeyed;
mod planted;
mod printing;
mod readme;
#[cfg(feature = "schema")]
mod schemas;
mod site;
mod skeletons;
mod supply;
mod support;
mod vet;
mod wireshark;
