//! Payloads that are sent once in a while: [`WorkerConfig`](crate::WorkerConfig), [`Hello`](crate::Hello),
//! [`Farewell`](crate::Farewell) and lists of operations.
//!
//! In: a value. Out: its `postcard` bytes, and back. What is sent for every sequence has its own encoding.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A payload that is not what its frame kind promises.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("malformed message: {0}")]
pub struct MessageError(String);

/// The payload of a message.
pub fn encode_message<T: Serialize + ?Sized>(value: &T) -> Vec<u8> {
    postcard::to_stdvec(value).expect("plain data is always encodable")
}

/// Reads a whole payload; bytes left over are an error.
pub fn decode_message<T: DeserializeOwned>(payload: &[u8]) -> Result<T, MessageError> {
    match postcard::take_from_bytes(payload) {
        Ok((value, [])) => Ok(value),
        Ok((_, rest)) => Err(MessageError(format!("{} bytes left over", rest.len()))),
        Err(e) => Err(MessageError(e.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Farewell;

    #[test]
    fn messages_read_back_whole_or_not_at_all() {
        let words = Farewell::Spent("a thread survived".into());
        let mut payload = encode_message(&words);
        assert_eq!(decode_message::<Farewell>(&payload), Ok(words));
        assert!(decode_message::<Farewell>(&payload[..3]).is_err());
        payload.push(0);
        assert!(decode_message::<Farewell>(&payload).is_err());
    }
}
