//! A value as the engines' dumps write it: `Array[int(1), String("two")]`.

use variant_codec::{Component, ElementType, F64, NodePath, Numbers, Text, Value};
use variant_specs::{Dialect, LayoutId, NodePathProperty};

/// Whether two dumps are equal. A dump that ends in `...` is cut there. Of dictionaries without a fixed order, only the
/// entries are compared.
pub(crate) fn same_text(ours: &str, theirs: &str, unordered: bool) -> bool {
    let (mut ours, mut theirs) = (tokens(ours), tokens(theirs));
    if let Some(cut) = theirs.iter().position(|token| *token == Token::Cut) {
        theirs.truncate(cut);
        ours.truncate(cut);
    }
    if unordered && theirs.first() == Some(&Token::Word("Dictionary".to_owned())) {
        ours.sort();
        theirs.sort();
    }
    ours == theirs
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Token {
    Word(String),
    /// The bits of a double.
    Number(u64),
    Text(String),
    Cut,
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = |stops: fn(char) -> bool| rest.find(stops).unwrap_or(rest.len());
        if rest.starts_with("...") {
            tokens.push(Token::Cut);
            return tokens;
        } else if first == '"' {
            let end = 1 + rest[1..].find('"').expect("a text ends");
            tokens.push(Token::Text(rest[1..end].to_owned()));
            rest = &rest[end + 1..];
        } else if first == '-' || first.is_ascii_digit() {
            let end = end(|letter| !letter.is_ascii_alphanumeric() && !matches!(letter, '-' | '+' | '.'));
            let number = &rest[..end];
            // `nan(0x…)` has the bits; all else is a number.
            let parsed = match number.strip_prefix("0x") {
                Some(bits) => u64::from_str_radix(bits, 16).unwrap(),
                None => number.parse::<f64>().unwrap_or_else(|_| panic!("{number} in {text}")).to_bits(),
            };
            tokens.push(Token::Number(parsed));
            rest = &rest[end..];
        } else if first.is_ascii_alphabetic() {
            let end = end(|letter| !letter.is_ascii_alphanumeric() && letter != '_');
            tokens.push(Token::Word(rest[..end].to_owned()));
            rest = &rest[end..];
        } else {
            rest = &rest[first.len_utf8()..];
        }
    }
    tokens
}

/// The dump of a value, cut where the engines' are.
pub(crate) fn render(value: &Value, dialect: &Dialect) -> String {
    within(value, dialect, 0)
}

/// Levels of nesting that are dumped: more than the engines' dumps have.
const DEEPEST: usize = 20;

fn within(value: &Value, dialect: &Dialect, depth: usize) -> String {
    if depth > DEEPEST {
        return "...".to_owned();
    }
    let render = |value: &Value| within(value, dialect, depth + 1);
    let list = |values: &[Value]| values.iter().map(render).collect::<Vec<_>>().join(", ");
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(bool) => format!("bool({bool})"),
        Value::Int(int) => format!("int({int})"),
        Value::Float(float) => format!("float({})", double(*float)),
        Value::Text(layout, text) if name(*layout, dialect) == "string" => format!("String({})", quoted(text)),
        Value::Text(_, text) => format!("StringName({})", quoted(text)),
        Value::Fields(layout, numbers) => fields(name(*layout, dialect), &all(numbers)),
        Value::Packed(layout, numbers) => {
            let arity = dialect.layouts.get(*layout).arity();
            let elements: Vec<String> = all(numbers).chunks(arity).map(|numbers| numbers.join(", ")).collect();
            format!("{}[{}]", array_name(*layout, dialect), elements.join(", "))
        }
        Value::PackedText(layout, texts) => {
            let texts: Vec<String> = texts.iter().map(quoted).collect();
            format!("{}[{}]", array_name(*layout, dialect), texts.join(", "))
        }
        Value::Array(array) => format!("Array[{}]{}", list(&array.items), shared(array.shared)),
        Value::Dictionary(dictionary) => {
            let pair = |(key, value): &(Value, Value)| format!("{}: {}", render(key), render(value));
            let pairs: Vec<String> = dictionary.entries.iter().map(pair).collect();
            format!("Dictionary{{{}}}{}", pairs.join(", "), shared(dictionary.shared))
        }
        Value::NodePath(path) => node_path(path, dialect),
        Value::Record(layout, components) if name(*layout, dialect).ends_with("typed_array") => {
            let [Component::Type(of), Component::Values(items)] = &components[..] else { panic!("{components:?}") };
            let class = match of {
                ElementType::Layout(of) => {
                    let by_id = name(*of, dialect) == "object";
                    let id = dialect.id_of(*of).unwrap();
                    format!("{id}, \"{}\"", if by_id { "EncodedObjectAsID" } else { "" })
                }
                ElementType::Class(class) => format!("23, {}", quoted(class)),
                ElementType::Id(id) => format!("{id}, \"\""),
                ElementType::Script(_) => panic!("the engines' typed arrays name no scripts"),
            };
            let packed = name(*layout, dialect).starts_with("packed");
            let (name, width) = if packed { ("PackedTypedArray", ", int_type=6") } else { ("TypedArray", "") };
            format!("{name}<{class}{width}>[{}]", list(items))
        }
        Value::Record(layout, components) if name(*layout, dialect) == "object" => match &components[..] {
            [] => "Object(null)".to_owned(),
            [Component::Flag(true), Component::Id(id)] => format!("EncodedObjectAsID({id})"),
            _ => "Object".to_owned(),
        },
        Value::Record(layout, components) if name(*layout, dialect) == "input_event" => input_event(components),
        Value::Record(layout, components) if name(*layout, dialect) == "image" => image(components),
        Value::Record(layout, _) if name(*layout, dialect) == "rid" => "RID".to_owned(),
        Value::Record(..) => panic!("the engines' dumps have neither callables nor signals"),
    }
}

fn name(layout: LayoutId, dialect: &Dialect) -> &str {
    &dialect.layouts.get(layout).name
}

fn shared(shared: bool) -> &'static str {
    if shared { "(shared)" } else { "" }
}

/// A fixed row of numbers. Matrices are dumped row by row, and a row has one number of each axis.
fn fields(layout: &str, numbers: &[String]) -> String {
    let rows = |numbers: &[String]| {
        let row = |row: usize| (0..3).map(|axis| numbers[3 * axis + row].as_str()).collect::<Vec<_>>().join(", ");
        format!("rows[({}), ({}), ({})]", row(0), row(1), row(2))
    };
    let all = numbers.join(", ");
    match layout {
        "vector2" => format!("Vector2({all})"),
        "vector2i" => format!("Vector2i({all})"),
        "vector3" => format!("Vector3({all})"),
        "vector3i" => format!("Vector3i({all})"),
        "vector4" => format!("Vector4({all})"),
        "vector4i" => format!("Vector4i({all})"),
        "rect2" => format!("Rect2({all})"),
        "rect2i" => format!("Rect2i({all})"),
        "plane" => format!("Plane({all})"),
        "quaternion" => format!("Quaternion({all})"),
        "aabb" => format!("AABB({all})"),
        "color" => format!("Color({all})"),
        "transform2d" => {
            let pair = |at: usize| format!("({}, {})", numbers[at], numbers[at + 1]);
            format!("Transform2D(x={}, y={}, origin={})", pair(0), pair(2), pair(4))
        }
        "basis" => format!("Basis({})", rows(numbers)),
        "transform" => format!("Transform({}, origin=({}))", rows(&numbers[..9]), numbers[9..].join(", ")),
        "projection" => format!("Projection(columns[{all}])"),
        other => panic!("the engines' dumps have no {other}"),
    }
}

fn array_name(layout: LayoutId, dialect: &Dialect) -> String {
    let pool = if dialect.rules.wide_numbers { "Pool" } else { "" };
    let of = match name(layout, dialect) {
        "byte_array" => "Byte",
        "int32_array" => "Int",
        "float32_array" if dialect.rules.wide_numbers => "Real",
        "float32_array" => "Float",
        "string_array" => "String",
        "vector2_array" => "Vector2",
        "vector2i_array" => "Vector2i",
        "vector3_array" => "Vector3",
        "vector3i_array" => "Vector3i",
        "vector4_array" => "Vector4",
        "vector4i_array" => "Vector4i",
        "color_array" => "Color",
        other => panic!("the engines' dumps have no {other}"),
    };
    format!("{pool}{of}Array")
}

fn node_path(path: &NodePath, dialect: &Dialect) -> String {
    let texts = |texts: &[Text]| texts.iter().map(quoted).collect::<Vec<_>>().join(", ");
    let mut dump = format!(
        "NodePath(names=[{}], subnames=[{}], absolute={}",
        texts(&path.names),
        texts(&path.subnames),
        path.absolute
    );
    if dialect.rules.node_path_property == NodePathProperty::Own {
        dump += &format!(", property={}", quoted(&path.property));
    }
    if path.names.is_empty() && path.subnames.is_empty() && path.property.as_bytes().is_empty() {
        dump += ", empty=true";
    }
    dump + ")"
}

fn image(components: &[Component]) -> String {
    let [Component::Word(format), Component::Word(mipmaps), Component::Word(width), Component::Word(height), data] =
        components
    else {
        panic!("{components:?}")
    };
    let Component::Bytes(data) = data else { panic!("{data:?}") };
    let length = data.len();
    format!("Image(format={format}, mipmaps={mipmaps}, width={width}, height={height}, data_len={length})")
}

fn input_event(components: &[Component]) -> String {
    let words: Vec<u32> = components.iter().filter_map(Component::number).collect();
    let head = format!("InputEvent(type={}, device={}", words[0].cast_signed(), words[1].cast_signed());
    let bit = |bit: u32| words[2] >> bit & 1;
    let body = match words[0] {
        1 => format!(
            ", scancode={}, shift={}, alt={}, control={}, meta={}, pressed=0, unicode=0, echo=0",
            words[3],
            bit(25),
            bit(26),
            bit(28),
            bit(27)
        ),
        3 => format!(", button_index={}, pressed=0, x=0, y=0", words[2]),
        _ => String::new(),
    };
    format!("{head}{body})")
}

fn all(numbers: &Numbers) -> Vec<String> {
    match numbers {
        Numbers::Bytes(bytes) => bytes.iter().map(u8::to_string).collect(),
        Numbers::Int32(ints) => ints.iter().map(i32::to_string).collect(),
        Numbers::Int64(ints) => ints.iter().map(i64::to_string).collect(),
        Numbers::Float32(floats) => floats
            .iter()
            .map(
                |float| {
                    if float.get().is_nan() { format!("nan(0x{:x})", float.0) } else { real(f64::from(float.get())) }
                },
            )
            .collect(),
        Numbers::Float64(floats) => floats.iter().map(|float| double(*float)).collect(),
    }
}

fn double(float: F64) -> String {
    if float.get().is_nan() { format!("nan(0x{:x})", float.0) } else { real(float.get()) }
}

fn real(number: f64) -> String {
    format!("{number:?}")
}

/// A text in quotes, each letter beyond ASCII as `\u{…}`.
fn quoted(text: &Text) -> String {
    let mut quoted = String::from("\"");
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        match (first, tail) {
            (0x20..0x7f, _) => {
                quoted.push(char::from(*first));
                rest = tail;
            }
            // A surrogate, which is no character of Rust's.
            (0xed, [second @ 0xa0..0xc0, third, behind @ ..]) => {
                let point = 0xd000 | u32::from(second & 0x3f) << 6 | u32::from(third & 0x3f);
                quoted += &format!("\\u{{{point:x}}}");
                rest = behind;
            }
            (_, _) => {
                let letter = (1..=4.min(rest.len())).find_map(|size| std::str::from_utf8(&rest[..size]).ok()).unwrap();
                quoted += &format!("\\u{{{:x}}}", u32::from(letter.chars().next().unwrap()));
                rest = &rest[letter.len()..];
            }
        }
    }
    quoted + "\""
}
