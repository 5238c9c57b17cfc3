//! Reals as they may be written: a number, a name, or bits.

use variant_codec::{F32, F64};

use super::error::{Result, error};
use crate::SyntaxTree;

/// How numbers may be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strictness {
    /// In the corpus: reals with a point, so that nobody writes an int by mistake.
    Corpus,
    /// In a reply: any number.
    Reply,
    /// In a reply from where ints are doubles: also 2^63, the nearest to the largest int.
    RoundedReply,
}

/// Reads and counts reals.
pub(super) struct Reals {
    pub(super) strictness: Strictness,
    /// The number of reals so far.
    met: usize,
    /// Which of them match any NaN.
    pub(super) any_nan: Vec<usize>,
}

impl Reals {
    pub(super) fn new(strictness: Strictness) -> Self {
        Self { strictness, met: 0, any_nan: Vec::new() }
    }

    /// A 32-bit real: a number is rounded once, bits are taken as they are.
    pub(super) fn single(&mut self, node: &SyntaxTree) -> Result<F32> {
        if let Some(bits) = bits(node, 8)? {
            self.met += 1;
            return Ok(F32(u32::try_from(bits).map_err(|_| error("bits of a 32-bit real have 8 digits"))?));
        }
        let number = self.number(node)?;
        #[expect(clippy::cast_possible_truncation, reason = "rounded once, as the format of values says")]
        let single = number as f32;
        if single.is_infinite() && number.is_finite() {
            return Err(error(format!("{number} does not fit in 32 bits")));
        }
        Ok(F32::from(single))
    }

    /// The `float` type: 16 digits, or 8 for a widened 32-bit float.
    pub(super) fn float(&mut self, node: &SyntaxTree) -> Result<F64> {
        if let Some(bits) = bits(node, 8).ok().flatten() {
            self.met += 1;
            return Ok(F32(u32::try_from(bits).map_err(|_| error("8 digits are 32 bits"))?).widen());
        }
        self.double(node)
    }

    /// A double in a packed array or in a double-precision build: 16 digits.
    pub(super) fn double(&mut self, node: &SyntaxTree) -> Result<F64> {
        if let Some(bits) = bits(node, 16)? {
            self.met += 1;
            return Ok(F64(bits));
        }
        self.number(node).map(F64::from)
    }

    fn number(&mut self, node: &SyntaxTree) -> Result<f64> {
        self.met += 1;
        match node {
            SyntaxTree::Real(real) => Ok(*real),
            #[expect(clippy::cast_precision_loss, reason = "a whole number is that real")]
            SyntaxTree::Int(int) if self.strictness != Strictness::Corpus => Ok(*int as f64),
            SyntaxTree::Int(int) => Err(error(format!("{int} is an integer; a real is written with a point: {int}.0"))),
            SyntaxTree::Text(word) => self.named(word),
            _ => Err(error(format!("{} where a real was expected", node.kind()))),
        }
    }

    fn named(&mut self, word: &str) -> Result<f64> {
        match word {
            "nan" => {
                self.any_nan.push(self.met - 1);
                Ok(f64::NAN)
            }
            "inf" => Ok(f64::INFINITY),
            "-inf" => Ok(f64::NEG_INFINITY),
            "-0" => Ok(-0.0),
            _ => Err(error(format!(
                "{word:?} is not a real: a number, \"nan\", \"inf\", \"-inf\", or bits as \"0x7fc00001\""
            ))),
        }
    }
}

/// Bits like `"0x7fc00001"`, of exactly this many digits; `None` if it is something else.
fn bits(node: &SyntaxTree, digits: usize) -> Result<Option<u64>> {
    let SyntaxTree::Text(text) = node else { return Ok(None) };
    let Some(hex) = text.strip_prefix("0x") else { return Ok(None) };
    let bits = u64::from_str_radix(hex, 16).ok().filter(|_| hex.len() == digits && !hex.starts_with('+'));
    let precision = if digits == 8 { "single" } else { "double" };
    bits.map(Some)
        .ok_or_else(|| error(format!("{text:?} is no float of {precision} precision, which has {digits} hex digits")))
}
