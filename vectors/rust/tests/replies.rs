//! What an adapter replied, from the file that `REPLIES` names: each test that fails is printed, to compare with `conform run`.
//! Without such a file, nothing is done.

use serde_json::Value;
use variant_vectors::{check, corpus, Claims, Codec};

/// A value as its text: 1 and 1.0 are two.
fn json(value: &Value) -> String {
    value.to_string()
}

struct Replies(Value);

impl Codec for Replies {
    fn decode(&self, packet: &[u8]) -> Result<(Value, Option<usize>), String> {
        let digits: String = packet.iter().map(|byte| format!("{byte:02x}")).collect();
        let reply = &self.0["decode"][&digits];
        if !reply["refused"].is_null() {
            return Err(reply["refused"].to_string());
        }
        Ok((reply["value"].clone(), reply["used"].as_u64().map(|used| used as usize)))
    }

    fn encode(&self, value: &Value) -> Result<Vec<u8>, String> {
        let asked = self.0["encode"].as_array().into_iter().flatten();
        let found = asked
            .filter(|asked| json(&asked["value"]) == json(value))
            .find_map(|asked| asked["reply"]["bytes"].as_str());
        let digits = found.ok_or("refused")?.as_bytes();
        Ok(digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect())
    }
}

#[test]
fn replies() {
    let Some(file) = std::env::var_os("REPLIES") else { return };
    let replies: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    let words = |key: &str| -> Vec<String> { serde_json::from_value(replies[key].clone()).unwrap() };
    let (layouts, lossy) = (words("layouts"), words("lossy"));
    let [layouts, lossy] = [&layouts, &lossy].map(|words| words.iter().map(String::as_str).collect::<Vec<_>>());
    let claims = Claims { layouts: &layouts, known: &[], lossy: &lossy };
    let version = replies["version"].as_str().unwrap().to_owned();
    let mut tested: Vec<&str> =
        corpus().cases.iter().map(|case| case.layout.as_str()).filter(|one| layouts.contains(one)).collect();
    tested.sort();
    tested.dedup();
    let codec = Replies(replies);
    for failure in tested.iter().chain(&["packet"]).flat_map(|layout| check(&codec, &version, layout, claims)) {
        println!("fail {failure}");
    }
}
