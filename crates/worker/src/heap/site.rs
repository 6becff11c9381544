//! Which methods a class calls, read off its constant pool.
//!
//! In: a constant pool (JVMS §4.4). Out: the methods it names, which tell the lambdas of one class apart: javac gives
//! the body of each a name of its own. A pool that breaks the grammar names nothing.

/// Every method the pool refers to, in its order, but for `Object.<init>`, which any class calls, and the class's own,
/// whose name holds an address.
pub(crate) fn methods_named(count: u16, bytes: &[u8]) -> Option<String> {
    let pool = Pool::read(count, bytes)?;
    let mut names: Vec<String> = Vec::new();
    for entry in &pool.entries {
        if let Entry::Method(class, name_and_type) = *entry {
            let name = pool.method(class, name_and_type)?;
            if name != "java/lang/Object.<init>()V" && !name.contains("$$Lambda") {
                names.push(name);
            }
        }
    }
    (!names.is_empty()).then(|| names.join(" "))
}

/// What is looked at of an entry.
#[derive(Debug, Clone, Copy)]
enum Entry<'a> {
    Text(&'a [u8]),
    Class(u16),
    NameAndType(u16, u16),
    Method(u16, u16),
    Other,
}

struct Pool<'a> {
    /// By index; the first and those after eight-byte constants stand for nothing.
    entries: Vec<Entry<'a>>,
}

impl<'a> Pool<'a> {
    fn read(count: u16, mut rest: &'a [u8]) -> Option<Self> {
        let mut entries = vec![Entry::Other];
        while entries.len() < usize::from(count) {
            let (&tag, after) = rest.split_first()?;
            let number = |at: usize| Some(u16::from_be_bytes([*after.get(at)?, *after.get(at + 1)?]));
            let (entry, size) = match tag {
                1 => {
                    let length = usize::from(number(0)?);
                    (Entry::Text(after.get(2..2 + length)?), 2 + length)
                }
                5 | 6 => (Entry::Other, 8),
                7 => (Entry::Class(number(0)?), 2),
                8 | 16 | 19 | 20 => (Entry::Other, 2),
                15 => (Entry::Other, 3),
                10 | 11 => (Entry::Method(number(0)?, number(2)?), 4),
                12 => (Entry::NameAndType(number(0)?, number(2)?), 4),
                3 | 4 | 9 | 17 | 18 => (Entry::Other, 4),
                _ => return None,
            };
            entries.push(entry);
            if matches!(tag, 5 | 6) {
                entries.push(Entry::Other);
            }
            rest = after.get(size..)?;
        }
        Some(Pool { entries })
    }

    fn at(&self, index: u16) -> Option<Entry<'a>> {
        self.entries.get(usize::from(index)).copied()
    }

    fn text(&self, index: u16) -> Option<String> {
        match self.at(index)? {
            Entry::Text(text) => Some(String::from_utf8_lossy(text).into_owned()),
            _ => None,
        }
    }

    fn method(&self, class: u16, name_and_type: u16) -> Option<String> {
        let (Entry::Class(class), Entry::NameAndType(name, descriptor)) =
            (self.at(class)?, self.at(name_and_type)?)
        else {
            return None;
        };
        Some(format!("{}.{}{}", self.text(class)?, self.text(name)?, self.text(descriptor)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Vec<u8> {
        [&[1, 0, text.len() as u8], text.as_bytes()].concat()
    }

    #[test]
    fn methods_are_named_in_order_of_the_pool() {
        let entries = [
            text("a/Host"),                  // 1
            vec![7, 0, 1],                   // 2
            text("lambda$f$0"),              // 3
            text("()V"),                     // 4
            vec![12, 0, 3, 0, 4],            // 5
            vec![10, 0, 2, 0, 5],            // 6
            text("java/lang/Object"),        // 7
            vec![7, 0, 7],                   // 8
            text("<init>"),                  // 9
            vec![12, 0, 9, 0, 4],            // 10
            vec![10, 0, 8, 0, 10],           // 11
            vec![5, 0, 0, 0, 0, 0, 0, 0, 1], // 12, 13
            vec![11, 0, 2, 0, 5],            // 14
        ];
        let pool = entries.concat();
        assert_eq!(methods_named(15, &pool).unwrap(), "a/Host.lambda$f$0()V a/Host.lambda$f$0()V");
        assert_eq!(methods_named(12, &pool).unwrap(), "a/Host.lambda$f$0()V");
        assert_eq!(methods_named(6, &pool), None);
        for end in 0..pool.len() {
            assert_eq!(methods_named(15, &pool[..end]), None);
        }
        assert_eq!(methods_named(2, &[99, 0, 0]), None);
    }
}
