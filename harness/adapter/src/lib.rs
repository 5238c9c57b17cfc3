//! Adapters: processes under test, their folders and skeletons, and the checks that need no corpus (`vet`, `identify`).

pub mod external;
pub mod folder;
pub mod guard;
pub mod identify;
pub mod skeleton;
pub mod vet;
