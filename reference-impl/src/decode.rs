//! Decoding: one function a shape.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::ops::Range;

use smallvec::SmallVec;
use variant_specs::{
    BadImage, FLAG_1, Layout, LayoutId, NegativeTextCount, NodePathProperty, ObjectRule, OldNodePath, RidRule, Scalar,
    Shape, SharedBit,
};

use crate::codec::{Codec, Plan};
use crate::cursor::{Cursor, padding, refused};
use crate::error::{DecodeError, Refusal};
use crate::keys::Unique;
use crate::text::{HIGH_BITS, INSIDE, Text};
use crate::trace::{Role, Step, Trace};
use crate::utf8;
use crate::value::{
    Array, Dictionary, ElementType, EntryTypes, F32, F64, Image, InputEvent, NodePath, Numbers, Object, Signal,
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

    /// Reads a value into this place, which holds null; how many bytes it took.
    #[inline]
    pub(crate) fn run(mut self, place: &mut Value) -> Result<usize> {
        self.value(1, place)?;
        Ok(self.input.at() + self.lacking)
    }

    /// A whole value, the `depth`th on its path, into a place that holds null.
    fn value(&mut self, depth: usize, place: &mut Value) -> Result<()> {
        if depth > self.codec.depth {
            return Err(self.input.refuse(Refusal::TooDeep));
        }
        let (plan, flags) = self.header()?;
        match plan.shape {
            Shape::Array => self.array(plan, flags, depth, place),
            Shape::Dictionary => self.dictionary(plan, flags, depth, place),
            Shape::Object => self.object(flags, depth, place),
            Shape::Typed => self.typed(plan, flags, depth, place),
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
            | Shape::Signal => self.leaf(plan, flags, place),
        }
    }

    /// A value with no value within. What most packets are made of is read right here, the rest apart, so that a deep
    /// path takes little stack.
    #[inline]
    fn leaf(&mut self, plan: &Plan, flags: u32, place: &mut Value) -> Result<()> {
        match plan.shape {
            Shape::Empty | Shape::Array | Shape::Dictionary | Shape::Object | Shape::Typed => {}
            Shape::Bool => put(place, Value::Bool(self.bool()?)),
            Shape::Int => put(place, Value::Int(self.int(flags)?)),
            Shape::Float => put(place, Value::Float(self.float(flags)?)),
            Shape::Text => return self.text_value(plan, place),
            Shape::Fields => return self.fields(plan, flags, place),
            Shape::Packed => return self.packed(plan, flags, place),
            Shape::PackedText => return self.packed_text(plan, place),
            Shape::NodePath => put(place, self.node_path()?),
            Shape::Rid => put(place, self.rid()?),
            Shape::Image => put(place, self.image(plan)?),
            Shape::InputEvent => put(place, self.input_event(plan)?),
            Shape::Callable => put(place, Value::Callable),
            Shape::Signal => put(place, self.signal()?),
        }
        Ok(())
    }

    /// An empty list for so many elements, as far as they can be believed in. The first has its place before it is read:
    /// that one is all that a path of empty promises takes.
    fn room_for<E>(&mut self, count: usize) -> Vec<E> {
        let believed = count.min(self.promised);
        self.promised -= believed;
        Vec::with_capacity(believed.max(count.min(1)))
    }

    #[inline]
    fn header(&mut self) -> Result<(&'a Plan, u32)> {
        let before = self.input.at();
        let word = self.input.word()?;
        let id = word & self.codec.id_mask;
        let plan = self.codec.plan(id).ok_or_else(|| refused(before, Refusal::UnknownType))?;
        let flags = word & !self.codec.id_mask;
        if flags & plan.refused_flags != 0 {
            return Err(refused(before, Refusal::UnknownFlag));
        }
        self.tell(before, "header", Role::Header(plan.layout));
        Ok((plan, flags & plan.known_flags))
    }

    #[inline]
    fn bool(&mut self) -> Result<bool> {
        let word = self.word("value", Role::Bool)?;
        Ok(word != 0)
    }

    #[inline]
    fn int(&mut self, flags: u32) -> Result<i64> {
        if flags & FLAG_1 == 0 {
            let word = self.word("value", Role::Number(Scalar::Int32))?;
            return Ok(i64::from(word.cast_signed()));
        }
        self.long("value", Role::Number(Scalar::Int64)).map(u64::cast_signed)
    }

    #[inline]
    fn float(&mut self, flags: u32) -> Result<F64> {
        if flags & FLAG_1 == 0 {
            let word = self.word("value", Role::Number(Scalar::Float32))?;
            return Ok(F32(word).widen());
        }
        self.long("value", Role::Number(Scalar::Float64)).map(F64)
    }

    #[inline]
    fn text_value(&mut self, plan: &Plan, place: &mut Value) -> Result<()> {
        let length = self.length("length", Role::Length, 1)?;
        let before = self.input.at();
        let (bytes, ahead) = self.text_bytes(length)?;
        match short(bytes, ahead) {
            Some((word, length)) => put(place, Value::Text(plan.layout, Text::of_word(word, length))),
            None => put(place, Value::Text(plan.layout, self.any_text(bytes, before)?)),
        }
        self.padding(length, self.codec.rules.text_padding_optional_at_end)
    }

    fn text(&mut self) -> Result<Text> {
        self.padded_text(self.codec.rules.text_padding_optional_at_end)
    }

    /// A text whose padding may be missing at the end of the input where it is `optional`.
    fn padded_text(&mut self, optional: bool) -> Result<Text> {
        let mut text = Text::default();
        self.text_into(false, optional, &mut text)?;
        Ok(text)
    }

    /// A text into a place that holds an empty one. Its length may count a `nul` that ends it.
    #[inline]
    fn text_into(&mut self, nul: bool, optional: bool, place: &mut Text) -> Result<()> {
        let length = self.length("length", Role::Length, 1)?;
        let mut rest = self.input;
        let has_nul = nul && rest.take(length)?.last() == Some(&0);
        let before = self.input.at();
        let (bytes, ahead) = self.text_bytes(length - usize::from(has_nul))?;
        match short(bytes, ahead) {
            Some((word, length)) => put(place, Text::of_word(word, length)),
            None => put(place, self.any_text(bytes, before)?),
        }
        if has_nul {
            let before = self.input.at();
            self.input.take(1)?;
            self.tell(before, "nul", Role::Nul);
        }
        self.padding(length, optional)
    }

    /// The bytes of a text, and the input from the first of them on where that is long enough for a short one.
    #[inline]
    fn text_bytes(&mut self, length: usize) -> Result<(&'a [u8], Option<&'a [u8; INSIDE]>)> {
        let (before, ahead) = (self.input.at(), self.input.ahead());
        let bytes = self.input.take(length)?;
        self.tell_unless_empty(before, "text", Role::Text);
        Ok((bytes, ahead))
    }

    /// The text of these bytes, which stood at `before`.
    #[inline(never)]
    fn any_text(&self, mut bytes: &[u8], before: usize) -> Result<Text> {
        // Asked first, since it is quicker than looking for the place.
        if self.codec.rules.text_ends_at_nul && bytes.contains(&0) {
            let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
            bytes = &bytes[..end];
        }
        if self.codec.rules.text_drops_bom {
            bytes = bytes.strip_prefix(BOM).unwrap_or(bytes);
        }
        if core::str::from_utf8(bytes).is_ok() {
            return Ok(Text::from_bytes(bytes));
        }
        let text = utf8::read(bytes, self.codec.rules.utf8);
        text.map(|bytes| Text::from_bytes(&bytes)).ok_or_else(|| refused(before, Refusal::BadUtf8))
    }

    #[inline(never)]
    fn fields(&mut self, plan: &Plan, flags: u32, place: &mut Value) -> Result<()> {
        let scalar = on_wire(plan, flags);
        if T::ON {
            self.tell_numbers(plan, scalar, 1, false)?;
        }
        let bytes = self.number_bytes(plan, scalar, 1)?;
        if plan.in_order && scalar == plan.scalar {
            put(place, Value::Fields(plan.layout, read_numbers(scalar, bytes)));
        } else {
            put(place, Value::Fields(plan.layout, in_value(in_meaning(plan, scalar, bytes), plan, scalar)));
        }
        Ok(())
    }

    #[inline(never)]
    fn packed(&mut self, plan: &Plan, flags: u32, place: &mut Value) -> Result<()> {
        let scalar = on_wire(plan, flags);
        let count = self.length("count", Role::Count, width(scalar) * plan.arity)?;
        if scalar == Scalar::Byte {
            return self.bytes(plan, count, place);
        }
        if T::ON {
            self.tell_numbers(plan, scalar, count, true)?;
        }
        let bytes = self.number_bytes(plan, scalar, count)?;
        if plan.in_order && scalar == plan.scalar {
            put(place, Value::Packed(plan.layout, read_numbers(scalar, bytes)));
        } else {
            put(place, Value::Packed(plan.layout, in_value(in_meaning(plan, scalar, bytes), plan, scalar)));
        }
        Ok(())
    }

    fn bytes(&mut self, plan: &Plan, count: usize, place: &mut Value) -> Result<()> {
        let before = self.input.at();
        let bytes = self.input.take(count)?;
        self.tell_unless_empty(before, "bytes", Role::Bytes);
        self.padding(count, self.codec.rules.byte_padding_optional_at_end)?;
        put(place, Value::Packed(plan.layout, Numbers::Bytes(bytes.to_vec())));
        Ok(())
    }

    #[inline(never)]
    fn packed_text(&mut self, plan: &Plan, place: &mut Value) -> Result<()> {
        let mut ahead = self.input;
        if self.codec.rules.negative_text_count == NegativeTextCount::Empty && ahead.word()? & HIGH_BIT != 0 {
            self.word("count", Role::Count)?;
            put(place, Value::PackedText(plan.layout, Vec::new()));
            return Ok(());
        }
        let count = self.length("count", Role::Count, 4)?;
        let mut texts = self.room_for(count);
        for index in 0..count {
            self.trace.enter(Step::Index(index));
            texts.push(Text::default());
            let nul = self.codec.rules.string_array_nul;
            self.text_into(nul, self.codec.rules.text_padding_optional_at_end, &mut texts[index])?;
            self.trace.leave();
        }
        put(place, Value::PackedText(plan.layout, texts));
        Ok(())
    }

    #[inline(never)]
    fn array(&mut self, plan: &Plan, flags: u32, depth: usize, place: &mut Value) -> Result<()> {
        let of = if flags == 0 { None } else { self.container_type(plan, flags, None)?.map(Box::new) };
        let (count, shared) = self.container_count(4)?;
        put(place, Value::Array(Array { items: self.items(count, depth)?, of, shared }));
        Ok(())
    }

    fn items(&mut self, count: usize, depth: usize) -> Result<Vec<Value>> {
        let mut items = self.room_for(count);
        for index in 0..count {
            self.trace.enter(Step::Index(index));
            items.push(Value::Null);
            self.value(depth + 1, &mut items[index])?;
            self.trace.leave();
        }
        Ok(items)
    }

    #[inline(never)]
    fn dictionary(&mut self, plan: &Plan, flags: u32, depth: usize, place: &mut Value) -> Result<()> {
        let of = if flags == 0 { None } else { self.entry_types(plan, flags)? };
        let (count, shared) = self.container_count(8)?;
        let mut entries = self.entries(count);
        for index in 0..count {
            self.trace.enter(Step::Index(index));
            let (key, value) = entries.next_pair();
            self.trace.enter(Step::Name("key"));
            self.value(depth + 1, key)?;
            self.trace.leave();
            self.trace.enter(Step::Name("value"));
            self.value(depth + 1, value)?;
            self.trace.leave();
            self.trace.leave();
            entries.join();
        }
        put(place, Value::Dictionary(Dictionary { entries: entries.into_pairs(), of, shared }));
        Ok(())
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
        let before = self.input.at();
        let id = self.word("type", Role::Word)?;
        let element = self.codec.plan(id).ok_or_else(|| refused(before, Refusal::UnknownType))?;
        Ok((element.shape != Shape::Empty).then_some(ElementType::Layout(element.layout)))
    }

    /// A class; without a name, any.
    fn class_of_elements(&mut self) -> Result<ElementType> {
        let class = self.named("class")?;
        let any = self.codec.layouts.id_of_shape(Shape::Object).filter(|_| class.as_bytes().is_empty());
        Ok(any.map_or(ElementType::Class(class), ElementType::Layout))
    }

    fn script(&mut self, plan: &Plan) -> Result<Text> {
        let before = self.input.at();
        let path = self.named("script")?;
        let begins = self.codec.scripts(plan.layout);
        // Where objects are not allowed, nobody looks for it.
        if self.codec.options.objects && !begins.is_none_or(|begins| path.as_bytes().starts_with(begins.as_bytes())) {
            return Err(refused(before, Refusal::BadObject));
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
        let before = self.input.at();
        let word = self.word("count", Role::Count)?;
        let count = (word & !HIGH_BIT) as usize;
        if count > self.input.left() / least {
            return Err(refused(before, Refusal::Length));
        }
        Ok((count, self.codec.rules.shared_bit == SharedBit::Kept && word & HIGH_BIT != 0))
    }

    #[inline(never)]
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
            texts.push(Text::default());
            self.text_into(false, false, &mut texts[index])?;
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
                let before = self.input.at();
                let (bytes, _) = self.text_bytes(length)?;
                self.any_text(bytes, before).map(|text| self.spelled(&text))
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

    #[inline(never)]
    fn rid(&mut self) -> Result<Value> {
        match self.codec.rules.rid {
            RidRule::Empty => Ok(Value::Rid(None)),
            RidRule::Id => self.long("id", Role::Number(Scalar::Int64)).map(|id| Value::Rid(Some(id))),
            RidRule::Unsupported => Err(self.refuse_header(Refusal::UnsupportedForm)),
        }
    }

    #[inline(never)]
    fn signal(&mut self) -> Result<Value> {
        let name = self.named("name")?;
        let object = self.long("object", Role::Number(Scalar::Int64))?;
        Ok(Value::Signal(Box::new(Signal { name, object })))
    }

    #[inline(never)]
    fn object(&mut self, flags: u32, depth: usize, place: &mut Value) -> Result<()> {
        match self.codec.rules.object {
            ObjectRule::Unsupported => return Err(self.refuse_header(Refusal::UnsupportedForm)),
            ObjectRule::Empty => {
                put_object(place, Object::Null);
                return Ok(());
            }
            ObjectRule::ById => {}
        }
        if flags & FLAG_1 != 0 {
            let id = self.long("id", Role::Number(Scalar::Int64))?;
            put_object(place, if id == 0 { Object::Null } else { Object::Id(id) });
            return Ok(());
        }
        if !self.codec.options.objects {
            return Err(self.refuse_header(Refusal::BadObject));
        }
        self.full_object(depth, place)
    }

    /// What need not be at hand on every level is kept out of here: without optimisation, each temporary has a place of
    /// its own on the stack, once a level.
    fn full_object(&mut self, depth: usize, place: &mut Value) -> Result<()> {
        let Some((class, count)) = self.head_of_object()? else {
            put_object(place, Object::Null);
            return Ok(());
        };
        let mut properties = self.room_for(count);
        for index in 0..count {
            self.property(index, &mut properties)?;
            self.value(depth + 1, &mut properties[index].1)?;
            self.trace.leave();
            self.trace.leave();
        }
        put_object(place, Object::Full { class, properties });
        Ok(())
    }

    /// The class and how many properties follow; none where the class has no name, and then nothing follows.
    fn head_of_object(&mut self) -> Result<Option<(Text, usize)>> {
        self.trace.enter(Step::Name("class"));
        let class = self.text()?;
        self.trace.leave();
        if class.as_bytes().is_empty() {
            return Ok(None);
        }
        // Each property has at least the length of its name and the header of its value.
        let count = self.length("property-count", Role::Count, 8)?;
        Ok(Some((class, count)))
    }

    /// A property up to its value, which has a place to stay.
    fn property(&mut self, index: usize, properties: &mut Vec<(Text, Value)>) -> Result<()> {
        self.trace.enter(Step::Element("properties", index));
        self.trace.enter(Step::Name("name"));
        let name = self.text()?;
        self.trace.leave();
        self.trace.enter(Step::Name("value"));
        properties.push((name, Value::Null));
        Ok(())
    }

    #[inline(never)]
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

    #[inline(never)]
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

    #[inline(never)]
    fn typed(&mut self, plan: &Plan, flags: u32, depth: usize, place: &mut Value) -> Result<()> {
        let of = self.element_type(plan, flags, depth)?;
        let (count, _) = self.container_count(4)?;
        let items = self.items(count, depth)?;
        put(place, typed_array(plan.layout, of, items));
        Ok(())
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
        let mut value = Value::Null;
        self.value(depth + 1, &mut value)?;
        self.trace.leave();
        if let Value::Text(layout, class) = value
            && Some(layout) == self.codec.class_layout(plan.layout)
        {
            return Ok(ElementType::Class(class));
        }
        Err(before.refuse(Refusal::BadObject))
    }

    /// The bytes of `elements` times the numbers of `plan`.
    #[inline]
    fn number_bytes(&mut self, plan: &Plan, scalar: Scalar, elements: usize) -> Result<&'a [u8]> {
        self.input.take(elements * plan.arity * width(scalar)).map_err(|_| self.first_cut_number(scalar))
    }

    /// The refusal of the first number that does not fit.
    #[cold]
    fn first_cut_number(&mut self, scalar: Scalar) -> DecodeError {
        while self.input.take(width(scalar)).is_ok() {}
        self.input.refuse(Refusal::Truncated)
    }

    /// Tells the trace of the same, number by number, and takes nothing.
    fn tell_numbers(&mut self, plan: &Plan, scalar: Scalar, elements: usize, indexed: bool) -> Result<()> {
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
        Ok(())
    }

    /// A count or length of things of `size` bytes each, all of which must fit.
    #[inline]
    fn length(&mut self, name: &str, role: Role, size: usize) -> Result<usize> {
        let before = self.input.at();
        let length = self.word(name, role)? as usize;
        let fits = length.checked_mul(size).is_some_and(|bytes| bytes <= self.input.left());
        // A negative length is one beyond any buffer.
        if fits && length < HIGH_BIT as usize { Ok(length) } else { Err(refused(before, Refusal::Length)) }
    }

    /// The padding behind so many bytes, which may be missing at the end of the input where it is `optional`.
    #[inline]
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

/// Fills a place that holds null or an empty text, with which nothing is dropped: so nothing is looked at either.
#[inline(always)]
fn put<P>(place: &mut P, value: P) {
    core::mem::forget(core::mem::replace(place, value));
}

fn put_object(place: &mut Value, object: Object) {
    put(place, Value::Object(Box::new(object)));
}

/// These bytes as the word of a text, and how many they are, where no rule has a say: they are few, without a NUL, and
/// UTF-8 that is no byte order mark. `ahead` is the input from the first of them on, where it is long enough.
#[inline]
fn short(bytes: &[u8], ahead: Option<&[u8; INSIDE]>) -> Option<(u128, u8)> {
    let (length, behind) = *BEHIND.get(bytes.len())?;
    let word = match ahead {
        Some(ahead) => u128::from_le_bytes(*ahead) & !behind,
        None => word(bytes),
    };
    // With 1 taken from each byte, of those below 0x80 only a zero has its high bit set; what is behind is none.
    let zeros = (word | behind & LOW_BITS).wrapping_sub(LOW_BITS) & HIGH_BITS;
    if (word & HIGH_BITS) | zeros == 0 { Some((word, length)) } else { short_unicode(bytes, word, length) }
}

#[inline(never)]
fn short_unicode(bytes: &[u8], word: u128, length: u8) -> Option<(u128, u8)> {
    let plain = !bytes.contains(&0) && !bytes.starts_with(BOM) && core::str::from_utf8(bytes).is_ok();
    plain.then_some((word, length))
}

/// For each length of a short text, the same in a byte, and the bits of a word that are behind it.
static BEHIND: [(u8, u128); INSIDE + 1] = {
    let mut behind = [(0, u128::MAX); INSIDE + 1];
    let mut length = 1;
    while length <= INSIDE {
        let (before, bits) = behind[length - 1];
        behind[length] = (before + 1, bits << 8);
        length += 1;
    }
    behind
};
const LOW_BITS: u128 = u128::from_le_bytes([0x01; INSIDE]);

/// At most 16 bytes, the first one lowest.
fn word(bytes: &[u8]) -> u128 {
    // From both ends: where the halves overlap they say the same.
    let shift = |size| 8 * (bytes.len() - size);
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        return u128::from(u64::from_le_bytes(*first)) | u128::from(u64::from_le_bytes(*last)) << shift(8);
    }
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        return u128::from(u32::from_le_bytes(*first)) | u128::from(u32::from_le_bytes(*last)) << shift(4);
    }
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u128::from(byte))
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

/// Numbers in the order of meaning.
fn in_meaning(plan: &Plan, scalar: Scalar, bytes: &[u8]) -> Numbers {
    let mut numbers = read_numbers(scalar, bytes);
    if !plan.in_order {
        reorder(&mut numbers, &plan.wire);
    }
    numbers
}

#[inline(always)]
fn read_numbers(scalar: Scalar, bytes: &[u8]) -> Numbers {
    match scalar {
        Scalar::Byte => Numbers::Bytes(bytes.to_vec()),
        Scalar::Int32 => Numbers::Int32(collect(words(bytes).map(i32::from_le_bytes), 0)),
        Scalar::Float32 | Scalar::Real | Scalar::Channel => {
            Numbers::Float32(collect(words(bytes).map(|b| F32(u32::from_le_bytes(b))), F32(0)))
        }
        Scalar::Int64 => Numbers::Int64(collect(longs(bytes).map(i64::from_le_bytes), 0)),
        Scalar::Float64 => Numbers::Float64(collect(longs(bytes).map(|b| F64(u64::from_le_bytes(b))), F64(0))),
    }
}

/// Short rows stay inside, long ones go through `Vec`, which copies at the speed of memory.
#[inline]
fn collect<N: Copy, const INSIDE: usize>(numbers: impl ExactSizeIterator<Item = N>, zero: N) -> SmallVec<[N; INSIDE]> {
    let count = numbers.len();
    if count > INSIDE {
        return SmallVec::from_vec(numbers.collect());
    }
    let mut inside = [zero; INSIDE];
    inside.iter_mut().zip(numbers).for_each(|(place, number)| *place = number);
    SmallVec::from_buf_and_len(inside, count)
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
        let on_wire: SmallVec<[N; 16]> = SmallVec::from_slice(element);
        for (&number, &place) in on_wire.iter().zip(wire) {
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
