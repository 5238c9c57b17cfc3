//! The corpus that the program embeds.

use std::path::Path;

use variant_corpus::Corpus;
use variant_specs::Specs;

#[test]
fn the_program_embeds_the_corpus_of_this_folder() {
    let specs = Specs::builtin().unwrap();
    let corpus = Corpus::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus"), &[], &specs).unwrap();
    let carried = Corpus::carried(&[], &specs).unwrap();
    assert_eq!(carried.digest, corpus.digest);
    assert_eq!(carried.version, corpus.version);
    assert_eq!(carried.observed.len(), corpus.observed.len());
}
