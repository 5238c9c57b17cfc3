//! Globs over ask ids.

use globset::{GlobBuilder, GlobMatcher};

/// A glob over whole ask ids: `*` stops at `/` and `:`, `**` does not. Without a `:`, any operation.
#[derive(Debug, Clone)]
pub struct AskGlob {
    written: String,
    matcher: GlobMatcher,
}

impl AskGlob {
    /// The glob that is written so.
    ///
    /// # Errors
    /// A sentence where it is no glob.
    pub fn new(written: &str) -> Result<Self, String> {
        let whole = if written.contains(':') { written.to_owned() } else { format!("{written}:*") };
        let glob = GlobBuilder::new(&one_separator(&whole)).literal_separator(true).build();
        let matcher = glob.map_err(|error| format!("{written:?} is no glob: {}", error.kind()))?.compile_matcher();
        Ok(Self { written: written.to_owned(), matcher })
    }

    /// As it was written.
    pub fn written(&self) -> &str {
        &self.written
    }

    /// Whether it matches this ask.
    pub fn is_match(&self, ask: &str) -> bool {
        self.matcher.is_match(one_separator(ask))
    }
}

/// globset knows one separator.
fn one_separator(text: &str) -> String {
    text.replace(':', "/")
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::AskGlob;

    #[rstest]
    #[case("godot-3/vector2/*", "godot-3/vector2/a:decode", true)]
    #[case("godot-3/vector2/*:encode", "godot-3/vector2/a:decode", false)]
    #[case("godot-3/vector2/*:encode", "godot-3/vector2/a:encode", true)]
    #[case("godot-3/*", "godot-3/vector2/a:decode", false)]
    #[case("godot-3/**", "godot-3/vector2/a:decode", true)]
    #[case("*/vector2/a", "godot-3/vector2/a~in-array:decode", false)]
    fn star_stops_at_both_separators(#[case] glob: &str, #[case] ask: &str, #[case] matches: bool) {
        assert_eq!(AskGlob::new(glob).unwrap().is_match(ask), matches);
    }
}
