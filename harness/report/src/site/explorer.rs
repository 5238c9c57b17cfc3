//! The explorer: bytes in, fields out, by the reference codec as WebAssembly.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use minijinja::{Error, context};

use crate::site::content::Site;
use crate::site::pages::Pages;

pub(crate) fn add(site: &Site<'_>, pages: &mut Pages) -> Result<(), Error> {
    let page = [
        "explorer.html",
        "explorer.html",
        "Explorer: what are these bytes?",
        "Paste bytes of Godot's binary format in any notation, and see them field by field",
    ];
    let program = site.inputs.explorer.as_ref();
    if let Some(program) = program {
        pages.add("explorer.wasm", program.clone());
        // A page that is opened from a disk may not fetch a file, but may load a script.
        pages.add("explorer.wasm.js", format!("window.conformExplorer = \"{}\";\n", STANDARD.encode(program)));
    }
    pages.render(page, context! { has_explorer => program.is_some() })
}
