//! `conform serve`.

use std::io::{BufReader, BufWriter};

use variant_wire::echo::echo;
use variant_wire::reference::Reference;
use variant_wire::serve::serve as serve_lines;

use super::{Exit, Failure, ServeArgs, SettingArgs, setting};

pub(super) fn serve(args: &ServeArgs, setting_args: &SettingArgs) -> Result<Exit, Failure> {
    let input = BufReader::with_capacity(1 << 16, std::io::stdin().lock());
    let output = BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
    let specs = setting::specs(setting_args)?;
    if args.echo {
        let dialects: Vec<&str> = specs.dialects.iter().map(|dialect| dialect.name.as_str()).collect();
        let _ = echo(&dialects, input, output);
        return Ok(Exit::AsExpected);
    }
    let reference = Reference::new(&specs, args.reading.get());
    // A reader that goes away ends the service, and is no failure of it.
    let _ = serve_lines(&specs, &reference, input, output);
    Ok(Exit::AsExpected)
}
