//! Lines as wide as a terminal.

/// A text as a terminal of this width shows it: what is too long goes on below, indented a little more. A command, to be
/// copied, and a row of a table stay whole.
pub fn laid_out(text: &str, width: usize) -> String {
    let mut laid = String::new();
    for line in text.lines().map(str::trim_end) {
        let content = line.trim_start();
        let indent = line.len() - content.len();
        let mut room = width;
        for (place, word) in unbroken_parts(content).into_iter().enumerate() {
            let letters = anstream::adapter::strip_str(&word).to_string().chars().count();
            if place == 0 {
                laid.push_str(&line[..indent]);
                room = room.saturating_sub(indent + letters);
            } else if room > letters || letters + indent + 2 > width && !word.starts_with('`') {
                laid.push(' ');
                room = room.saturating_sub(letters + 1);
            } else {
                let indent = (indent + 2).min(width / 4);
                laid.truncate(laid.trim_end_matches(' ').len());
                laid.push('\n');
                laid.push_str(&" ".repeat(indent));
                room = width.saturating_sub(indent + letters);
            }
            laid.push_str(&word);
        }
        laid.push('\n');
    }
    laid
}

/// The parts of a line between which it may be broken.
fn unbroken_parts(line: &str) -> Vec<String> {
    let columns = line.split("  ").filter(|column| !column.is_empty()).count();
    if columns > 3 || line.starts_with("again: ") || line.starts_with("conform ") {
        return vec![line.to_owned()];
    }
    let mut words: Vec<String> = Vec::new();
    let mut is_code = false;
    for word in line.split(' ') {
        match words.last_mut() {
            Some(last) if is_code => last.extend([" ", word]),
            Some(_) | None => words.push(word.to_owned()),
        }
        is_code ^= word.matches('`').count() % 2 == 1;
    }
    // A mark without its other one is a letter.
    if is_code { line.split(' ').map(str::to_owned).collect() } else { words }
}
