//! Lines that their author takes for replies. To the protocol they are noise, but where the real reply does not come
//! either, they say why.

use std::collections::BTreeMap;

use memchr::memchr_iter;
use serde_json::value::RawValue;

use crate::protocol::{Line, read_line};

/// One of these, and no other, makes an object a reply.
const ANSWERS: [&str; 4] = ["value", "bytes", "refused", "unsupported"];
/// What else stands in a reply, or what `seq` is called by mistake. A log line in JSON has other keys.
const BESIDE: [&str; 3] = ["used", "id", "seq"];
/// How many beginnings of an object in a line are looked at.
const BEGINNINGS: usize = 4;

/// A line that was meant for a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MalformedReply {
    /// The request that it names, in whatever form.
    pub seq: Option<u64>,
    /// What is wrong with it, and what mends it. The line is to follow.
    pub why: &'static str,
}

/// What was meant, where this line of noise was meant for a reply.
pub fn malformed_reply(line: &[u8]) -> Option<MalformedReply> {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    if line.trim_ascii_start().starts_with(b"{") { object(line) } else { behind_text(line) }
}

/// An object with an answer, and no number to know its request by.
fn object(line: &[u8]) -> Option<MalformedReply> {
    let object = keys(line)?;
    if !is_answer(&object) {
        return None;
    }
    if let Some(seq) = object.get("seq") {
        let text = seq.get().trim_matches('"');
        let why = "a reply came whose `seq` is no number (give it back as it came, without quotes)";
        return Some(MalformedReply { seq: text.parse().ok(), why });
    }
    let known =
        |key: &String| ANSWERS.contains(&key.as_str()) || BESIDE.iter().any(|beside| beside.eq_ignore_ascii_case(key));
    let why = "a reply came without `seq` (give back the number that came with the request)";
    object.keys().all(known).then_some(MalformedReply { seq: None, why })
}

/// A reply with something printed in front of it.
fn behind_text(line: &[u8]) -> Option<MalformedReply> {
    let why = "a line came that is no JSON object (a reply stands alone in its line; print all else to standard error)";
    memchr_iter(b'{', line).take(BEGINNINGS).find_map(|at| {
        let rest = &line[at..];
        // A request that is printed has `op`.
        match read_line(rest) {
            Line::Reply(seq, _) => is_answer(&keys(rest)?).then_some(MalformedReply { seq: Some(seq), why }),
            Line::Noise => object(rest).map(|malformed_reply| MalformedReply { why, ..malformed_reply }),
            Line::Garbled(..) => None,
        }
    })
}

fn is_answer(object: &BTreeMap<String, &RawValue>) -> bool {
    ANSWERS.iter().filter(|key| object.contains_key(**key)).count() == 1 && !object.contains_key("op")
}

fn keys(line: &[u8]) -> Option<BTreeMap<String, &RawValue>> {
    serde_json::from_slice(line).ok()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::malformed_reply;

    #[rstest]
    #[case(r#"{"value":{"null":null},"used":4}"#, None, "without `seq`")]
    #[case(r#"{"id":7,"refused":"why"}"#, None, "without `seq`")]
    #[case(r#"{"seq":"12","bytes":""}"#, Some(12), "`seq` is no number")]
    #[case(r#"{"seq":null,"bytes":""}"#, None, "`seq` is no number")]
    #[case(r#"debug {"seq":7,"bytes":"00"}"#, Some(7), "no JSON object")]
    #[case(r#"{1} {"seq":7,"bytes":"00"}"#, None, "")]
    #[case(r#"[log] {"value":{"null":null}}"#, None, "no JSON object")]
    fn what_was_meant_for_a_reply(#[case] line: &str, #[case] seq: Option<u64>, #[case] why: &str) {
        let found = malformed_reply(line.as_bytes());
        match why {
            "" => assert_eq!(found, None),
            why => {
                let found = found.unwrap();
                assert_eq!(found.seq, seq);
                assert!(found.why.contains(why), "{found:?}");
            }
        }
    }

    #[rstest]
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
