//! Texts of findings, which are Markdown, as HTML.

use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, html};

/// HTML in which a text can make paragraphs, lists, code and links to public pages, and nothing else.
pub(crate) fn to_html(text: &str) -> String {
    let safe = Parser::new_ext(text, Options::ENABLE_TABLES).map(|event| match event {
        Event::Html(raw) | Event::InlineHtml(raw) => Event::Text(raw),
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
            let dest_url = if dest_url.starts_with("https://") { dest_url } else { CowStr::Borrowed("#") };
            Event::Start(Tag::Link { link_type, dest_url, title, id })
        }
        Event::Start(Tag::Image { link_type, title, id, .. }) => {
            Event::Start(Tag::Image { link_type, dest_url: CowStr::Borrowed("data:,"), title, id })
        }
        other => other,
    });
    let mut out = String::new();
    html::push_html(&mut out, safe);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_runs_nothing() {
        let html = to_html("`a` <script>alert(1)</script> [b](javascript:alert(1)) <img src=x onerror=alert(1)>");
        assert!(!html.contains("<script") && !html.contains("javascript:") && !html.contains("<img"), "{html}");
        assert!(html.contains("<code>a</code>"), "{html}");
    }
}
