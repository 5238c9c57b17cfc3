//! Sends any packet, in every dialect, to the reference codec and to another implementation: the command in
//! `CONFORM_SIDE`, or else the reference codec behind its own protocol. A disagreement that no divergence allows is a crash.
#![no_main]

mod planted;

use std::cell::RefCell;

use libfuzzer_sys::fuzz_target;
use variant_diff::{LoopbackReference, FuzzTarget};
use variant_adapter::external::{Command, External, Limits};
use variant_values::implementation::Implementation;
use variant_specs::Specs;

use self::planted::PLANTED;

thread_local! {
    static TARGETS: RefCell<Vec<FuzzTarget<'static>>> = RefCell::new(targets());
}

fuzz_target!(|packet: &[u8]| {
    TARGETS.with_borrow_mut(|targets| {
        for target in targets {
            if let Some(wrong) = target.check(packet).expect("the other implementation can be used") {
                panic!("{wrong}");
            }
        }
    });
});

fn targets() -> Vec<FuzzTarget<'static>> {
    // They live as long as the program.
    let specs: &'static Specs = Box::leak(Box::new(Specs::builtin().expect("the specs are well formed")));
    specs.dialects.iter().filter_map(|dialect| FuzzTarget::new(specs, dialect, other(specs))).collect()
}

/// The specs; with `PLANTED` in the environment, one rule is wrong, to see that the fuzzer finds it.
fn planted(specs: &Specs) -> Specs {
    let mut specs = specs.clone();
    if *PLANTED {
        specs.dialects.iter_mut().for_each(|dialect| dialect.rules.text_ends_at_nul = !dialect.rules.text_ends_at_nul);
    }
    specs
}

fn other(specs: &Specs) -> Box<dyn Implementation + Send> {
    let Ok(side) = std::env::var("CONFORM_SIDE") else { return Box::new(LoopbackReference::new(&planted(specs))) };
    let words: Vec<String> = side.split_whitespace().map(str::to_owned).collect();
    let started = External::start(Command::new(&words), specs, Limits::default());
    Box::new(started.expect("CONFORM_SIDE is a command that speaks the protocol"))
}
