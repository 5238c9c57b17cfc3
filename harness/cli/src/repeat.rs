//! The command that shows a finding of `conform diff` again.

use std::path::Path;

use variant_diff::{BATCH, Disagreement, Finding, SizeLimits};
use variant_report::repeat::quoted;
use variant_wire::reference::NAME as REFERENCE;

use super::setting::repeated;
use super::subject::MAX_MEMORY;
use super::{DiffArgs, SettingArgs};

/// One that was saved: the case, put to who is odd.
pub(super) fn case(case: &str, found: &Disagreement, folder: &Path, setting: &SettingArgs) -> String {
    let side = found.signature.odd.first().map_or("", String::as_str);
    // One of two builds of one thing is told by its place, which nothing but a person can run.
    let side = side.split('#').next().unwrap_or(side);
    let folder = quoted(&folder.display().to_string());
    let setting = repeated(&SettingArgs { corpus: None, ..setting.clone() });
    let what = format!("--corpus {folder} --only {}{setting}", quoted(&format!("{case}*")));
    match side {
        REFERENCE => format!("conform run {what}"),
        side if side.contains(['/', ' ']) => format!("conform run {what} -- {side}"),
        side => format!("conform run {side} {what}"),
    }
}

/// Any other: the batch in which it was seen first, as the last shard of a campaign that ends with it.
pub(super) fn batch(finding: &Finding, args: &DiffArgs, setting: &SettingArgs) -> String {
    let participants: Vec<String> = args.sides.iter().map(|side| quoted(side)).collect();
    let number = finding.batch + 1;
    let cases = args.cases.min(number * BATCH as u64);
    let mut command = format!(
        "conform diff {} --dialect {} --seed {} --cases {cases} --shard {number}/{number}",
        participants.join(" "),
        finding.smallest.signature.dialect,
        args.seed
    );
    let usual = SizeLimits::default();
    let mut unusual = |name: &str, number: String, is_usual: bool| {
        if !is_usual {
            command.push_str(&format!(" --{name} {number}"));
        }
    };
    unusual("depth", args.depth.to_string(), args.depth == usual.depth);
    unusual("size", args.size.to_string(), args.size == usual.size);
    unusual("timeout", args.timeout.to_string(), args.timeout.to_bits() == 1f64.to_bits());
    unusual("max-memory", args.max_memory.to_string(), args.max_memory == MAX_MEMORY);
    command + &repeated(setting)
}
