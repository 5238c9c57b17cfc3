//! What a fuzzer must find.

use std::sync::LazyLock;

/// Whether something is wrong on purpose: the variable `PLANTED` says so.
pub(crate) static PLANTED: LazyLock<bool> = LazyLock::new(|| std::env::var_os("PLANTED").is_some());
