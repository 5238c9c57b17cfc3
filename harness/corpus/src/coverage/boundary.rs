//! Boundaries: the values at which codecs go wrong.

use strum::IntoStaticStr;
use variant_codec::{F32, F64, Role};
use variant_specs::{Dialect, FieldForm, Layout, Scalar, Shape, any_field};

/// A value at the edge of what a field can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Boundary {
    /// The real -0.0, whose sign bit is set.
    NegativeZero,
    /// Infinity of either sign.
    Infinity,
    /// A real that is not a number.
    Nan,
    /// A real below the smallest normal one.
    Subnormal,
    /// The largest that the field can hold, of either sign for a real.
    Largest,
    /// The smallest that the field can hold.
    Smallest,
    /// A count, length or id that is zero.
    Empty,
    /// A truth value that is neither 0 nor 1.
    OtherTruth,
    /// The header is cut: the only boundary of a type without fields.
    CutHeader,
}

impl Boundary {
    /// The word in reports: `negative-zero`.
    pub fn name(self) -> &'static str {
        self.into()
    }

    /// The boundary at which a field's bytes are.
    pub(super) fn of(role: Role, name: &str, bytes: &[u8]) -> Option<Self> {
        match role {
            Role::Count | Role::Length | Role::Flags | Role::Word => {
                Self::of_word(name, u32::from_le_bytes(bytes.try_into().ok()?))
            }
            Role::Bool => (u32::from_le_bytes(bytes.try_into().ok()?) > 1).then_some(Self::OtherTruth),
            Role::Number(Scalar::Byte | Scalar::Int32 | Scalar::Int64) => Self::of_int(bytes),
            Role::Number(Scalar::Float32 | Scalar::Float64 | Scalar::Real | Scalar::Channel) => Self::of_real(bytes),
            Role::Id => match u64::from_le_bytes(bytes.try_into().ok()?) {
                0 => Some(Self::Empty),
                u64::MAX => Some(Self::Largest),
                _ => None,
            },
            Role::Header(_) | Role::Text | Role::Bytes | Role::Nul | Role::Padding => None,
        }
    }

    fn of_word(name: &str, word: u32) -> Option<Self> {
        // A node path's name count has bit 31 set.
        let empty = name == "name-count" && word == 1 << 31 || word == 0;
        match word {
            _ if empty && (name == "length" || name.ends_with("count")) => Some(Self::Empty),
            0x7fff_ffff | u32::MAX => Some(Self::Largest),
            0x8000_0000 => Some(Self::Smallest),
            _ => None,
        }
    }

    fn of_int(bytes: &[u8]) -> Option<Self> {
        let (last, rest) = bytes.split_last()?;
        match bytes.len() {
            1 => (*last == 0xff).then_some(Self::Largest),
            _ if *last == 0x7f && rest.iter().all(|byte| *byte == 0xff) => Some(Self::Largest),
            _ if *last == 0x80 && rest.iter().all(|byte| *byte == 0) => Some(Self::Smallest),
            _ => None,
        }
    }

    fn of_real(bytes: &[u8]) -> Option<Self> {
        let (class, sign, largest) = match bytes.len() {
            4 => {
                let real = F32(u32::from_le_bytes(bytes.try_into().ok()?)).get();
                (real.classify(), real.is_sign_negative(), real.abs() == f32::MAX)
            }
            8 => {
                let real = F64(u64::from_le_bytes(bytes.try_into().ok()?)).get();
                (real.classify(), real.is_sign_negative(), real.abs() == f64::MAX)
            }
            _ => return None,
        };
        match class {
            std::num::FpCategory::Nan => Some(Self::Nan),
            std::num::FpCategory::Infinite => Some(Self::Infinity),
            std::num::FpCategory::Subnormal => Some(Self::Subnormal),
            std::num::FpCategory::Zero => sign.then_some(Self::NegativeZero),
            std::num::FpCategory::Normal => largest.then_some(Self::Largest),
        }
    }

    /// Of a type without fields, or with whole values alone, only the header can be cut.
    pub(super) fn cuts_a_fieldless_header(packet: &[u8], layout: &Layout, dialect: &Dialect) -> bool {
        let record = dialect.rules.record(layout).unwrap_or_default();
        let has_own = |form: &FieldForm| {
            !matches!(form, FieldForm::Value | FieldForm::Permission | FieldForm::Size | FieldForm::Padding { .. })
        };
        let fieldless = layout.shape == Shape::Record && !any_field(record, has_own);
        packet.len() < 4 && (fieldless || layout.shape == Shape::Empty || layout.objects)
    }
}
