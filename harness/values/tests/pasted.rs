//! Bytes in every form that people have them.

use rstest::rstest;
use variant_values::pasted::{PastedError, of_file, read};

#[rstest]
#[case("05000000")]
#[case("05 00 00 00")]
#[case("05 00\n00 00\n")]
#[case("0500 0000")]
#[case("0x05, 0x00, 0x00, 0x00")]
#[case("05:00:00:00")]
#[case(r"\x05\x00\x00\x00")]
#[case("[5, 0, 0, 0]")]
#[case("5 0 0 0")]
#[case("5,0,0,0")]
#[case("PoolByteArray( 5, 0, 0, 0 )")]
#[case("Uint8Array(4) [ 5, 0, 0, 0 ]")]
#[case("<Buffer 05 00 00 00>")]
#[case(r"b'\x05\x00\x00\x00'")]
#[case(r#"bytearray(b"\x05\x00\x00\x00")"#)]
#[case("BQAAAA==")]
#[case("BQAAAA")]
#[case("\"BQAAAA==\"")]
#[case("'05 00 00 00'")]
#[case("{0x05, 0x00, 0x00, 0x00};")]
#[case("new byte[] { 5, 0, 0, 0 };")]
#[case("[]byte{0x5, 0x0, 0x0, 0x0}")]
#[case("[4]byte{0x5, 0x0, 0x0, 0x0}")]
#[case("{0x05, 0, 0, 0}")]
#[case("unsigned char p[] = {0x05, 0x00, 0x00, 0x00};")]
#[case("static const unsigned char p[4] = { 5, 0, 0, 0 };")]
#[case("<<5,0,0,0>>")]
#[case(r#"{"type":"Buffer","data":[5,0,0,0]}"#)]
#[case("00000000: 0500 0000                                ....")]
#[case("00000000  05 00 00 00                                       |....|\n00000004")]
#[case(r#""\005\000\000\000""#)]
#[case(r"\005\000\000\000")]
#[case(r"\005\0\0\0")]
#[case(r"\x05\0\0\0")]
#[case(r#""\x05\0" "\0\0""#)]
#[case("'\\x05\\x00' +\n  '\\x00\\x00'")]
#[case(r#""\u0005\u0000\u0000\u0000""#)]
#[case(r#""\u{5}\0\0\u{0}""#)]
#[case(r"['\x05\x00\x00\x00']")]
#[case(r#"std::string p("\x05\0\0\0", 4);"#)]
#[case(r#"const char *p = "\5\0\0\0";"#)]
#[case(r#"$1 = "\005\000\000\000""#)]
#[case(r"{'\x05', '\0', '\0', '\0'}")]
#[case(r"std::vector of length 4, capacity 8 = {5 '\005', 0 '\000', 0 '\000', 0 '\000'}")]
#[case("$4 = {0x5, 0x0, 0x0, 0x0}")]
#[case("std::vector<uint8_t>{5, 0, 0, 0}")]
#[case("std::array<unsigned char, 4>{{5, 0, 0, 0}};")]
#[case("std::vector<unsigned char> v = {0x05, 0x00, 0x00, 0x00};")]
#[case("unsigned char packet[] = {\n  0x05, 0x00,\n  0x00, 0x00\n};\nunsigned int packet_len = 4;\n")]
#[case(r#"Buffer.from("05000000", "hex")"#)]
#[case(r#"Buffer.from("BQAAAA==", 'base64')"#)]
#[case("bytes.fromhex('05 00 00 00')")]
#[case("base64.b64decode(b'BQAAAA==')")]
#[case("data:application/octet-stream;base64,BQAAAA==")]
#[case("ArrayBuffer { [Uint8Contents]: <05 00 00 00>, byteLength: 4 }")]
#[case("ArrayBuffer {\n  [Uint8Contents]: <05 00 00 00>,\n  byteLength: 4\n}")]
#[case(r#"{"0":5,"1":0,"2":0,"3":0}"#)]
#[case("0000000 0005 0000\n0000004")]
#[case("0000000    0005    0000                        \n0000004")]
#[case("0000000 05 00 00 00\n0000004")]
#[case("000000 05 00 00 00  >....<\n000004")]
#[case("0000020 05 00\n0000022 00 00\n0000024")]
#[case("00000010: 0500 0000  ....")]
#[case("0x7ffe1000:\t0x00000005")]
#[case("0x4052a0 <packet>:\t0x05\t0x00\n0x4052a2 <packet+2>:\t0x00\t0x00")]
#[case("0x0005 0x0000")]
#[case("array('B', [5, 0, 0, 0])")]
#[case(r#""\x05 \x00 \x00 \x00""#)]
#[case("[...]byte{5, 0, 0, 0}")]
#[case("{ 0x05, 0x00, // header\n 0x00, 0x00 }")]
#[case("const p = new Uint8Array([5, 0, /* flags */ 0, 0]);")]
#[case("0x05, 0x00,  # header\n0x00, 0x00")]
#[case(r#""\x05\x00\x00\x00" // header"#)]
#[case("vec![5u8, 0, 0, 0]")]
#[case("&[0x05_u8, 0, 0, 0]")]
#[case("{(char)5, (char)0, 0, 0}")]
#[case("{std::byte{0x05}, std::byte{0}, std::byte(0), std::byte{0}}")]
#[case("std::array<std::uint8_t, 4> a{0x05u, 0x00u, 0x00u, 0x00u};")]
#[case(r"{'\x05', '\0', 0, 0}")]
#[case(r#"PackedByteArray("BQAAAA==")"#)]
#[case("(gdb) x/xw p\n0x7ffe1000:\t0x00000005")]
#[case("%05%00%00%00")]
#[case("X'05000000'")]
#[case(r"\x05000000")]
#[case(
    "   Label: Byte[]\n\n          Offset Bytes\n                 00 01 02 03\n          ------ -----\n0000000000000000 05 00 00 00                ?"
)]
#[case("Godot 3: 5\n0  05 00  header  type 5, no flags\n2  00 00  x       \"a\"\n4 of 4 bytes consumed")]
#[case("Optional(<05000000>)")]
#[case("['0x5', '0x0', '0x0', '0x0']")]
#[case("1: 05 00\n2: 00 00")]
#[case("1 | 05 00\n2 | 00 00")]
#[case("[0]: 5\n[1]: 0\n[2]: 0\n[3]: 0")]
#[case("[0x0]: 0x05\n[0x1]: 0x00\n[0x2]: 0x00\n[0x3]: 0x00")]
#[case("00000101 00000000 00000000 00000000")]
#[case("[0b00000101, 0b0, 0b0, 0b0]")]
#[case("0b00000101, 0b00000000, 0b00000000, 0b00000000")]
#[case("Uint8Array(4) [5, 0, 0, 0, buffer: ArrayBuffer(4), byteLength: 4]")]
#[case("&#x05;&#x00;&#x00;&#x00;")]
#[case("00000000: 0500 0000 ....")]
#[case("0000\t05 00 00 00\t....")]
#[case("<Buffer 05 00>\n<Buffer 00 00>")]
#[case("[5, 0]\n[0, 0]")]
#[case("char peer0_0[] = { /* Packet 1 */\n0x05, 0x00 };\nchar peer1_0[] = { /* Packet 2 */\n0x00, 0x00 };")]
fn each_form_is_read(#[case] text: &str) {
    let read = read(text).unwrap();
    assert_eq!((&read.bytes[..], read.is_cut), (&[5, 0, 0, 0][..], false));
}

#[rstest]
#[case::python(r"b'\x04\x00\x00\x00\x03\x00\x00\x00a\\\'\x00'", b"\x04\0\0\0\x03\0\0\0a\\'\0")]
#[case::bare(r"\x04\0\0\0\2\0\0\0ab\0\0", b"\x04\0\0\0\x02\0\0\0ab\0\0")]
#[case::node("'\\x02\\x00\\x00\\x00ÿÿÿ\\x80'", b"\x02\0\0\0\xff\xff\xff\x80")]
#[case::json("\"\\u0002\\u0000ÿ\\u0080\"", b"\x02\0\xff\x80")]
#[case::c(r#""\4\0\0\0\002\0\0\0é\0\0""#, b"\x04\0\0\0\x02\0\0\0\xc3\xa9\0\0")]
#[case::rust(r#""\u{4}\0\0\01\0""#, b"\x04\0\0\x001\0")]
#[case::backslashes_before_hex(r#""\1b\00\00\00""#, b"\x1b\0\0\0")]
#[case::odd_number_of_bytes("0000000 0005 0001\n0000003", b"\x05\0\x01")]
#[case::base64_that_looks_like_hex("atob('CAAAAAEAAAACAAAA')", b"\x08\0\0\0\x01\0\0\0\x02\0\0\0")]
#[case::lua(r#""\27\0\0\0\200\192a""#, b"\x1b\0\0\0\xc8\xc0a")]
#[case::erlang(r#"<<5,0,"hp">>"#, b"\x05\0hp")]
#[case::xxd_e("00000000: 00000004 00000002 00006968           ........hi..", b"\x04\0\0\0\x02\0\0\0hi\0\0")]
#[case::xxd_g4("00000000: 04000000 02000000 68690000           ........hi..", b"\x04\0\0\0\x02\0\0\0hi\0\0")]
#[case::format_hex(
    "   Label: String (System.String) <0A>\n\n          Offset Bytes                                           Ascii\n                 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F\n          ------ ----------------------------------------------- -----\n0000000000000000 1B 00 00 00 01 00 00 00 04 00 00 00 02 00 00 00 ...   ..  ab ...\n0000000000000010 68 69 00 00                                     hi..",
    b"\x1b\0\0\0\x01\0\0\0\x04\0\0\0\x02\0\0\0hi\0\0"
)]
#[case::certutil(
    "0000\t05 00 00 00 00 00 80 3f  00 00 00 40               .......?...@",
    b"\x05\0\0\0\0\0\x80\x3f\0\0\0\x40"
)]
#[case::base64_lines("AgAAAAEAAAA=\nAgAAAAIAAAA=", b"\x02\0\0\0\x01\0\0\0\x02\0\0\0\x02\0\0\0")]
#[case::hex_that_is_like_binary("01000000 01000000", b"\x01\0\0\0\x01\0\0\0")]
#[case::end_of_a_dump("00000000  05 00 00 00  |....|\n00000004", b"\x05\0\0\0")]
fn letters_are_as_the_language_has_them(#[case] text: &str, #[case] bytes: &[u8]) {
    assert_eq!(read(text).unwrap().bytes, bytes);
}

#[rstest]
#[case("050000000", 9)]
#[case("1c00000003000000040000000", 25)]
#[case("0x050000000", 9)]
#[case("1c 00 00 000", 9)]
fn hex_that_lacks_a_digit_is_not_taken_for_base64(#[case] text: &str, #[case] digits: usize) {
    let error = read(text).unwrap_err();
    assert!(matches!(&error, PastedError::OddHex(_, found) if *found == digits), "{error:?}");
    assert!(error.to_string().ends_with(&format!("odd number of digits: {digits}")), "{error}");
}

#[rstest]
#[case("05 00 00 00 … 07")]
#[case("<Buffer 05 00 00 00 ... 12 more bytes>")]
#[case("[5, 0, 0, 0, ...]")]
#[case(r#"$1 = "\005\000\000\000"..."#)]
#[case(r"{5 '\005', 0 '\000', 0 '\000', 0 '\000'...}")]
fn what_is_left_out_is_said(#[case] text: &str) {
    let read = read(text).unwrap();
    assert_eq!((&read.bytes[..], read.is_cut), (&[5, 0, 0, 0][..], true));
}

#[rstest]
#[case("hello")]
#[case("Vector2(1, 2)")]
#[case("PackedInt32Array(1, 2)")]
#[case("std::vector<int> v = {1, 2}")]
#[case("char(27), 0")]
#[case("[[5, 0], [6, 0]]")]
#[case("[colors]\ndata=[1, 2]")]
#[case("name = \"deadbeef\"")]
#[case("PackedStringArray(\"aa\", \"bb\")")]
#[case(r#"{"a": "\u0005\u0000"}"#)]
#[case(r#"["a\u0000", "b"]"#)]
fn a_word_or_a_value_is_no_bytes(#[case] text: &str) {
    assert!(matches!(read(text), Err(PastedError::NoForm(_))), "{:?}", read(text));
}

#[test]
fn a_file_holds_bytes_or_a_text_of_them() {
    assert_eq!(of_file(b"05 00 00 00\n".to_vec()).bytes, [5, 0, 0, 0]);
    assert_eq!(of_file(b"\x05\0\0\0".to_vec()).bytes, [5, 0, 0, 0]);
}

#[test]
fn signed_bytes_are_bytes() {
    assert_eq!(read("[-1, -128, 127]").unwrap().bytes, [255, 128, 127]);
}

#[rstest]
#[case("", "there are no bytes here")]
#[case("[5, 256]", "256 is not a byte: bytes go from 0 to 255")]
#[case(r"b'\q'", "byte 0 of the string is an escape")]
#[case(r#"hello, "\world""#, "byte 0 of the string is an escape")]
#[case(r"a\b", r#""a\b" is neither hex"#)]
#[case("0000000 000022 000000 000002\n0000006", "this is a dump, but not one that is read here: `xxd FILE`")]
#[case("0000000 022 000 000\n0000003", "this is a dump")]
#[case("0000000  18   0   0\n0000003", "this is a dump")]
#[case("0x4052a0 <p>:\t27\t0\t0", "this is a dump")]
#[case(r#"$1 = "\033", '\000' <repeats 15 times>"#, "gdb left bytes out")]
#[case("hello, world", "\"hello, world\" is neither hex")]
fn what_is_no_form_says_so(#[case] text: &str, #[case] says: &str) {
    let error = read(text).unwrap_err().to_string();
    assert!(error.starts_with(says), "{error}");
}
