//! Decoding: one function a shape.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::Range;

use smallvec::SmallVec;
use variant_specs::{
    BadImage, FLAG_1, Layout, LayoutId, NegativeTextCount, NodePathProperty, ObjectRule, OldNodePath, RidRule, Scalar,
    Shape, SharedBit, UnknownFlags,
};

use crate::codec::{Codec, Decoded, Plan};
use crate::cursor::{Cursor, padding};
use crate::error::{DecodeError, Refusal};
use crate::keys::Unique;
use crate::trace::{Role, Step, Trace};
use crate::utf8;
use crate::value::{
    Array, Dictionary, ElementType, EntryTypes, F32, F64, Image, InputEvent, NodePath, Numbers, Object, Signal, Text,
    TypedArray, Value,
};

type Result<T> = core::result::Result<T, DecodeError>;

/// Bit 31 of a count: `shared` in containers, the new form in node paths.
pub(crate) const HIGH_BIT: u32 = 1 << 31;
/// In the flags of a node path: one text more than the counts say.
pub(crate) const FLAG_ONE_MORE: u32 = 2;
const BOM: &[u8] = b"\xef\xbb\xbf";

/// One decoding.
pub(crate) struct Decoder<'a, T> {
    codec: &'a Codec,
    input: Cursor<'a>,
    trace: &'a mut T,
    /// Bytes of the last padding that the input lacks.
    lacking: usize,
    /// How many more elements may be allocated ahead of reading them. A packet holds no more elements than
    /// words, so that an honest one never runs out, and nested counts that promise too much do.
    promised: usize,
}

impl<'a, T: Trace> Decoder<'a, T> {
    pub(crate) fn new(codec: &'a Codec, packet: &'a [u8], trace: &'a mut T) -> Self {
        Self { codec, input: Cursor::new(packet), trace, lacking: 0, promised: packet.len() / 4 }
    }

    pub(crate) fn run(mut self) -> Result<Decoded> {
        let value = self.value(1)?;
        Ok(Decoded { value, used: self.input.at() + self.lacking })
    }

    /// A whole value, the `depth`th on its path.
    fn value(&mut self, depth: usize) -> Result<Value> {
        if depth > self.codec.depth {
            return Err(self.input.refuse(Refusal::TooDeep));
        }
        let (plan, flags) = self.header()?;
        match plan.shape {
            Shape::Array => self.array(plan, flags, depth),
            Shape::Dictionary => self.dictionary(plan, flags, depth),
            Shape::Object => self.object(flags, depth),
            Shape::Typed => self.typed(plan, flags, depth),
            Shape::Empty
            | Shape::Bool
            | Shape::Int
            | Shape::Float
            | Shape::Text
            | Shape::Fields
            | Shape::Packed
            | Shape::PackedText
            | Shape::NodePath
            | Shape::Rid
            | Shape::Image
            | Shape::InputEvent
            | Shape::Callable
            | Shape::Signal => self.leaf(plan, flags),
        }
    }

    /// A value with no value within. Apart from those, so that a deep path takes little stack.
    #[inline(never)]
    fn leaf(&mut self, plan: &Plan, flags: u32) -> Result<Value> {
        match plan.shape {
            Shape::Empty | Shape::Array | Shape::Dictionary | Shape::Object | Shape::Typed => Ok(Value::Null),
            Shape::Bool => self.bool(),
            Shape::Int => self.int(flags),
            Shape::Float => self.float(flags),
            Shape::Text => self.text().map(|text| Value::Text(plan.layout, text)),
            Shape::Fields => self.fields(plan, flags),
            Shape::Packed => self.packed(plan, flags),
            Shape::PackedText => self.packed_text(plan),
            Shape::NodePath => self.node_path(),
            Shape::Rid => self.rid(),
            Shape::Image => self.image(plan),
            Shape::InputEvent => self.input_event(plan),
            Shape::Callable => Ok(Value::Callable),
            Shape::Signal => self.signal(),
        }
    }

    /// An empty list for so many elements, as far as they can be believed in.
    fn room_for<E>(&mut self, count: usize) -> Vec<E> {
        let believed = count.min(self.promised);
        self.promised -= believed;
        Vec::with_capacity(believed)
    }

    fn header(&mut self) -> Result<(&'a Plan, u32)> {
        let before = self.input;
        let word = self.input.word()?;
        let id = word & self.codec.id_mask;
        let plan = self.codec.plan(id).ok_or_else(|| before.refuse(Refusal::UnknownType))?;
        let flags = word & !self.codec.id_mask;
        let known = plan.known_flags;
        if self.codec.header.unknown_flags == UnknownFlags::Refused && flags & !known != 0 {
            return Err(before.refuse(Refusal::UnknownFlag));
        }
        self.tell(before.at(), "header", Role::Header(plan.layout));
        Ok((plan, flags & known))
    }

    fn bool(&mut self) -> Result<Value> {
        let word = self.word("value", Role::Bool)?;
        Ok(Value::Bool(word != 0))
    }

    fn int(&mut self, flags: u32) -> Result<Value> {
        if flags & FLAG_1 == 0 {
            let word = self.word("value", Role::Number(Scalar::Int32))?;
            return Ok(Value::Int(i64::from(word.cast_signed())));
        }
        self.long("value", Role::Number(Scalar::Int64)).map(|long| Value::Int(long.cast_signed()))
    }

    fn float(&mut self, flags: u32) -> Result<Value> {
        if flags & FLAG_1 == 0 {
            let word = self.word("value", Role::Number(Scalar::Float32))?;
            return Ok(Value::Float(F32(word).widen()));
        }
        self.long("value", Role::Number(Scalar::Float64)).map(|long| Value::Float(F64(long)))
    }

    fn text(&mut self) -> Result<Text> {
        self.padded_text(self.codec.rules.text_padding_optional_at_end)
    }

    /// A text whose padding may be missing at the end of the input where it is `optional`.
    fn padded_text(&mut self, optional: bool) -> Result<Text> {
        let length = self.length("length", Role::Length, 1)?;
        let text = self.utf8(length)?;
        self.padding(length, optional)?;
        Ok(text)
    }

    /// The text of a length that is known to fit.
    fn utf8(&mut self, length: usize) -> Result<Text> {
        let before = self.input;
        let mut bytes = self.input.take(length)?;
        self.tell_unless_empty(before.at(), "text", Role::Text);
        if self.codec.rules.text_ends_at_nul {
            let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(length);
            bytes = &bytes[..end];
        }
        if self.codec.rules.text_drops_bom {
            bytes = bytes.strip_prefix(BOM).unwrap_or(bytes);
        }
        if core::str::from_utf8(bytes).is_ok() {
            return Ok(Text::from_bytes(bytes));
        }
        let text = utf8::read(bytes, self.codec.rules.utf8);
        text.map(|bytes| Text::from_bytes(&bytes)).ok_or_else(|| before.refuse(Refusal::BadUtf8))
    }

    fn fields(&mut self, plan: &Plan, flags: u32) -> Result<Value> {
        let scalar = on_wire(plan, flags);
        let numbers = if T::ON { self.numbers_traced(plan, scalar, 1, false)? } else { self.numbers(plan, scalar, 1)? };
        Ok(Value::Fields(plan.layout, in_value(numbers, plan, scalar)))
    }

    fn packed(&mut self, plan: &Plan, flags: u32) -> Result<Value> {
        let scalar = on_wire(plan, flags);
        let count = self.length("count", Role::Count, width(scalar) * plan.arity)?;
        if scalar == Scalar::Byte {
            return self.bytes(plan, count);
        }
        let numbers =
            if T::ON { self.numbers_traced(plan, scalar, count, true)? } else { self.numbers(plan, scalar, count)? };
        Ok(Value::Packed(plan.layout, in_value(numbers, plan, scalar)))
    }

    fn bytes(&mut self, plan: &Plan, count: usize) -> Result<Value> {
        let before = self.input.at();
        let bytes = self.input.take(count)?.to_vec();
        self.tell_unless_empty(before, "bytes", Role::Bytes);
        self.padding(count, self.codec.rules.byte_padding_optional_at_end)?;
        Ok(Value::Packed(plan.layout, Numbers::Bytes(bytes)))
    }

    fn packed_text(&mut self, plan: &Plan) -> Result<Value> {
        let mut ahead = self.input;
        if self.codec.rules.negative_text_count == NegativeTextCount::Empty && ahead.word()? & HIGH_BIT != 0 {
            self.word("count", Role::Count)?;
            return Ok(Value::PackedText(plan.layout, Vec::new()));
        }
        let count = self.length("count", Role::Count, 4)?;
        let mut texts = self.room_for(count);
        for index in 0..count {
            self.trace.enter(Step::Index(index));
            texts.push(if self.codec.rules.string_array_nul { self.text_with_nul()? } else { self.text()? });
            self.trace.leave();
        }
        Ok(Value::PackedText(plan.layout, texts))
    }

    /// A text whose length may count a terminating NUL.
    fn text_with_nul(&mut self) -> Result<Text> {
        let length = self.length("length", Role::Length, 1)?;
        let mut rest = self.input;
        let has_nul = rest.take(length)?.last() == Some(&0);
        let text = self.utf8(length - usize::from(has_nul))?;
        if has_nul {
            let before = self.input.at();
            self.input.take(1)?;
            self.tell(before, "nul", Role::Nul);
        }
        self.padding(length, self.codec.rules.text_padding_optional_at_end)?;
        Ok(text)
    }

    fn array(&mut self, plan: &Plan, flags: u32, depth: usize) -> Result<Value> {
        let of = self.container_type(plan, flags, None)?.map(Box::new);
        let (count, shared) = self.container_count(4)?;
        Ok(Value::Array(Array { items: self.items(count, depth)?, of, shared }))
    }

    fn items(&mut self, count: usize, depth: usize) -> Result<Vec<Value>> {
        let mut items = self.room_for(count);
        for index in 0..count {
            self.trace.enter(Step::Index(index));
            items.push(self.value(depth + 1)?);
            self.trace.leave();
        }
        Ok(items)
    }

    fn dictionary(&mut self, plan: &Plan, flags: u32, depth: usize) -> Result<Value> {
        let of = if flags == 0 { None } else { self.entry_types(plan, flags)? };
        let (count, shared) = self.container_count(8)?;
        let mut entries = self.entries(count);
        for index in 0..count {
            self.trace.enter(Step::Index(index));
            self.trace.enter(Step::Name("key"));
            let key = self.value(depth + 1)?;
            self.trace.leave();
            self.trace.enter(Step::Name("value"));
            let value = self.value(depth + 1)?;
            self.trace.leave();
            self.trace.leave();
            entries.push(key, value);
        }
        Ok(Value::Dictionary(Dictionary { entries: entries.into_pairs(), of, shared }))
    }

    fn entries(&mut self, count: usize) -> Unique<'a> {
        Unique::new(self.room_for(count), self.codec.rules.keys, &self.codec.layouts)
    }

    #[inline(never)]
    fn entry_types(&mut self, plan: &Plan, flags: u32) -> Result<Option<Box<EntryTypes>>> {
        let key = self.container_type(plan, flags, Some("key"))?;
        let value = self.container_type(plan, flags >> 2, Some("value"))?;
        let untyped = key.is_none() && value.is_none();
        Ok((!untyped).then(|| Box::new(EntryTypes { key, value })))
    }

    /// What the elements of a container are, as the two bits from flag 1 on say: of a type, of a class or of a script.
    /// Apart from it, so that a deep path takes little stack.
    #[inline(never)]
    fn container_type(&mut self, plan: &Plan, flags: u32, part: Option<&'static str>) -> Result<Option<ElementType>> {
        let kind = flags >> 16 & 0b11;
        if kind == 0 {
            return Ok(None);
        }
        part.inspect(|part| self.trace.enter(Step::Name(part)));
        let of = match kind {
            1 => self.built_in()?,
            2 => Some(self.class_of_elements()?),
            _ => Some(ElementType::Script(self.script(plan)?)),
        };
        part.inspect(|_| self.trace.leave());
        let stand_in = self.codec.stand_in(plan.layout).filter(|_| !self.codec.options.objects);
        Ok(match (of, stand_in) {
            (Some(of), Some(stand_in)) if self.codec.is_of_objects(&of) => Some(ElementType::Class(stand_in)),
            (of, _) => of,
        })
    }

    /// A type of the dialect; null is none.
    fn built_in(&mut self) -> Result<Option<ElementType>> {
        let before = self.input;
        let id = self.word("type", Role::Word)?;
        let element = self.codec.plan(id).ok_or_else(|| before.refuse(Refusal::UnknownType))?;
        Ok((element.shape != Shape::Empty).then_some(ElementType::Layout(element.layout)))
    }

    /// A class; without a name, any.
    fn class_of_elements(&mut self) -> Result<ElementType> {
        let class = self.named("class")?;
        let any = self.codec.layouts.id_of_shape(Shape::Object).filter(|_| class.as_bytes().is_empty());
        Ok(any.map_or(ElementType::Class(class), ElementType::Layout))
    }

    fn script(&mut self, plan: &Plan) -> Result<Text> {
        let before = self.input;
        let path = self.named("script")?;
        let begins = self.codec.scripts(plan.layout);
        // Where objects are not allowed, nobody looks for it.
        if self.codec.options.objects && !begins.is_none_or(|begins| path.as_bytes().starts_with(begins.as_bytes())) {
            return Err(before.refuse(Refusal::BadObject));
        }
        Ok(path)
    }

    fn named(&mut self, part: &'static str) -> Result<Text> {
        self.trace.enter(Step::Name(part));
        let text = self.text()?;
        self.trace.leave();
        Ok(text)
    }

    /// A count of elements of at least `least` bytes, and its high bit where the dialect keeps that.
    fn container_count(&mut self, least: usize) -> Result<(usize, bool)> {
        let before = self.input;
        let word = self.word("count", Role::Count)?;
        let count = (word & !HIGH_BIT) as usize;
        if count > self.input.left() / least {
            return Err(before.refuse(Refusal::Length));
        }
        Ok((count, self.codec.rules.shared_bit == SharedBit::Kept && word & HIGH_BIT != 0))
    }

    fn node_path(&mut self) -> Result<Value> {
        let before = self.input;
        if self.input.word()? & HIGH_BIT == 0 {
            self.input = before;
            return self.old_node_path();
        }
        self.input = before;
        let names = (self.word("name-count", Role::Count)? & !HIGH_BIT) as usize;
        let subnames_at = self.input;
        let subnames = self.word("subname-count", Role::Count)? as usize;
        let flags = self.word("flags", Role::Flags)?;
        // Each name has at least its length.
        let room = self.input.left() / 4;
        if names > room {
            return Err(before.refuse(Refusal::Length));
        }
        if subnames > room - names {
            return Err(subnames_at.refuse(Refusal::Length));
        }
        let names = self.texts("names", names)?;
        let own_property = self.codec.rules.node_path_property == NodePathProperty::Own;
        let one_more = flags & FLAG_ONE_MORE != 0;
        let subnames = self.texts("subnames", subnames + usize::from(one_more && !own_property))?;
        let mut path = NodePath { absolute: flags & 1 != 0, names, subnames, property: Text::default() };
        if one_more && own_property {
            self.trace.enter(Step::Name("property"));
            path.property = self.padded_text(false)?;
            self.trace.leave();
        }
        Ok(Value::NodePath(Box::new(path)))
    }

    fn texts(&mut self, part: &'static str, count: usize) -> Result<Vec<Text>> {
        let mut texts = self.room_for(count);
        for index in 0..count {
            self.trace.enter(Step::Element(part, index));
            texts.push(self.padded_text(false)?);
            self.trace.leave();
        }
        Ok(texts)
    }

    fn old_node_path(&mut self) -> Result<Value> {
        match self.codec.rules.old_node_path {
            OldNodePath::Refused => Err(self.input.refuse(Refusal::UnsupportedForm)),
            OldNodePath::Read => self.text().map(|text| self.spelled(&text)),
            OldNodePath::ReadUnpadded => {
                let length = self.length("length", Role::Length, 1)?;
                self.utf8(length).map(|text| self.spelled(&text))
            }
        }
    }

    /// The path that an old form spells: `/root/a:b`.
    fn spelled(&self, text: &Text) -> Value {
        let mut path = spelled(text);
        if self.codec.rules.node_path_property == NodePathProperty::Own {
            path.property = path.subnames.pop().unwrap_or_default();
        }
        Value::NodePath(Box::new(path))
    }

    fn rid(&mut self) -> Result<Value> {
        match self.codec.rules.rid {
            RidRule::Empty => Ok(Value::Rid(None)),
            RidRule::Id => self.long("id", Role::Number(Scalar::Int64)).map(|id| Value::Rid(Some(id))),
            RidRule::Unsupported => Err(self.refuse_header(Refusal::UnsupportedForm)),
        }
    }

    fn signal(&mut self) -> Result<Value> {
        let name = self.named("name")?;
        let object = self.long("object", Role::Number(Scalar::Int64))?;
        Ok(Value::Signal(Box::new(Signal { name, object })))
    }

    fn object(&mut self, flags: u32, depth: usize) -> Result<Value> {
        match self.codec.rules.object {
            ObjectRule::Unsupported => return Err(self.refuse_header(Refusal::UnsupportedForm)),
            ObjectRule::Empty => return Ok(Value::Object(Box::new(Object::Null))),
            ObjectRule::ById => {}
        }
        if flags & FLAG_1 != 0 {
            let id = self.long("id", Role::Number(Scalar::Int64))?;
            return Ok(Value::Object(Box::new(if id == 0 { Object::Null } else { Object::Id(id) })));
        }
        if !self.codec.options.objects {
            return Err(self.refuse_header(Refusal::BadObject));
        }
        self.full_object(depth)
    }

    fn full_object(&mut self, depth: usize) -> Result<Value> {
        self.trace.enter(Step::Name("class"));
        let class = self.text()?;
        self.trace.leave();
        if class.as_bytes().is_empty() {
            return Ok(Value::Object(Box::new(Object::Null)));
        }
        // Each property has at least the length of its name and the header of its value.
        let count = self.length("property-count", Role::Count, 8)?;
        let mut properties = self.room_for(count);
        for index in 0..count {
            self.trace.enter(Step::Element("properties", index));
            self.trace.enter(Step::Name("name"));
            let name = self.text()?;
            self.trace.leave();
            self.trace.enter(Step::Name("value"));
            let value = self.value(depth + 1)?;
            self.trace.leave();
            self.trace.leave();
            properties.push((name, value));
        }
        Ok(Value::Object(Box::new(Object::Full { class, properties })))
    }

    fn image(&mut self, plan: &Plan) -> Result<Value> {
        let format = self.word("format", Role::Word)?;
        let mipmaps = self.word("mipmaps", Role::Word)?;
        let width = self.word("width", Role::Word)?;
        let height = self.word("height", Role::Word)?;
        let length = self.length("length", Role::Length, 1)?;
        let before = self.input.at();
        let data = self.input.take(length)?.to_vec();
        self.tell_unless_empty(before, "data", Role::Bytes);
        self.padding(length, self.codec.rules.byte_padding_optional_at_end)?;
        let image = Image { format, mipmaps, width, height, data };
        let kept = self.codec.rules.bad_image == BadImage::Kept || fits(&image, self.codec.layouts.get(plan.layout));
        Ok(Value::Image(Box::new(if kept { image } else { Image::default() })))
    }

    fn input_event(&mut self, plan: &Plan) -> Result<Value> {
        let kind = self.word("type", Role::Word)?;
        let device = self.word("device", Role::Word)?;
        self.word("size", Role::Length)?;
        let mut words = SmallVec::new();
        for (name, real) in self.codec.layouts.get(plan.layout).event(kind) {
            let role = if *real { Role::Number(Scalar::Float32) } else { Role::Word };
            words.push(self.word(name, role)?);
        }
        Ok(Value::InputEvent(Box::new(InputEvent { kind, device, words })))
    }

    fn typed(&mut self, plan: &Plan, flags: u32, depth: usize) -> Result<Value> {
        let of = self.element_type(plan, flags, depth)?;
        let (count, _) = self.container_count(4)?;
        let items = self.items(count, depth)?;
        Ok(typed_array(plan.layout, of, items))
    }

    /// What the elements of a typed array are. Apart from it, so that a deep path takes little stack.
    #[inline(never)]
    fn element_type(&mut self, plan: &Plan, flags: u32, depth: usize) -> Result<ElementType> {
        let id = self.word("type", Role::Word)? & !HIGH_BIT;
        match self.codec.plan(id) {
            Some(element) if element.shape == Shape::Object && flags & FLAG_1 == 0 => self.class(plan, depth),
            Some(element) => Ok(ElementType::Layout(element.layout)),
            None => Ok(ElementType::Id(id)),
        }
    }

    /// The class of an array of objects: a whole value of the layout that names classes.
    fn class(&mut self, plan: &Plan, depth: usize) -> Result<ElementType> {
        let before = self.input;
        self.trace.enter(Step::Name("class"));
        let value = self.value(depth + 1)?;
        self.trace.leave();
        if let Value::Text(layout, class) = value
            && Some(layout) == self.codec.class_layout(plan.layout)
        {
            return Ok(ElementType::Class(class));
        }
        Err(before.refuse(Refusal::BadObject))
    }

    /// `elements` times the numbers of `plan`, in the order of meaning.
    fn numbers(&mut self, plan: &Plan, scalar: Scalar, elements: usize) -> Result<Numbers> {
        let before = self.input;
        let Ok(bytes) = self.input.take(elements * plan.arity * width(scalar)) else {
            return Err(self.first_cut_number(before, scalar));
        };
        let mut numbers = read_numbers(scalar, bytes);
        if !plan.in_order {
            reorder(&mut numbers, &plan.wire);
        }
        Ok(numbers)
    }

    /// The refusal of the first number that does not fit.
    #[cold]
    fn first_cut_number(&mut self, before: Cursor<'a>, scalar: Scalar) -> DecodeError {
        self.input = before;
        while self.input.take(width(scalar)).is_ok() {}
        self.input.refuse(Refusal::Truncated)
    }

    /// The same, number by number.
    fn numbers_traced(&mut self, plan: &Plan, scalar: Scalar, elements: usize, indexed: bool) -> Result<Numbers> {
        let before = self.input;
        for index in 0..elements {
            if indexed {
                self.trace.enter(Step::Index(index));
            }
            for name in &plan.names {
                let at = self.input.at();
                self.input.take(width(scalar))?;
                self.tell(at, name, Role::Number(scalar));
            }
            if indexed {
                self.trace.leave();
            }
        }
        self.input = before;
        self.numbers(plan, scalar, elements)
    }

    /// A count or length of things of `size` bytes each, all of which must fit.
    fn length(&mut self, name: &str, role: Role, size: usize) -> Result<usize> {
        let before = self.input;
        let length = self.word(name, role)? as usize;
        let fits = length.checked_mul(size).is_some_and(|bytes| bytes <= self.input.left());
        // A negative length is one beyond any buffer.
        if fits && length < HIGH_BIT as usize { Ok(length) } else { Err(before.refuse(Refusal::Length)) }
    }

    /// The padding behind so many bytes, which may be missing at the end of the input where it is `optional`.
    fn padding(&mut self, length: usize, optional: bool) -> Result<()> {
        let lacking = if optional { padding(length).saturating_sub(self.input.left()) } else { 0 };
        self.lacking += lacking;
        let before = self.input.at();
        self.input.take(padding(length) - lacking)?;
        self.tell_unless_empty(before, "padding", Role::Padding);
        Ok(())
    }

    #[inline]
    fn word(&mut self, name: &str, role: Role) -> Result<u32> {
        let before = self.input.at();
        let word = self.input.word()?;
        self.tell(before, name, role);
        Ok(word)
    }

    #[inline]
    fn long(&mut self, name: &str, role: Role) -> Result<u64> {
        let before = self.input.at();
        let long = self.input.array().map(u64::from_le_bytes)?;
        self.tell(before, name, role);
        Ok(long)
    }

    /// A refusal of the header that was just read.
    fn refuse_header(&self, kind: Refusal) -> DecodeError {
        DecodeError { at: self.input.at() - 4, kind }
    }

    /// Tells the trace of the field from `from` to here.
    #[inline]
    fn tell(&mut self, from: usize, name: &str, role: Role) {
        if T::ON {
            let bytes: Range<usize> = from..self.input.at();
            self.trace.field(bytes, name, role);
        }
    }

    #[inline]
    fn tell_unless_empty(&mut self, from: usize, name: &str, role: Role) {
        if self.input.at() > from {
            self.tell(from, name, role);
        }
    }
}

/// What the numbers behind a header with these flags are.
fn on_wire(plan: &Plan, flags: u32) -> Scalar {
    plan.on_wire[usize::from(flags & FLAG_1 != 0)]
}

/// Numbers as they stand in a value, whatever their width on the wire.
fn in_value(numbers: Numbers, plan: &Plan, scalar: Scalar) -> Numbers {
    if scalar == plan.scalar { numbers } else { numbers.other_width() }
}

/// Bytes of one number.
pub(crate) fn width(scalar: Scalar) -> usize {
    match scalar {
        Scalar::Byte => 1,
        Scalar::Int32 | Scalar::Float32 | Scalar::Real | Scalar::Channel => 4,
        Scalar::Int64 | Scalar::Float64 => 8,
    }
}

fn read_numbers(scalar: Scalar, bytes: &[u8]) -> Numbers {
    match scalar {
        Scalar::Byte => Numbers::Bytes(bytes.to_vec()),
        Scalar::Int32 => Numbers::Int32(collect(words(bytes).map(i32::from_le_bytes))),
        Scalar::Float32 | Scalar::Real | Scalar::Channel => {
            Numbers::Float32(collect(words(bytes).map(|b| F32(u32::from_le_bytes(b)))))
        }
        Scalar::Int64 => Numbers::Int64(collect(longs(bytes).map(i64::from_le_bytes))),
        Scalar::Float64 => Numbers::Float64(collect(longs(bytes).map(|b| F64(u64::from_le_bytes(b))))),
    }
}

/// Short rows stay inside, long ones go through `Vec`, which copies at the speed of memory.
fn collect<A: smallvec::Array>(numbers: impl ExactSizeIterator<Item = A::Item>) -> SmallVec<A> {
    if numbers.len() <= 16 { numbers.collect() } else { SmallVec::from_vec(numbers.collect()) }
}

fn words(bytes: &[u8]) -> impl ExactSizeIterator<Item = [u8; 4]> {
    bytes.as_chunks().0.iter().copied()
}

fn longs(bytes: &[u8]) -> impl ExactSizeIterator<Item = [u8; 8]> {
    bytes.as_chunks().0.iter().copied()
}

/// Puts each element's numbers from the order of the wire into the order of meaning.
fn reorder(numbers: &mut Numbers, wire: &[usize]) {
    match numbers {
        Numbers::Bytes(numbers) => scatter(numbers, wire),
        Numbers::Int32(numbers) => scatter(numbers, wire),
        Numbers::Int64(numbers) => scatter(numbers, wire),
        Numbers::Float32(numbers) => scatter(numbers, wire),
        Numbers::Float64(numbers) => scatter(numbers, wire),
    }
}

fn scatter<N: Copy>(numbers: &mut [N], wire: &[usize]) {
    for element in numbers.chunks_exact_mut(wire.len()) {
        let on_wire: SmallVec<[N; 16]> = SmallVec::from_iter(element.iter().copied());
        for (number, &place) in on_wire.into_iter().zip(wire) {
            element[place] = number;
        }
    }
}

fn typed_array(layout: LayoutId, of: ElementType, items: Vec<Value>) -> Value {
    Value::Typed(layout, Box::new(TypedArray { of, items }))
}

/// Whether an image has as much data as its format and size call for, each mipmap half the size of the one before.
fn fits(image: &Image, layout: &Layout) -> bool {
    // Without data there is no image, whatever its size.
    if image.data.is_empty() {
        return false;
    }
    let Some((_, pixel)) = layout.pixels.iter().find(|(format, _)| *format == image.format) else { return true };
    if image.width == 0 || image.height == 0 {
        return false;
    }
    let size = |level: u32| {
        let side = |pixels: u32| u64::from(pixels.checked_shr(level).unwrap_or(0).max(1));
        side(image.width).saturating_mul(side(image.height)).saturating_mul(u64::from(*pixel))
    };
    // Every level takes something: more levels than bytes never fit.
    let Ok(levels) = usize::try_from(image.mipmaps) else { return false };
    levels < image.data.len() && {
        let total = (0..=image.mipmaps).map(size).fold(0, u64::saturating_add);
        u64::try_from(image.data.len()) == Ok(total)
    }
}

/// The path that an old form spells: `/root/a:b`.
fn spelled(text: &Text) -> NodePath {
    let bytes = text.as_bytes();
    let (absolute, rest) = bytes.strip_prefix(b"/").map_or((false, bytes), |rest| (true, rest));
    let mut parts = rest.split(|&byte| byte == b':');
    let names = parts.next().unwrap_or_default();
    let texts = |bytes: &[u8]| -> Vec<Text> {
        bytes.split(|&byte| byte == b'/').filter(|name| !name.is_empty()).map(Text::from_bytes).collect()
    };
    NodePath {
        absolute,
        names: texts(names),
        subnames: parts.filter(|name| !name.is_empty()).map(Text::from_bytes).collect(),
        property: Text::default(),
    }
}
