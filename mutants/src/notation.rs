//! Values as pipes write them.

#[path = "../../harness/src/notation/error.rs"]
mod error;
#[path = "../../harness/src/notation/node.rs"]
mod node;
#[path = "../../harness/src/notation/read.rs"]
mod read;
#[path = "../../harness/src/notation/real.rs"]
mod real;
#[path = "../../harness/src/notation/resolve.rs"]
mod resolve;
#[path = "../../harness/src/notation/write.rs"]
mod write;

pub use error::ValueError;
pub use node::Node;
pub use real::Strictness;
pub use resolve::{Expected, resolve};
pub use write::{Form, value_json, write_expected, write_value};
