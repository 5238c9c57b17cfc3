//! `conform export`.

use std::collections::BTreeSet;
use std::path::Path;

use sha2::{Digest, Sha256};
use variant_corpus::Corpus;
use variant_corpus::export::{Export, SCHEMA};
use variant_corpus::test::{Variants, tests};
use variant_specs::{Dialect, JudgedBy, Specs};

use crate::args::{ExportArgs, ExportFormat};
use crate::failure::{Exit, Failure};
use crate::paths::{self, Paths};
use crate::terminal::{note, put};

pub(super) fn export(args: &ExportArgs, paths: &Paths) -> Result<Exit, Failure> {
    let (specs, corpus) = paths.load()?;
    let dialects = paths::dialects(&args.dialects.dialect, &specs, JudgedBy::Engines)?;
    let out = args.written.out();
    match args.written.format() {
        ExportFormat::Json => {
            let export = Export::of(&corpus, &specs, &dialects)?;
            put(&(serde_json::to_string(&export).map_err(Failure::usage)? + "\n"), out)?;
        }
        ExportFormat::Schema => put(SCHEMA, out)?,
        ExportFormat::Seeds => {
            let folder = out.ok_or_else(|| Failure::usage("seeds are files: name a folder for them with --out"))?;
            seeds(folder, &dialects, &corpus, &specs)?;
        }
    }
    Ok(Exit::AsExpected)
}

fn seeds(folder: &Path, dialects: &[&Dialect], corpus: &Corpus, specs: &Specs) -> Result<(), Failure> {
    let mut packets = BTreeSet::new();
    for dialect in dialects {
        for test in tests(corpus, specs, dialect, JudgedBy::Engines, Variants::None)? {
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
