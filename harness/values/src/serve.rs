//! The reference codec as an adapter: a line in, a line out.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::sync::Arc;

use serde::Deserialize;
use variant_codec::Framing;
use variant_specs::Specs;

use crate::handshake::Op;
use crate::implementation::{Answer, Implementation, Input, Request};
use crate::json::decode_hex;
use crate::reference::Reference;
use crate::value_text::{Form, Strictness, SyntaxTree, typecheck, write_value};

/// Answers every line of `input` until it ends. Flushes when no more input is waiting.
pub fn serve(
    specs: &Specs,
    reference: &Reference,
    mut input: BufReader<impl Read>,
    mut output: impl Write,
) -> io::Result<()> {
    let mut line = Vec::new();
    let mut reply = Vec::new();
    loop {
        line.clear();
        reply.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            return output.flush();
        }
        answer_line(specs, reference, &line, &mut reply);
        output.write_all(&reply)?;
        if input.buffer().is_empty() {
            output.flush()?;
        }
    }
}

#[derive(Deserialize)]
struct RequestLine {
    op: String,
    seq: Option<u64>,
    dialect: Option<String>,
    bytes: Option<String>,
    value: Option<SyntaxTree>,
    #[serde(default)]
    options: RequestOptions,
}

#[derive(Deserialize, Default)]
struct RequestOptions {
    #[serde(default)]
    objects: bool,
    framing: Option<String>,
}

fn answer_line(specs: &Specs, reference: &Reference, line: &[u8], reply: &mut Vec<u8>) {
    match serde_json::from_slice::<RequestLine>(line) {
        Ok(line) if line.op == "hello" => {
            // Plain data cannot fail to become JSON.
            let _ = serde_json::to_writer(&mut *reply, reference.handshake());
            reply.push(b'\n');
        }
        Ok(line) => {
            let seq = line.seq.unwrap_or(0);
            let answer = match request(specs, line) {
                Ok(request) => reference.answer(&request),
                Err(answer) => answer,
            };
            write_reply(specs, seq, &answer, reply);
        }
        Err(error) => {
            let _ = writeln!(reply, "not a request: {error}");
        }
    }
}

fn refuse(text: String) -> Answer {
    Answer::Refused(text.into())
}

fn request(specs: &Specs, line: RequestLine) -> Result<Request, Answer> {
    let name = line.dialect.unwrap_or_default();
    let dialect = specs.dialect(&name).ok_or_else(|| Answer::Unsupported(format!("no dialect {name:?}")))?;
    let bytes = || {
        let hex = line.bytes.as_deref().ok_or_else(|| refuse("`bytes` is missing".to_owned()))?;
        decode_hex(hex).map_err(|error| refuse(format!("`bytes` is not hex: {error}")))
    };
    let op = line.op.parse().map_err(|_| Answer::Unsupported(format!("no operation {:?}", line.op)))?;
    let input = match op {
        Op::Decode => Input::Decode(bytes()?),
        Op::Reencode => Input::Reencode(bytes()?),
        Op::Encode => {
            let node = line.value.as_ref().ok_or_else(|| refuse("`value` is missing".to_owned()))?;
            let value = typecheck(node, dialect, Strictness::Reply).map_err(|error| refuse(error.to_string()))?;
            Input::Encode(value.value)
        }
    };
    let framing = |name: String| {
        Framing::from_name(&name)
            .ok_or_else(|| Answer::Unsupported(format!("no framing {name:?}; there are u32le, u32be")))
    };
    let framing = line.options.framing.map(framing).transpose()?;
    Ok(Request { dialect: Arc::from(name), input, objects: line.options.objects, framing, kind: None })
}

fn write_reply(specs: &Specs, seq: u64, answer: &Answer, reply: &mut Vec<u8>) {
    // Writing to memory cannot fail.
    let _ = write!(reply, "{{\"seq\":{seq},");
    match answer {
        Answer::Value { value, used } => {
            reply.extend_from_slice(b"\"value\":");
            write_value(reply, value, &specs.layouts, Form::default());
            if let Some(used) = used {
                let _ = write!(reply, ",\"used\":{used}");
            }
        }
        Answer::Bytes(bytes) => {
            let _ = write!(reply, "\"bytes\":\"{}\"", hex::encode(bytes));
        }
        Answer::Refused(said) => {
            let refused = serde_json::json!({"kind": said.kind, "at": said.at, "text": said.text});
            let _ = write!(reply, "\"refused\":{refused}");
        }
        Answer::Unsupported(why) => {
            let _ = write!(reply, "\"unsupported\":{}", serde_json::Value::from(why.as_str()));
        }
        // The reference codec never answers so.
        Answer::Invalid { .. }
        | Answer::Garbled(_)
        | Answer::Crashed(_)
        | Answer::TimedOut(_)
        | Answer::NotRun(_)
        | Answer::Skipped(_) => {
            let _ = write!(reply, "\"unsupported\":\"internal error\"");
        }
    }
    reply.extend_from_slice(b"}\n");
}
