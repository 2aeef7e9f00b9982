//! Text for terminals. Names of files, bodies and arrays come from anywhere, and a terminal obeys control characters.

use std::borrow::Cow;

/// The text with control characters, and those that change the direction of writing, as escapes such as `\u{1b}`. Line
/// breaks and tabs stay.
pub fn printable(text: &str) -> Cow<'_, str> {
    escape(text, |c| is_harmful(c) && !['\n', '\t'].contains(&c))
}

/// Like [`printable`], with line breaks as `\n`: a name cannot look like a line of its own.
pub fn one_line(text: &str) -> Cow<'_, str> {
    escape(text, is_harmful)
}

fn is_harmful(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn escape(text: &str, is_escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_escaped) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_escaped(c) { out.extend(c.escape_default()) } else { out.push(c) }
    }
    out.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_become_escapes() {
        assert_eq!(printable("a\x1b[2Jb\r\nc\u{9b}ü→"), "a\\u{1b}[2Jb\\r\nc\\u{9b}ü→");
        assert_eq!(one_line("a\nb\tc\u{202e}"), "a\\nb\\tc\\u{202e}");
        assert!(matches!(printable("plain\n\ttext"), Cow::Borrowed(_)));
    }
}
