//! Zip archives, on disk or in memory.
//!
//! In: a path, or the bytes of a jar found inside another. Out: entry names and the bytes of single entries.
//! Trusts no size that the archive declares, and keeps no file open between reads.

use std::fs::File;
use std::io::{Cursor, ErrorKind, Read, Seek};
use std::path::PathBuf;
use std::sync::Arc;

use zip::read::ZipArchiveMetadata;
use zip::result::{ZipError, ZipResult};
use zip::{ZipArchive, ZipReadOptions};

use crate::{ClassPathError, MAX_FILES, Origin};

/// Where the bytes of an archive are.
#[derive(Debug, Clone)]
enum Store {
    File(PathBuf),
    Memory(Arc<[u8]>),
}

/// A zip file whose table of contents has been read.
#[derive(Debug)]
pub(crate) struct Archive {
    pub(crate) origin: Origin,
    store: Store,
    contents: Arc<ZipArchiveMetadata>,
}

impl Archive {
    /// Reads the table of contents of a file.
    pub(crate) fn open(path: PathBuf) -> Result<Archive, ClassPathError> {
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(source) if source.kind() == ErrorKind::NotFound => {
                return Err(ClassPathError::Missing { path });
            }
            Err(source) => return Err(ClassPathError::Unreadable { path, source }),
        };
        Archive::new(Origin::Jar(path.clone()), Store::File(path), file)
    }

    /// Reads the table of contents of a jar that was itself an entry.
    pub(crate) fn from_memory(origin: Origin, bytes: Arc<[u8]>) -> Result<Archive, ClassPathError> {
        Archive::new(origin, Store::Memory(bytes.clone()), Cursor::new(bytes))
    }

    fn new(origin: Origin, store: Store, mut reader: impl Read + Seek) -> Result<Archive, ClassPathError> {
        let starts_as_zip = {
            let mut magic = [0; 2];
            let read = reader.read_exact(&mut magic).and_then(|()| reader.rewind());
            read.is_ok() && &magic == b"PK"
        };
        let contents = match ZipArchive::new(reader) {
            Ok(archive) => archive.metadata(),
            Err(error) if starts_as_zip => {
                return Err(ClassPathError::DamagedArchive { origin, reason: reason(&error) });
            }
            Err(_) => return Err(ClassPathError::NotAnArchive { origin }),
        };
        if contents.len() > MAX_FILES {
            return Err(ClassPathError::TooMany { origin, limit: MAX_FILES });
        }
        Ok(Archive { origin, store, contents })
    }

    /// Names of all files in it with the number that [`Archive::read`] takes.
    pub(crate) fn names(&self) -> impl Iterator<Item = (u32, String)> {
        (0..self.contents.len()).filter_map(|at| {
            let entry = self.contents.entry(at).ok()?;
            let name = entry.name().ok()?;
            let number = u32::try_from(at).ok()?;
            (!name.ends_with('/')).then(|| (number, name.into_owned()))
        })
    }

    /// The bytes of one entry, refused beyond `limit`.
    pub(crate) fn read(&self, number: u32, limit: u64) -> Result<Vec<u8>, ClassPathError> {
        let read = match &self.store {
            Store::File(path) => match File::open(path) {
                Ok(file) => self.read_from(file, number, limit),
                Err(source) => return Err(ClassPathError::Unreadable { path: path.clone(), source }),
            },
            Store::Memory(bytes) => self.read_from(Cursor::new(bytes), number, limit),
        };
        match read {
            Ok(bytes) if bytes.len() as u64 <= limit => Ok(bytes),
            Ok(_) => Err(ClassPathError::TooLarge {
                origin: self.origin.clone(),
                entry: self.name_of(number),
                limit,
            }),
            Err(error) => Err(ClassPathError::DamagedEntry {
                origin: self.origin.clone(),
                entry: self.name_of(number),
                reason: reason(&error),
            }),
        }
    }

    /// Reads one byte more than `limit` at most, so that the caller sees the excess.
    fn read_from(&self, mut reader: impl Read + Seek, number: u32, limit: u64) -> ZipResult<Vec<u8>> {
        let entry = self.contents.entry(number as usize)?;
        let declared = entry.size().min(limit).min(1 << 20);
        let mut bytes = Vec::with_capacity(usize::try_from(declared).unwrap_or(0) + 1);
        entry.with_reader(&mut reader, ZipReadOptions::new())?.take(limit + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// The archive itself, if it is in memory.
    pub(crate) fn stored(&self) -> Option<&[u8]> {
        match &self.store {
            Store::File(_) => None,
            Store::Memory(bytes) => Some(bytes),
        }
    }

    fn name_of(&self, number: u32) -> String {
        let entry = self.contents.entry(number as usize).ok();
        entry.and_then(|entry| Some(entry.name().ok()?.into_owned())).unwrap_or_default()
    }
}

fn reason(error: &ZipError) -> String {
    match error {
        ZipError::Io(cause) if cause.kind() == ErrorKind::UnexpectedEof => "it ends too early".into(),
        ZipError::Io(cause) => cause.to_string(),
        other => other.to_string(),
    }
}
