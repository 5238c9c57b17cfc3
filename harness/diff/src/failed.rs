//! A reply that is wrong.

use variant_corpus::test::{Test, TestId};
use variant_corpus::verdict::Verdict;
use variant_runner::judge::Judgement;
use variant_values::fields::any_index;
use variant_values::implementation::{Outcome, Request};

/// A request that one side answered wrongly, as a test.
#[derive(Debug, Clone)]
pub struct Failed {
    pub request: Request,
    /// The place of the side that replied.
    pub side: usize,
    /// The request as a test. Replies with the same id and side are one finding.
    pub test: Test,
    /// How the reply is wrong.
    pub judgement: Judgement,
    pub outcome: Outcome,
    /// Nothing says which side is right: none replies as the reference codec does.
    pub undecided: bool,
}

impl Failed {
    /// What makes two of them one finding.
    pub(super) fn key(&self) -> (usize, String) {
        (self.side, self.test.id.to_string())
    }

    /// The field that differs, or because of which the packet must be refused, at any index; empty if there is none.
    pub fn field(&self) -> String {
        let of_refusal = || self.test.field.as_deref();
        general(self.judgement.field.as_deref().or_else(of_refusal).unwrap_or_default())
    }

    /// The word for what is wrong: `wrong-value`, `crashed`.
    pub fn kind(&self) -> &'static str {
        self.judgement.verdict.word()
    }

    /// Why the packet must be refused, in a word; empty if it must not.
    pub(super) fn why(&self) -> &'static str {
        self.test.expected.rejects.map_or("", |rejects| rejects.kind.name())
    }

    /// The same failure, which does not show when the request is sent alone.
    pub(super) fn depending_on_order(mut self) -> Self {
        self.judgement = Judgement {
            verdict: Verdict::OrderDependent,
            note: "the reply is wrong, but not if the request is sent alone".to_owned(),
            ..self.judgement
        };
        self.test.id = self.id();
        self
    }

    /// The id of a generated test says what is wrong, so that it is the same in every campaign that finds it.
    pub(super) fn id(&self) -> TestId {
        let words = format!("{} {} {}", self.kind(), self.why(), self.field());
        let words = words.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        let Test { dialect, layout, op, .. } = &self.test;
        TestId::new(dialect, layout, &format!("generated-{}", words.collect::<Vec<_>>().join("-")), None, *op)
    }
}

/// The path of a field at any index and depth, so that neither makes another finding: `[3].names[0].text` →
/// `[i].names[i].text`, `[0].[0].[0].count` → `[i].count`, and `[0].value.[0].value.count` → `[i].value.count`.
pub(super) fn general(path: &str) -> String {
    let mut name = any_index(path);
    for nested in ["[i].[i].", "[i].value.[i]."] {
        while name.contains(nested) {
            name = name.replace(nested, "[i].");
        }
    }
    name
}
