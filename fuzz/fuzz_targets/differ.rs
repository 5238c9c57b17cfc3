//! Any packet, in every dialect, put to the reference codec and to another side: `CONFORM_SIDE`, a command that speaks the
//! protocol, or else the reference codec at the end of its own lines. Where they part and no divergence explains it,
//! that is a crash.
#![no_main]

use std::cell::RefCell;
use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use variant_diff::{Served, Target};
use variant_adapter::external::{Command, External, Limits};
use variant_wire::implementation::Implementation;
use variant_specs::Specs;

thread_local! {
    static TARGETS: RefCell<Vec<Target>> = RefCell::new(targets());
}

fuzz_target!(|packet: &[u8]| {
    TARGETS.with_borrow_mut(|targets| {
        for target in targets {
            if let Some(parted) = target.check(packet).expect("the other side can be used") {
                panic!("{parted}");
            }
        }
    });
});

fn targets() -> Vec<Target> {
    let specs = Specs::builtin().expect("the specs are well formed");
    specs.dialects.iter().filter_map(|dialect| Target::new(&specs, dialect, other(&specs))).collect()
}

/// The specs as they are; with the feature `planted` a little wrong, to see that this is found.
fn planted(specs: &Specs) -> Specs {
    let mut specs = specs.clone();
    if cfg!(feature = "planted") {
        specs.dialects.iter_mut().for_each(|dialect| dialect.rules.text_ends_at_nul = !dialect.rules.text_ends_at_nul);
    }
    specs
}

fn other(specs: &Specs) -> Box<dyn Implementation + Send> {
    let Ok(side) = std::env::var("CONFORM_SIDE") else { return Box::new(Served::new(&planted(specs))) };
    let words: Vec<String> = side.split_whitespace().map(str::to_owned).collect();
    let started = External::start(Command::new(&words), Arc::clone(&specs.layouts), Limits::default());
    Box::new(started.expect("CONFORM_SIDE is a command that speaks the protocol"))
}
