//! The codec: a dialect, compiled into tables by id and by layout.

use alloc::boxed::Box;
use alloc::string::ToString;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

use variant_specs::{
    Dialect, FLAG_1, JudgedBy, KeyRule, LayoutId, Layouts, RecordField, Rules, Scalar, Shape, UnknownFlags,
};

use crate::decode::Decoder;
use crate::encode::Encoder;
use crate::error::{DecodeError, EncodeError};
use crate::text::Text;
use crate::trace::{Spans, Trace, Untraced};
use crate::value::{ElementType, Value};

/// Decodes and encodes one dialect by one judge.
#[derive(Debug, Clone)]
pub struct Codec {
    pub(crate) layouts: Arc<Layouts>,
    pub(crate) id_mask: u32,
    pub(crate) depth: usize,
    pub(crate) rules: Rules,
    pub(crate) options: Options,
    plans: Arc<[TypePlan]>,
    /// For each layout, the index of its plan.
    by_layout: Arc<[Option<usize>]>,
    /// For each shape, the index of its first plan.
    by_shape: Arc<[Option<usize>]>,
}

/// What a caller may allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// Whether objects with their properties are read and written.
    pub objects: bool,
}

/// A value and how many bytes it took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded {
    /// The value that was read.
    pub value: Value,
    /// Bytes consumed. More than the input has if its last padding is missing, where the dialect allows that.
    pub used: usize,
}

/// What the codec needs to know of one type id.
#[derive(Debug, Clone)]
pub(crate) struct TypePlan {
    pub(crate) id: u32,
    pub(crate) layout: LayoutId,
    pub(crate) shape: Shape,
    /// The width of each number of a value, precision applied. Byte for shapes without numbers.
    pub(crate) scalar: Scalar,
    /// The same on the wire: without flag 1, and with it.
    pub(crate) on_wire: [Scalar; 2],
    /// The flags that mean something in its header.
    pub(crate) known_flags: u32,
    /// The flags that are refused there: none, or all others.
    pub(crate) refused_flags: u32,
    /// The flags of its header that its encoder sets, whatever the value.
    pub(crate) own_flags: u32,
    /// Numbers in the value, or in an element.
    pub(crate) arity: usize,
    /// For each number on the wire, its index in the value.
    pub(crate) wire: Vec<usize>,
    /// Whether the order on the wire is that of the value: then numbers are copied as they are.
    pub(crate) in_order: bool,
}

/// As many bytes as most packets need.
const ROOM: usize = 64;

/// The depth for dialects whose engines have no limit: enough for any real value, and safe on any stack.
const OWN_DEPTH: usize = 1280;

impl Codec {
    /// A codec for this dialect, with objects not allowed.
    pub fn new(dialect: &Dialect, judged_by: JudgedBy) -> Self {
        let plans: Arc<[TypePlan]> =
            dialect.types.iter().map(|entry| TypePlan::new(dialect, entry.id, entry.layout, judged_by)).collect();
        let by_layout =
            dialect.layouts.iter().map(|(layout, _)| plans.iter().position(|plan| plan.layout == layout)).collect();
        let shapes = plans.iter().map(|plan| plan.shape as usize + 1).max();
        let mut by_shape = vec![None; shapes.unwrap_or_default()];
        for (place, plan) in plans.iter().enumerate().rev() {
            by_shape[plan.shape as usize] = Some(place);
        }
        Self {
            layouts: Arc::clone(&dialect.layouts),
            id_mask: dialect.header.mask(judged_by),
            depth: dialect.depth.unwrap_or(OWN_DEPTH),
            rules: dialect.rules(judged_by).clone(),
            options: Options::default(),
            plans,
            by_layout,
            by_shape: by_shape.into(),
        }
    }

    /// The same with other options.
    #[must_use]
    pub fn with(mut self, options: Options) -> Self {
        self.options = options;
        self
    }

    /// The same, of which no two keys are one: a dictionary that is read has each pair of its packet.
    #[must_use]
    pub fn keeping_repeated_keys(mut self) -> Self {
        self.rules.keys = KeyRule::Repeated;
        self
    }

    /// The layouts that a value's [`LayoutId`]s point into.
    pub fn layouts(&self) -> &Layouts {
        &self.layouts
    }

    /// Whether two keys of a dictionary are one, as in the engines of the dialect: as floats, all NaNs are, and `0.0` is
    /// `-0.0`. Where a dialect keeps repeated keys, no two are.
    pub fn is_same_key(&self, left: &Value, right: &Value) -> bool {
        crate::keys::is_same_key(left, right, self.rules.keys, &self.layouts)
    }

    /// How many values a path may have, the innermost included: the dialect's limit, or the codec's own.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Reads the value at the start of `packet`. Bytes after it are ignored.
    ///
    /// # Errors
    /// What is wrong, and the offset of the first field that cannot be right.
    pub fn decode(&self, packet: &[u8]) -> Result<Decoded, DecodeError> {
        self.decode_traced(packet, &mut Untraced)
    }

    /// The same, and reports every field to `trace`.
    ///
    /// # Errors
    /// The same errors as [`Codec::decode`].
    pub fn decode_traced<T: Trace>(&self, packet: &[u8], trace: &mut T) -> Result<Decoded, DecodeError> {
        let mut value = Value::Null;
        let used = Decoder::new(self, packet, trace).run(&mut value)?;
        Ok(Decoded { value, used })
    }

    /// The same, with the fields that it read: those before the error, if there is one.
    pub fn traced(&self, packet: &[u8]) -> (Spans, Result<Decoded, DecodeError>) {
        let mut spans = Spans::default();
        let decoded = self.decode_traced(packet, &mut spans);
        (spans, decoded)
    }

    /// Reads the value at the start of `packet` into `place`, and returns how many bytes it took. This is for callers
    /// that read many values, since it is slow to move what was just written. After an error, `place` has nothing
    /// of use to the caller.
    ///
    /// # Errors
    /// The same errors as [`Codec::decode`].
    pub fn decode_into(&self, packet: &[u8], place: &mut Value) -> Result<usize, DecodeError> {
        *place = Value::Null;
        Decoder::new(self, packet, &mut Untraced).run(place)
    }

    /// The packet of a value.
    ///
    /// # Errors
    /// Why the dialect cannot carry the value.
    pub fn encode(&self, value: &Value) -> Result<Vec<u8>, EncodeError> {
        // Room for most packets: growing to that step by step costs more than writing them.
        let mut packet = Vec::with_capacity(ROOM);
        self.encode_into(value, &mut packet)?;
        Ok(packet)
    }

    /// Appends the packet of a value to `packet`, which is left as it was if that fails.
    ///
    /// # Errors
    /// The same errors as [`Codec::encode`].
    pub fn encode_into(&self, value: &Value, packet: &mut Vec<u8>) -> Result<(), EncodeError> {
        let before = packet.len();
        Encoder::new(self, packet).value(value, 1).map_err(|error| {
            packet.truncate(before);
            *error
        })
    }

    /// The plan of an id, which is its index: ids have no gaps.
    #[inline]
    pub(crate) fn plan(&self, id: u32) -> Option<&TypePlan> {
        self.plans.get(usize::try_from(id).ok()?)
    }

    #[inline]
    pub(crate) fn plan_of(&self, layout: LayoutId) -> Result<&TypePlan, Box<EncodeError>> {
        let place = self.by_layout.get(usize::from(layout.0)).copied().flatten();
        place.map(|place| &self.plans[place]).ok_or_else(|| self.no_layout(layout))
    }

    #[inline]
    pub(crate) fn plan_of_shape(&self, shape: Shape) -> Result<&TypePlan, Box<EncodeError>> {
        let place = self.by_shape.get(shape as usize).copied().flatten();
        place.map(|place| &self.plans[place]).ok_or_else(|| self.no_shape(shape))
    }

    #[cold]
    fn no_layout(&self, layout: LayoutId) -> Box<EncodeError> {
        Box::new(EncodeError::NoSuchType(self.layouts.get(layout).name.clone()))
    }

    #[cold]
    fn no_shape(&self, shape: Shape) -> Box<EncodeError> {
        let layout = self.layouts.id_of_shape(shape);
        let name = layout.map_or_else(|| "of that shape".to_string(), |id| self.layouts.get(id).name.clone());
        Box::new(EncodeError::NoSuchType(name))
    }

    /// The fields of the record of this plan; `None` if the dialect does not support the type.
    pub(crate) fn record(&self, plan: &TypePlan) -> Option<&[RecordField]> {
        self.rules.record(self.layouts.get(plan.layout))
    }

    /// The class that replaces any other in the type of this container, if objects are not allowed.
    pub(crate) fn stand_in(&self, container: LayoutId) -> Option<Text> {
        self.layouts.get(container).stand_in.as_deref().map(Text::from)
    }

    /// How paths of scripts begin in the type of this container, like `res://`.
    pub(crate) fn scripts(&self, container: LayoutId) -> Option<&str> {
        self.layouts.get(container).scripts.as_deref()
    }

    /// Whether these elements are objects.
    pub(crate) fn is_of_objects(&self, of: &ElementType) -> bool {
        match of {
            ElementType::Layout(layout) => self.layouts.get(*layout).objects,
            ElementType::Class(_) | ElementType::Script(_) => true,
            ElementType::Id(_) => false,
        }
    }
}

impl TypePlan {
    fn new(dialect: &Dialect, id: u32, layout_id: LayoutId, judged_by: JudgedBy) -> Self {
        let layout = dialect.layouts.get(layout_id);
        let documented = dialect.rules(judged_by).document_fields;
        let wire = if documented { &layout.document_wire } else { &layout.wire };
        let known_flags = dialect.known_flags(layout, judged_by);
        let refused = dialect.header.unknown_flags == UnknownFlags::Refused;
        Self {
            id,
            layout: layout_id,
            shape: layout.shape,
            scalar: dialect.scalar(layout),
            on_wire: [dialect.wire_scalar(layout, 0), dialect.wire_scalar(layout, FLAG_1)],
            known_flags,
            refused_flags: if refused { !known_flags } else { 0 },
            own_flags: dialect.own_flags(layout),
            arity: layout.arity(),
            wire: wire.clone(),
            in_order: wire.is_sorted(),
        }
    }
}
