//! Numbers as people read them.

use std::time::Duration;

/// `12,345`.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `83%`; nothing of nothing is nothing, and only all is 100%.
pub fn percent(part: u64, whole: u64) -> String {
    match (part * 100).checked_div(whole) {
        Some(share) => format!("{share}%"),
        None => "0%".into(),
    }
}

/// `1 test`, `2 tests`, `2 classes`.
pub fn plural(number: u64, word: &str) -> String {
    let ending = match (number, word) {
        (1, _) => "",
        (_, word) if word.ends_with("ss") || word.ends_with("ch") => "es",
        _ => "s",
    };
    format!("{} {word}{ending}", count(number))
}

/// `7s`, `2m 05s`.
pub fn seconds(time: Duration) -> String {
    match time.as_secs() {
        short @ 0..=99 => format!("{short}s"),
        long => format!("{}m {:02}s", long / 60, long % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!([count(0), count(999), count(1000), count(1_234_567)], ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([percent(0, 0), percent(999, 1000), percent(5, 5)], ["0%", "99%", "100%"]);
        assert_eq!(
            [plural(1, "class"), plural(3, "class"), plural(0, "test")],
            ["1 class", "3 classes", "0 tests"]
        );
        assert_eq!(seconds(Duration::from_secs(125)), "2m 05s");
    }
}
