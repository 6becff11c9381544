//! Attributes of a module declaration (JVMS §4.7.25 to §4.7.27).
//!
//! In: [`Attributes`] of a `module-info` class. Out: [`Module`] and its like. Package names are in internal form.

use probat_model::ClassName;

use super::Attributes;
use super::typed::{follow, follow_optional, owned};
use crate::bytes::Cursor;
use crate::class::read_indices;
use crate::error::ReadError;
use crate::flags::AccessFlags;
use crate::pool::ConstantPool;

/// What a module declares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Module {
    pub name: String,
    /// Open (0x20), synthetic, mandated.
    pub access: AccessFlags,
    pub version: Option<String>,
    pub requires: Vec<Requires>,
    pub exports: Vec<PackageAccess>,
    pub opens: Vec<PackageAccess>,
    pub uses: Vec<ClassName>,
    pub provides: Vec<Provides>,
}

/// A module another one needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requires {
    pub module: String,
    /// Transitive (0x20), static (0x40), synthetic, mandated.
    pub access: AccessFlags,
    pub version: Option<String>,
}

/// An exported or opened package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageAccess {
    pub package: String,
    pub access: AccessFlags,
    /// The modules it is for; empty for all.
    pub to: Vec<String>,
}

/// Implementations of a service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Provides {
    pub service: ClassName,
    pub with: Vec<ClassName>,
}

impl Attributes<'_> {
    /// The module declaration; `None` for classes that are none.
    pub fn module(&self) -> Result<Option<Module>, ReadError> {
        self.decode("Module", read_module)
    }

    /// All packages of the module, if the packager listed them.
    pub fn module_packages(&self) -> Result<Option<Vec<String>>, ReadError> {
        self.decode("ModulePackages", |cursor, pool| {
            list(cursor, |cursor| follow(cursor, |index| pool.package_name(index).map(owned)))
        })
    }

    pub fn module_main_class(&self) -> Result<Option<ClassName>, ReadError> {
        self.decode("ModuleMainClass", |cursor, pool| follow(cursor, |index| pool.class_name(index)))
    }
}

fn list<T>(
    cursor: &mut Cursor<'_>,
    mut read: impl FnMut(&mut Cursor<'_>) -> Result<T, ReadError>,
) -> Result<Vec<T>, ReadError> {
    let count = cursor.u2()?;
    (0..count).map(|_| read(cursor)).collect()
}

fn read_module(cursor: &mut Cursor<'_>, pool: &ConstantPool) -> Result<Module, ReadError> {
    let version = |cursor: &mut Cursor<'_>| follow_optional(cursor, |index| pool.text(index).map(owned));
    let module = |cursor: &mut Cursor<'_>| follow(cursor, |index| pool.module_name(index).map(owned));
    let class = |cursor: &mut Cursor<'_>| follow(cursor, |index| pool.class_name(index));
    Ok(Module {
        name: module(cursor)?,
        access: AccessFlags(cursor.u2()?),
        version: version(cursor)?,
        requires: list(cursor, |cursor| {
            Ok(Requires {
                module: module(cursor)?,
                access: AccessFlags(cursor.u2()?),
                version: version(cursor)?,
            })
        })?,
        exports: list(cursor, |cursor| read_package(cursor, pool))?,
        opens: list(cursor, |cursor| read_package(cursor, pool))?,
        uses: list(cursor, class)?,
        provides: list(cursor, |cursor| {
            Ok(Provides { service: class(cursor)?, with: list(cursor, class)? })
        })?,
    })
}

fn read_package(cursor: &mut Cursor<'_>, pool: &ConstantPool) -> Result<PackageAccess, ReadError> {
    let package = follow(cursor, |index| pool.package_name(index).map(owned))?;
    let access = AccessFlags(cursor.u2()?);
    let to = read_indices(cursor)?;
    let to = to.into_iter().map(|index| pool.module_name(index).map(owned)).collect::<Result<_, _>>();
    Ok(PackageAccess { package, access, to: to.map_err(|error| cursor.error(error))? })
}
