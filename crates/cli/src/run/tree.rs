//! States as text, through `model`.

use probat_model::StoredState;
use probat_model::state::tokens;

/// The whole state.
pub fn whole(state: &StoredState) -> String {
    match tokens(&state.tokens) {
        Ok(tokens) => tokens.iter().map(|token| format!("{token:?}\n")).collect(),
        Err(error) => error.to_string(),
    }
}

/// What differs.
pub fn difference(_then: &StoredState, now: &StoredState) -> String {
    whole(now)
}
