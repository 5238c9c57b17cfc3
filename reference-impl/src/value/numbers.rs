//! Numbers, as a value holds them.

use alloc::vec::Vec;
use core::fmt;

use smallvec::SmallVec;

/// Numbers of one width. Up to 16 bytes are stored inline, except in `Bytes`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Numbers {
    /// Unsigned integers of 8 bits.
    Bytes(Vec<u8>),
    /// Signed integers of 32 bits.
    Int32(SmallVec<[i32; 4]>),
    /// Signed integers of 64 bits.
    Int64(SmallVec<[i64; 2]>),
    /// IEEE 754 singles, as their bits.
    Float32(SmallVec<[F32; 4]>),
    /// IEEE 754 doubles, as their bits.
    Float64(SmallVec<[F64; 2]>),
}

impl Numbers {
    /// Singles as doubles, and doubles as the nearest singles; others as they are.
    #[must_use]
    pub(crate) fn other_width(self) -> Self {
        match self {
            Self::Float32(numbers) => Self::Float64(numbers.into_iter().map(|number| number.widen().quiet()).collect()),
            Self::Float64(numbers) => Self::Float32(numbers.into_iter().map(F64::nearest).collect()),
            Self::Bytes(_) | Self::Int32(_) | Self::Int64(_) => self,
        }
    }

    /// How many numbers there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Bytes(numbers) => numbers.len(),
            Self::Int32(numbers) => numbers.len(),
            Self::Int64(numbers) => numbers.len(),
            Self::Float32(numbers) => numbers.len(),
            Self::Float64(numbers) => numbers.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A single, stored as its bits, so that no NaN is quieted by accident.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct F32(pub u32);

/// A double, stored as its bits for the same reason.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct F64(pub u64);

impl F32 {
    /// The number as an `f32`.
    pub fn get(self) -> f32 {
        f32::from_bits(self.0)
    }

    /// The same number as a double; a NaN keeps sign and payload (a signalling one too).
    pub fn widen(self) -> F64 {
        if self.get().is_nan() {
            let sign = u64::from(self.0 >> 31) << 63;
            let payload = u64::from(self.0 & 0x007f_ffff) << 29;
            return F64(sign | 0x7ff0_0000_0000_0000 | payload);
        }
        F64(f64::from(self.get()).to_bits())
    }
}

impl F64 {
    /// The number as an `f64`.
    pub fn get(self) -> f64 {
        f64::from_bits(self.0)
    }

    /// The same number; a signalling NaN becomes quiet, as processors make it where they widen a single: see erratum
    /// `signalling-nan-is-quieted`.
    #[must_use]
    pub fn quiet(self) -> Self {
        if self.get().is_nan() { Self(self.0 | 0x0008_0000_0000_0000) } else { self }
    }

    /// The nearest single. A NaN keeps its sign and the upper bits of its payload, and becomes quiet, as processors
    /// make it: see erratum `signalling-nan-is-quieted`.
    pub fn nearest(self) -> F32 {
        if self.get().is_nan() {
            let [sign, payload] = [self.0 >> 32 & 0x8000_0000, self.0 >> 29 & 0x003f_ffff];
            return F32(u32::try_from(sign | 0x7fc0_0000 | payload).unwrap_or(f32::NAN.to_bits()));
        }
        #[expect(clippy::cast_possible_truncation, reason = "that is what it is for")]
        F32::from(self.get() as f32)
    }

    /// The same number as a single; `None` if widening that gives another number, and for every NaN.
    pub fn narrow(self) -> Option<F32> {
        #[expect(clippy::cast_possible_truncation, reason = "whether it was lossy is what the next line asks")]
        let single = self.get() as f32;
        (f64::from(single).to_bits() == self.0 && !single.is_nan()).then_some(F32(single.to_bits()))
    }
}

impl From<f32> for F32 {
    fn from(number: f32) -> Self {
        Self(number.to_bits())
    }
}

impl From<f64> for F64 {
    fn from(number: f64) -> Self {
        Self(number.to_bits())
    }
}

impl fmt::Debug for F32 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.get().is_nan() { write!(f, "nan({:#010x})", self.0) } else { write!(f, "{:?}", self.get()) }
    }
}

impl fmt::Debug for F64 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.get().is_nan() { write!(f, "nan({:#018x})", self.0) } else { write!(f, "{:?}", self.get()) }
    }
}
