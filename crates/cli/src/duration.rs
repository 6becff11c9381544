//! Times as people write them: `500ms`, `2s`, `1m`.

use std::time::Duration;

/// The duration a text names; a unit is required.
pub fn parse(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let number: f64 = digits.parse().map_err(|_| usage(text))?;
    let unit = match &text[digits.len()..] {
        "ms" => 1e-3,
        "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(usage(text)),
    };
    let seconds = number * unit;
    if !(0.001..=86_400.0).contains(&seconds) {
        return Err(format!("`{text}` is not between 1ms and 24h"));
    }
    Ok(Duration::from_secs_f64(seconds))
}

fn usage(text: &str) -> String {
    format!("`{text}` is no time: write a number and a unit, such as 500ms, 2s or 1m")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        assert_eq!(parse("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(parse("2s"), Ok(Duration::from_secs(2)));
        assert_eq!(parse("1.5m"), Ok(Duration::from_secs(90)));
        for bad in ["", "2", "s", "2 s", "-1s", "0s", "1e9s", "2d", "NaNs", "infs"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
