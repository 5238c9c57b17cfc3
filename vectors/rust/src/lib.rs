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
    /// The id of each of its types.
    pub ids: std::collections::BTreeMap<String, u32>,
    /// The first and the last version of its engines.
    pub versions: Option<[Vec<u32>; 2]>,
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
///
/// # Panics
/// If there is no such dialect.
pub fn left_out(dialect: &str) -> usize {
    find(dialect).unwrap_or_else(|why| panic!("{why}")).variants
}

/// The dialect of this name, or the newest of this version of an engine: `godot-4.6`, `4.6`.
fn find(name: &str) -> Result<&'static Dialect, String> {
    let dialects = &corpus().dialects;
    let (engine, version) = name.split_at(name.find(|letter: char| letter.is_ascii_digit()).unwrap_or(name.len()));
    let engine = engine.trim_end_matches(['-', ' ', '_', 'v']).to_lowercase();
    let engine = if engine.is_empty() { "godot" } else { &engine };
    let version: Vec<u32> = version.split('.').map_while(|part| part.parse().ok()).collect();
    // Compared as far as both say.
    let cut = |one: &[u32], other: &[u32]| one[..one.len().min(other.len())].to_vec();
    let has = |one: &&Dialect| {
        let within = |[from, to]: &[Vec<u32>; 2]| {
            cut(from, &version) <= cut(&version, from) && cut(&version, to) <= cut(to, &version)
        };
        !version.is_empty() && one.name.split('-').next() == Some(engine) && one.versions.as_ref().is_some_and(within)
    };
    let names = || dialects.iter().map(|one| one.name.as_str()).collect::<Vec<_>>().join(", ");
    let found = dialects.iter().find(|one| one.name == name).or_else(|| dialects.iter().find(has));
    found.ok_or_else(|| format!("there is no dialect {name:?} here; there are {}", names()))
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
    let Dialect { name, ids, .. } = match find(dialect) {
        Ok(found) => found,
        Err(why) => return vec![why],
    };
    let exists = |test: &str| {
        corpus().cases.iter().any(|case| {
            case.asks
                .keys()
                .any(|operation| test.strip_prefix(&case.id).and_then(|rest| rest.strip_prefix(':')) == Some(operation))
        })
    };
    if let Some(wrong) = layouts.iter().find(|layout| !ids.contains_key(**layout)) {
        let there = ids.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
        failures.push(format!("there is no layout {wrong:?} in {name}; there are {there}"));
    }
    if let Some(wrong) = known.iter().find(|test| !exists(test)) {
        failures.push(format!("there is no test {wrong:?}, so it cannot be known"));
    }
    if let Some(wrong) = lossy.iter().find(|word| !LOSSY.contains(word)) {
        let there = LOSSY.join(", ");
        failures
            .push(format!("the vectors cannot judge lossy {wrong:?}: use `conform run` for it; they judge {there}"));
    }
    let wanted = |case: &&Case| {
        let has = case.holds.iter().all(|layout| layouts.contains(&layout.as_str()));
        case.dialect == *name && case.layout == layout && has && case.framing.is_none() && !case.objects
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
    if !any && failures.is_empty() {
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
        (Ok((Some(given), _, _)), _) if !same(&given, value, "", lossy) => {
            Err(format!("read {given}, expected {value}"))
        }
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
            let allows =
                |read: &Value| same(read, value, "", lossy) && (level == "should" || !same(read, value, "", &[]));
            let is_good_practice = level == "should" && case.class != "canonical";
            let is_allowed = || is_good_practice || codec.decode(&bytes).is_ok_and(|(read, _)| allows(&read));
            if equal || is_allowed() {
                Ok(())
            } else {
                Err(format!("wrote {bytes:02x?}, expected {written}"))
            }
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
            let is_dictionary = matches!(key, "dictionary" | "entries") && lossy.contains(&"int-float");
            let expected = if is_dictionary && given.len() != expected.len() { &joined(expected) } else { expected };
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
        (Value::String(given), Value::String(expected)) if given == expected => true,
        _ if integer(expected).is_some() => integer(given) == integer(expected),
        _ => match (bits(given, key), bits(expected, key)) {
            (Some(one), Some(other)) => {
                let any_nan = expected == "nan" || lossy.contains(&"nan-payload");
                one == other || any_nan && is_nan(one, key) && is_nan(other, key)
            }
            _ => false,
        },
    }
}

/// The pairs as a map keeps them that cannot tell an int from a float: the first key stays, with the last value.
fn joined(pairs: &[Value]) -> Vec<Value> {
    let mut joined: Vec<Value> = Vec::new();
    for pair in pairs {
        match joined.iter_mut().find(|earlier| same(&pair[0], &earlier[0], "", &["int-float"])) {
            Some(earlier) => earlier[1] = pair[1].clone(),
            None => joined.push(pair.clone()),
        }
    }
    joined
}

/// A container without a type in its short form, and what cannot be told apart in one form.
fn plain(value: &Value, lossy: &[&str]) -> Value {
    let Some((layout, body)) = value.as_object().filter(|map| map.len() == 1).and_then(|map| map.iter().next()) else {
        return value.clone();
    };
    let array = |items: Vec<Value>| serde_json::json!({"array": items.iter().map(|item| plain(item, lossy)).collect::<Vec<_>>()});
    match (layout.as_str(), layout.strip_suffix("_array"), body) {
        ("items" | "entries", _, _) => body.clone(),
        ("int", _, _) if lossy.contains(&"int-float") => match integer(body) {
            Some(int) if int as f64 as i128 == int => serde_json::json!({"float": int as f64}),
            _ => value.clone(),
        },
        (_, Some("byte"), Value::String(text)) if lossy.contains(&"packed-as-list") => {
            array(hex(text).into_iter().map(|byte| serde_json::json!({"int": byte})).collect())
        }
        (_, Some(of), Value::Array(items)) if lossy.contains(&"packed-as-list") => {
            let element = if of.starts_with("int") {
                "int"
            } else if of.starts_with("float") {
                "float"
            } else {
                of
            };
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

/// The bits of a real in the precision of its type: never through a wider float, which makes a signalling NaN a quiet one. `None`
/// for what is no real, or does not fit.
fn bits(value: &Value, key: &str) -> Option<u64> {
    let is_double = DOUBLE.contains(&key);
    if let Some(digits) = value.as_str().and_then(|text| text.strip_prefix("0x")) {
        let bits = u64::from_str_radix(digits, 16).ok()?;
        return match (is_double, digits.len()) {
            (true, 16) | (false, 8) => Some(bits),
            (true, 8) if key == "float" => u32::try_from(bits).ok().map(widened),
            _ => None,
        };
    }
    let real: f64 = match value {
        Value::Number(number) => number.as_f64()?,
        Value::String(text) => text.parse().ok()?,
        _ => return None,
    };
    let single = real as f32;
    match is_double {
        true => Some(real.to_bits()),
        false if single.is_infinite() && real.is_finite() => None,
        false => Some(single.to_bits().into()),
    }
}

/// The bits of a 32-bit float as those of the 64-bit one.
fn widened(bits: u32) -> u64 {
    if f32::from_bits(bits).is_nan() {
        return u64::from(bits >> 31) << 63 | 0x7ff << 52 | u64::from(bits & 0x7f_ffff) << 29;
    }
    f64::from(f32::from_bits(bits)).to_bits()
}

fn is_nan(bits: u64, key: &str) -> bool {
    if DOUBLE.contains(&key) {
        f64::from_bits(bits).is_nan()
    } else {
        f32::from_bits(bits as u32).is_nan()
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
