//! A dialect as a definition that other tools load: what they then decode follows from `specs/` alone.

mod kaitai;
mod notes;
mod wireshark;

pub use self::kaitai::kaitai;
pub use self::wireshark::wireshark;

/// The name of a dialect or field as tools accept it: `godot_3_double` for `godot-3+double`.
fn identifier(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect()
}
