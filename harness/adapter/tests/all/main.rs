//! The external runner against scripted adapters, each misbehaving in one way: verdict, blame, and a time limit.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail where tests do")]

mod blame;
mod budget;
mod ending;
mod garbled;
mod harmless;
mod silence;
mod start;
mod support;
mod tcp;
