//! Numbers without a header, as `to_byte_array` gives them.

/// What the numbers are, and what to do next.
pub(super) fn kind(bytes: &[u8]) -> Option<(String, String)> {
    let (singles, _) = bytes.as_chunks::<4>();
    let (doubles, _) = bytes.as_chunks::<8>();
    let singles: Vec<f64> = singles.iter().map(|bytes| f64::from(f32::from_le_bytes(*bytes))).collect();
    let doubles: Vec<f64> = doubles.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
    let all = [(32, singles), (64, doubles)];
    let is_kind = |(bits, floats): &(usize, Vec<f64>)| bits / 8 * floats.len() == bytes.len() && are_numbers(floats);
    let (bits, floats) = all.into_iter().find(is_kind)?;
    let next = "reads them; a packet begins with a header, which says the type";
    let name = format!("{bits}-bit floats without a header: {}", shown(&floats));
    Some((name, format!("PackedByteArray.to_float{bits}_array {next}")))
}

/// Whether all are floats that people use, and one is not zero.
fn are_numbers(floats: &[f64]) -> bool {
    let is_used = |float: &f64| *float == 0.0 || (1e-6..1e9).contains(&float.abs());
    !floats.is_empty() && floats.iter().all(is_used) && floats.iter().any(|float| *float != 0.0)
}

fn shown(floats: &[f64]) -> String {
    // As people wrote them: 0.1, not what is left of it in 32 bits.
    let short = |float: &f64| format!("{:?}", format!("{float:.6}").parse().unwrap_or(*float));
    let first: Vec<String> = floats.iter().take(8).map(short).collect();
    let more = if floats.len() > 8 { format!(", … ({} in all)", floats.len()) } else { String::new() };
    first.join(", ") + &more
}
