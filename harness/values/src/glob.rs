//! Globs over test ids.

use globset::{GlobBuilder, GlobMatcher};

/// A glob that matches a whole test id: `*` stops at `/` and `:`, `**` does not. Without a `:`, any operation matches.
#[derive(Debug, Clone)]
pub struct TestGlob {
    written: String,
    matcher: GlobMatcher,
    /// Match `DIALECT` and `DIALECT/LAYOUT` of every test that the glob can match; `None` if its beginning is not enough.
    dialect: Option<GlobMatcher>,
    file: Option<GlobMatcher>,
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
        let [dialect, file] = [1, 2].map(|parts| beginning(&whole, parts).map(matcher).transpose());
        Ok(Self { written: written.to_owned(), matcher: matcher(&whole)?, dialect: dialect?, file: file? })
    }

    pub fn written(&self) -> &str {
        &self.written
    }

    /// Whether it may match a test of this case (`godot-3/vector2/negative-zero-keeps-its-sign`). False: it cannot.
    pub fn can_match(&self, case: &str) -> bool {
        match (&self.file, case.rsplit_once('/')) {
            (Some(matcher), Some((file, _))) => matcher.is_match(file),
            _ => true,
        }
    }

    /// Whether it may match a test of this dialect. False: it cannot.
    pub fn can_match_in(&self, dialect: &str) -> bool {
        self.dialect.as_ref().is_none_or(|glob| glob.is_match(dialect))
    }

    pub fn is_match(&self, test: &str) -> bool {
        self.matcher.is_match(one_separator(test))
    }
}

/// The first parts of a glob, for dialect and layout, if they can be cut off.
fn beginning(glob: &str, parts: usize) -> Option<&str> {
    let (end, _) = glob.match_indices('/').nth(parts - 1)?;
    let beginning = glob.get(..end)?;
    (!beginning.contains(['{', '}', '[', ']', '\\']) && !beginning.contains("**")).then_some(beginning)
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
    #[case("godot-3/rect2/*", false)]
    #[case("*/vector2/a", true)]
    #[case("godot-4*/vector2/a", false)]
    #[case("godot-3/**", true)]
    #[case("**:decode", true)]
    #[case("godot-3:decode", true)]
    #[case("{godot-3/vector2,godot-3/rect2}/*", true)]
    #[case("godot-[34]/rect2/*", true)]
    fn a_file_that_cannot_be_matched_is_told_by_the_beginning(#[case] glob: &str, #[case] can_match: bool) {
        assert_eq!(TestGlob::new(glob).unwrap().can_match("godot-3/vector2/a"), can_match);
    }
}
