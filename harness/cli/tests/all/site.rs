//! The site: the same bytes from the same inputs, and every link of a page leads somewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use tempfile::TempDir;

use crate::support::{conform, scripted};

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
