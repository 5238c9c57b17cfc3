//! Globs over test ids.

use globset::{GlobBuilder, GlobMatcher};

/// A glob that matches a whole test id: `*` stops at `/` and `:`, `**` does not. Without a `:`, any operation matches.
#[derive(Debug, Clone)]
pub struct TestGlob {
    written: String,
    matcher: GlobMatcher,
    /// Matches the dialect of every test that the glob can match; `None` if its beginning is not enough.
    dialect: Option<GlobMatcher>,
}

impl TestGlob {
    /// Parses a glob like `godot-3/vector2/*:decode`; or says why it is none.
    pub fn new(written: &str) -> Result<Self, String> {
        let whole = if written.contains(':') { written.to_owned() } else { format!("{written}:*") };
        let matcher = |glob: &str| {
            let glob = GlobBuilder::new(glob).literal_separator(true).build();
            let error = |error: globset::Error| format!("{written:?} is not a glob: {}", error.kind());
            glob.map(|glob| glob.compile_matcher()).map_err(error)
        };
        let whole = one_separator(&whole);
        let dialect = dialect_of(&whole).map(matcher).transpose()?;
        Ok(Self { written: written.to_owned(), matcher: matcher(&whole)?, dialect })
    }

    pub fn written(&self) -> &str {
        &self.written
    }

    /// Whether it may match a test of this dialect. False: it cannot.
    pub fn can_match_in(&self, dialect: &str) -> bool {
        self.dialect.as_ref().is_none_or(|glob| glob.is_match(dialect))
    }

    pub fn is_match(&self, test: &str) -> bool {
        self.matcher.is_match(one_separator(test))
    }
}

/// The part of a glob that is for the dialect, if it can be cut off.
fn dialect_of(glob: &str) -> Option<&str> {
    let (dialect, _) = glob.split_once('/')?;
    (!dialect.contains(['{', '}', '[', ']', '\\']) && !dialect.contains("**")).then_some(dialect)
}

/// Writes `:` as `/`, because globset has only one separator.
fn one_separator(text: &str) -> String {
    text.replace(':', "/")
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::TestGlob;

    #[rstest]
    #[case("godot-3/vector2/*", "godot-3/vector2/a:decode", true)]
    #[case("godot-3/vector2/*:encode", "godot-3/vector2/a:decode", false)]
    #[case("godot-3/vector2/*:encode", "godot-3/vector2/a:encode", true)]
    #[case("godot-3/*", "godot-3/vector2/a:decode", false)]
    #[case("godot-3/**", "godot-3/vector2/a:decode", true)]
    #[case("*/vector2/a", "godot-3/vector2/a~in-array:decode", false)]
    fn star_stops_at_both_separators(#[case] glob: &str, #[case] test: &str, #[case] matches: bool) {
        assert_eq!(TestGlob::new(glob).unwrap().is_match(test), matches);
    }

    #[rstest]
    #[case("godot-3/vector2/*", true)]
    #[case("godot-4*/vector2/a", false)]
    #[case("*/vector2/a", true)]
    #[case("godot-3/**", true)]
    #[case("**:decode", true)]
    #[case("godot-3:decode", true)]
    #[case("{godot-4/vector2,godot-3/rect2}/*", true)]
    #[case("godot-[34]/rect2/*", true)]
    fn a_dialect_that_cannot_be_matched_is_told_by_the_beginning(#[case] glob: &str, #[case] can_match: bool) {
        assert_eq!(TestGlob::new(glob).unwrap().can_match_in("godot-3"), can_match);
    }
}
