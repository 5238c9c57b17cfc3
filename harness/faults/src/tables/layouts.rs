//! One layout changed: a field dropped, two swapped, another width, a transposed matrix.

use std::sync::Arc;

use variant_specs::{Dialect, FieldForm, Layout, LayoutId, Precision, Scalar, Shape};

use crate::builder::change_layouts;
use crate::fault::Fault;
use crate::moves;
use variant_values::handshake::Op;

pub(super) fn mutants(dialect: &Dialect) -> Vec<Fault> {
    dialect.types.iter().flat_map(|entry| of_layout(dialect, entry.layout)).collect()
}

fn of_layout(dialect: &Dialect, layout_id: LayoutId) -> Vec<Fault> {
    let layout = dialect.layouts.get(layout_id);
    let mut changes = Vec::new();
    // A layout without fields is one number. Of elements with one number less, all are there: that is another count.
    if layout.fields.len() > 1 && layout.shape != Shape::Packed {
        changes.extend((0..layout.fields.len()).map(|place| dropped(layout, place)));
    }
    if !layout.fields.is_empty() {
        changes.push(added(layout));
    }
    changes.extend(swapped(layout));
    changes.extend(transposed(layout));
    changes.extend(of_other_scalars(dialect, layout));
    changes.extend(classes(dialect, layout));
    changes.extend(super::records::changes(dialect, layout));
    let mut mutants = mutants_of(dialect, layout_id, changes, &[Op::Decode, Op::Encode]);
    // Only readers look at that flag, and check whether an image has as many bytes as its format and size require.
    let of_readers = [by_flag(dialect, layout), pixels(layout)].concat();
    mutants.extend(mutants_of(dialect, layout_id, of_readers, &[Op::Decode]));
    mutants
}

fn mutants_of(dialect: &Dialect, id: LayoutId, changes: Vec<Changed>, ops: &[Op]) -> Vec<Fault> {
    let own = dialect.layouts.get(id);
    let part = &own.name;
    let mut mutants = Vec::new();
    for (name, changed) in changes {
        let moved = name.ends_with(SWAPPED).then(|| moves::said(own, &came_from(own, &changed)));
        let changed = Arc::new(changed);
        mutants.extend(ops.iter().map(|op| {
            let changed = Arc::clone(&changed);
            let change = move |own, layout: &mut Layout| {
                if own == id {
                    layout.clone_from(&changed);
                }
            };
            let mutant =
                Fault::of_tables(dialect, part, &name, Some(*op), move |dialect| change_layouts(dialect, &change));
            let mutant = mutant.about([part.as_str()]);
            if let Some(said) = &moved {
                let sentence = format!("{}: {said}", dialect.type_name_of(part));
                return mutant.called(moves::named(said)).described(sentence);
            }
            let said = match SCALARS.iter().find(|(_, own, _)| *own == name) {
                Some((_, _, numbers)) => format!("its numbers are {numbers}"),
                None if name == BY_FLAG => "flag 1 is not ignored: its numbers then have 64 bits".to_owned(),
                None => return mutant,
            };
            mutant.described(format!("{}: {said}", dialect.type_name_of(part)))
        }));
    }
    mutants
}

/// The name of a change, and the layout after it.
type Changed = (String, Layout);

/// Without one field: the fields after it move up.
fn dropped(layout: &Layout, place: usize) -> Changed {
    let mut changed = layout.clone();
    changed.fields.remove(place);
    for wire in [&mut changed.wire, &mut changed.document_wire] {
        wire.retain(|other| *other != place);
        wire.iter_mut().filter(|other| **other > place).for_each(|other| *other -= 1);
    }
    (format!("{}-dropped", layout.fields[place]), changed)
}

/// With one more field at the end.
fn added(layout: &Layout) -> Changed {
    let mut changed = layout.clone();
    let place = changed.fields.len();
    changed.fields.push("more".to_owned());
    changed.wire.push(place);
    changed.document_wire.push(place);
    ("a-field-added".to_owned(), changed)
}

/// Each pair of fields, swapped.
fn swapped(layout: &Layout) -> Vec<Changed> {
    let mut changes = Vec::new();
    for first in 0..layout.wire.len() {
        for second in first + 1..layout.wire.len() {
            let mut changed = layout.clone();
            changed.wire.swap(first, second);
            changed.document_wire.swap(first, second);
            let names = [first, second].map(|wire| layout.fields[layout.wire[wire]].as_str());
            changes.push((format!("{}-and-{}{SWAPPED}", names[0], names[1]), changed));
        }
    }
    changes
}

const SWAPPED: &str = "-swapped";

/// For each field of a layout that of which it has the number, if a codec has the wire of another.
fn came_from(own: &Layout, other: &Layout) -> Vec<usize> {
    let place = |field: usize| other.wire.iter().position(|other| *other == field);
    let from = |field: usize| place(field).and_then(|place| own.wire.get(place)).copied().unwrap_or(field);
    (0..own.fields.len()).map(from).collect()
}

/// Every field `a.b` instead of `b.a`, where that is more than one swap. In which other order the numbers of a codec are,
/// its replies say.
fn transposed(layout: &Layout) -> Option<Changed> {
    let mirrored = |place: &usize| {
        let (row, column) = layout.fields[*place].split_once('.')?;
        layout.fields.iter().position(|other| other.split_once('.') == Some((column, row)))
    };
    // The order of the document, where another fault takes that, changes in the same way.
    let mirror =
        |wire: &[usize]| -> Vec<usize> { wire.iter().map(|place| mirrored(place).unwrap_or(*place)).collect() };
    let (wire, document_wire) = (mirror(&layout.wire), mirror(&layout.document_wire));
    let moved = layout.wire.iter().zip(&wire).filter(|(old, new)| old != new).count();
    (moved > 2).then(|| ("transposed".to_owned(), Layout { wire, document_wire, ..layout.clone() }))
}

/// What numbers may be: the name of the fault, and what they are then.
const SCALARS: [(Scalar, &str, &str); 5] = [
    (Scalar::Byte, "of-byte", "bytes"),
    (Scalar::Int32, "of-int32", "integers of 32 bits"),
    (Scalar::Int64, "of-int64", "integers of 64 bits"),
    (Scalar::Float32, "of-float32", "reals of 32 bits"),
    (Scalar::Float64, "of-float64", "reals of 64 bits"),
];

/// Every other type of number: another width, or reals instead of integers.
fn of_other_scalars(dialect: &Dialect, layout: &Layout) -> Vec<Changed> {
    let Some(own) = layout.of else { return Vec::new() };
    let own = match (own, dialect.precision) {
        (Scalar::Real, Precision::Single) => Scalar::Float32,
        (Scalar::Real, Precision::Double) => Scalar::Float64,
        (other, _) => other,
    };
    let others = SCALARS.into_iter().filter(|(scalar, ..)| *scalar != own);
    others.map(|(scalar, name, _)| (name.to_owned(), Layout { of: Some(scalar), ..layout.clone() })).collect()
}

const BY_FLAG: &str = "of-doubles-with-flag-1";

/// Colors whose flag 1 says that they have doubles, where it does so of vectors.
fn by_flag(dialect: &Dialect, layout: &Layout) -> Vec<Changed> {
    let changed = Layout { of: Some(Scalar::Real), ..layout.clone() };
    let is_new = layout.of == Some(Scalar::Channel) && dialect.precision == Precision::Single;
    (is_new && dialect.says_width(&changed)).then(|| (BY_FLAG.to_owned(), changed)).into_iter().collect()
}

/// Formats that take one byte more, or allow data of any size.
fn pixels(layout: &Layout) -> Vec<Changed> {
    let mut changes = Vec::new();
    for (place, (format, _)) in layout.pixels.iter().enumerate() {
        let mut changed = layout.clone();
        changed.pixels[place].1 += 1;
        changes.push((format!("format-{format}-takes-one-byte-more"), changed));
        let mut changed = layout.clone();
        changed.pixels.remove(place);
        changes.push((format!("format-{format}-may-have-any-data"), changed));
    }
    changes
}

/// The class of objects in another layout of the same shape.
fn classes(dialect: &Dialect, layout: &Layout) -> Vec<Changed> {
    let shape = |name: &str| dialect.layouts.id_of(name).map(|id| dialect.layouts.get(id).shape);
    let mut changes = Vec::new();
    for (place, field) in layout.record.iter().enumerate() {
        let FieldForm::Type { id, class } = &field.form else { continue };
        let others = dialect.types.iter().map(|entry| &dialect.layout(entry).name);
        changes.extend(others.filter(|name| *name != class && shape(name) == shape(class)).map(|name| {
            let mut changed = layout.clone();
            changed.record[place].form = FieldForm::Type { id: id.clone(), class: name.clone() };
            (format!("class-as-{name}"), changed)
        }));
    }
    changes
}
