//! The dissector for Wireshark. That tshark loads it, and where it has the fields, is tested in `harness/cli`.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use variant_document::wireshark;
use variant_specs::Specs;

#[test]
fn its_table_has_every_type_and_its_head_the_corpus() {
    let specs = Specs::builtin().unwrap();
    for dialect in specs.dialects.iter().chain(&specs.doubles) {
        let lua = wireshark(dialect, "1.2.3 abc");
        let head =
            format!("-- {} for Wireshark, by `conform document --format wireshark`; corpus 1.2.3 abc\n", dialect.name);
        assert!(lua.starts_with(&head), "{}", dialect.name);
        for entry in &dialect.types {
            let row = format!("[{}] = {{ name = \"{}\", shape = ", entry.id, dialect.layout(entry).name);
            assert!(lua.contains(&row), "{}: {row}", dialect.name);
        }
    }
}

#[test]
fn matrices_have_the_order_of_the_wire() {
    let specs = Specs::builtin().unwrap();
    let lua = wireshark(specs.dialect("godot-3").unwrap(), "");
    assert!(lua.contains("of = \"float32\", numbers = { \"x_x\", \"y_x\", \"z_x\", \"x_y\","), "{lua}");
}
