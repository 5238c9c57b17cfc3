//! Lines that were meant as replies. The protocol ignores them, but if no reply comes, they explain why.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use crate::protocol::ANSWERS;

/// Other keys of a reply, and wrong names for `seq`. A log line in JSON has other keys.
const BESIDE: [&str; 3] = ["used", "id", "seq"];

/// A line that was meant as a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MalformedReply {
    /// The `seq` in it, if there is one in any form.
    pub seq: Option<u64>,
    /// What is wrong, and how to fix it.
    pub why: &'static str,
}

/// What is wrong with this line, if it was meant as a reply.
pub fn malformed_reply(line: &[u8]) -> Option<MalformedReply> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let (before, rest) = line.split_at(line.iter().position(|byte| *byte == b'{')?);
    let reply = object(rest)?;
    if before.trim_ascii().is_empty() {
        return Some(reply);
    }
    let why =
        "a line came that is not a JSON object (a reply is alone in its line; print everything else to standard error)";
    Some(MalformedReply { why, ..reply })
}

/// An object with an answer; what is wrong with its `seq`.
fn object(line: &[u8]) -> Option<MalformedReply> {
    let object: BTreeMap<String, &RawValue> = serde_json::from_slice(line).ok()?;
    // A printed request has `op`.
    if object.contains_key("op") || ANSWERS.iter().filter(|key| object.contains_key(**key)).count() != 1 {
        return None;
    }
    if let Some(seq) = object.get("seq") {
        let text = seq.get().trim_matches('"');
        let why = "a reply came whose `seq` is not a number (return it as it came, without quotes)";
        return Some(MalformedReply { seq: text.parse().ok(), why });
    }
    let known = |key: &String| ANSWERS.iter().chain(&BESIDE).any(|known| known.eq_ignore_ascii_case(key));
    let why = "a reply came without `seq` (return the number of the request)";
    object.keys().all(known).then_some(MalformedReply { seq: None, why })
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::malformed_reply;

    #[rstest]
    #[case(r#"{"value":{"null":null},"used":4}"#, None, "without `seq`")]
    #[case(r#"{"id":7,"refused":"why"}"#, None, "without `seq`")]
    #[case(r#"{"seq":"12","bytes":""}"#, Some(12), "`seq` is not a number")]
    #[case(r#"{"seq":null,"bytes":""}"#, None, "`seq` is not a number")]
    #[case(r#"debug {"seq":7,"bytes":"00"}"#, Some(7), "not a JSON object")]
    #[case(r#"[log] {"value":{"null":null}}"#, None, "not a JSON object")]
    fn what_was_meant_for_a_reply(#[case] line: &str, #[case] seq: Option<u64>, #[case] why: &str) {
        let found = malformed_reply(line.as_bytes());
        let found = found.unwrap();
        assert_eq!(found.seq, seq);
        assert!(found.why.contains(why), "{found:?}");
    }

    #[rstest]
    #[case::two_objects(r#"{1} {"seq":7,"bytes":"00"}"#)]
    #[case::banner("Engine v3.2 {build 7}")]
    #[case::log(r#"{"level":"info","value":3}"#)]
    #[case::the_request_printed(r#"got {"seq":7,"op":"decode","bytes":"00"}"#)]
    #[case::progress(r#"working on {"seq":7}"#)]
    #[case::half_a_line(r#"debug {"seq":7,"val"#)]
    #[case::nothing("")]
    fn what_nobody_takes_for_one(#[case] line: &str) {
        assert_eq!(malformed_reply(line.as_bytes()), None);
    }
}
