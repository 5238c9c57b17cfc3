//! `conform vet`.

use anstyle::{AnsiColor, Style};
use variant_adapter::vet::{Check, Found, vet as vet_adapter};
use variant_wire::sanitize;

use super::subject::{Program, SubjectArgs};
use super::{Exit, Failure, SettingArgs, setting};

pub(super) fn vet(args: &SubjectArgs, setting_args: &SettingArgs) -> Result<Exit, Failure> {
    let specs = setting::specs(setting_args)?;
    let Some(program) = Program::new(args, setting_args)? else {
        return Err(Failure::usage("name an adapter, or write its command behind `--`"));
    };
    if program.claims.is_some() {
        return Err(Failure::usage(
            "a one-shot tool has no protocol but its exit status; go on with `conform run --one-shot`",
        ));
    }
    let mut counts = [0; 4];
    let all = vet_adapter(&program.command, &program.limits, &specs, &mut |check| {
        counts[place(&check.found)] += 1;
        anstream::println!("{}", line(check));
    });
    let [good, remarks, bad, skipped] = counts;
    anstream::println!("{good} good, {remarks} with a remark, {bad} bad, {skipped} not looked at");
    Ok(if all { Exit::AsExpected } else { Exit::NotAsExpected })
}

fn place(found: &Found) -> usize {
    match found {
        Found::Good(_) => 0,
        Found::Remark(_) => 1,
        Found::Bad(_) => 2,
        Found::Skipped(_) => 3,
    }
}

fn line(check: &Check) -> String {
    let [green, amber, red] = [AnsiColor::Green, AnsiColor::Yellow, AnsiColor::Red].map(AnsiColor::on_default);
    let (word, style, text) = match &check.found {
        Found::Good(figure) => ("ok", green, figure),
        Found::Remark(text) => ("remark", amber, text),
        Found::Bad(text) => ("FAIL", red, text),
        Found::Skipped(why) => ("-", Style::new().dimmed(), why),
    };
    // A figure stands beside its title, a sentence below it.
    let text = &sanitize::lines(text);
    let text = match &check.found {
        Found::Good(_) if text.is_empty() => String::new(),
        Found::Good(_) => format!(" ({text})"),
        Found::Skipped(_) => format!(": {text}"),
        Found::Remark(_) | Found::Bad(_) => format!("\n        {}", text.replace('\n', "\n        ")),
    };
    format!("{style}{word:>6}{style:#}  {}{}", check.title, text)
}
