//! The file of `--relevance-table`.
//!
//! In: a table, or the text of one. Out: the other. One line per member, then one per member that is relevant to something: its number, then
//! `number:grade` of itself and later members. What is written reads back as the same table.

use std::fs;
use std::path::Path;

use probat_generate::TableUse;
use probat_search::relevance_table::RelevanceTable;

use crate::exit::Exit;
use crate::failure::Failure;

const HEAD: &str =
    "# probat relevance table 1: members, then which of them touch common fields, each pair once";

/// What to do with the file: read it if it is there.
pub fn wanted(path: Option<&Path>) -> Result<Option<TableUse>, Failure> {
    let Some(path) = path else { return Ok(None) };
    if !path.exists() {
        return Ok(Some(TableUse::Make));
    }
    let text = fs::read_to_string(path).map_err(|error| {
        Failure::new(Exit::BadInput, format!("cannot read `{}`: {error}", path.display()))
    })?;
    let table = parse(&text).map_err(|line| {
        let text = format!("`{}`, line {line}: this is no table of relevance", path.display());
        Failure::new(Exit::BadInput, text).hint("delete the file to have it made anew, or name another")
    })?;
    Ok(Some(TableUse::Use(table)))
}

/// The table as text.
pub fn text(table: &RelevanceTable) -> String {
    let mut out = format!("{HEAD}\n");
    for member in &table.members {
        out.push_str(&format!("member {member}\n"));
    }
    for (at, row) in table.rows.iter().enumerate().filter(|(_, row)| !row.is_empty()) {
        let pairs: Vec<String> = row.iter().map(|(other, grade)| format!("{other}:{grade}")).collect();
        out.push_str(&format!("{at} {}\n", pairs.join(" ")));
    }
    out
}

/// The table of a text, or the number of the line that is wrong.
fn parse(text: &str) -> Result<RelevanceTable, usize> {
    let mut lines = text.lines().enumerate();
    if lines.next().map(|(_, line)| line) != Some(HEAD) {
        return Err(1);
    }
    let mut table = RelevanceTable::default();
    for (at, line) in lines {
        if let Some(member) = line.strip_prefix("member ") {
            table.members.push(member.to_owned());
            table.rows.push(Vec::new());
            continue;
        }
        let row = row(line).ok_or(at + 1)?;
        *table.rows.get_mut(row.0).ok_or(at + 1)? = row.1;
    }
    Ok(table)
}

fn row(line: &str) -> Option<(usize, Vec<(u32, f32)>)> {
    let mut words = line.split(' ');
    let at = words.next()?.parse().ok()?;
    let pair = |word: &str| {
        let (other, grade) = word.split_once(':')?;
        Some((other.parse().ok()?, grade.parse().ok()?))
    };
    Some((at, words.map(pair).collect::<Option<_>>()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// spec 004 row R3
    #[test]
    fn a_table_reads_back_as_it_was() {
        let members = ["new a.B()", "a.B.c(int, int)", "a.B.d()"].map(str::to_owned).to_vec();
        let rows = vec![vec![(0, 1.0), (2, 0.5)], Vec::new(), vec![(2, 1.0)]];
        let table = RelevanceTable { members, rows };
        assert_eq!(parse(&text(&table)), Ok(table.clone()));
        assert_eq!((table.between(0, 2), table.between(2, 0), table.between(1, 2)), (0.5, 0.5, 0.0));
        assert_eq!(parse("something else"), Err(1));
        assert_eq!(parse(&format!("{HEAD}\nmember a\n0 x")), Err(3));
        assert_eq!(parse(&format!("{HEAD}\nmember a\n7 0:1")), Err(3));
    }
}
