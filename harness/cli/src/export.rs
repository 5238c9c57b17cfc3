//! `conform export`.

use std::collections::BTreeSet;
use std::path::Path;

use sha2::{Digest, Sha256};
use variant_corpus::Corpus;
use variant_corpus::export;
use variant_corpus::export::Export;
use variant_corpus::released::{LIST, Released};
use variant_corpus::test::{Derivation, tests};
use variant_specs::{Reading, Specs};

use super::report::put;
use super::{Exit, ExportArgs, Failure, SettingArgs, setting};

pub(super) fn export(args: &ExportArgs, setting_args: &SettingArgs) -> Result<Exit, Failure> {
    if args.form.schema {
        put(export::SCHEMA, args.out.as_deref())?;
        return Ok(Exit::AsExpected);
    }
    let specs = setting::specs(setting_args)?;
    let corpus = setting::corpus(setting_args, &specs)?;
    match &args.form.fuzz {
        Some(folder) => seeds(folder, &corpus, &specs)?,
        None if args.form.ids => {
            let now = Released::of(&corpus, &specs)?;
            // Names of earlier releases are kept: they are not given to other cases.
            let folder = setting::corpus_folder(setting_args);
            let resume = folder.map(|folder| Released::load(&folder.join(LIST))).transpose()?.flatten();
            let resume = resume.unwrap_or_default();
            put(&now.after(&resume).to_string(), args.out.as_deref())?;
        }
        None => json(args, &corpus, &specs)?,
    }
    Ok(Exit::AsExpected)
}

fn json(args: &ExportArgs, corpus: &Corpus, specs: &Specs) -> Result<(), Failure> {
    let dialects = setting::dialects(&args.dialect, specs, Reading::Engine)?;
    let export = Export::of(corpus, specs, &dialects, args.derived.get())?;
    let mut text = serde_json::to_string(&export)
        .map_err(|error| Failure::usage(format!("the corpus cannot be written as JSON: {error}")))?;
    text.push('\n');
    put(&text, args.out.as_deref())
}

fn seeds(folder: &Path, corpus: &Corpus, specs: &Specs) -> Result<(), Failure> {
    let mut packets = BTreeSet::new();
    for dialect in &specs.dialects {
        for test in tests(corpus, specs, dialect, Reading::Engine, Derivation::None)? {
            packets.extend(test.expected.packet.as_ref().map(|packet| packet.bytes.clone()));
        }
    }
    write(folder, &packets, specs)
        .map_err(|error| Failure::usage(format!("{}: cannot be written: {error}", folder.display())))?;
    anstream::eprintln!("{} packets in {}", packets.len(), folder.display());
    Ok(())
}

/// A file a packet, named after its digest, and beside the folder a dictionary of headers.
fn write(folder: &Path, packets: &BTreeSet<Vec<u8>>, specs: &Specs) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    for packet in packets {
        let name: String = hex::encode(Sha256::digest(packet)).chars().take(16).collect();
        std::fs::write(folder.join(name), packet)?;
    }
    let ids: BTreeSet<u32> =
        specs.dialects.iter().flat_map(|dialect| dialect.types.iter().map(|entry| entry.id)).collect();
    let words = ids.iter().flat_map(|id| [*id, id | 1 << 16]).chain([0x7fff_ffff, 0x8000_0000, 0xffff_ffff]);
    let line = |word: u32| format!("\"{}\"\n", word.to_le_bytes().map(|byte| format!("\\x{byte:02x}")).concat());
    std::fs::write(folder.with_extension("dict"), words.map(line).collect::<String>())
}
