//! Comments that cannot break the code around them.
//!
//! In: any text. Out: lines of printable ASCII without unicode escapes, which a compiler would read even in a comment (JLS §3.3).

/// Columns of comment text.
const WIDTH: usize = 96;

/// One line of text for a comment.
pub(crate) fn line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            'u' if out.ends_with('\\') => out.push_str(" u"),
            ' '..='~' => out.push(c),
            '\n' | '\r' | '\t' => out.push(' '),
            _ => out.push('?'),
        }
    }
    out.replace("*/", "* /").trim_end().to_owned()
}

/// The text broken into lines.
pub(crate) fn lines(text: &str) -> Vec<String> {
    let mut out = vec![String::new()];
    for word in line(text).split(' ').filter(|word| !word.is_empty()) {
        let last = out.last_mut().expect("never empty");
        if last.is_empty() {
            last.push_str(word);
        } else if last.len() + 1 + word.len() <= WIDTH {
            last.push(' ');
            last.push_str(word);
        } else {
            out.push(word.to_owned());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_and_ends_of_comments_are_disarmed() {
        assert_eq!(line("C:\\users \\u000a \\n */ \u{e9}\nx"), "C:\\ users \\ u000a \\n * / ? x");
        assert_eq!(lines(&"word ".repeat(30)).len(), 2);
    }
}
