//! Bytes as people have them: what `conform explain` and the explorer say of them. Both are views of one function.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;
use std::sync::LazyLock;

use rstest::rstest;
use variant_specs::Specs;
use variant_values::explore::{Exploration, Question, explore_pasted, explore_text, lines};
use variant_values::pasted;

static SPECS: LazyLock<Specs> = LazyLock::new(|| Specs::builtin().unwrap());

fn explored(text: &str) -> Exploration {
    explore_text(text, &SPECS, &Question::default()).unwrap()
}

fn file(name: &str) -> Exploration {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/inputs");
    let content = std::fs::read(folder.join(name)).unwrap();
    explore_pasted(&pasted::of_file(content), &SPECS, &Question::default())
}

/// Each of these is said, in this order.
fn says(found: &Exploration, expected: &[&str]) {
    let said = lines(found, None).join("\n");
    let mut rest = said.as_str();
    for words in expected {
        let Some((_, behind)) = rest.split_once(words) else { panic!("no {words:?} (in its place) in\n{said}") };
        rest = behind;
    }
}

#[rstest]
#[case::frame_or_vector2i("08000000020000002a000000", &["frame", "42", "Pandemonium 5.0–5.2, 3.8–4.9 without a length in front: Vector2i(2, 42)"])]
#[case::frame_or_empty_string("0400000000000000", &["1 frame of store_var / put_var: null", "without a length in front: \"\""])]
#[case::cut_array("1c0000000100000002000000050000", &["Godot 4.4–4.6, 4.3, 4.0–4.2", "refused: truncated at 12: the Array ends early, in its int", "Pandemonium 3.8–4.9 (pandemonium-38): PoolIntArray(2), then 3 bytes left over"])]
#[case::padding_missing("0400000003000000616263", &["truncated at 11: padding is missing"])]
#[case::own_byte_in_front("021c000000010000000200000005000000", &["from byte 1 on, behind 1 byte of your own", "Godot 4", "[5]"])]
#[case::numbers_in_a_log("rx: 5 0 0 0 0 0 128 63 0 0 0 64", &["text; the list in it is 12 bytes", "Vector2(1, 2)"])]
#[case::raw_floats("[0,0,128,63,0,0,0,64]", &["32-bit floats without a header: 1.0, 2.0", "to_float32_array"])]
#[case::negative_count_of_bytes("1d00000000000080", &["count", "-2147483648"])]
#[case::negative_count_of_texts("22000000ffffffff", &["PackedStringArray()", "count", "-1"])]
#[case::object_without_permission("18000000080000005265736f7572636500000000", &["Godot 4", "Resource", "without permission for objects it is refused", "ERR_UNAUTHORIZED"])]
#[case::script_without_path("1c0003000000000000000000", &["Godot 4.4–4.6, 4.3", "bad-object at 4"])]
#[case::rid_of_godot_4("170000000d00000000000000", &["rid", "13"])]
#[case::hex_in_a_text("'020000002a000000'", &["42", "8 of 8 bytes consumed"])]
#[case::ellipsis("02000000 05000000 …", &["The text leaves bytes out", "type 2 int"])]
#[case::big_endian_frame("00000008 02000000 05000000", &["1 frame of store_var / put_var, big-endian: 5"])]
#[case::three_frames("0800000002000000010000000800000002000000020000000800000002000000ffffffff", &["3 frames of store_var / put_var: 1, 2, -1", "frame 1 of 3: 1", "prefix", "frame 3 of 3: -1"])]
#[case::stream_of_4_6("10000000090000000000803f00000040000040400c000000040000000200000068690000", &["2 frames of store_var / put_var: Vector3(1, 2, 3), \"hi\""])]
#[case::bare_packet("050000000000803f00000040", &["Godot 4.4–4.6, 4.3, 4.0–4.2, 3.1–3.6, 1.0–2.1.3; Pandemonium (27 types): Vector2(1, 2)", "12 of 12 bytes consumed", "as JSON", "its length in front: 0c 00 00 00"])]
#[case::two_packets("02000000010000000200000002000000", &["2 packets in a row: 1, 2"])]
#[case::bytes_left_over("0200000005000000ffffffff", &["5, then 4 bytes left over", "trailing"])]
#[case::wide_int("020001000500000000000000", &["flag 1: 64-bit form, 32 bits suffice"])]
#[case::typed_dictionary("1b000500020000000200000001000000020000000100000002000000ffffffff", &["the keys have a type, the values have a type"])]
#[case::ignored_second_byte("0201000009000000", &["int, but odd", "second byte 1 ignored"])]
#[case::put_string("0500000068656c6c6f", &["a text with its length in front: \"hello\""])]
#[case::put_string_big_endian("0000000568656c6c6f", &["a text with its length in front: \"hello\""])]
#[case::letters_for_a_type("41424344000000000000", &["refused", "the letters \"ABCD\""])]
#[case::big_endian_packet("0000000500000000", &["byte"])]
#[case::dictionary_or_transform("1200000000000000", &["Godot 3", "{}", "Type 18 is"])]
#[case::four_bytes_of_ones_own("07000000 1b000000 01000000 02000000 05000000 02000000 06000000", &["from byte 4 on, behind 4 bytes of your own", "{5: 6}"])]
#[case::value_of_var_to_str("{\"a\": Vector2(1, 2)}", &["a value as var_to_str writes it", "str_to_var"])]
#[case::json("{\"a\": 1}", &["JSON", "JSON.parse_string"])]
#[case::vector2("Vector2(1, 2)", &["a value as var_to_str writes it"])]
#[case::zip("504b030414000000", &["a ZIP archive"])]
#[case::header_alone("0500", &["refused", "a header has four bytes"])]
#[case::log_lines("rx 0200000001000000\nrx 0200000002000000", &["the hex in it is 16 bytes", "2 packets in a row: 1, 2"])]
#[case::log_lines_with_others("id 00112233445566ff\nrx 0200000001000000", &["There are 2 in it that may be packets; this is the first", ": 1"])]
#[case::list_in_a_log("rx [2, 0, 0, 0, 1, 0, 0, 0]", &["the list in brackets in it is 8 bytes.\nGodot", ": 1"])]
#[case::field_of_a_log("12:05:33 pkt=0200000001000000", &["the hex in it is 8 bytes", ": 1"])]
#[case::payload("payload:02 00 00 00 01 00 00 00", &["the hex in it is 8 bytes", ": 1"])]
#[case::data("data:0200000001000000", &["the hex in it is 8 bytes", ": 1"])]
#[case::string_in_a_log(r"got b'\x02\x00\x00\x00\x01\x00\x00\x00' from ('1.2.3.4', 5)", &["the string in it is 8 bytes", ": 1"])]
#[case::cut_gzip("1f8b0800000000000003", &["This is gzip, no packet: it is cut or damaged"])]
fn a_text_is_led_to_its_cause(#[case] text: &str, #[case] expected: &[&str]) {
    says(&explored(text), expected);
}

#[rstest]
#[case("godot-4.6.3-store_var.dat", &["3 frames of store_var / put_var", "Ada", "frame 2 of 3: 42", "PackedInt32Array(1, 2, 3)"])]
#[case("godot-4.6.3-store_var-big-endian.dat", &["1 frame of store_var / put_var, big-endian", "Ada"])]
#[case("godot-4.6.3-fastlz.dat", &["a compressed file (GCPF); unpacked, 136 bytes", "1 frame", "Ada"])]
#[case("godot-4.6.3-deflate.dat", &["a compressed file (GCPF); unpacked, 136 bytes", "1 frame", "Ada"])]
#[case("godot-4.6.3-zstd.dat", &["a compressed file (GCPF); unpacked, 136 bytes", "1 frame", "Ada"])]
#[case("godot-4.6.3-gzip.dat", &["a compressed file (GCPF); unpacked, 136 bytes", "1 frame", "Ada"])]
#[case("godot-4.6.3-gzip-buffer.gz", &["gzip; unpacked, 132 bytes", "Godot 4.4–4.6", "Ada"])]
#[case("godot-4.6.3-zstd-buffer.zst", &["zstd; unpacked, 132 bytes", "Godot 4.4–4.6", "Ada"])]
#[case("godot-4.6.3-deflate-buffer.zlib", &["zlib; unpacked, 132 bytes", "Godot 4.4–4.6", "Ada"])]
#[case("godot-4.6.3-encrypted.dat", &["an encrypted file (GDEC)", "open_encrypted_with_pass"])]
#[case("godot-4.6.3-json.json", &["JSON"])]
#[case("godot-4.6.3-var_to_str.txt", &["a value as var_to_str writes it"])]
#[case("godot-4.6.3-config.cfg", &["a ConfigFile"])]
#[case("godot-4.6.3-gradient.tres", &["a text resource"])]
#[case("godot-4.6.3-gradient.res", &["a binary resource (RSRC"])]
#[case("godot-4.6.3-gradient-compressed.res", &["a compressed binary resource (RSCC"])]
#[case("godot-4.6.3-project.binary", &["project.binary): 3 packets", "Godot 4", "application/config/name = \"Lamp\""])]
#[case("godot-4.6.3-pack.pck", &["a pack (GDPC"])]
#[case("godot-4.6.3-image.png", &["a PNG image"])]
#[case("godot-4.6.3-floats.dat", &["32-bit floats without a header: 1.0, 2.5, -3.0, 0.1"])]
#[case("godot-4.6.3-pascal.dat", &["a text with its length in front: \"hello, world\""])]
#[case("godot-4.6.3-object.dat", &["2 frames", "Resource", "without permission for objects it is refused"])]
#[case("godot-3.6-store_var.dat", &["Godot 3.1–3.6; Pandemonium (27 types): 2 frames of store_var / put_var", "Ada", "frame 2 of 2: Transform"])]
#[case("godot-3.6-store_var-big-endian.dat", &["1 frame of store_var / put_var, big-endian", "Ada"])]
#[case("godot-3.6-var2str.txt", &["a value as var_to_str writes it"])]
#[case("godot-3.6-project.binary", &["project.binary): 3 packets", "application/config/name = \"Lamp\""])]
#[case("godot-3.6-object.dat", &["Godot 3.1–3.6; Pandemonium (27 types): 2 frames", "without permission for objects it is refused"])]
fn a_file_of_an_engine_is_read_or_named(#[case] name: &str, #[case] expected: &[&str]) {
    says(&file(name), expected);
}

/// Many frames are frames, too, whatever their number.
#[rstest]
#[case::framed(b"\x0c\0\0\0\x05\0\0\0\0\0\x80\x3f\0\0\0\x40", 5000, &["5000 frames of store_var / put_var: Vector2(1, 2)", "… 4936 more packets"])]
#[case::bare(b"\x02\0\0\0\x01\0\0\0", 5000, &["5000 packets in a row: 1, 1"])]
#[case::too_many_to_look_at(&[0; 4], 100_000, &["packets in a row: null", "that were not looked at"])]
fn many_packets_are_counted(#[case] packet: &[u8], #[case] number: usize, #[case] expected: &[&str]) {
    says(&explore_text(&hex::encode(packet.repeat(number)), &SPECS, &Question::default()).unwrap(), expected);
}

#[test]
fn an_offset_behind_the_end_is_said() {
    let asked = Question { offset: Some(99), ..Question::default() };
    says(&explore_text("050000000000803f00000040", &SPECS, &asked).unwrap(), &["There are only 12 bytes."]);
}

/// A dump that is not of bytes is a text; what to type instead is said, of a file as of an argument.
#[test]
fn a_dump_that_is_not_of_bytes_is_refused() {
    let octal = "0000000 000033 000000 000000 000000\n0000010\n";
    let found = explore_pasted(&pasted::of_file(octal.into()), &SPECS, &Question::default());
    says(&found, &["this is a dump", "`xxd FILE`", "This is text, no packet"]);
    let error = explore_text(octal, &SPECS, &Question::default()).unwrap_err();
    assert!(error.to_string().starts_with("this is a dump"), "{error}");
}

/// What is packed to fill a disk is named, not unpacked.
#[test]
fn a_bomb_is_not_unpacked() {
    use std::io::Write;
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    let megabyte = vec![0; 1 << 20];
    for _ in 0..70 {
        packed.write_all(&megabyte).unwrap();
    }
    let packed = packed.finish().unwrap();
    let found = explore_pasted(&pasted::of_file(packed.clone()), &SPECS, &Question::default());
    assert_eq!(found.bytes.len(), packed.len());
    says(&found, &["gzip", "unpack it first"]);
}

/// Files that are not what they begin as.
#[test]
fn damaged_files_are_no_harm() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/inputs");
    for entry in std::fs::read_dir(folder).unwrap() {
        let content = std::fs::read(entry.unwrap().path()).unwrap();
        for round in 1..=20 {
            let mut damaged = content.clone();
            let at = 29 * round % damaged.len().min(64);
            damaged[at] ^= u8::try_from(12 * round).unwrap();
            damaged.truncate((damaged.len() * round / 20).max(1));
            let found = explore_pasted(&pasted::of_file(damaged), &SPECS, &Question::default());
            assert!(!lines(&found, None).is_empty());
        }
    }
}
