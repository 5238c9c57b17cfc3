//! The dissector for Wireshark in tshark itself: packets of the corpus in a capture, bare and with their length prefix, have
//! their fields where `conform explain` has them.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use rstest::rstest;
use tempfile::TempDir;
use variant_codec::Framing;
use variant_corpus::test::{Test, Variants, tests};
use variant_specs::{Dialect, JudgedBy};
use variant_values::explain::Explainer;
use variant_values::row::Row;

use crate::support::{CORPUS, SPECS, conform, example_tests, stderr};

const PORT: u16 = 4999;
/// Fields that have others below them, or say more of the same bytes.
const NO_LEAVES: [&str; 22] = [
    "value",
    "item",
    "key",
    "name",
    "subname",
    "property",
    "class",
    "script",
    "element",
    "type",
    "type_name",
    "flags",
    "shared",
    "raw",
    "object.class",
    "object.properties",
    "object.properties.name",
    "signal.name",
    "struct.type_name",
    "struct.members",
    "struct.members.name",
    "ticket.note",
];

/// Offset and length of a field.
pub(crate) type Place = (usize, usize);

/// The canonical packets of a dialect that fit a datagram.
pub(crate) fn packets(tests: &[Test], dialect: &Dialect) -> Vec<Vec<u8>> {
    let packets: BTreeSet<Vec<u8>> =
        tests.iter().filter_map(|test| test.expected.packet.as_ref()).map(|packet| packet.bytes.to_vec()).collect();
    let fits = |packet: &Vec<u8>| packet.len() < 60_000 && Explainer::new(dialect).explain(packet).outcome.is_ok();
    packets.into_iter().filter(fits).collect()
}

/// A capture of IPv4 packets: datagrams, or segments of one stream, with these payloads.
fn capture(payloads: &[Vec<u8>], tcp: bool) -> Vec<u8> {
    let mut file = Vec::new();
    let words = [0xa1b2_c3d4_u32, 0x0004_0002, 0, 0, 0x0004_0000, 228];
    words.iter().for_each(|word| file.extend(word.to_le_bytes()));
    let mut sent = 1_u32;
    for payload in payloads {
        let transport = if tcp { segment(sent) } else { datagram(payload.len()) };
        sent += u32::try_from(payload.len()).unwrap();
        let length = u16::try_from(20 + transport.len() + payload.len()).unwrap();
        let record = u32::from(length).to_le_bytes();
        file.extend([[0; 4], [0; 4], record, record].concat());
        file.extend([0x45, 0]);
        file.extend(length.to_be_bytes());
        file.extend([0, 0, 0, 0, 64, if tcp { 6 } else { 17 }, 0, 0, 127, 0, 0, 1, 127, 0, 0, 2]);
        file.extend(transport.iter().chain(payload));
    }
    file
}

fn datagram(length: usize) -> Vec<u8> {
    let length = u16::try_from(8 + length).unwrap();
    [40_000, PORT, length, 0].into_iter().flat_map(u16::to_be_bytes).collect()
}

fn segment(sent: u32) -> Vec<u8> {
    let ports = [40_000_u16, PORT].into_iter().flat_map(u16::to_be_bytes);
    let numbers = [sent, 1].into_iter().flat_map(u32::to_be_bytes);
    ports.chain(numbers).chain([0x50, 0x18, 0xff, 0xff, 0, 0, 0, 0]).collect()
}

fn tshark(folder: &Path, protocol: &str, framed: bool, more: &[&str]) -> String {
    let preference = |name: &str, value: &str| ["-o".to_owned(), format!("{protocol}.{name}:{value}")];
    let mut tshark = Command::new("tshark");
    tshark.arg("-X").arg(format!("lua_script:{}", folder.join("dissector.lua").display()));
    tshark.args(preference("udp_ports", &PORT.to_string())).args(preference("tcp_ports", &PORT.to_string()));
    tshark.args(preference("framed", if framed { "TRUE" } else { "FALSE" })).arg("-r").arg(folder.join("file.pcap"));
    let output = tshark.args(more).output().unwrap();
    assert!(output.status.success(), "{:?} {}", output.status, stderr(&output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The places of all fields, a list for each packet of tshark's PDML. A quote in a text is an entity there.
fn places(pdml: &str, protocol: &str, before: usize) -> Vec<Vec<Place>> {
    let field = format!("<field name=\"{protocol}.");
    let of_packet = |packet: &str| {
        let fields = packet.split(&field).skip(1);
        let leaves = fields.filter(|field| !NO_LEAVES.contains(&field.split('"').next().unwrap()));
        leaves.map(|field| (number(field, "pos") - before, number(field, "size"))).collect()
    };
    pdml.split("<packet>").skip(1).map(of_packet).collect()
}

/// A number that is an attribute of an element, which begins in the middle of its tag.
fn number(element: &str, attribute: &str) -> usize {
    let (_, rest) = element.split_once(&format!(" {attribute}=\"")).unwrap();
    rest.split('"').next().unwrap().parse().unwrap()
}

/// The places of rows: each ends where the next one begins.
pub(crate) fn explained(rows: &[Row], end: usize) -> Vec<Place> {
    let offset = |row: &Row| row.offset.unwrap();
    let ends = rows.iter().skip(1).map(offset).chain([end]);
    let places = rows.iter().zip(ends).filter(|(row, _)| row.name != "trailing");
    places.map(|(row, end)| (offset(row), end - offset(row))).collect()
}

#[rstest]
#[ignore = "needs tshark"]
fn weekly_fields_are_where_explain_has_them(#[values(false, true)] framed: bool) {
    for dialect in &SPECS.dialects {
        let packets = packets(&tests(&CORPUS, &SPECS, dialect, JudgedBy::Engines, Variants::None).unwrap(), dialect);
        assert!(packets.len() > 100);
        let folder = TempDir::new().unwrap();
        compare(folder.path(), dialect, &[], &packets, framed);
        let protocol = protocol(dialect);
        let shown = tshark(folder.path(), &protocol, framed, &["-Y", &format!("{protocol}.vector2.x == -1.5")]);
        assert!(shown.lines().count() < packets.len() / 2, "{}: a filter leaves few of them", dialect.name);
    }
}

#[rstest]
#[ignore = "needs tshark"]
fn weekly_records_of_a_fork_are_read_too(#[values("struct", "every-field")] example: &str) {
    let (dialect, tests) = example_tests(example);
    let folder = TempDir::new().unwrap();
    let file = format!("specs/examples/{example}.yaml");
    compare(folder.path(), &dialect, &["--spec", &file], &packets(&tests, &dialect), false);
}

/// Has the fields of packets shown, and compares where they are. Names tshark's files in `folder`.
fn compare(folder: &Path, dialect: &Dialect, options: &[&str], packets: &[Vec<u8>], framed: bool) {
    let script = folder.join("dissector.lua");
    let args = ["document", &dialect.name, "--format", "wireshark", "--out", script.to_str().unwrap()];
    assert_eq!(conform(&[&args, options].concat()).status.code(), Some(0));
    let length = |packet: &Vec<u8>| u32::try_from(packet.len()).unwrap().to_le_bytes();
    let with_length = |packet: &Vec<u8>| [&length(packet)[..], packet].concat();
    let payloads = if framed { packets.iter().map(with_length).collect() } else { packets.to_vec() };
    std::fs::write(folder.join("file.pcap"), capture(&payloads, framed)).unwrap();
    let protocol = protocol(dialect);
    let pdml = tshark(folder, &protocol, framed, &["-T", "pdml", "-J", &protocol]);
    let found = places(&pdml, &protocol, if framed { 40 } else { 28 });
    assert_eq!(found.len(), packets.len(), "{}", dialect.name);
    for (packet, found) in payloads.iter().zip(found) {
        let framing = framed.then_some(Framing::U32Le);
        let explanation = Explainer { framing, ..Explainer::new(dialect) }.explain(packet);
        assert_eq!(found, explained(&explanation.rows, packet.len()), "{}: {packet:02x?}", dialect.name);
    }
}

fn protocol(dialect: &Dialect) -> String {
    dialect.name.replace(['-', '.'], "_")
}
