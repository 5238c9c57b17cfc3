//! Failures persist in proptest's files and are read back.

use std::cell::RefCell;

use proptest::prelude::*;
use proptest::test_runner::{Config, FileFailurePersistence, TestError, TestRunner};
use variant_codec::{Numbers, Value};
use variant_strategies::values;

#[test]
fn a_failure_is_tried_first_the_next_time() {
    let folder = tempfile::tempdir().unwrap();
    let file: &'static str = folder.path().join("known.txt").to_str().unwrap().to_owned().leak();
    let config = || Config {
        cases: 10_000,
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct(file))),
        ..Config::default()
    };
    let run = || {
        let tried = RefCell::new(Vec::new());
        let result = TestRunner::new(config()).run(&values("godot-3"), |value: Value| {
            tried.borrow_mut().push(value.clone());
            prop_assert!(!matches!(&value, Value::Fields(_, Numbers::Float32(floats)) if floats[0].0 != 0));
            Ok(())
        });
        let TestError::Fail(_, smallest) = result.unwrap_err() else { panic!("it fails") };
        (tried.into_inner(), smallest)
    };
    let (first, smallest) = run();
    let text = std::fs::read_to_string(file).unwrap();
    assert_eq!(text.lines().filter(|line| line.starts_with("cc ")).count(), 1, "{text}");
    assert!(text.contains(&format!("# shrinks to {smallest:?}")), "{text}");
    let (again, smallest_again) = run();
    // The value that failed, before it was shrunk.
    let failed = first.iter().find(|value| matches!(value, Value::Fields(_, Numbers::Float32(f)) if f[0].0 != 0));
    assert_eq!(again.first(), failed);
    assert_eq!(smallest_again, smallest);
}
