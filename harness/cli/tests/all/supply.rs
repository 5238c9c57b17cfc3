//! What is released and how others get it: completions, man pages, pinned actions, checksums.

use std::path::{Path, PathBuf};
use std::process::Command;

use rstest::rstest;
use tempfile::TempDir;

use crate::support::{conform, root, stderr, stdout};

#[rstest]
fn completions_name_every_command(#[values("bash", "zsh", "fish")] shell: &str) {
    let output = conform(&["completions", shell]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let script = stdout(&output);
    for command in ["run", "matrix", "new-adapter", "completions"] {
        assert!(script.contains(command), "{shell}: {command}");
    }
}

#[test]
fn a_command_has_a_man_page() {
    let folder = TempDir::new().unwrap();
    let man = folder.path().join("share/man1");
    assert_eq!(conform(&["man", man.to_str().unwrap()]).status.code(), Some(0));
    let page = std::fs::read_to_string(man.join("conform-run.1")).unwrap();
    assert!(page.contains("baseline") && page.contains(".SH OPTIONS"), "{page}");
    assert!(man.join("conform.1").is_file());
}

/// Texts that run commands elsewhere: workflows and recipes.
fn scripts() -> Vec<(PathBuf, String)> {
    let folders = [
        ".",
        ".github/workflows",
        "recipes",
        "recipes/packages",
        "vectors",
        "adapters/examples",
        "fuzz/oss-fuzz",
        "fuzz",
        ".ci",
    ];
    let files = folders.iter().flat_map(|folder| std::fs::read_dir(root().join(folder)).unwrap());
    let files = files.map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    let texts: Vec<_> = files.map(|path| (path.clone(), std::fs::read_to_string(path).unwrap())).collect();
    assert!(texts.len() > 15);
    texts
}

#[test]
fn actions_are_pinned_by_commit() {
    let mut pinned = 0;
    for (path, text) in scripts() {
        for line in text.lines().filter(|line| line.trim_start().trim_start_matches("- ").starts_with("uses: ")) {
            let (_, action) = line.split_once("uses: ").unwrap();
            let commit = action.split_once('@').map(|(_, rest)| rest.split(' ').next().unwrap_or_default());
            let exact =
                commit.is_some_and(|commit| commit.len() == 40 && commit.bytes().all(|b| b.is_ascii_hexdigit()));
            assert!(exact || action.starts_with("./"), "{}: {action} is not pinned by a commit", path.display());
            pinned += usize::from(exact);
        }
    }
    assert!(pinned > 5, "{pinned}");
}

/// `cargo fuzz` has no such option; it builds from fuzz/Cargo.lock all the same.
#[test]
fn what_is_built_elsewhere_is_built_from_the_lock_file() {
    for (path, text) in scripts().into_iter().filter(|(path, _)| path.extension().is_none_or(|end| end != "md")) {
        for line in text.lines() {
            let builds = ["cargo build ", "cargo run ", "cargo install ", "cargo test ", "cargo package "];
            let builds = builds.iter().any(|build| line.contains(build));
            assert!(!builds || line.contains("--locked"), "{}: {line}", path.display());
        }
    }
}

/// A release is installed if its archive has the checksum that is published, or the one that the user names.
#[rstest]
fn the_archive_is_checked_before_it_is_unpacked(
    #[values("action", "template")] from: &str,
    #[values("right", "wrong", "named", "misnamed")] checksum: &str,
) {
    let folder = TempDir::new().unwrap();
    let (install, home, program) = match from {
        "action" => (step("install conform"), "HOME_URL", "conform/conform"),
        _ => (template("before_script"), "CONFORM_HOME", ".conform/conform"),
    };
    let release = folder.path().join("releases/download/v0.1.0");
    std::fs::create_dir_all(&release).unwrap();
    std::fs::write(release.join("conform"), "the program").unwrap();
    let archive = format!("conform-linux-{}.tar.gz", std::env::consts::ARCH);
    let publish = format!("tar -czf {archive} conform && sha256sum {archive} > {archive}.sha256");
    let shell = |script: &str, folder: &Path| {
        let mut command = Command::new("bash");
        command.current_dir(folder).args(["-e", "-c", script]);
        command
    };
    assert!(shell(&publish, &release).status().unwrap().success());
    let right = std::fs::read_to_string(release.join(format!("{archive}.sha256"))).unwrap();
    let right = right.split(' ').next().unwrap();
    let wrong = "0".repeat(64);
    let (published, named) = match checksum {
        "right" => (right, ""),
        "wrong" => (wrong.as_str(), ""),
        "named" => (wrong.as_str(), right),
        _ => (right, wrong.as_str()),
    };
    std::fs::write(release.join(format!("{archive}.sha256")), format!("{published}  {archive}\n")).unwrap();
    let mut install = shell(&install, folder.path());
    install.env("RUNNER_TEMP", folder.path()).env("GITHUB_PATH", folder.path().join("path"));
    install.envs([("VERSION", "0.1.0"), ("SHA256", named), ("CONFORM_VERSION", "0.1.0"), ("CONFORM_SHA256", named)]);
    let output = install.env(home, format!("file://{}", folder.path().display())).output().unwrap();
    let accepted = matches!(checksum, "right" | "named");
    let installed = folder.path().join(program).is_file();
    assert_eq!((output.status.success(), installed), (accepted, accepted), "{}", stderr(&output));
}

/// A step of action.yml, by its name.
pub(crate) fn step(name: &str) -> String {
    let action = std::fs::read_to_string(root().join("action.yml")).unwrap();
    let action: serde_yaml::Value = serde_yaml::from_str(&action).unwrap();
    let steps = action["runs"]["steps"].as_sequence().unwrap();
    steps.iter().find(|step| step["name"] == name).unwrap()["run"].as_str().unwrap().to_owned()
}

/// A script of the job in the template for GitLab.
pub(crate) fn template(name: &str) -> String {
    let file = root().join("adapters/examples/conform.gitlab-ci.yml");
    let jobs: serde_yaml::Value = serde_yaml::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    jobs[".conform"][name][0].as_str().unwrap().to_owned()
}

/// The steps of the action, as a shell runs them; there is no runner here. The release is a folder.
#[test]
#[ignore = "takes long: .ci/run runs it"]
fn the_action_installs_runs_and_tells() {
    let folder = TempDir::new().unwrap();
    let home = folder.path();
    let release = home.join("releases/download/v0.1.0");
    std::fs::create_dir_all(&release).unwrap();
    std::fs::copy(crate::support::CONFORM, release.join("conform")).unwrap();
    let shell = |script: &str, inputs: &[(&str, &str)]| {
        let path = format!("{}:{}", home.join("temp/conform").display(), std::env::var("PATH").unwrap());
        let mut command = Command::new("bash");
        command.current_dir(home).args(["--noprofile", "--norc", "-e", "-o", "pipefail", "-c", script]);
        for name in ["ADAPTER", "COMMAND", "DIALECT", "BASELINE", "ARGUMENTS", "SHA256"] {
            command.env(name, "");
        }
        for name in ["GITHUB_PATH", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"] {
            command.env(name, home.join(name));
        }
        command
            .env("PATH", path)
            .env("RUNNER_TEMP", home.join("temp"))
            .envs([("FAIL", "true"), ("OUT", "conform-report")]);
        command.env("HOME_URL", format!("file://{}", home.display())).envs(inputs.iter().copied()).output().unwrap()
    };
    let archive = "conform-linux-$(uname -m).tar.gz";
    let publish =
        format!("cd {} && tar -czf {archive} conform && sha256sum {archive} > {archive}.sha256", release.display());
    assert!(shell(&publish, &[]).status.success());

    let install = step("install conform");
    assert_eq!(shell(&install, &[("VERSION", "main")]).status.code(), Some(2));
    let misnamed = shell(&install, &[("VERSION", "v0.1.0"), ("SHA256", &"0".repeat(64))]);
    assert!(!misnamed.status.success() && !home.join("temp/conform/conform").exists());
    let installed = shell(&install, &[("VERSION", "v0.1.0")]);
    assert!(installed.status.success(), "{}", stderr(&installed));

    let run = step("run");
    let written = |name: &str| std::fs::read_to_string(home.join(name)).unwrap_or_default();
    assert_eq!(shell(&run, &[]).status.code(), Some(2));
    let whole = ("ARGUMENTS", "--quick");
    let only = ("ARGUMENTS", "--only godot-3/bool/* --quick");
    let green = shell(&run, &[("ADAPTER", "reference"), ("DIALECT", "godot-3"), whole]);
    assert!(green.status.success(), "{}{}", stdout(&green), stderr(&green));
    let outputs = written("GITHUB_OUTPUT");
    assert!(
        outputs.contains("status=0\n") && outputs.contains("\nfailures=0\n") && outputs.contains("\nwarnings="),
        "{outputs}"
    );
    assert!(outputs.contains("\ncauses=0\n"), "{outputs}");
    for ability in ["reads", "writes", "exact", "safe"] {
        assert!(outputs.contains(&format!("\n{ability}=27\n")), "{outputs}");
    }
    let passed = outputs.lines().find_map(|line| line.strip_prefix("passed=")).unwrap();
    assert!(passed.parse::<u32>().unwrap() > 500, "{outputs}");
    assert!(written("conform-report/badge/godot-3.json").contains("schemaVersion"));
    assert!(written("GITHUB_STEP_SUMMARY").contains("reference"), "{}", written("GITHUB_STEP_SUMMARY"));

    let null = format!("python3 {}", crate::support::scripted("null.py"));
    let inputs = [("COMMAND", null.as_str()), ("DIALECT", "godot-3"), only];
    assert_eq!(shell(&run, &inputs).status.code(), Some(1));
    assert!(shell(&run, &[&inputs[..], &[("FAIL", "false")]].concat()).status.success());
    std::fs::rename(home.join("conform-report"), home.join("before")).unwrap();
    let same = shell(&run, &[&inputs[..], &[("BASELINE", "before")]].concat());
    assert!(same.status.success(), "{}{}", stdout(&same), stderr(&same));
}

/// The job of the template, as a shell runs it.
#[test]
#[ignore = "takes long: .ci/run runs it"]
fn the_template_of_gitlab_installs_and_runs() {
    let folder = TempDir::new().unwrap();
    let home = folder.path();
    let shell = |script: &str, variables: &[(&str, &str)]| {
        let mut command = Command::new("sh");
        command.current_dir(home).args(["-e", "-c", script]).envs([("CONFORM_HOME", ""), ("CONFORM_VERSION", "0.1.0")]);
        command
            .envs([("CONFORM_SHA256", ""), ("CONFORM_FAIL", "true")])
            .envs(variables.iter().copied())
            .output()
            .unwrap()
    };
    let nowhere = shell(&template("before_script"), &[]);
    assert!(nowhere.status.code() == Some(2) && stdout(&nowhere).contains("set CONFORM_HOME"));
    let publish = format!(
        "mkdir -p releases/download/v0.1.0 && cd releases/download/v0.1.0 && cp {} conform && \
         tar -czf conform-linux-$(uname -m).tar.gz conform && sha256sum *.gz > conform-linux-$(uname -m).tar.gz.sha256",
        crate::support::CONFORM
    );
    assert!(shell(&publish, &[]).status.success());
    let address = format!("file://{}", home.display());
    let whole = template("before_script") + "\n" + &template("script");
    let run = "reference --dialect 'godot-3' --quick";
    let green = shell(&whole, &[("CONFORM_HOME", &address), ("CONFORM_RUN", run)]);
    assert!(green.status.success(), "{}{}", stdout(&green), stderr(&green));
    assert!(
        home.join("conform-report/junit.xml").is_file() && home.join("conform-report/badge/godot-3.json").is_file()
    );
}
