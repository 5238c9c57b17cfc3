//! How rare a test is, so that what ordinary programs exchange is told apart from all else.

mod level;

use crate::test::{Test, is_deep};
use crate::{Case, Corpus};

pub use self::level::{Rarity, Tag};

impl Corpus {
    /// How rare a test is: as its class, its rule, its value or a tag of its case, whichever is the rarest.
    pub fn rarity(&self, test: &Test) -> Rarity {
        let deep = test.expected.value.as_ref().is_some_and(|value| is_deep(&value.value));
        // Where another packet is sent than the one that is expected, it is one that only readers know.
        let value = if deep || test.sent.is_some() { Rarity::Rare } else { Rarity::Everyday };
        let rule = test.rule.map_or(Rarity::Everyday, Rarity::of_rule);
        Rarity::of_class(test.expected.class).max(value).max(rule).max(self.rarity_of_case(&test.case))
    }

    /// How rare the tests of a case are, at least.
    pub(crate) fn rarity_of_case(&self, case: &Case) -> Rarity {
        let tags = case.tags.iter().filter_map(|name| self.tags.get(name)).map(|tag| tag.rarity);
        let whole = if case.encode || case.reencode { Rarity::Rare } else { Rarity::Everyday };
        tags.fold(whole, Rarity::max)
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;
    use variant_specs::{JudgedBy, Specs};

    use super::*;
    use crate::test::{Variants, tests};

    #[rstest]
    #[case::an_ordinary_text("godot-4.4/string/four-bytes-need-no-padding:decode", Rarity::Everyday)]
    #[case::in_an_array("godot-4.4/string/four-bytes-need-no-padding~in-array:encode", Rarity::Everyday)]
    #[case::minus_zero("godot-4.4/vector2/negative-zero-keeps-its-sign:decode", Rarity::Rare)]
    #[case::minus_zero_in_an_array("godot-4.4/vector2/negative-zero-keeps-its-sign~in-array:decode", Rarity::Rare)]
    #[case::another_form("godot-4.4/int/wide-five-is-five:decode", Rarity::Rare)]
    #[case::another_form_sent_on("godot-4.4/int/wide-five-is-five~sent-on:reencode", Rarity::Rare)]
    #[case::cut("godot-4.4/string/four-bytes-need-no-padding~truncated-at-4:decode", Rarity::Hostile)]
    #[case::depth("godot-4.4/array/deepest-path-of-arrays:reencode", Rarity::Rare)]
    #[case::refused("godot-4.4/array/count-of-all-ones:decode", Rarity::Hostile)]
    fn a_test_is_as_rare_as_what_is_rarest_in_it(#[case] id: &str, #[case] expected: Rarity) {
        let specs = Specs::builtin().unwrap();
        let corpus = Corpus::carried(&[], &specs).unwrap();
        let dialect = specs.dialect("godot-4.4").unwrap();
        let all = tests(&corpus, &specs, dialect, JudgedBy::Engines, Variants::All).unwrap();
        let test = all.iter().find(|test| test.id == id).unwrap_or_else(|| panic!("there is no {id}"));
        assert_eq!(corpus.rarity(test), expected);
    }
}
