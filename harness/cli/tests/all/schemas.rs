//! The JSON Schemas beside our YAML files are those of the Rust types that read the files.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// Every schema: its path in the repository and its text.
fn schemas() -> Vec<(PathBuf, String)> {
    let corpus = variant_corpus::schemas().into_iter().map(|(file, schema)| {
        let folder = if file == "findings.json" { "adapters/schema" } else { "corpus/schema" };
        (Path::new(folder).join(file), schema)
    });
    let specs =
        variant_specs::schemas().into_iter().map(|(file, schema)| (Path::new("specs/schema").join(file), schema));
    let equivalents = (PathBuf::from("corpus/schema/equivalent-mutants.json"), variant_faults::equivalents_schema());
    let adapter = (PathBuf::from("adapters/schema/adapter.json"), variant_adapter::folder::schema());
    let all = corpus.chain(specs).chain([equivalents, adapter]);
    all.map(|(path, schema)| (path, serde_json::to_string_pretty(&schema).unwrap() + "\n")).collect()
}

/// `WRITE_SCHEMAS=1 cargo test -p variant-conformance --features schema --test all schemas` writes them again.
#[test]
fn each_schema_is_that_of_its_type() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (path, schema) in schemas() {
        let file = root.join(&path);
        if env::var_os("WRITE_SCHEMAS").is_some() {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(&file, &schema).unwrap();
        }
        let written = fs::read_to_string(&file).unwrap_or_default();
        assert_eq!(written, schema, "{}: write it again with WRITE_SCHEMAS=1", path.display());
    }
}
