//! How the program ends.
//!
//! In: what a command found out. Out: one of a few codes that scripts can rely on; `docs/reference/exit-codes.md` lists
//! them, and a test keeps that page and this list the same.

use std::process::ExitCode;

/// Every way to end. Match without `_`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    Fine,
    Bug,
    BadInput,
    Found,
    Nothing,
    Missing,
    Interrupted,
}

impl Exit {
    /// All of them, ascending by code.
    pub const ALL: [Exit; 7] =
        [Exit::Fine, Exit::Bug, Exit::BadInput, Exit::Found, Exit::Nothing, Exit::Missing, Exit::Interrupted];

    /// The code the shell sees.
    pub fn code(self) -> u8 {
        match self {
            Exit::Fine => 0,
            Exit::Bug => 1,
            Exit::BadInput => 2,
            Exit::Found => 3,
            Exit::Nothing => 4,
            Exit::Missing => 5,
            Exit::Interrupted => 130,
        }
    }

    /// What it means, as the reference says it.
    pub fn meaning(self) -> &'static str {
        match self {
            Exit::Fine => "done, and nothing wrong was found",
            Exit::Bug => "probat itself failed",
            Exit::BadInput => "the command line, a script or the class path cannot be used as given",
            Exit::Found => {
                "the code under test failed: it threw, broke a contract, ran out of time or memory, or killed its worker"
            }
            Exit::Nothing => "there was nothing to test",
            Exit::Missing => {
                "something probat needs is not there: a JVM, room for temporary files, a worker that starts"
            }
            Exit::Interrupted => "stopped by Ctrl-C; what was found until then is shown",
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The page as it has to be.
    fn page() -> String {
        let mut page = String::from("# Exit codes\n\n| code | meaning |\n|---|---|\n");
        for exit in Exit::ALL {
            page.push_str(&format!("| {} | {} |\n", exit.code(), exit.meaning()));
        }
        page
    }

    #[test]
    fn the_reference_lists_every_code() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/exit-codes.md");
        expect_test::expect_file![path].assert_eq(&page());
    }

    #[test]
    fn codes_are_distinct_and_ascending() {
        assert!(Exit::ALL.windows(2).all(|pair| pair[0].code() < pair[1].code()));
    }
}
