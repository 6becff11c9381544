//! What JaCoCo says.
//!
//! In: the execution data of a run, the classes that count. Out: [`Covered`]: branches and lines, in all and by package. The figures are those
//! of JaCoCo's own CSV report; the total is the sum of the packages.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde::Serialize;

use crate::subject::Folders;
use crate::{MeasureError, Tools};

/// So many of so many.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Share {
    pub covered: u64,
    pub all: u64,
}

impl Share {
    pub fn percent(self) -> f64 {
        if self.all == 0 { 0.0 } else { 100.0 * self.covered as f64 / self.all as f64 }
    }

    fn add(&mut self, other: Share) {
        self.covered += other.covered;
        self.all += other.all;
    }
}

/// Coverage of a package.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PackageCovered {
    pub package: String,
    pub branch: Share,
    pub line: Share,
}

/// Coverage of everything that counts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Covered {
    pub branch: Share,
    pub line: Share,
    pub packages: Vec<PackageCovered>,
}

/// The option that loads the agent; only packages that count are watched.
pub fn agent_option(tools: &Tools, exec: &Path, folders: &Folders) -> String {
    let mut option = format!("-javaagent:{}=destfile={}", tools.jacoco_agent.display(), exec.display());
    if !folders.packages.iter().any(|package| package == "*") {
        option.push_str(&format!(",includes={}", folders.packages.join(":")));
    }
    option
}

/// Asks JaCoCo for its report.
pub fn read(tools: &Tools, exec: &Path, folders: &Folders, work: &Path) -> Result<Covered, MeasureError> {
    let csv = work.join("jacoco.csv");
    let program = tools.java_home.join("bin/java");
    let output = Command::new(&program)
        .args(["-Xmx1g", "-XX:+UseSerialGC", "-jar"])
        .arg(&tools.jacoco_cli)
        .arg("report")
        .arg(exec)
        .arg("--classfiles")
        .arg(&folders.covered)
        .arg("--csv")
        .arg(&csv)
        .env_remove("JAVA_TOOL_OPTIONS")
        .stdin(Stdio::null())
        .output()
        .map_err(|source| MeasureError::Start { program, source })?;
    let text = fs::read_to_string(&csv).map_err(|_| MeasureError::Coverage {
        what: String::from_utf8_lossy(&output.stderr).lines().next().unwrap_or("no report").to_owned(),
    })?;
    parse(&text)
}

/// Reads JaCoCo's table.
fn parse(csv: &str) -> Result<Covered, MeasureError> {
    let bad = |what: &str| MeasureError::Coverage { what: what.to_owned() };
    let mut lines = csv.lines();
    let head: Vec<&str> = lines.next().ok_or_else(|| bad("it is empty"))?.split(',').collect();
    let column = |name: &str| head.iter().position(|cell| *cell == name).ok_or_else(|| bad(name));
    let package = column("PACKAGE")?;
    let of = |kind: &str| Ok((column(&format!("{kind}_MISSED"))?, column(&format!("{kind}_COVERED"))?));
    let (branch, line) = (of("BRANCH")?, of("LINE")?);
    let mut packages: BTreeMap<String, (Share, Share)> = BTreeMap::new();
    for row in lines {
        let cells: Vec<&str> = row.split(',').collect();
        let share = |(missed, covered): (usize, usize)| -> Result<Share, MeasureError> {
            let number = |at: usize| cells.get(at).and_then(|cell| cell.parse().ok()).ok_or_else(|| bad(row));
            let (missed, covered): (u64, u64) = (number(missed)?, number(covered)?);
            Ok(Share { covered, all: missed + covered })
        };
        let name = cells.get(package).ok_or_else(|| bad(row))?;
        let sums = packages.entry((*name).to_owned()).or_default();
        sums.0.add(share(branch)?);
        sums.1.add(share(line)?);
    }
    let mut all = Covered::default();
    for (package, (branch, line)) in packages {
        all.branch.add(branch);
        all.line.add(line);
        all.packages.push(PackageCovered { package, branch, line });
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_are_the_sum_of_the_packages() {
        // spec 004 row R22
        let csv = "GROUP,PACKAGE,CLASS,INSTRUCTION_MISSED,INSTRUCTION_COVERED,BRANCH_MISSED,BRANCH_COVERED,LINE_MISSED,LINE_COVERED\n\
                   g,a,X,1,2,3,5,7,11\ng,a,Y,0,0,1,1,1,1\ng,b,Z,0,0,0,2,0,4\n";
        let covered = parse(csv).unwrap();
        assert_eq!(covered.branch, Share { covered: 8, all: 12 });
        assert_eq!(covered.line, Share { covered: 16, all: 24 });
        assert_eq!(covered.packages.len(), 2);
        assert_eq!(covered.packages[0].branch, Share { covered: 6, all: 10 });
        assert!((covered.branch.percent() - 66.67).abs() < 0.01);
    }

    #[test]
    fn what_is_no_report_is_said_to_be_none() {
        assert!(parse("").is_err());
        assert!(parse("A,B\n1,2\n").is_err());
        assert!(
            parse("GROUP,PACKAGE,CLASS,BRANCH_MISSED,BRANCH_COVERED,LINE_MISSED,LINE_COVERED\ng,a,X,?,1,1,1")
                .is_err()
        );
    }
}
