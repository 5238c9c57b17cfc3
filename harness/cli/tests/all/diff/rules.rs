//! Rules by which nobody can tell: the page of an adapter that each rests on is there, with that heading.

use variant_specs::{RestsOn, Specs};

use crate::support::root;

#[test]
fn pages_have_the_headings_that_rules_rest_on() {
    let root = root();
    let specs = Specs::builtin().unwrap();
    let mut pages = 0;
    for divergence in &specs.divergences {
        let RestsOn::Page { page } = &divergence.rests_on else { continue };
        let (file, anchor) =
            page.split_once('#').unwrap_or_else(|| panic!("{}: {page} names no heading", divergence.id));
        let text = std::fs::read_to_string(root.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        let there =
            text.lines().filter_map(|line| line.strip_prefix("## ")).any(|heading| anchor_of(heading) == anchor);
        assert!(there, "{}: {file} has no heading {anchor}", divergence.id);
        assert_eq!(
            divergence.kinds,
            ["unsupported-after-all"],
            "{}: a page says what cannot be asked, no more",
            divergence.id
        );
        pages += 1;
    }
    assert!(pages > 0);
}

/// As GitHub makes it, of a heading of letters and spaces.
fn anchor_of(heading: &str) -> String {
    heading.trim().to_lowercase().replace(' ', "-")
}
