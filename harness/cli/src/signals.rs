//! Ctrl-C, SIGTERM and SIGHUP: the first ends what is going on in good order, the second ends the program.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, LazyLock};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use variant_wire::interrupt::Interrupt;

/// The flag that the first signal sets; from the first call on, signals do no more than that.
pub(super) fn interrupt() -> Interrupt {
    static FLAG: LazyLock<&'static AtomicBool> = LazyLock::new(|| {
        let flag: &'static Arc<AtomicBool> = Box::leak(Box::default());
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            // In this order, so that only a second signal finds the flag set. One that cannot be caught does what it
            // always did.
            let _ = flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(flag));
            let _ = flag::register(signal, Arc::clone(flag));
        }
        flag.as_ref()
    });
    Interrupt::new(&FLAG)
}
