//! Skeletons of adapters: programs that pass `conform vet`, in which only the codec is to be replaced.
//!
//! The files stand under `templates/`, each a working program by the name of `my-adapter`.

use std::io;
use std::path::{Path, PathBuf};

/// The name that the templates carry.
const NAME: &str = "my-adapter";

/// What a folder of an adapter begins with.
#[derive(Debug)]
pub struct Skeleton {
    /// The word of the command line.
    pub language: &'static str,
    files: &'static [File],
}

#[derive(Debug)]
struct File {
    path: &'static str,
    text: &'static str,
}

/// Templates: where each goes in the adapter's folder, and where it stands under `templates/`.
macro_rules! files {
    ($($path:literal: $template:literal),+ $(,)?) => {
        &[$(File { path: $path, text: include_str!(concat!("../templates/", $template)) }),+]
    };
}

/// Every language that has one.
pub const SKELETONS: [Skeleton; 8] = [
    Skeleton {
        language: "python",
        files: files!["adapter.py": "python/adapter.py", "adapter.yaml": "python/adapter.yaml"],
    },
    Skeleton {
        language: "javascript",
        files: files!["adapter.mjs": "javascript/adapter.mjs", "adapter.yaml": "javascript/adapter.yaml"],
    },
    Skeleton {
        language: "rust",
        files: files![
            "src/main.rs": "rust/src/main.rs",
            "Cargo.toml": "rust/Cargo.toml.txt",
            "adapter.yaml": "rust/adapter.yaml",
            ".gitignore": "rust/gitignore",
        ],
    },
    Skeleton {
        language: "go",
        files: files!["main.go": "go/main.go", "go.mod": "go/go.mod.txt", "adapter.yaml": "go/adapter.yaml"],
    },
    Skeleton {
        language: "c",
        files: files!["adapter.c": "c/adapter.c", "adapter.yaml": "c/adapter.yaml", ".gitignore": "c/gitignore"],
    },
    Skeleton {
        language: "csharp",
        files: files![
            "Adapter.cs": "csharp/Adapter.cs",
            "adapter.yaml": "csharp/adapter.yaml",
            ".gitignore": "csharp/gitignore",
        ],
    },
    Skeleton {
        language: "gdscript3",
        files: files![
            "adapter.gd": "gdscript3/adapter.gd",
            "run": "gdscript3/run",
            "project.godot": "gdscript3/project.godot",
            "adapter.yaml": "gdscript3/adapter.yaml",
        ],
    },
    Skeleton {
        language: "gdscript4",
        files: files![
            "adapter.gd": "gdscript4/adapter.gd",
            "run": "gdscript4/run",
            "project.godot": "gdscript4/project.godot",
            "adapter.yaml": "gdscript4/adapter.yaml",
            ".gitignore": "gdscript4/gitignore",
        ],
    },
];

impl Skeleton {
    /// The skeleton in a language.
    pub fn of(language: &str) -> Option<&'static Self> {
        SKELETONS.iter().find(|skeleton| skeleton.language == language)
    }

    /// Writes it into a folder that is new or empty, under the folder's name. Tells the files.
    ///
    /// # Errors
    /// A sentence that says what stands in the way.
    pub fn write(&self, folder: &Path) -> Result<Vec<PathBuf>, String> {
        let name = name(folder)?;
        let problem = |path: &Path, error: io::Error| format!("{}: cannot be written: {error}", path.display());
        std::fs::create_dir_all(folder).map_err(|error| problem(folder, error))?;
        let mut entries = std::fs::read_dir(folder).map_err(|error| problem(folder, error))?;
        if entries.next().is_some() {
            return Err(format!("{} is not empty; name a new folder", folder.display()));
        }
        let write = |file: &File| {
            let path = folder.join(file.path);
            file.write(&path, &name).map_err(|error| problem(&path, error)).map(|()| path)
        };
        self.files.iter().map(write).collect()
    }
}

impl File {
    fn write(&self, path: &Path, name: &str) -> io::Result<()> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(path, self.text.replace(NAME, name))?;
        #[cfg(unix)]
        if self.text.starts_with("#!") {
            use std::os::unix::fs::PermissionsExt;
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))?;
        }
        Ok(())
    }
}

/// The folder's own name, which is the adapter's: every language must be able to say it.
fn name(folder: &Path) -> Result<String, String> {
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let plain = name.starts_with(|letter: char| letter.is_ascii_lowercase())
        && name.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-');
    if plain {
        return Ok(name);
    }
    Err(format!("{name:?} cannot be an adapter's name; name the folder with small letters, digits and -, as {NAME}"))
}
