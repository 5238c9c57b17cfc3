//! Encoding: the narrowest form that keeps the value, padding zero.

use alloc::boxed::Box;
use alloc::string::ToString;
use alloc::vec::Vec;

use variant_specs::{FLAG_1, NodePathProperty, ObjectRule, RidRule, Scalar, Shape, SharedBit, TypedContainers};

use crate::codec::{Codec, Plan};
use crate::cursor::padding;
use crate::decode::{FLAG_ONE_MORE, HIGH_BIT};
use crate::error::EncodeError;
use crate::text::{INSIDE, Text};
use crate::utf8;
use crate::value::{
    Dictionary, ElementType, F32, F64, Image, InputEvent, NodePath, Numbers, Object, Signal, TypedArray, Value,
};

/// The error apart, so that what went well fits in a register.
type Result<T> = core::result::Result<T, Box<EncodeError>>;

/// How many numbers are turned into bytes at a time.
const BUFFERED: usize = 64;
/// Up to how many are written one by one: a buffer for them would cost more than they do.
const FEW: usize = 16;

/// One encoding.
pub(crate) struct Encoder<'a> {
    codec: &'a Codec,
    packet: &'a mut Vec<u8>,
}

impl<'a> Encoder<'a> {
    pub(crate) fn new(codec: &'a Codec, packet: &'a mut Vec<u8>) -> Self {
        Self { codec, packet }
    }

    /// A whole value, the `depth`th on its path.
    pub(crate) fn value(&mut self, value: &Value, depth: usize) -> Result<()> {
        if depth > self.codec.depth {
            return Err(EncodeError::TooDeep.into());
        }
        match value {
            Value::Null => self.header_of(Shape::Empty, 0),
            Value::Bool(bool) => self.word_of(Shape::Bool, u32::from(*bool)),
            Value::Int(int) => self.int(*int),
            Value::Float(float) => self.float(*float),
            Value::Text(layout, text) => {
                let plan = self.codec.plan_of(*layout)?;
                self.word(plan.id);
                self.text(text, false)
            }
            Value::Fields(layout, numbers) => self.fields(self.codec.plan_of(*layout)?, numbers),
            Value::Array(array) => {
                match &array.of {
                    None => self.header_of(Shape::Array, 0)?,
                    Some(of) => self.array_type(of)?,
                }
                self.container_count(array.items.len(), array.shared)?;
                self.values(&array.items, depth + 1)
            }
            Value::Dictionary(dictionary) => {
                self.dictionary_header(dictionary)?;
                self.container_count(dictionary.entries.len(), dictionary.shared)?;
                for (key, value) in &dictionary.entries {
                    self.value(key, depth + 1)?;
                    self.value(value, depth + 1)?;
                }
                Ok(())
            }
            Value::Object(object) => self.object(object, depth),
            Value::Typed(layout, typed) => self.typed(self.codec.plan_of(*layout)?, typed, depth),
            Value::Packed(layout, numbers) => self.packed(self.codec.plan_of(*layout)?, numbers),
            Value::PackedText(layout, texts) => self.packed_text(self.codec.plan_of(*layout)?, texts),
            Value::NodePath(path) => self.node_path(path),
            Value::Rid(id) => self.rid(*id),
            Value::Image(image) => self.image(image),
            Value::InputEvent(event) => self.input_event(event),
            Value::Callable => self.header_of(Shape::Callable, 0),
            Value::Signal(signal) => self.signal(signal),
        }
    }

    /// A plain loop: a deep path takes little stack.
    fn values(&mut self, values: &[Value], depth: usize) -> Result<()> {
        for value in values {
            self.value(value, depth)?;
        }
        Ok(())
    }

    #[inline]
    fn int(&mut self, int: i64) -> Result<()> {
        match i32::try_from(int) {
            Ok(narrow) => self.word_of(Shape::Int, narrow.cast_unsigned()),
            Err(_) if self.codec.rules.wide_numbers => self.long_of(Shape::Int, int.cast_unsigned()),
            Err(_) => Err(EncodeError::IntOutOfRange(int).into()),
        }
    }

    #[inline]
    fn float(&mut self, float: F64) -> Result<()> {
        match float.narrow() {
            Some(narrow) => self.word_of(Shape::Float, narrow.0),
            None if self.codec.rules.wide_numbers => self.long_of(Shape::Float, float.0),
            // A dialect without wide floats narrows them.
            None => self.word_of(Shape::Float, float.nearest().0),
        }
    }

    /// A text, and the NUL that ends it where it has one: both are counted.
    #[inline]
    fn text(&mut self, text: &Text, nul: bool) -> Result<()> {
        let Some((word, length)) = text.word().filter(|_| text.is_unicode()) else { return self.any_text(text, nul) };
        // What is behind a short text is zero already: all goes out as one piece, and then what is too much is cut off.
        let length = u32::from(length) + u32::from(nul);
        let end = self.packet.len() + 4 + length.next_multiple_of(4) as usize;
        let mut piece = [0; 4 + INSIDE + 4];
        piece[..4].copy_from_slice(&length.to_le_bytes());
        piece[4..4 + INSIDE].copy_from_slice(&word.to_le_bytes());
        self.packet.extend_from_slice(&piece);
        self.packet.truncate(end);
        Ok(())
    }

    #[inline(never)]
    fn any_text(&mut self, text: &Text, nul: bool) -> Result<()> {
        let end: &[u8] = if nul { &[0] } else { &[] };
        if !text.is_unicode() {
            let bytes = utf8::write(text.as_bytes(), self.codec.rules.utf8).ok_or(EncodeError::BadUtf8)?;
            return self.counted(&bytes, end);
        }
        self.counted(text.as_bytes(), end)
    }

    /// Bytes and what ends them, their number in front and padding behind.
    fn counted(&mut self, bytes: &[u8], end: &[u8]) -> Result<()> {
        let length = bytes.len() + end.len();
        self.count(length)?;
        self.packet.extend_from_slice(bytes);
        self.packet.extend_from_slice(end);
        self.pad(length);
        Ok(())
    }

    #[inline(never)]
    fn fields(&mut self, plan: &Plan, numbers: &Numbers) -> Result<()> {
        if numbers.len() != plan.arity || !has_width(numbers, plan.scalar) {
            return Err(self.wrong_numbers(plan));
        }
        self.word(plan.id | plan.own_flags);
        self.numbers(plan, numbers);
        Ok(())
    }

    #[inline(never)]
    fn packed(&mut self, plan: &Plan, numbers: &Numbers) -> Result<()> {
        if !numbers.len().is_multiple_of(plan.arity) || !has_width(numbers, plan.scalar) {
            return Err(self.wrong_numbers(plan));
        }
        self.word(plan.id | plan.own_flags);
        self.count(numbers.len() / plan.arity)?;
        let before = self.packet.len();
        self.numbers(plan, numbers);
        self.pad(self.packet.len() - before);
        Ok(())
    }

    #[inline(never)]
    fn packed_text(&mut self, plan: &Plan, texts: &[Text]) -> Result<()> {
        self.word(plan.id);
        self.count(texts.len())?;
        let nul = self.codec.rules.string_array_nul;
        texts.iter().try_for_each(|text| self.text(text, nul))
    }

    #[inline(never)]
    fn node_path(&mut self, path: &NodePath) -> Result<()> {
        let property = !path.property.as_bytes().is_empty();
        if property && self.codec.rules.node_path_property != NodePathProperty::Own {
            return Err(self.unsupported(Shape::NodePath));
        }
        self.header_of(Shape::NodePath, 0)?;
        let names = length(path.names.len())?;
        self.word(names | HIGH_BIT);
        self.count(path.subnames.len())?;
        self.word(u32::from(path.absolute) | if property { FLAG_ONE_MORE } else { 0 });
        let property = property.then_some(&path.property);
        path.names.iter().chain(&path.subnames).chain(property).try_for_each(|name| self.text(name, false))
    }

    #[inline(never)]
    fn rid(&mut self, id: Option<u64>) -> Result<()> {
        match (self.codec.rules.rid, id) {
            (RidRule::Empty, None) => self.header_of(Shape::Rid, 0),
            (RidRule::Id, Some(id)) => {
                self.header_of(Shape::Rid, 0)?;
                self.packet.extend_from_slice(&id.to_le_bytes());
                Ok(())
            }
            (RidRule::Empty, Some(_)) | (RidRule::Id, None) | (RidRule::Unsupported, _) => {
                Err(self.unsupported(Shape::Rid))
            }
        }
    }

    #[inline(never)]
    fn signal(&mut self, signal: &Signal) -> Result<()> {
        self.header_of(Shape::Signal, 0)?;
        self.text(&signal.name, false)?;
        self.packet.extend_from_slice(&signal.object.to_le_bytes());
        Ok(())
    }

    /// The header of a typed array, and its type. Apart from it, so that a deep path takes little stack.
    #[inline(never)]
    fn array_type(&mut self, of: &ElementType) -> Result<()> {
        if self.codec.rules.typed_containers == TypedContainers::None {
            return Err(self.unsupported(Shape::Array));
        }
        self.header_of(Shape::Array, self.kind_of(of) << 16)?;
        self.container_type(of, Shape::Array)
    }

    /// The header of a dictionary, and its types.
    #[inline(never)]
    fn dictionary_header(&mut self, dictionary: &Dictionary) -> Result<()> {
        let Some(of) = &dictionary.of else { return self.header_of(Shape::Dictionary, 0) };
        if self.codec.rules.typed_containers != TypedContainers::All {
            return Err(self.unsupported(Shape::Dictionary));
        }
        let kind = |of: &Option<ElementType>| of.as_ref().map_or(0, |of| self.kind_of(of));
        self.header_of(Shape::Dictionary, kind(&of.key) << 16 | kind(&of.value) << 18)?;
        [&of.key, &of.value].into_iter().flatten().try_for_each(|of| self.container_type(of, Shape::Dictionary))
    }

    /// What the header says of a container's type.
    fn kind_of(&self, of: &ElementType) -> u32 {
        match of {
            ElementType::Layout(_) | ElementType::Id(_) => 1,
            ElementType::Script(_) if self.codec.options.objects => 3,
            ElementType::Class(_) | ElementType::Script(_) => 2,
        }
    }

    fn container_type(&mut self, of: &ElementType, container: Shape) -> Result<()> {
        let layout = self.codec.plan_of_shape(container)?.layout;
        match of {
            ElementType::Layout(of) => {
                let id = self.codec.plan_of(*of)?.id;
                self.word(id);
                Ok(())
            }
            ElementType::Class(name) | ElementType::Script(name) => {
                let stand_in = self.codec.stand_in(layout).filter(|_| !self.codec.options.objects);
                self.text(stand_in.as_ref().unwrap_or(name), false)
            }
            ElementType::Id(_) => Err(self.unsupported(container)),
        }
    }

    #[inline(never)]
    fn object(&mut self, object: &Object, depth: usize) -> Result<()> {
        match (self.codec.rules.object, object) {
            (ObjectRule::Empty, Object::Null) => self.header_of(Shape::Object, 0),
            (ObjectRule::Unsupported, _) | (ObjectRule::Empty, Object::Id(_) | Object::Full { .. }) => {
                Err(self.unsupported(Shape::Object))
            }
            (ObjectRule::ById, Object::Null) => self.header_of(Shape::Empty, 0),
            (ObjectRule::ById, Object::Id(id)) => {
                self.header_of(Shape::Object, FLAG_1)?;
                self.packet.extend_from_slice(&id.to_le_bytes());
                Ok(())
            }
            (ObjectRule::ById, Object::Full { class, properties }) if self.codec.options.objects => {
                self.header_of(Shape::Object, 0)?;
                self.text(class, false)?;
                self.count(properties.len())?;
                properties.iter().try_for_each(|(name, value)| {
                    self.text(name, false)?;
                    self.value(value, depth + 1)
                })
            }
            (ObjectRule::ById, Object::Full { .. }) => Err(self.unsupported(Shape::Object)),
        }
    }

    #[inline(never)]
    fn image(&mut self, image: &Image) -> Result<()> {
        self.header_of(Shape::Image, 0)?;
        for word in [image.format, image.mipmaps, image.width, image.height] {
            self.word(word);
        }
        self.counted(&image.data, &[])
    }

    #[inline(never)]
    fn input_event(&mut self, event: &InputEvent) -> Result<()> {
        let plan = self.codec.plan_of_shape(Shape::InputEvent)?;
        let layout = self.codec.layouts.get(plan.layout);
        if layout.event(event.kind).len() != event.words.len() {
            return Err(EncodeError::WrongNumbers(layout.name.clone()).into());
        }
        self.word(plan.id);
        self.word(event.kind);
        self.word(event.device);
        // The three words themselves are counted.
        self.count(4 * (3 + event.words.len()))?;
        event.words.iter().for_each(|word| self.word(*word));
        Ok(())
    }

    #[inline(never)]
    fn typed(&mut self, plan: &Plan, typed: &TypedArray, depth: usize) -> Result<()> {
        self.element_type(plan, &typed.of, depth)?;
        self.count(typed.items.len())?;
        self.values(&typed.items, depth + 1)
    }

    /// The header of a typed array, and what its elements are. Apart from it, so that a deep path takes little stack.
    #[inline(never)]
    fn element_type(&mut self, plan: &Plan, of: &ElementType, depth: usize) -> Result<()> {
        match of {
            ElementType::Layout(layout) => {
                let element = self.codec.plan_of(*layout)?;
                self.word(plan.id | if element.shape == Shape::Object { FLAG_1 } else { 0 });
                self.word(element.id);
            }
            ElementType::Class(class) => {
                let objects = self.codec.plan_of_shape(Shape::Object)?;
                let layout = self.codec.class_layout(plan.layout).ok_or_else(|| self.unsupported(Shape::Typed))?;
                self.word(plan.id);
                self.word(objects.id);
                self.value(&Value::Text(layout, class.clone()), depth + 1)?;
            }
            ElementType::Id(id) => {
                self.word(plan.id);
                self.word(*id);
            }
            ElementType::Script(_) => return Err(self.unsupported(Shape::Typed)),
        }
        Ok(())
    }

    /// Numbers in the order of the wire.
    fn numbers(&mut self, plan: &Plan, numbers: &Numbers) {
        match numbers {
            Numbers::Bytes(bytes) => self.packet.extend_from_slice(bytes),
            Numbers::Int32(numbers) => self.put(plan, numbers, i32::to_le_bytes),
            Numbers::Int64(numbers) => self.put(plan, numbers, i64::to_le_bytes),
            Numbers::Float32(numbers) => self.put(plan, numbers, |F32(bits)| bits.to_le_bytes()),
            Numbers::Float64(numbers) => self.put(plan, numbers, |F64(bits)| bits.to_le_bytes()),
        }
    }

    #[inline]
    fn put<N: Copy, const W: usize>(&mut self, plan: &Plan, numbers: &[N], bytes: impl Fn(N) -> [u8; W]) {
        self.packet.reserve(numbers.len() * W);
        if plan.in_order && numbers.len() <= FEW {
            return numbers.iter().for_each(|&number| self.packet.extend_from_slice(&bytes(number)));
        }
        if plan.in_order {
            // By way of a buffer that stays in the cache: memory is written once, and at its speed.
            for some in numbers.chunks(BUFFERED) {
                let mut buffer = [[0; W]; BUFFERED];
                let places = &mut buffer[..some.len()];
                places.iter_mut().zip(some).for_each(|(place, &number)| *place = bytes(number));
                self.packet.extend_from_slice(places.as_flattened());
            }
            return;
        }
        for element in numbers.chunks_exact(plan.arity) {
            plan.wire.iter().for_each(|&place| self.packet.extend_from_slice(&bytes(element[place])));
        }
    }

    /// A value of one word.
    #[inline]
    fn word_of(&mut self, shape: Shape, word: u32) -> Result<()> {
        let id = self.codec.plan_of_shape(shape)?.id;
        self.packet.extend_from_slice(&(u64::from(word) << 32 | u64::from(id)).to_le_bytes());
        Ok(())
    }

    /// A number that takes two.
    fn long_of(&mut self, shape: Shape, long: u64) -> Result<()> {
        self.header_of(shape, FLAG_1)?;
        self.packet.extend_from_slice(&long.to_le_bytes());
        Ok(())
    }

    #[inline]
    fn header_of(&mut self, shape: Shape, flags: u32) -> Result<()> {
        let plan = self.codec.plan_of_shape(shape)?;
        self.word(plan.id | flags);
        Ok(())
    }

    #[inline]
    fn container_count(&mut self, count: usize, shared: bool) -> Result<()> {
        let kept = shared && self.codec.rules.shared_bit == SharedBit::Kept;
        let count = length(count)?;
        self.word(count | if kept { HIGH_BIT } else { 0 });
        Ok(())
    }

    #[inline]
    fn count(&mut self, count: usize) -> Result<()> {
        let count = length(count)?;
        self.word(count);
        Ok(())
    }

    #[inline]
    fn word(&mut self, word: u32) {
        self.packet.extend_from_slice(&word.to_le_bytes());
    }

    #[inline]
    fn pad(&mut self, length: usize) {
        if length.is_multiple_of(4) {
            return;
        }
        self.packet.extend_from_slice(&[0; 3][..padding(length)]);
    }

    #[cold]
    fn wrong_numbers(&self, plan: &Plan) -> Box<EncodeError> {
        Box::new(EncodeError::WrongNumbers(self.codec.layouts.get(plan.layout).name.clone()))
    }

    #[cold]
    fn unsupported(&self, shape: Shape) -> Box<EncodeError> {
        let layout = self.codec.layouts.id_of_shape(shape);
        Box::new(EncodeError::UnsupportedForm(
            layout.map_or_else(|| "this type".to_string(), |id| self.codec.layouts.get(id).name.clone()),
        ))
    }
}

/// A count that fits in 31 bits.
fn length(count: usize) -> Result<u32> {
    let count = u32::try_from(count).ok().filter(|count| count & HIGH_BIT == 0);
    count.ok_or_else(|| EncodeError::TooLong.into())
}

fn has_width(numbers: &Numbers, scalar: Scalar) -> bool {
    match numbers {
        Numbers::Bytes(_) => scalar == Scalar::Byte,
        Numbers::Int32(_) => scalar == Scalar::Int32,
        Numbers::Int64(_) => scalar == Scalar::Int64,
        Numbers::Float32(_) => scalar == Scalar::Float32,
        Numbers::Float64(_) => scalar == Scalar::Float64,
    }
}
