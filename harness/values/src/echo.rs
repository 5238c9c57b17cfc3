//! The cheapest possible adapter: it answers every request with the bytes of the request, so a run against it measures
//! the runner. It aborts on bytes that begin with `ff`, so the handling of crashes can be measured too.

use std::io::{self, BufRead, BufReader, Read, Write};

use serde_json::{Value, json};

/// Echoes until the input ends. The handshake claims these dialects.
///
/// # Errors
/// The I/O error, if `input` cannot be read or `output` cannot be written.
pub fn echo(dialects: &[&str], mut input: BufReader<impl Read>, mut output: impl Write) -> io::Result<()> {
    let handshake =
        json!({"protocol": 1, "name": "echo", "dialects": dialects, "ops": ["reencode", "decode", "encode"]});
    let mut line = Vec::new();
    loop {
        if input.buffer().is_empty() {
            output.flush()?;
        }
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            return output.flush();
        }
        answer(&handshake, &line, &mut output)?;
    }
}

fn answer(handshake: &Value, line: &[u8], output: &mut impl Write) -> io::Result<()> {
    let Some(seq) = field(line, b"\"seq\":", b',') else { return writeln!(output, "{handshake}") };
    let bytes = field(line, b"\"bytes\":\"", b'"').unwrap_or_default();
    if bytes.starts_with(b"ff") {
        std::process::abort();
    }
    output.write_all(b"{\"seq\":")?;
    output.write_all(seq)?;
    output.write_all(b",\"bytes\":\"")?;
    output.write_all(bytes)?;
    output.write_all(b"\"}\n")
}

/// The bytes between `key` and `end`.
fn field<'l>(line: &'l [u8], key: &[u8], end: u8) -> Option<&'l [u8]> {
    let start = line.windows(key.len()).position(|window| window == key)? + key.len();
    let length = line[start..].iter().position(|byte| *byte == end)?;
    Some(&line[start..start + length])
}
