//! Values as pipes write them.

#[path = "../../harness/src/notation/node.rs"]
mod node;
#[path = "../../harness/src/notation/resolve.rs"]
mod resolve;
#[path = "../../harness/src/notation/write.rs"]
mod write;

pub use node::Node;
pub use resolve::{Expected, Strictness, ValueError, resolve};
pub use write::{Form, value_json, write_expected, write_value};
