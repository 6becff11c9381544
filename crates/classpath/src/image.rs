//! The module image of a JDK, `lib/modules`.
//!
//! In: the file, memory-mapped by `jimage-rs`. Out: an index of its classes, and their bytes without a copy.
//! Every offset is checked here against the mapped length before that crate follows it, since it checks none itself.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use jimage_rs::JImage;
use probat_model::ClassName;
use rustc_hash::FxHashMap;

use crate::jar::class_of;
use crate::{ClassPathError, MAX_CLASS_BYTES};

const HEADER_BYTES: usize = 28;
const RESOURCE_HEADER_BYTES: usize = 29;
const MAGIC: u32 = 0xCAFE_DADA;

/// Kinds of location attributes that matter here, numbered as the image does.
const MODULE: usize = 1;
const PARENT: usize = 2;
const BASE: usize = 3;
const EXTENSION: usize = 4;
const OFFSET: usize = 5;
const COMPRESSED: usize = 6;
const UNCOMPRESSED: usize = 7;
const KINDS: usize = 9;

/// An open image with all its classes found.
#[derive(Debug)]
pub(crate) struct Image {
    path: PathBuf,
    image: JImage,
    pub(crate) modules: Vec<String>,
    /// Sorted by module, then by name.
    pub(crate) classes: Vec<Resource>,
    pub(crate) by_name: FxHashMap<ClassName, u32>,
}

/// A class in the image.
#[derive(Debug)]
pub(crate) struct Resource {
    pub(crate) module: u16,
    pub(crate) name: ClassName,
    start: usize,
    /// Zero if the bytes are stored as they are.
    compressed: usize,
    uncompressed: usize,
}

impl Image {
    pub(crate) fn open(path: &Path) -> Result<Image, ClassPathError> {
        let damaged = |reason: String| ClassPathError::DamagedImage { path: path.to_path_buf(), reason };
        let image = JImage::open(path).map_err(|error| damaged(error.to_string()))?;
        let (modules, classes) = {
            let tables = Tables::read(image.raw().as_slice()).ok_or_else(|| damaged("bad header".into()))?;
            tables.classes().ok_or_else(|| damaged("a location lies outside of the file".into()))?
        };
        let by_name = classes.iter().zip(0..).map(|(class, at)| (class.name.clone(), at)).collect();
        Ok(Image { path: path.to_path_buf(), image, modules, classes, by_name })
    }

    pub(crate) fn read(&self, class: &Resource) -> Result<Cow<'_, [u8]>, ClassPathError> {
        if class.compressed == 0 {
            let bytes = &self.image.raw().as_slice()[class.start..class.start + class.uncompressed];
            return Ok(Cow::Borrowed(bytes));
        }
        let module = &self.modules[usize::from(class.module)];
        let name = format!("/{module}/{}.class", class.name.as_internal());
        let damaged = |reason| ClassPathError::DamagedImage { path: self.path.clone(), reason };
        match self.image.find_resource(&name) {
            Ok(Some(bytes)) => Ok(bytes),
            Ok(None) => Err(damaged(format!("`{name}` is listed but not found"))),
            Err(error) => Err(damaged(format!("`{name}`: {error}"))),
        }
    }
}

/// The tables at the head of an image. Every read is checked; `None` means the file is damaged.
struct Tables<'a> {
    bytes: &'a [u8],
    is_big_endian: bool,
    length: usize,
    attributes: usize,
    strings: usize,
    data: usize,
}

impl<'a> Tables<'a> {
    fn read(bytes: &'a [u8]) -> Option<Tables<'a>> {
        let is_big_endian = match bytes.get(..4)?.try_into().map(u32::from_le_bytes) {
            Ok(MAGIC) => false,
            Ok(magic) if magic.swap_bytes() == MAGIC => true,
            _ => return None,
        };
        let mut tables = Tables { bytes, is_big_endian, length: 0, attributes: 0, strings: 0, data: 0 };
        tables.length = tables.int(16)?;
        tables.attributes = HEADER_BYTES.checked_add(tables.length.checked_mul(8)?)?;
        tables.strings = tables.attributes.checked_add(tables.int(20)?)?;
        tables.data = tables.strings.checked_add(tables.int(24)?)?;
        let redirects_lead_inside = || {
            (0..tables.length).all(|at| {
                tables.int(HEADER_BYTES + 4 * at).is_some_and(|value| {
                    let signed = value as u32 as i32;
                    signed >= 0 || (-1 - i64::from(signed)) < tables.length as i64
                })
            })
        };
        (tables.data <= bytes.len() && redirects_lead_inside()).then_some(tables)
    }

    fn int(&self, at: usize) -> Option<usize> {
        let four: [u8; 4] = self.bytes.get(at..at.checked_add(4)?)?.try_into().ok()?;
        let value = if self.is_big_endian { u32::from_be_bytes(four) } else { u32::from_le_bytes(four) };
        usize::try_from(value).ok()
    }

    fn classes(&self) -> Option<(Vec<String>, Vec<Resource>)> {
        let mut found = Vec::new();
        for at in 0..self.length {
            let location = self.location(self.int(HEADER_BYTES + 4 * (self.length + at))?)?;
            let (module, parent) = (self.string(location[MODULE])?, self.string(location[PARENT])?);
            let (base, extension) = (self.string(location[BASE])?, self.string(location[EXTENSION])?);
            if matches!(module, "" | "modules" | "packages") || extension != "class" {
                continue;
            }
            let path =
                if parent.is_empty() { format!("{base}.class") } else { format!("{parent}/{base}.class") };
            if let Some(name) = class_of(&path) {
                found.push((module, self.resource(name, &location)?));
            }
        }
        found.sort_by(|a, b| (a.0, &a.1.name).cmp(&(b.0, &b.1.name)));
        let mut modules: Vec<String> = Vec::new();
        let mut classes = Vec::with_capacity(found.len());
        for (module, mut resource) in found {
            if modules.last().is_none_or(|last| last != module) {
                modules.push(module.to_string());
            }
            resource.module = u16::try_from(modules.len() - 1).ok()?;
            classes.push(resource);
        }
        Some((modules, classes))
    }

    /// Attributes are a kind and a length in one byte, then the value, most significant byte first.
    fn location(&self, offset: usize) -> Option<[u64; KINDS]> {
        let mut at = self.attributes.checked_add(offset)?;
        let mut values = [0; KINDS];
        loop {
            let head = *self.bytes.get(at)?;
            let (kind, length) = (usize::from(head >> 3), usize::from(head & 7) + 1);
            if kind == 0 {
                return Some(values);
            }
            let value = self.bytes.get(at + 1..at + 1 + length)?;
            *values.get_mut(kind)? = value.iter().fold(0, |sum, &byte| (sum << 8) | u64::from(byte));
            at += 1 + length;
        }
    }

    fn string(&self, offset: u64) -> Option<&'a str> {
        let start = self.strings.checked_add(usize::try_from(offset).ok()?)?;
        let rest = self.bytes.get(start..self.data)?;
        std::str::from_utf8(&rest[..rest.iter().position(|&byte| byte == 0)?]).ok()
    }

    fn resource(&self, name: ClassName, location: &[u64; KINDS]) -> Option<Resource> {
        let size = |kind: usize| usize::try_from(location[kind]).ok();
        let (offset, compressed, uncompressed) = (size(OFFSET)?, size(COMPRESSED)?, size(UNCOMPRESSED)?);
        let start = self.data.checked_add(offset)?;
        let stored = if compressed == 0 { uncompressed } else { compressed };
        let end = start.checked_add(stored)?;
        if end > self.bytes.len() || uncompressed as u64 > MAX_CLASS_BYTES {
            return None;
        }
        if compressed != 0 {
            self.check_compressed(start, compressed)?;
        }
        Some(Resource { module: 0, name, start, compressed, uncompressed })
    }

    /// A compressed resource has a header of its own: magic, two sizes of eight bytes, two offsets, a flag.
    fn check_compressed(&self, start: usize, stored: usize) -> Option<()> {
        let wide = |at: usize| -> Option<u64> {
            let eight: [u8; 8] = self.bytes.get(at..at + 8)?.try_into().ok()?;
            Some(if self.is_big_endian { u64::from_be_bytes(eight) } else { u64::from_le_bytes(eight) })
        };
        let payload = usize::try_from(wide(start + 4)?).ok()?;
        self.string(self.int(start + 20)? as u64)?;
        let fits =
            payload.checked_add(RESOURCE_HEADER_BYTES)? <= stored && wide(start + 12)? <= MAX_CLASS_BYTES;
        fits.then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONTENT: &[u8] = b"class bytes";

    /// A zlib stream of one stored block.
    fn zlib(content: &[u8]) -> Vec<u8> {
        let length = u16::try_from(content.len()).unwrap();
        let (mut a, mut b) = (1u32, 0u32);
        for &byte in content {
            a = (a + u32::from(byte)) % 65521;
            b = (b + a) % 65521;
        }
        let head = [&[0x78, 0x01, 0x01][..], &length.to_le_bytes(), &(!length).to_le_bytes()].concat();
        [&head[..], content, &((b << 16) | a).to_be_bytes()].concat()
    }

    /// An image of the one class `p/A` in module `m`; `payload` is the size its resource header declares.
    fn image_of_one(payload: u64, uncompressed: u64) -> Vec<u8> {
        let strings = b"\0m\0p\0A\0class\0zip\0";
        let stream = zlib(CONTENT);
        let resource = [
            &0xCAFE_FAFA_u32.to_le_bytes()[..],
            &payload.to_le_bytes(),
            &uncompressed.to_le_bytes(),
            &13u32.to_le_bytes(),
            &0u32.to_le_bytes(),
            &[1],
            &stream,
        ]
        .concat();
        let attribute = |kind: usize, value: usize| [(kind << 3) as u8, value as u8];
        let location = [
            attribute(MODULE, 1),
            attribute(PARENT, 3),
            attribute(BASE, 5),
            attribute(EXTENSION, 7),
            attribute(OFFSET, 0),
            attribute(COMPRESSED, resource.len()),
            attribute(UNCOMPRESSED, CONTENT.len()),
        ];
        let location = [location.as_flattened(), &[0]].concat();
        let header = [MAGIC, 1 << 16, 0, 1, 1, location.len() as u32, strings.len() as u32];
        let tables = [-1i32 as u32, 0];
        let words = header.iter().chain(&tables).flat_map(|word| word.to_le_bytes());
        words.chain(location).chain(strings.iter().copied()).chain(resource).collect()
    }

    fn open(bytes: &[u8]) -> Result<Image, ClassPathError> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        Image::open(file.path())
    }

    #[test]
    fn compressed_classes_are_inflated() {
        let image = open(&image_of_one(zlib(CONTENT).len() as u64, CONTENT.len() as u64)).unwrap();
        let class = &image.classes[0];
        assert_eq!((class.name.as_internal(), image.modules[0].as_str()), ("p/A", "m"));
        assert_eq!(&*image.read(class).unwrap(), CONTENT);
    }

    #[test]
    fn sizes_that_lead_out_of_the_file_or_are_absurd_are_refused() {
        let fits = zlib(CONTENT).len() as u64;
        for (payload, uncompressed) in [(fits + 1, 11), (u64::MAX, 11), (fits, u64::MAX), (fits, 1 << 40)] {
            assert!(open(&image_of_one(payload, uncompressed)).is_err(), "{payload} {uncompressed}");
        }
    }

    #[test]
    fn an_image_cut_or_changed_anywhere_never_panics() {
        let whole = image_of_one(zlib(CONTENT).len() as u64, CONTENT.len() as u64);
        for at in 0..whole.len() {
            assert!(open(&whole[..at]).is_err(), "cut at {at}");
            let mut changed = whole.clone();
            changed[at] ^= 0xff;
            if let Ok(image) = open(&changed) {
                for class in &image.classes {
                    let _ = image.read(class);
                }
            }
        }
    }
}
