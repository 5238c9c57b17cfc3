//! Adapters: processes under test, their folders and skeletons, and the checks that need no corpus (`vet`).
#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod external;
pub mod folder;
pub mod skeleton;
pub mod vet;
