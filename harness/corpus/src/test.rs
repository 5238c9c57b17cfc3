//! Tests: a case, an operation and a dialect, with what is expected.

mod headers;
mod id;
mod new_test;
mod operations;
mod rule;
mod variants;

use std::collections::BTreeSet;
use std::sync::Arc;

use variant_codec::Refusal;
use variant_specs::{Dialect, JudgedBy, LayoutId, Specs};

use crate::{Case, CaseSide, Class, Corpus, Expectation, File, Level, MaskedPacket};
use variant_values::diagnostic::Problem;
use variant_values::fields::layout_id_of;
use variant_values::handshake::{Handshake, Op};
use variant_values::implementation::{Implementation, Input, Kind, Outcomes, Request};
use variant_values::version::numbers;

use self::headers::{Header, headers};
use self::new_test::{NewTest, ParentCase};

pub use self::id::{TestId, TestParts, case_parts};
pub use self::operations::is_deep;
pub use self::rule::{Rule, family};

/// One request to an implementation, and what is expected of the reply.
#[derive(Debug, Clone)]
pub struct Test {
    /// The id: `godot-3/vector2/negative-zero-keeps-its-sign:decode`; `~rule` follows the name of a variant.
    pub id: TestId,
    /// What the implementation must do.
    pub op: Op,
    /// The dialect's name, like `godot-3`.
    pub dialect: Arc<str>,
    /// The layout of the case's file, or `packet` or `framing`.
    pub layout: Arc<str>,
    pub case: Arc<Case>,
    pub file: Arc<str>,
    /// Every layout in the value or the packet, or in those that it was made from. An implementation must support them
    /// all, or the test does not run.
    pub layouts: Arc<BTreeSet<Arc<str>>>,
    /// Those that have a header in the packet that is sent: of one that is cut, these may be fewer.
    pub holds: Arc<BTreeSet<Arc<str>>>,
    /// The rule of a variant; `None` for a test of a case.
    pub rule: Option<Rule>,
    /// The field because of which its packet must be refused: the count that a rule changed; the first that is missing,
    /// `text`, or `part-of-text` if the packet ends within it; in the test of a case, the one at the offset of `rejects`.
    /// `None` where no field is known.
    pub field: Option<Arc<str>>,
    /// The class, value and packet that are expected.
    pub expected: Arc<Expectation>,
    /// The packet to send, where it is not the one that is expected.
    pub sent: Option<Arc<MaskedPacket>>,
    /// The erratum that explains why the other judge differs, if it does.
    pub erratum: Option<String>,
    /// Whether it is good practice only, whatever its case is.
    pub good_practice: bool,
    /// The first version of the dialect's engines that does so; in engines before it, anything but a crash is right. `None`:
    /// all of them do, or the version of the engine that is meant is known to be this one or a later one.
    pub since: Option<Arc<str>>,
}

/// Which variants are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variants {
    /// No variants, only those of cases.
    None,
    /// Every variant, beside those of cases.
    All,
}

/// Every test of a dialect, in the order of its type ids.
pub fn tests(
    corpus: &Corpus,
    specs: &Specs,
    dialect: &Dialect,
    judged_by: JudgedBy,
    variants: Variants,
) -> Result<Vec<Test>, Problem> {
    let name: Arc<str> = dialect.name.as_str().into();
    let mut tests = Vec::new();
    let mut begun = BTreeSet::new();
    let cases = corpus.cases_of(dialect);
    for &(file, case) in &cases {
        let canonical = case.side(judged_by, dialect).class == Class::Canonical && !case.encode;
        let first = canonical && begun.insert(&file.layout);
        let case_tests = CaseTests::new(file, case, specs, dialect, &name, judged_by);
        let expected = Arc::new(case_tests.expectation_of(case.side(judged_by, dialect))?);
        let mut own = NewTest::of_case(Arc::clone(&expected));
        if case.reencode {
            own.ops = &[Op::Reencode];
        } else if case.encode {
            own.ops = &[Op::Encode];
        }
        let ops_of_case = own.ops;
        if let Some(written) = case.as_written().filter(|_| case.reencode && expected.class == Class::Readable) {
            own.expected = Arc::new(case_tests.expectation_of(written)?);
            own.sent = expected.packet.clone().map(Arc::new);
        }
        own.field = case_tests.rejected_field(&own.expected);
        case_tests.add(&mut tests, own);
        if variants == Variants::None {
            continue;
        }
        let parent = ParentCase { case, expected: &expected, dialect, judged_by, first };
        let mut written = None;
        if expected.class == Class::Readable
            && !case.reencode
            && let Some((side, level)) = case.written_as(cases.iter().map(|(_, case)| *case), judged_by, dialect)
        {
            written = Some((case_tests.expectation_of(side)?, level));
        }
        let sent_on = variants::sent_on(parent, written, ops_of_case);
        variants::make(parent).into_iter().chain(sent_on).for_each(|variant| case_tests.add(&mut tests, variant));
    }
    Ok(tests)
}

/// The 64-bit FNV-1a hash: the same on every machine and in every version.
pub fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

struct CaseTests<'a> {
    file: &'a File,
    case: &'a Arc<Case>,
    specs: &'a Specs,
    dialect: &'a Dialect,
    name: &'a Arc<str>,
    layout: Arc<str>,
    path: Arc<str>,
    judged_by: JudgedBy,
    /// The file's layout, and those with a header in the case's listing. These are nearly always all, so that the tests
    /// of a case share them.
    layouts: Arc<BTreeSet<Arc<str>>>,
    headers: Vec<Header>,
    /// The layouts of the first headers, by how many: what a packet holds that is cut behind them.
    first: Vec<Arc<BTreeSet<Arc<str>>>>,
}

impl<'a> CaseTests<'a> {
    fn new(
        file: &'a File,
        case: &'a Arc<Case>,
        specs: &'a Specs,
        dialect: &'a Dialect,
        name: &'a Arc<str>,
        judged_by: JudgedBy,
    ) -> Self {
        let layout: Arc<str> = file.layout.as_str().into();
        let headers = headers(case.side(judged_by, dialect), dialect);
        let mut layouts: BTreeSet<_> = headers.iter().map(|header| Arc::clone(&header.layout)).collect();
        if file.is_of_a_type() {
            layouts.insert(Arc::clone(&layout));
        }
        let mut first: Vec<Arc<BTreeSet<Arc<str>>>> = vec![Arc::default()];
        for header in &headers {
            let mut with = Arc::clone(&first[first.len() - 1]);
            if !with.contains(&header.layout) {
                Arc::make_mut(&mut with).insert(Arc::clone(&header.layout));
            }
            first.push(with);
        }
        let path = file.path.as_str().into();
        Self { file, case, specs, dialect, name, layout, path, judged_by, layouts: Arc::new(layouts), headers, first }
    }

    fn expectation_of(&self, judged_by: CaseSide<'_>) -> Result<Expectation, Problem> {
        judged_by.expectation(self.dialect).map_err(|error| {
            self.file.problem(self.case.line, format!("case {} in {}: {error}", self.case.name, self.dialect.name))
        })
    }

    fn add(&self, tests: &mut Vec<Test>, new: NewTest) {
        let (erratum, exempt) = self.erratum(&new);
        let NewTest { rule, suffix, mut expected, ops, field, sent, good_practice, .. } = new;
        if exempt {
            Arc::make_mut(&mut expected).class = Class::Undecided;
        }
        let layouts = self.layouts(&expected);
        let holds = match &expected.packet {
            Some(cut) if rule == Some(Rule::TruncatedAt) => {
                Arc::clone(&self.first[self.headers.partition_point(|header| header.end <= cut.bytes.len())])
            }
            _ => Arc::clone(&layouts),
        };
        let too_deep = expected.class == Class::Invalid
            && (rule == Some(Rule::Depth) || expected.rejects.is_some_and(|rejects| rejects.kind == Refusal::TooDeep));
        let since = self.dialect.depth_since.as_deref().filter(|_| too_deep).map(Arc::from);
        tests.extend(ops.iter().map(|op| Test {
            id: TestId::new(self.name, &self.layout, &self.case.name, suffix.as_deref(), *op),
            op: *op,
            dialect: Arc::clone(self.name),
            layout: Arc::clone(&self.layout),
            case: Arc::clone(self.case),
            file: Arc::clone(&self.path),
            layouts: Arc::clone(&layouts),
            holds: Arc::clone(&holds),
            rule,
            field: field.clone(),
            expected: Arc::clone(&expected),
            sent: sent.clone(),
            good_practice,
            since: since.clone(),
            erratum: erratum.clone(),
        }));
    }

    /// The field at which a packet of the case itself has to be refused.
    fn rejected_field(&self, expected: &Expectation) -> Option<Arc<str>> {
        let listing = self.case.side(self.judged_by, self.dialect).listing?;
        Some(listing.field_at(expected.rejects?.at)?.into())
    }

    fn layouts(&self, expected: &Expectation) -> Arc<BTreeSet<Arc<str>>> {
        let mut ids: BTreeSet<LayoutId> = BTreeSet::new();
        let (mut values, mut last) = (Vec::from_iter(expected.value.iter().map(|value| &value.value)), None);
        while let Some(value) = values.pop() {
            // Neighbours mostly have the same layout.
            let id = layout_id_of(value, &self.dialect.layouts);
            if id != last {
                ids.extend(id);
                last = id;
            }
            values.extend(value.children());
        }
        let names = ids.into_iter().map(|id| self.dialect.layouts.get(id).name.as_str());
        let others: Vec<&str> = names.filter(|name| !self.layouts.contains(*name)).collect();
        if others.is_empty() {
            return Arc::clone(&self.layouts);
        }
        Arc::new(self.layouts.iter().cloned().chain(others.into_iter().map(Arc::from)).collect())
    }

    /// The erratum that a test is about, and whether it exempts engines from the test's rule.
    fn erratum(&self, new: &NewTest) -> (Option<String>, bool) {
        let of_rule = new.rule.and_then(|rule| {
            let (layout, field) = new.about.as_ref().map_or(("", ""), |(layout, field)| (layout, field));
            let (erratum, concern) = self.specs.erratum_of_variant(rule.name(), layout, field)?;
            Some((Some(erratum.id.clone()), concern.exempts_negative && new.negative))
        });
        let of_case = || self.case.document_in(self.dialect).map(|document| document.erratum.clone());
        of_rule.unwrap_or_else(|| (of_case(), false))
    }
}

/// Sends tests to an implementation, and returns the place of each and its outcome, in any order. Tests without a request
/// are left out. An error is the last that comes: the implementation cannot be used any longer.
pub fn send_all<'a>(
    implementation: &'a mut (impl Implementation + ?Sized),
    tests: &'a [&'a Test],
    go_on: impl Fn() -> bool + 'a,
) -> Outcomes<'a> {
    let places: Vec<usize> = (0..tests.len()).filter(|place| tests[*place].has_request()).collect();
    let requests = tests.iter().take_while(move |_| go_on()).filter_map(|test| test.request());
    let outcomes = implementation.send(Box::new(requests));
    Box::new(outcomes.map(move |outcome| outcome.map(|(place, outcome)| (places[place], outcome))))
}

impl Test {
    /// Whether implementations must follow it. Even if the canonical form is only good practice for encoders, decoders
    /// must read it.
    pub fn level(&self) -> Level {
        if self.since.is_some() { Level::Should } else { self.level_of_newest() }
    }

    /// As [`Test::level`], for the newest version of the dialect's engines.
    pub(crate) fn level_of_newest(&self) -> Level {
        if self.good_practice {
            return Level::Should;
        }
        let decoded = self.op == Op::Decode && self.expected.class == Class::Canonical;
        if decoded || self.rule.is_some() && self.op == Op::Decode { Level::Must } else { self.case.level }
    }

    /// Whether an implementation with this handshake claims the test, if it is one of this operation.
    pub fn is_claimed(&self, handshake: &Handshake, op: Op) -> bool {
        let framing = self.case.framing.is_none_or(|framing| handshake.frames(framing));
        let objects = !self.case.objects || handshake.has_option("objects");
        let layouts = self.layouts.iter().all(|layout| handshake.claims(layout, op));
        handshake.ops.contains(&op) && framing && objects && layouts
    }

    /// Whether its case has a header of this layout in which these flags have this value, as the page of the dialect says it:
    /// `flags & 3 is 2`. `None`: of any layout, with any flags.
    pub fn has_header(&self, dialect: &Dialect, judged_by: JudgedBy, layout: Option<&str>, flag: Option<u32>) -> bool {
        let headers = headers(self.case.side(judged_by, dialect), dialect);
        let has = |of: &str, word: u32, flag: u32| {
            let Some((_, of)) = dialect.layouts.iter().find(|(_, layout)| layout.name == of) else { return false };
            let values = dialect.flag_values(of, judged_by);
            values.into_iter().any(|(mask, value)| value == flag && word >> 16 & mask == value)
        };
        let is_meant = |Header { layout: of, word, .. }: &Header| {
            layout.is_none_or(|layout| layout == &**of) && flag.is_none_or(|flag| has(of, *word, flag))
        };
        headers.iter().any(is_meant)
    }

    /// What its request is about.
    pub fn kind(&self) -> Kind {
        Kind { holds: Arc::clone(&self.holds), skips: true }
    }

    /// The test as it is for an engine of this version.
    pub fn for_engine(&mut self, version: &str) {
        let Some(since) = self.since.take() else { return };
        if numbers(version) < numbers(&since) {
            Arc::make_mut(&mut self.expected).class = Class::Undecided;
        }
    }

    /// Whether its value is too deep for JSON, so that a reply to `decode` is not compared.
    pub fn is_deep(&self) -> bool {
        self.rule == Some(Rule::Depth)
    }

    /// The packet that is sent for decoding; for encoding, the one that is expected.
    pub fn packet(&self) -> Option<&MaskedPacket> {
        self.sent.as_deref().or(self.expected.packet.as_ref())
    }

    /// Whether the case has a packet or value for it.
    fn has_request(&self) -> bool {
        match self.op {
            Op::Decode | Op::Reencode => self.packet().is_some(),
            Op::Encode => self.expected.value.is_some(),
        }
    }

    /// The request to send; `None` if the case has no packet or value for it.
    pub fn request(&self) -> Option<Request> {
        let packet = || self.packet().map(|packet| packet.bytes.to_vec());
        let input = match self.op {
            Op::Decode => Input::Decode(packet()?),
            Op::Reencode => Input::Reencode(packet()?),
            Op::Encode => Input::Encode(self.expected.value.as_ref()?.value.clone()),
        };
        Some(Request {
            dialect: Arc::clone(&self.dialect),
            input,
            objects: self.case.objects,
            framing: self.case.framing,
            kind: Some(self.kind()),
        })
    }
}
