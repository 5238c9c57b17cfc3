//! Numbers stay what they are in YAML and in JSON.

use variant_codec::{F32, F64, Numbers, Value};
use variant_specs::Dialect;
use variant_strategies::Random;
use variant_values::value_text::{Form, Strictness, SyntaxTree, typecheck, write_value};

use crate::support::SPECS;

const COUNT: usize = 100_000;

/// Bit patterns of every kind.
fn patterns() -> Vec<u64> {
    let mut random = Random::new(1);
    std::iter::repeat_with(|| random.long()).take(COUNT).collect()
}

fn singles() -> Vec<F32> {
    patterns().into_iter().map(|bits| F32(u32::try_from(bits >> 32).unwrap())).collect()
}

fn doubles() -> Vec<F64> {
    patterns().into_iter().map(F64).collect()
}

/// Singles in a packed array, doubles in an array of floats.
fn values(dialect: &Dialect) -> [Value; 2] {
    let packed = dialect.layouts.id_of("float32_array").unwrap();
    let singles = Value::Packed(packed, Numbers::Float32(singles().into()));
    let items = doubles().into_iter().map(Value::Float).collect();
    [singles, Value::Array(variant_codec::Array { items, ..variant_codec::Array::default() })]
}

#[test]
fn through_json_in_every_form() {
    let dialect = SPECS.dialect("godot-3").unwrap();
    for reals_as_bits in [false, true] {
        let form = Form { reals_as_bits, ..Form::default() };
        for value in values(dialect) {
            let mut json = Vec::new();
            write_value(&mut json, &value, &dialect.layouts, form);
            let node: SyntaxTree = serde_json::from_slice(&json).unwrap();
            let read = typecheck(&node, dialect, Strictness::Reply).unwrap();
            assert!(read.value == value, "some of {COUNT} numbers changed");
        }
    }
}

#[test]
fn through_yaml_as_the_corpus_writes_them() {
    let dialect = SPECS.dialect("godot-3").unwrap();
    let single =
        |real: &F32| if real.get().is_nan() { format!("\"{:#010x}\"", real.0) } else { yaml(f64::from(real.get())) };
    let double = |real: &F64| {
        if real.get().is_nan() {
            format!("!float \"{:#018x}\"", real.0)
        } else {
            format!("!float {}", yaml(real.get()))
        }
    };
    let singles: Vec<String> = singles().iter().map(single).collect();
    let doubles: Vec<String> = doubles().iter().map(double).collect();
    let texts = [format!("!float32_array [{}]", singles.join(", ")), format!("!array [{}]", doubles.join(", "))];
    for (text, value) in texts.iter().zip(values(dialect)) {
        let node: SyntaxTree = serde_yaml::from_str(text).unwrap();
        let read = typecheck(&node, dialect, Strictness::Corpus).unwrap();
        assert!(read.value == value, "some of {COUNT} numbers changed");
    }
}

/// A real with its point: `1e300` alone is an integer to nobody, but not how the corpus writes it.
fn yaml(real: f64) -> String {
    if real.is_infinite() {
        return if real > 0.0 { "inf" } else { "-inf" }.to_owned();
    }
    let shortest = format!("{real:?}");
    if shortest.contains('.') { shortest } else { shortest.replacen('e', ".0e", 1) }
}
