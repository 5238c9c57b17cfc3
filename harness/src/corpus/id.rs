//! Which corpus it is: version and digest.

use serde::{Deserialize, Serialize};


