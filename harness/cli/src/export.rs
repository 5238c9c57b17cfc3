//! `conform export`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use variant_corpus::Corpus;
use variant_corpus::export;
use variant_corpus::export::Export;
use variant_corpus::test::{Derivation, tests};
use variant_diff::packets_in;
use variant_specs::{Reading, Specs};
use variant_values::input;

use super::paths::{self, Paths};
use super::terminal::{note, put};
use super::{Exit, ExportArgs, Failure};

pub(super) fn export(args: &ExportArgs, paths: &Paths) -> Result<Exit, Failure> {
    if args.form.schema {
        put(export::SCHEMA, args.out.as_deref())?;
        return Ok(Exit::AsExpected);
    }
    let (specs, corpus) = paths.load()?;
    let id = corpus.id().named();
    if let Some(name) = &args.form.kaitai {
        let definition = variant_document::kaitai(paths::dialect(name, &specs)?, &id).map_err(Failure::usage)?;
        put(&definition, args.out.as_deref())?;
        return Ok(Exit::AsExpected);
    }
    if let Some(name) = &args.form.wireshark {
        let dissector = variant_document::wireshark(paths::dialect(name, &specs)?, &id);
        put(&dissector, args.out.as_deref())?;
        return Ok(Exit::AsExpected);
    }
    match &args.form.fuzz {
        Some(folder) => seeds(folder, &args.regressions, &corpus, &specs)?,
        None => json(args, &corpus, &specs)?,
    }
    Ok(Exit::AsExpected)
}

fn json(args: &ExportArgs, corpus: &Corpus, specs: &Specs) -> Result<(), Failure> {
    let dialects = paths::dialects(&args.dialect, specs, Reading::Engine)?;
    let export = Export::of(corpus, specs, &dialects)?;
    let text = serde_json::to_string(&export).map_err(Failure::usage)?;
    put(&(text + "\n"), args.out.as_deref())
}

fn seeds(folder: &Path, regressions: &[PathBuf], corpus: &Corpus, specs: &Specs) -> Result<(), Failure> {
    let mut packets = BTreeSet::new();
    for file in regressions {
        packets.extend(packets_in(&input::text(file).map_err(Failure::usage)?));
    }
    for dialect in &specs.dialects {
        for test in tests(corpus, specs, dialect, Reading::Engine, Derivation::None)? {
            packets.extend(test.expected.packet.as_ref().map(|packet| packet.bytes.to_vec()));
        }
    }
    write(folder, &packets, specs).map_err(Failure::unwritable(folder))?;
    note(format!("{} packets in {}", packets.len(), folder.display()));
    Ok(())
}

/// Writes a file for each packet, named after its digest, and a dictionary of headers next to the folder.
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
