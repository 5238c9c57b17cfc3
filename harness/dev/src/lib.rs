//! Development tools of the conformance suite: what is fuzzed. What things cost is in `benches/`.

pub mod readers;
