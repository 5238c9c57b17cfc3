//! The site: the same bytes from the same inputs, and every link of a page leads somewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use tempfile::TempDir;

use crate::support::{conform, root, scripted, sealed, text};

/// Every file under a folder, by its path from there.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).unwrap().map(Result::unwrap) {
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
            } else {
                let path = entry.path().strip_prefix(folder).unwrap().display().to_string();
                found.insert(path, std::fs::read(entry.path()).unwrap());
            }
        }
    }
    found
}

/// The values of an attribute in a page.
fn attribute<'a>(page: &'a str, name: &str) -> Vec<&'a str> {
    let begin = format!(" {name}=\"");
    page.match_indices(&begin).map(|(at, found)| page[at + found.len()..].split('"').next().unwrap()).collect()
}

/// Where a link of a page leads: the path from the root, and the anchor.
fn target(page: &str, link: &str) -> (String, String) {
    let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
    let mut parts: Vec<&str> = page.split('/').collect();
    if !path.is_empty() {
        parts.pop();
        for part in path.split('/') {
            match part {
                ".." => drop(parts.pop().unwrap()),
                part => parts.push(part),
            }
        }
    }
    (parts.join("/"), anchor.to_owned())
}

#[test]
#[ignore = "takes long: .ci/run runs it"]
fn each_link_leads_somewhere_and_two_builds_are_the_same() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let ran = conform(&["run", "--quick", "--dialect", "godot-3", "--out", &path("run")]);
    assert_eq!(ran.status.code(), Some(0), "{}", String::from_utf8_lossy(&ran.stderr));
    let columns = format!("python3 {}", scripted("column_major.py"));
    conform(&["interop", "--dialect", "godot-3", "--out", &path("interop.jsonl"), "reference", &columns]);
    let [one, two] = ["one", "two"].map(|name| {
        let record = path("run/results.jsonl");
        let exchange = path("interop.jsonl");
        let built = conform(&["site", &path(name), "--results", &record, &record, "--interop", &exchange]);
        assert_eq!(built.status.code(), Some(0), "{}", String::from_utf8_lossy(&built.stderr));
        files(&folder.path().join(name))
    });
    assert!(one == two, "two builds from the same inputs differ");
    assert!(one["index.html"].len() < 100_000, "the start page is {} bytes", one["index.html"].len());
    let pages: BTreeMap<&str, &str> = one
        .iter()
        .filter(|(path, _)| path.ends_with(".html"))
        .map(|(path, bytes)| (path.as_str(), std::str::from_utf8(bytes).unwrap()))
        .collect();
    assert!(pages.contains_key("implementations/reference.html"), "{:?}", pages.keys());
    assert!(pages["interop/reference.html"].contains("godot-3/basis.html#"), "what column_major.py writes is shown");
    let ids: BTreeMap<&str, BTreeSet<&str>> =
        pages.iter().map(|(path, page)| (*path, attribute(page, "id").into_iter().collect())).collect();
    let mut links = 0;
    for (path, page) in &pages {
        for link in attribute(page, "href")
            .into_iter()
            .filter(|link| !link.starts_with("https://") && !link.starts_with("data:"))
        {
            let (to, anchor) = target(path, link);
            assert!(one.contains_key(&to), "{path}: {link} leads to no file");
            // The anchor of the explorer is a packet.
            let resolves = anchor.is_empty() || to == "explorer.html" || anchor.starts_with("m-");
            assert!(resolves || ids[to.as_str()].contains(anchor.as_str()), "{path}: {link} leads to no id");
            links += 1;
        }
    }
    assert!(links > 10_000, "{links} links");
}

#[test]
#[ignore = "takes long: .ci/run runs it"]
fn a_record_from_elsewhere_is_shown_or_refused_with_its_reason() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let record = |name: &str, side: &[&str]| {
        conform(&[&["run", "--dialect", "godot-3", "--quick", "--out", &path(name)], side].concat());
        std::fs::read_to_string(folder.path().join(name).join("results.jsonl")).unwrap()
    };
    let good = record("reference-run", &[]);
    let refuser = scripted("refuse.py");
    let failed = record("refuser-run", &["--", "python3", &refuser]);
    let records = folder.path().join("records");
    std::fs::create_dir(&records).unwrap();
    let fetched = |name: &str, text: &str| std::fs::write(records.join(name), text).unwrap();
    fetched("good.jsonl", &good);
    fetched("cut.jsonl", &good[..good.len() / 2]);
    fetched("cut.last.jsonl", &good);
    fetched("foreign.jsonl", "<!doctype html><title>404</title>");
    fetched("other.jsonl", &sealed(&good.replacen("\"name\":\"reference\"", "\"name\":\"somebody\"", 1)));
    fetched("other.last.jsonl", &good);
    fetched("failed.jsonl", &failed);
    let names = ["good", "cut", "foreign", "other", "failed", "gone"];
    let list: String = names.iter().map(|name| format!("{name}: https://example.org/{name}.jsonl\n")).collect();
    std::fs::write(records.join("implementations.yaml"), list).unwrap();
    let built = conform(&["site", &path("site"), "--fetched", &path("records")]);
    assert_eq!(built.status.code(), Some(0), "{}", text(&built));
    let site = files(&folder.path().join("site"));
    let page = |path: &str| String::from_utf8(site[path].clone()).unwrap();
    let all = page("implementations/index.html");
    assert_eq!(site["records/good.jsonl"], good.as_bytes(), "the site keeps what it shows");
    assert!(!page("implementations/good.html").contains("refused:"));
    for (name, why) in [("cut", "is refused: its run did not finish"), ("other", "but the last one was of ")] {
        assert!(page(&format!("implementations/{name}.html")).contains(why), "{name}");
        assert_eq!(site[&format!("records/{name}.jsonl")], good.as_bytes(), "the last good one of {name} stays");
    }
    for (name, why) in [
        ("foreign", "line 1: this is not a result"),
        ("failed", "no canonical value passed in it"),
        ("gone", "it could not be fetched"),
    ] {
        assert!(!site.contains_key(&format!("implementations/{name}.html")), "{name}");
        let line = all.lines().find(|line| line.contains(&format!("<bdi>{name}</bdi>"))).unwrap();
        assert!(line.contains(why), "{line}");
    }
}

#[test]
fn records_are_fetched_with_the_last_good_one() {
    let folder = TempDir::new().unwrap();
    let at = |name: &str| folder.path().join(name);
    // In curl's place: what is at an address that has `gone` in it is not there.
    let curl = "#!/bin/bash\nwhile [ $# -gt 1 ]; do [ \"$1\" = --output ] && file=$2; shift; done\n\
                case $1 in *gone*) exit 22 ;; esac\necho \"$1\" > \"$file\"\n";
    std::fs::create_dir(at("bin")).unwrap();
    std::fs::write(at("bin/curl"), curl).unwrap();
    std::fs::set_permissions(at("bin/curl"), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let list =
        "# a comment: https://example.org/no\nmine: https://example.org/mine.jsonl\nlost: https://example.org/gone\n";
    std::fs::write(at("list.yaml"), list).unwrap();
    let path = format!("{}:{}", at("bin").display(), std::env::var("PATH").unwrap());
    let ran = std::process::Command::new(root().join("recipes/fetch-records"))
        .args([at("list.yaml"), at("records")])
        .arg("https://example.org/site/")
        .env("PATH", path)
        .output()
        .unwrap();
    assert!(ran.status.success(), "{}", text(&ran));
    let fetched: BTreeMap<_, _> =
        files(&at("records")).into_iter().map(|(name, bytes)| (name, String::from_utf8(bytes).unwrap())).collect();
    let expected = [
        ("implementations.yaml", list),
        ("lost.last.jsonl", "https://example.org/site/records/lost.jsonl\n"),
        ("mine.jsonl", "https://example.org/mine.jsonl\n"),
        ("mine.last.jsonl", "https://example.org/site/records/mine.jsonl\n"),
    ];
    assert_eq!(fetched, expected.map(|(name, line)| (name.to_owned(), line.to_owned())).into());
    assert!(text(&ran).contains("https://example.org/gone: not fetched"), "{}", text(&ran));
}
