//! Adapters: the processes under test, their folders, and what looks at them before any test is run.

pub mod external;
pub mod folder;
pub mod identify;
pub mod skeleton;
pub mod vet;
