//! Numbers without a header, as `to_byte_array` gives them.

/// What the numbers are, and what to do next.
pub(super) fn kind(bytes: &[u8]) -> Option<(String, String)> {
    let (singles, _) = bytes.as_chunks::<4>();
    let (doubles, _) = bytes.as_chunks::<8>();
    let singles: Vec<f64> = singles.iter().map(|bytes| f64::from(f32::from_le_bytes(*bytes))).collect();
    let doubles: Vec<f64> = doubles.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
    let kind = if bytes.len().is_multiple_of(4) && are_numbers(&singles) {
        (format!("32-bit floats without a header: {}", shown(&singles)), "PackedByteArray.to_float32_array reads them")
    } else if bytes.len().is_multiple_of(8) && are_numbers(&doubles) {
        (format!("64-bit floats without a header: {}", shown(&doubles)), "PackedByteArray.to_float64_array reads them")
    } else {
        return None;
    };
    Some((kind.0, format!("{}; a packet begins with a header, which says the type", kind.1)))
}

/// Whether all are floats that people use, and one is not zero.
fn are_numbers(floats: &[f64]) -> bool {
    let is_used = |float: &f64| *float == 0.0 || (1e-6..1e9).contains(&float.abs());
    !floats.is_empty() && floats.iter().all(is_used) && floats.iter().any(|float| *float != 0.0)
}

fn shown(floats: &[f64]) -> String {
    let first: Vec<String> = floats.iter().take(8).map(|float| format!("{:?}", short(*float))).collect();
    let more = if floats.len() > 8 { format!(", … ({} in all)", floats.len()) } else { String::new() };
    first.join(", ") + &more
}

/// A float as people wrote it: 0.1, not what is left of it in 32 bits.
fn short(float: f64) -> f64 {
    format!("{float:.6}").parse().unwrap_or(float)
}
