//! `conform identify`.

use variant_adapter::identify::{Identified, identify as test};

use super::subject::Subject;
use super::{Exit, Failure, IdentifyArgs, SettingArgs, setting};

pub(super) fn identify(args: &IdentifyArgs, setting_args: &SettingArgs) -> Result<Exit, Failure> {
    let specs = setting::specs(setting_args)?;
    let known: Vec<String> = specs.all().map(|dialect| dialect.name.clone()).collect();
    let mut subject = Subject::new(&args.subject, setting_args, &specs, variant_specs::Reading::Engine, &known)?;
    let found = test(subject.implementation.as_mut(), &specs, &args.dialect)
        .map_err(|unusable| Failure(Exit::ImplementationError, unusable.to_string()))?;
    for identified in &found {
        anstream::print!("{}", identified.render(&specs));
    }
    if found.iter().all(|identified| identified.answered == 0) {
        return Ok(Exit::NothingRan);
    }
    Ok(if found.iter().all(Identified::is_exact) { Exit::AsExpected } else { Exit::NotAsExpected })
}
