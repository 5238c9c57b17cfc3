//! Values in frames: CBOR (RFC 8949), as much of it as a value needs. Lengths are definite, and there are no tags.

use std::fmt::Write as _;

use thiserror::Error;
use variant_syntax::SyntaxTree;

use crate::sanitize;

/// The kinds of item whose head has a number.
const UNSIGNED: u8 = 0;
const NEGATIVE: u8 = 1;
pub(crate) const BYTES: u8 = 2;
const TEXT: u8 = 3;
pub(crate) const LIST: u8 = 4;
pub(crate) const MAP: u8 = 5;
const TAG: u8 = 6;
/// Items that are one byte, or one byte and bits.
pub(crate) const FALSE: u8 = 0xf4;
pub(crate) const TRUE: u8 = 0xf5;
pub(crate) const NULL: u8 = 0xf6;
const HALF: u8 = 0xf9;
pub(crate) const SINGLE: u8 = 0xfa;
pub(crate) const DOUBLE: u8 = 0xfb;

/// As deep as JSON is read.
const DEEPEST: usize = 127;
/// Integers beyond ±2^53 are quoted in JSON.
const EXACT: u64 = 1 << 53;
/// For how many items there is room at once, whatever is announced.
const RESERVED: usize = 1 << 12;
/// How much of what cannot be read is shown, in bytes.
const SHOWN: usize = 100;

/// Why bytes are no value.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub(crate) enum CborError {
    #[error("its CBOR ends too early")]
    Truncated,
    #[error("{0} bytes follow its CBOR")]
    Trailing(usize),
    #[error("its CBOR is nested deeper than {DEEPEST} levels")]
    TooDeep,
    #[error("a text in its CBOR is not UTF-8; write {{\"utf8\": bytes}}")]
    NotUtf8,
    #[error("a key in its CBOR is no text")]
    Key,
    #[error("its CBOR has the byte {0:#04x}, which starts a tag, an indefinite length or something that no value has")]
    Unexpected(u8),
}

/// Appends the head of an item: its kind, and its number in the fewest bytes.
pub(crate) fn head(out: &mut Vec<u8>, kind: u8, number: u64) {
    let kind = kind << 5;
    if let Ok(byte) = u8::try_from(number) {
        if byte < 24 {
            out.push(kind | byte);
        } else {
            out.extend_from_slice(&[kind | 24, byte]);
        }
    } else if let Ok(number) = u16::try_from(number) {
        out.push(kind | 25);
        out.extend_from_slice(&number.to_be_bytes());
    } else if let Ok(number) = u32::try_from(number) {
        out.push(kind | 26);
        out.extend_from_slice(&number.to_be_bytes());
    } else {
        out.push(kind | 27);
        out.extend_from_slice(&number.to_be_bytes());
    }
}

pub(crate) fn int(out: &mut Vec<u8>, int: i64) {
    match u64::try_from(int) {
        Ok(int) => head(out, UNSIGNED, int),
        Err(_) => head(out, NEGATIVE, !int.cast_unsigned()),
    }
}

pub(crate) fn text(out: &mut Vec<u8>, text: &str) {
    head(out, TEXT, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

/// Reads a value as if it were JSON: bytes are hex, and a NaN is its bits, or `nan` if those are the canonical ones.
pub(crate) fn read(bytes: &[u8]) -> Result<SyntaxTree, CborError> {
    let mut reader = CborReader { rest: bytes };
    let tree = reader.item(0)?;
    if reader.rest.is_empty() { Ok(tree) } else { Err(CborError::Trailing(reader.rest.len())) }
}

/// What is shown of CBOR: the JSON that it stands for, or its bytes, if it cannot be read.
pub(crate) fn shown(bytes: &[u8]) -> String {
    let mut json = String::new();
    match read(bytes) {
        Ok(tree) => write_json(&mut json, &tree),
        Err(_) => json = sanitize::bytes(&bytes[..bytes.len().min(SHOWN)]),
    }
    json
}

struct CborReader<'a> {
    rest: &'a [u8],
}

impl<'a> CborReader<'a> {
    fn item(&mut self, depth: usize) -> Result<SyntaxTree, CborError> {
        let [first] = self.array()?;
        match (first >> 5, first) {
            (UNSIGNED, _) => {
                let int = self.number(first)?;
                Ok(i64::try_from(int).map_or(SyntaxTree::BigInt(int), SyntaxTree::Int))
            }
            (NEGATIVE, _) => {
                let int = i64::try_from(self.number(first)?).map_err(|_| CborError::Unexpected(first))?;
                Ok(SyntaxTree::Int(!int))
            }
            (BYTES, _) => Ok(SyntaxTree::Text(hex::encode(self.counted(first)?))),
            (TEXT, _) => self.text(first).map(|text| SyntaxTree::Text(text.to_owned())),
            (LIST | MAP, _) if depth == DEEPEST => Err(CborError::TooDeep),
            (LIST, _) => {
                let count = self.count(first)?;
                let mut items = Vec::with_capacity(count.min(RESERVED));
                for _ in 0..count {
                    items.push(self.item(depth + 1)?);
                }
                Ok(SyntaxTree::List(items))
            }
            (MAP, _) => {
                let count = self.count(first)?;
                let mut pairs = Vec::with_capacity(count.min(RESERVED));
                for _ in 0..count {
                    pairs.push(self.pair(depth)?);
                }
                Ok(SyntaxTree::Map(pairs))
            }
            (_, FALSE) => Ok(SyntaxTree::Bool(false)),
            (_, TRUE) => Ok(SyntaxTree::Bool(true)),
            (_, NULL) => Ok(SyntaxTree::Null),
            (_, HALF) => Ok(single(widened(u16::from_be_bytes(self.array()?)))),
            (_, SINGLE) => Ok(single(u32::from_be_bytes(self.array()?))),
            (_, DOUBLE) => Ok(double(u64::from_be_bytes(self.array()?))),
            (TAG.., _) => Err(CborError::Unexpected(first)),
        }
    }

    fn pair(&mut self, depth: usize) -> Result<(String, SyntaxTree), CborError> {
        let [first] = self.array()?;
        if first >> 5 != TEXT {
            return Err(CborError::Key);
        }
        Ok((self.text(first)?.to_owned(), self.item(depth + 1)?))
    }

    fn text(&mut self, first: u8) -> Result<&'a str, CborError> {
        std::str::from_utf8(self.counted(first)?).map_err(|_| CborError::NotUtf8)
    }

    fn counted(&mut self, first: u8) -> Result<&'a [u8], CborError> {
        let count = self.count(first)?;
        let (bytes, rest) = self.rest.split_at_checked(count).ok_or(CborError::Truncated)?;
        self.rest = rest;
        Ok(bytes)
    }

    /// A count of bytes or items, each of which is at least one byte, so that no more is allocated than was sent.
    fn count(&mut self, first: u8) -> Result<usize, CborError> {
        let count = self.number(first)?;
        usize::try_from(count).ok().filter(|count| *count <= self.rest.len()).ok_or(CborError::Truncated)
    }

    fn number(&mut self, first: u8) -> Result<u64, CborError> {
        Ok(match first & 31 {
            small @ 0..24 => u64::from(small),
            24 => u64::from(u8::from_be_bytes(self.array()?)),
            25 => u64::from(u16::from_be_bytes(self.array()?)),
            26 => u64::from(u32::from_be_bytes(self.array()?)),
            27 => u64::from_be_bytes(self.array()?),
            _ => return Err(CborError::Unexpected(first)),
        })
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], CborError> {
        let (bytes, rest) = self.rest.split_first_chunk().ok_or(CborError::Truncated)?;
        self.rest = rest;
        Ok(*bytes)
    }
}

fn single(bits: u32) -> SyntaxTree {
    match f32::from_bits(bits) {
        float if !float.is_nan() => SyntaxTree::Real(f64::from(float)),
        _ if bits == f32::NAN.to_bits() => SyntaxTree::Text("nan".to_owned()),
        _ => SyntaxTree::Text(format!("{bits:#010x}")),
    }
}

fn double(bits: u64) -> SyntaxTree {
    match f64::from_bits(bits) {
        float if !float.is_nan() => SyntaxTree::Real(float),
        _ if bits == f64::NAN.to_bits() => SyntaxTree::Text("nan".to_owned()),
        _ => SyntaxTree::Text(format!("{bits:#018x}")),
    }
}

/// The bits of the float of 32 bits that is this one of 16. Libraries write those where no bit is lost.
fn widened(half: u16) -> u32 {
    let (sign, exponent, mantissa) = (u32::from(half >> 15) << 31, u32::from(half >> 10 & 31), u32::from(half & 1023));
    sign | match exponent {
        // 2^-24 for each unit: exact, and so is the product.
        0 => (f32::from(half & 1023) * f32::from_bits((127 - 24) << 23)).to_bits(),
        31 => 0xff << 23 | mantissa << 13,
        _ => (exponent + 127 - 15) << 23 | mantissa << 13,
    }
}

fn write_json(out: &mut String, tree: &SyntaxTree) {
    // Writing to a string cannot fail, and neither can plain data.
    match tree {
        SyntaxTree::Null => out.push_str("null"),
        SyntaxTree::Bool(bool) => drop(write!(out, "{bool}")),
        SyntaxTree::Int(int) if int.unsigned_abs() <= EXACT => drop(write!(out, "{int}")),
        SyntaxTree::Int(int) => drop(write!(out, "\"{int}\"")),
        SyntaxTree::BigInt(int) => drop(write!(out, "\"{int}\"")),
        SyntaxTree::Real(real) if real.is_infinite() => out.push_str(if *real > 0.0 { "\"inf\"" } else { "\"-inf\"" }),
        SyntaxTree::Real(real) => drop(write!(out, "{}", serde_json::Value::from(*real))),
        SyntaxTree::Text(text) => drop(write!(out, "{}", serde_json::Value::from(text.as_str()))),
        SyntaxTree::List(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                write_json(out, item);
            }
            out.push(']');
        }
        SyntaxTree::Map(pairs) => {
            out.push('{');
            for (index, (key, item)) in pairs.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                let _ = write!(out, "{}:", serde_json::Value::from(key.as_str()));
                write_json(out, item);
            }
            out.push('}');
        }
        // CBOR is not read so.
        SyntaxTree::Tagged(tagged) => write_json(out, &tagged.1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(hex: &str) -> String {
        read(&hex::decode(hex).unwrap_or_default()).map_or_else(
            |error| error.to_string(),
            |tree| {
                let mut json = String::new();
                write_json(&mut json, &tree);
                json
            },
        )
    }

    #[test]
    fn items_are_what_the_standard_says() {
        // From appendix A of RFC 8949.
        for (hex, shown) in [
            ("1864", "100"),
            ("1bffffffffffffffff", "\"18446744073709551615\""),
            ("3903e7", "-1000"),
            ("f90001", "5.960464477539063e-8"),
            ("f9c400", "-4.0"),
            ("f90400", "0.00006103515625"),
            ("f97e00", "\"nan\""),
            ("f9fc00", "\"-inf\""),
            ("fa47c35000", "100000.0"),
            ("fb3ff199999999999a", "1.1"),
            ("4401020304", "\"01020304\""),
            ("62c3bc", "\"ü\""),
            ("a26161016162820203", "{\"a\":1,\"b\":[2,3]}"),
        ] {
            assert_eq!(json(hex), shown, "{hex}");
        }
    }

    #[test]
    fn every_bit_of_a_nan_is_kept() {
        assert_eq!(json("fa7f800001"), "\"0x7f800001\"");
        assert_eq!(json("fbfff8000000000001"), "\"0xfff8000000000001\"");
    }

    #[test]
    fn damage_is_named() {
        for (hex, error) in [
            ("", CborError::Truncated),
            ("a1", CborError::Truncated),
            ("9bffffffffffffffff", CborError::Truncated),
            ("0000", CborError::Trailing(1)),
            ("61ff", CborError::NotUtf8),
            ("a10000", CborError::Key),
            ("9f00ff", CborError::Unexpected(0x9f)),
            ("c000", CborError::Unexpected(0xc0)),
            ("3bffffffffffffffff", CborError::Unexpected(0x3b)),
        ] {
            assert_eq!(json(hex), error.to_string(), "{hex}");
        }
        assert_eq!(json(&"81".repeat(DEEPEST + 1)), CborError::TooDeep.to_string());
    }
}
