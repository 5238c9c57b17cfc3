//! The definition for Kaitai Struct in the code that its compiler makes of it: records of forks have their fields where
//! `conform explain` has them.

use std::process::Command;

use rstest::rstest;
use tempfile::TempDir;
use variant_values::explain::Explainer;

use crate::support::{conform, example_tests, root, stderr};
use crate::wireshark::{Place, explained, packets};

#[rstest]
#[ignore = "needs what adapters/kaitai-javascript/install installs"]
fn weekly_records_of_a_fork_are_read_too(#[values("struct", "every-field")] example: &str) {
    let (dialect, tests) = example_tests(example);
    let packets = packets(&tests, &dialect);
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("fork.ksy");
    let spec = format!("specs/examples/{example}.yaml");
    let args = ["document", &dialect.name, "--format", "kaitai", "--spec", &spec, "--out", file.to_str().unwrap()];
    assert_eq!(conform(&args).status.code(), Some(0));
    let mut node = Command::new("node");
    node.arg(root().join("harness/cli/tests/all/kaitai.js")).arg(&file).args(packets.iter().map(hex::encode));
    let output = node.output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let found: Vec<Vec<Place>> = serde_json::from_slice(&output.stdout).unwrap();
    for (packet, found) in packets.iter().zip(found) {
        let explanation = Explainer::new(&dialect).explain(packet);
        assert_eq!(found, explained(&explanation.rows, packet.len()), "{packet:02x?}");
    }
}
