//! The parts of a test's id.

/// `godot-3/vector2/zero~truncated-at-4:decode` in its parts; those that it lacks are empty. The id of a case is one without
/// rule and operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TestId<'a> {
    /// All of it.
    pub id: &'a str,
    /// The id of the case: `godot-3/vector2/zero`.
    pub case: &'a str,
    /// Dialect and layout: `godot-3/vector2`.
    pub of: &'a str,
    /// The dialect's name.
    pub dialect: &'a str,
    /// The name of the layout, or what stands for all types.
    pub layout: &'a str,
    /// The name of the case; the whole id of one that names no type.
    pub name: &'a str,
    /// The rule by which it follows from the case; `None` for an authored test.
    pub rule: Option<&'a str>,
    /// The operation.
    pub op: &'a str,
}

impl<'a> TestId<'a> {
    /// The parts of an id.
    pub fn of(id: &'a str) -> Self {
        let (path, op) = id.rsplit_once(':').unwrap_or((id, ""));
        let (case, rule) = path.split_once('~').map_or((path, None), |(case, rule)| (case, Some(rule)));
        let (of, name) = case.match_indices('/').nth(1).map_or((case, case), |(at, _)| (&case[..at], &case[at + 1..]));
        let (dialect, layout) = of.split_once('/').unwrap_or((of, ""));
        Self { id, case, of, dialect, layout, name, rule, op }
    }
}
