//! `conform serve`.

use std::io::{BufReader, BufWriter};

use variant_conformance::reference::Reference;
use variant_conformance::serve::serve as serve_lines;

use super::{Exit, Failure, ReadingArgs, SettingArgs, setting};

pub(super) fn serve(args: ReadingArgs, setting_args: &SettingArgs) -> Result<Exit, Failure> {
    let specs = setting::specs(setting_args)?;
    let reference = Reference::new(&specs, args.get());
    let input = BufReader::with_capacity(1 << 16, std::io::stdin().lock());
    let output = BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
    // A reader that goes away ends the service, and is no failure of it.
    let _ = serve_lines(&specs, &reference, input, output);
    Ok(Exit::AsExpected)
}
