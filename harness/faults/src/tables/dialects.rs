//! Mutants that ignore the dialect of a request, and use another.

use variant_specs::{Dialect, Specs};

use crate::fault::{Fault, Mutation};

/// A mutant for each other dialect whose packets are not the same.
pub(crate) fn mutants(specs: &Specs, dialect: &Dialect) -> Vec<Fault> {
    let others = specs.all().filter(|other| other.precision == dialect.precision && !other.is_read_as(dialect));
    others
        .map(|other| {
            let tables = other.clone();
            let fault =
                Fault::of_tables(dialect, "speaks", &other.name, None, move |changed| *changed = tables.clone());
            let mutation = Mutation { other_dialect: true, ..fault.mutation };
            let page = other.advice.as_ref().map_or("", |_| " (an outdated page)");
            let advice = Some(format!(
                "declare {} in the handshake if that is what it speaks, or take the table of {}",
                other.name, dialect.name
            ));
            Fault { mutation, advice, ..fault }
                .called(format!("speaks-{}", other.name))
                .described(format!("the type ids and layouts are those of {}{page}", other.name))
        })
        .collect()
}
