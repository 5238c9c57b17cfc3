//! The test vectors of conform: packets of Godot's binary Variant format, and what a codec must do with each.
//!
//! ```ignore
//! variant_vectors::tests! {
//!     dialect: "godot-4.4",
//!     codec: MyCodec,
//!     known: &["godot-4.4/float/nan-keeps-its-bits:encode"],
//!     layouts: [null, bool, int, float, string],
//!     lossy: ["nan-payload"] // may be left out
//! }
//! ```
//!
//! makes a `#[test]` for each type. What is `known` to fail must fail. What holds a type that is not listed is left out, and so are the
//! variants that `conform run` derives from the cases: [`left_out`] says how many.
#![warn(missing_docs)]

use std::io::Read as _;
use std::sync::OnceLock;

use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// What is under test. Values are as in conform's protocol: `{"vector2": [-1.0, 2.0]}`.
pub trait Codec {
    /// The value, and the bytes consumed. An error is a refusal.
    ///
    /// # Errors
    /// The packet is refused.
    fn decode(&self, packet: &[u8]) -> Result<(Value, Option<usize>), String>;
    /// The packet.
    ///
    /// # Errors
    /// The value is refused.
    fn encode(&self, value: &Value) -> Result<Vec<u8>, String>;
}

/// The corpus, format 1, as `conform export --format schema` describes it.
#[derive(Debug, Deserialize)]
pub struct Corpus {
    /// All cases.
    pub cases: Vec<Case>,
    /// The dialects.
    pub dialects: Vec<Dialect>,
}

/// A dialect.
#[derive(Debug, Deserialize)]
pub struct Dialect {
    /// Its name.
    pub name: String,
    /// How many variants of its cases `conform run` asks besides.
    pub variants: usize,
}

/// A packet and its value.
#[derive(Debug, Deserialize)]
pub struct Case {
    /// `godot-4.4/vector2/zero`
    pub id: String,
    /// The dialect's name.
    pub dialect: String,
    /// The type, or `packet`.
    pub layout: String,
    /// All types in it.
    pub holds: Vec<String>,
    /// What is to be asked, and whether it is a `must` or a `should`.
    pub asks: std::collections::BTreeMap<String, String>,
    /// `canonical`, `readable`, `invalid` (must be refused) or `undecided` (anything but a crash).
    pub class: String,
    /// The packet, in hex.
    #[serde(default)]
    pub bytes: String,
    /// What is right to write, in hex: absent where it is the packet, and present where what was read is sent on in another form.
    pub written: Option<String>,
    /// The value.
    pub value: Option<Value>,
    /// Bytes consumed.
    pub used: Option<usize>,
    /// `ff` where a byte is compared.
    pub mask: Option<String>,
    /// `u32le` or `u32be`: the packet has a length prefix.
    pub framing: Option<String>,
    /// Objects by class name are allowed.
    #[serde(default)]
    pub objects: bool,
}

/// The corpus.
///
/// # Panics
/// If the data is not what this version was released with.
pub fn corpus() -> &'static Corpus {
    static CORPUS: OnceLock<Corpus> = OnceLock::new();
    CORPUS.get_or_init(|| serde_json::from_slice(&json()).expect("the corpus is JSON of format 1"))
}

/// The corpus, byte for byte as `conform export` wrote it.
///
/// # Panics
/// If the data is not what this version was released with.
pub fn json() -> Vec<u8> {
    let mut json = Vec::new();
    let packed: &[u8] = include_bytes!("../data/corpus.json.gz");
    flate2::read::GzDecoder::new(packed).read_to_end(&mut json).expect("the corpus is packed whole");
    let digest = include_str!("../data/corpus.sha256").split_whitespace().next();
    let is: String = Sha256::digest(&json).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(Some(is.as_str()), digest, "variant-vectors: the corpus is not what this version was released with");
    json
}

/// How many variants of the cases of a dialect `conform run` asks besides.
pub fn left_out(dialect: &str) -> usize {
    corpus().dialects.iter().find(|one| one.name == dialect).map_or(0, |one| one.variants)
}

/// What a codec has, what is known of it, and what it cannot tell apart: `int-float`, `nan-payload`, `packed-as-list`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Claims<'a> {
    /// All its types.
    pub layouts: &'a [&'a str],
    /// Ids of tests that it fails.
    pub known: &'a [&'a str],
    /// What it cannot tell apart.
    pub lossy: &'a [&'a str],
}

const LOSSY: [&str; 3] = ["int-float", "nan-payload", "packed-as-list"];

/// Asks the codec all that the corpus asks about a type. Each entry is a test that failed, though it is not `known` to, or
/// passed though it is: its id, and why. Packets with a length prefix, with objects, or with a type that the codec does not have,
/// are left out.
pub fn check(codec: &dyn Codec, dialect: &str, layout: &str, claims: Claims<'_>) -> Vec<String> {
    let Claims { layouts, known, lossy } = claims;
    let mut failures = Vec::new();
    if let Some(wrong) = lossy.iter().find(|word| !LOSSY.contains(word)) {
        failures.push(format!("there is no word for lossy {wrong:?} here; there are {}", LOSSY.join(", ")));
    }
    let wanted = |case: &&Case| {
        let has = case.holds.iter().all(|layout| layouts.contains(&layout.as_str()));
        case.dialect == dialect && case.layout == layout && has && case.framing.is_none() && !case.objects
    };
    let mut any = false;
    for case in corpus().cases.iter().filter(wanted) {
        for (operation, level) in &case.asks {
            any = true;
            let id = format!("{}:{operation}", case.id);
            match (ask(codec, case, (operation, level), lossy), known.contains(&id.as_str())) {
                (Err(why), false) => failures.push(format!("{id}: {why}")),
                (Ok(()), true) => failures.push(format!("{id}: is known to fail, and passes")),
                (Ok(()), false) | (Err(_), true) => {}
            }
        }
    }
    if !any {
        failures.push(format!("{dialect} has no test of {layout:?}"));
    }
    failures
}

fn ask(codec: &dyn Codec, case: &Case, (operation, level): (&str, &str), lossy: &[&str]) -> Result<(), String> {
    let packet = hex(&case.bytes);
    let value = case.value.as_ref().unwrap_or(&Value::Null);
    let answer = match operation {
        "decode" => codec.decode(&packet).map(|(value, used)| (Some(value), used, Vec::new())),
        "encode" => codec.encode(value).map(|bytes| (None, None, bytes)),
        _ => codec.decode(&packet).and_then(|(value, _)| codec.encode(&value)).map(|bytes| (None, None, bytes)),
    };
    match (answer, case.class.as_str()) {
        (_, "undecided") | (Err(_), "invalid") => Ok(()),
        (Err(why), _) => Err(format!("refused {}: {why}", case.bytes)),
        (Ok(_), "invalid") => Err(format!("accepted {}", case.bytes)),
        (Ok((Some(given), _, _)), _) if !same(&given, value, "", lossy) => Err(format!("read {given}, expected {value}")),
        (Ok((Some(_), Some(used), _)), _) if Some(used) != case.used => {
            Err(format!("consumed {used} bytes, expected {:?}", case.used))
        }
        (Ok((Some(_), _, _)), _) => Ok(()),
        (Ok((None, _, bytes)), _) => {
            let written = case.written.as_ref().unwrap_or(&case.bytes);
            let right = hex(written);
            let mask = case.mask.as_deref().map_or_else(|| vec![0xff; right.len()], hex);
            let equal = bytes.len() == right.len()
                && bytes.iter().zip(&right).zip(&mask).all(|((one, other), mask)| one & mask == other & mask);
            // Other bytes are no failure where they are those of the same value and the form is good practice, or where they differ
            // by what is declared lossy. What they mean, the codec says.
            let allows = |read: &Value| {
                if same(read, value, "", &[]) { level == "should" } else { same(read, value, "", lossy) }
            };
            let is_good_practice = level == "should" && case.class != "canonical";
            let is_allowed = || is_good_practice || codec.decode(&bytes).is_ok_and(|(read, _)| allows(&read));
            if equal || is_allowed() { Ok(()) } else { Err(format!("wrote {bytes:02x?}, expected {written}")) }
        }
    }
}

fn hex(text: &str) -> Vec<u8> {
    let digits = text.as_bytes().chunks(2);
    digits.filter_map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

const DOUBLE: [&str; 2] = ["float", "float64_array"];
const EXACT: [&str; 8] =
    ["string", "string_array", "byte_array", "node_path", "string_name", "class", "names", "subnames"];

/// Whether two values are the same: reals by their bits, in the precision of their type; an expected `nan` is any.
pub fn same(given: &Value, expected: &Value, key: &str, lossy: &[&str]) -> bool {
    let (given, expected) = (&plain(given, lossy), &plain(expected, lossy));
    let text = |value: &Value| match value {
        Value::Object(map) => map.get("utf8").and_then(Value::as_str).map(hex),
        Value::String(text) => Some(text.clone().into_bytes()),
        _ => None,
    };
    match (given, expected) {
        (Value::Array(given), Value::Array(expected)) => {
            given.len() == expected.len() && given.iter().zip(expected).all(|(one, other)| same(one, other, key, lossy))
        }
        (Value::Object(_), _) | (_, Value::Object(_)) | (Value::String(_), Value::String(_))
            if EXACT.contains(&key) && text(expected).is_some() =>
        {
            text(given) == text(expected)
        }
        (Value::Object(given), Value::Object(expected)) => {
            given.len() == expected.len()
                && expected.iter().all(|(name, other)| given.get(name).is_some_and(|one| same(one, other, name, lossy)))
        }
        (Value::Bool(_) | Value::Null, _) | (_, Value::Bool(_) | Value::Null) => given == expected,
        _ => match (integer(given), integer(expected)) {
            (Some(one), Some(other)) => one == other,
            _ => match (real(given), real(expected)) {
                (Some(one), Some(other)) if other.is_nan() && (expected == "nan" || lossy.contains(&"nan-payload")) => one.is_nan(),
                (Some(one), Some(other)) if DOUBLE.contains(&key) => one.to_bits() == other.to_bits(),
                (Some(one), Some(other)) => (one as f32).to_bits() == (other as f32).to_bits(),
                _ => given == expected,
            },
        },
    }
}

/// A container without a type in its short form, and what cannot be told apart in one form.
fn plain(value: &Value, lossy: &[&str]) -> Value {
    let Some((layout, body)) = value.as_object().filter(|map| map.len() == 1).and_then(|map| map.iter().next()) else {
        return value.clone();
    };
    let array = |items: Vec<Value>| serde_json::json!({"array": items.iter().map(|item| plain(item, lossy)).collect::<Vec<_>>()});
    match (layout.as_str(), layout.strip_suffix("_array"), body) {
        ("items" | "entries", _, _) => body.clone(),
        ("int", _, _) if lossy.contains(&"int-float") => serde_json::json!({"float": real(body)}),
        (_, Some("byte"), Value::String(text)) if lossy.contains(&"packed-as-list") => {
            array(hex(text).into_iter().map(|byte| serde_json::json!({"int": byte})).collect())
        }
        (_, Some(of), Value::Array(items)) if lossy.contains(&"packed-as-list") => {
            let element = if of.starts_with("int") { "int" } else if of.starts_with("float") { "float" } else { of };
            array(items.iter().map(|item| serde_json::json!({element: item})).collect())
        }
        _ => value.clone(),
    }
}

fn integer(value: &Value) -> Option<i128> {
    match value {
        Value::Number(number) => number.as_i64().map(i128::from).or(number.as_u64().map(i128::from)),
        Value::String(text) if text != "-0" => text.parse().ok(),
        _ => None,
    }
}

fn real(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => match (text.strip_prefix("0x"), text.len()) {
            (Some(bits), 10) => u32::from_str_radix(bits, 16).ok().map(|bits| f64::from(f32::from_bits(bits))),
            (Some(bits), _) => u64::from_str_radix(bits, 16).ok().map(f64::from_bits),
            (None, _) => text.parse().ok(),
        },
        _ => None,
    }
}

/// Makes a `#[test]` for each type.
#[macro_export]
macro_rules! tests {
    (dialect: $dialect:expr, codec: $codec:expr, known: $known:expr, layouts: $layouts:tt $(,)?) => {
        $crate::tests! { dialect: $dialect, codec: $codec, known: $known, layouts: $layouts, lossy: [] }
    };
    (dialect: $dialect:expr, codec: $codec:expr, known: $known:expr, layouts: [$($layout:ident),+ $(,)?], lossy: [$($lossy:expr),* $(,)?]) => {
        const CLAIMS: $crate::Claims<'static> =
            $crate::Claims { layouts: &[$(stringify!($layout)),+], known: $known, lossy: &[$($lossy),*] };
        $(#[test]
        fn $layout() {
            let failures = $crate::check(&$codec, $dialect, stringify!($layout), CLAIMS);
            assert!(failures.is_empty(), "{} failed:\n{}", failures.len(), failures.join("\n"));
        })+
    };
}
