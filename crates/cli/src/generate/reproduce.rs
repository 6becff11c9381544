//! The command that repeats a run.
//!
//! In: the words of this run. Out: the same with the seed and the steps that were executed, in place of a time limit.

/// Options that the steps take the place of, each with a value.
const REPLACED: [&str; 5] = ["--time-limit", "--time-limit-per-class", "--seed", "--step-limit", "--shard"];

/// `probat generate … --seed 1 --step-limit 12345`, quoted for a shell.
pub fn command(words: impl Iterator<Item = String>, seed: u64, steps: u64) -> String {
    let mut kept = vec!["probat".to_owned()];
    let mut skip = false;
    for word in words {
        if std::mem::take(&mut skip) {
            continue;
        }
        let name = word.split('=').next().unwrap_or(&word);
        if REPLACED.contains(&name) {
            skip = !word.contains('=');
        } else {
            kept.push(quoted(&word));
        }
    }
    format!("{} --seed {seed} --step-limit {steps}", kept.join(" "))
}

/// What to say in a file that was found in this way.
pub fn in_short(what: &[String], class_path: &str, contracts: &[String], seed: u64, steps: u64) -> String {
    let class_path = if class_path.is_empty() { Vec::new() } else { vec!["--classpath", class_path] };
    let contracts = contracts.iter().flat_map(|class| ["--contracts", class]);
    let words = class_path.into_iter().chain(what.iter().map(String::as_str)).chain(contracts).map(quoted);
    let words: Vec<String> = words.collect();
    format!("Found by: probat generate {} --seed {seed} --step-limit {steps}", words.join(" "))
}

/// A word that a shell takes as one.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=+,@%".contains(c);
    match !word.is_empty() && word.chars().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_gives_way_to_steps_and_stars_are_quoted() {
        let words =
            ["generate", "app.jar", "com.acme.*", "--time-limit", "5s", "--seed=3", "--nulls", "it's"];
        assert_eq!(
            command(words.iter().map(ToString::to_string), 3, 900),
            r"probat generate app.jar 'com.acme.*' --nulls 'it'\''s' --seed 3 --step-limit 900"
        );
    }
}
