//! The reference codec against this repository's own implementations, as a property of proptest. A case is a batch of 512
//! requests; `PROPTEST_CASES` says how many, and proptest keeps what fails in `proptest-regressions/`.

use std::cell::RefCell;
use std::path::Path;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use rstest::rstest;
use variant_adapter::external::{External, Limits};
use variant_adapter::folder::Adapter;
use variant_diff::FuzzTarget;
use variant_specs::Specs;
use variant_values::implementation::Request;

/// How many batches, unless `PROPTEST_CASES` says otherwise.
const CASES: u32 = 12;

#[rstest]
#[case::python("python", "godot-3")]
#[case::python_40("python", "pandemonium-40")]
#[ignore = "needs adapters/engines/install 3.2.3"]
#[case::godot3_3_2_3("godot3@3.2.3", "godot-3")]
#[ignore = "needs adapters/engines/install 3.6"]
#[case::godot3_3_6("godot3@3.6", "godot-3")]
#[ignore = "needs adapters/engines/install 4"]
#[case::godot4("godot4", "godot-4.4")]
fn the_reference_agrees_with(#[case] name: &str, #[case] dialect: &str) {
    let specs = Specs::builtin().unwrap();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../adapters");
    let adapter = Adapter::load(&folder, name).unwrap();
    let limits = adapter.limits(Limits::default());
    let other = External::start(adapter.command(), &specs, limits).unwrap();
    let target = FuzzTarget::new(&specs, specs.dialect(dialect).unwrap(), Box::new(other)).unwrap();
    let inputs = target.inputs();
    let target = RefCell::new(target);
    let named = std::env::var_os("PROPTEST_CASES").is_some();
    let usual = Config { source_file: Some(file!()), ..Config::default() };
    let config = Config { cases: if named { usual.cases } else { CASES }, ..usual };
    let agree = |requests: Vec<Request>| {
        let found = target.borrow_mut().check_all(requests);
        let found = found.map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(found, None);
        Ok(())
    };
    TestRunner::new(config).run(&inputs, agree).unwrap_or_else(|failure| panic!("{failure}"));
}
