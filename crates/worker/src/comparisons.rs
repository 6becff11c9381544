//! What instrumented code compared, at the places a sequence was asked about.
//!
//! In: the lists of `java/lang/$Probat`, into which compared values go. Out: [`Compared`]s, each once, in the order they came up.
//! The first ones count: the lists do not wrap. What class initialisers compare belongs to no sequence and is forgotten,
//! so that the result does not depend on which sequence came first.

use probat_jvm::{ArrayOf, Class, Env, Field, Global, Marker, ObjectArray, Ref, Str, Trust, Value};
use probat_model::{ClassName, Compared, JavaString, Operand};

use crate::class_key::{ClassKeys, LastClass};
use crate::fault::Fault;

/// Comparisons remembered per sequence, of numbers and of references each.
pub const REMEMBERED: u32 = 512;

/// Different comparisons reported per sequence.
const REPORTED: usize = 64;

/// Units of a text that are reported.
const UNITS: usize = 128;

/// How far the lists are filled.
#[derive(Debug)]
pub struct Counts {
    numbers: Field,
    references: Field,
    /// Before an initialiser cut in.
    held: (i32, i32),
}

impl Counts {
    pub fn find(env: &mut Env<'_>, class: Ref<'_, Class>) -> Result<Self, Fault> {
        let mut field = |name: &str| match env.static_field(class, name, "I") {
            Ok(field) => Ok(field),
            Err(error) => Err(Fault::member(env, "find the comparisons", error)),
        };
        Ok(Counts { numbers: field("cmpCount")?, references: field("refCount")?, held: (0, 0) })
    }

    fn read(&self, env: &Env<'_>) -> (i32, i32) {
        let int = |field: &Field| match env.get_static(field) {
            Ok(Value::Int(count)) => count,
            _ => 0,
        };
        (int(&self.numbers), int(&self.references))
    }

    fn write(&self, env: &Env<'_>, (numbers, references): (i32, i32)) {
        for (field, count) in [(&self.numbers, numbers), (&self.references, references)] {
            // Both are static fields of type `int`, so nothing is refused.
            let _ = env.set_static(field, Value::Int(count), Trust::Caller);
        }
    }

    /// An initialiser begins.
    pub fn hold(&mut self, env: &Env<'_>) {
        self.held = self.read(env);
    }

    /// It has ended: what it compared is forgotten.
    pub fn release(&self, env: &Env<'_>) {
        self.write(env, self.held);
    }

    /// Empties the lists and answers how full they were.
    fn take(&self, env: &Env<'_>) -> (usize, usize) {
        let (numbers, references) = self.read(env);
        self.write(env, (0, 0));
        (numbers.clamp(0, REMEMBERED as i32) as usize, references.clamp(0, REMEMBERED as i32) as usize)
    }
}

/// The lists.
#[derive(Debug)]
pub struct Comparisons {
    counts: Counts,
    wanted: Global<ArrayOf<i8>>,
    left: Global<ArrayOf<i64>>,
    right: Global<ArrayOf<i64>>,
    sites: Global<ArrayOf<i32>>,
    left_references: Global<ObjectArray>,
    right_references: Global<ObjectArray>,
    reference_sites: Global<ArrayOf<i32>>,
    /// How many places there are.
    places: u32,
    seen: Vec<Compared>,
}

impl Comparisons {
    pub fn find(env: &mut Env<'_>, class: Ref<'_, Class>, places: u32) -> Result<Self, Fault> {
        Ok(Comparisons {
            counts: Counts::find(env, class)?,
            wanted: array(env, class, "wanted", "[B")?,
            left: array(env, class, "cmpA", "[J")?,
            right: array(env, class, "cmpB", "[J")?,
            sites: array(env, class, "cmpSite", "[I")?,
            left_references: array(env, class, "refA", "[Ljava/lang/Object;")?,
            right_references: array(env, class, "refB", "[Ljava/lang/Object;")?,
            reference_sites: array(env, class, "refSite", "[I")?,
            places,
            seen: Vec::new(),
        })
    }

    /// From now on comparisons at these places are remembered.
    pub fn want(&self, env: &mut Env<'_>, sites: &[u32]) -> Result<(), Fault> {
        self.mark(env, sites, 1)?;
        self.counts.write(env, (0, 0));
        Ok(())
    }

    /// What was compared since, each once; nothing is remembered from now on.
    pub fn take(
        &mut self,
        env: &mut Env<'_>,
        sites: &[u32],
        keys: &mut ClassKeys,
    ) -> Result<&[Compared], Fault> {
        self.mark(env, sites, 0)?;
        let (numbers, references) = self.counts.take(env);
        self.seen.clear();
        self.numbers(env, numbers)?;
        self.references(env, references, keys)?;
        Ok(&self.seen)
    }

    fn mark(&self, env: &mut Env<'_>, sites: &[u32], mark: i8) -> Result<(), Fault> {
        for &site in sites.iter().filter(|site| **site < self.places) {
            let marked = env.set_region(self.wanted.get(), site as usize, &[mark]);
            marked.map_err(|exception| Fault::threw(env, "choose comparisons", exception))?;
        }
        Ok(())
    }

    fn numbers(&mut self, env: &mut Env<'_>, count: usize) -> Result<(), Fault> {
        let (mut left, mut right, mut sites) = (vec![0; count], vec![0; count], vec![0; count]);
        let read = env
            .get_region(self.left.get(), 0, &mut left)
            .and_then(|()| env.get_region(self.right.get(), 0, &mut right))
            .and_then(|()| env.get_region(self.sites.get(), 0, &mut sites));
        read.map_err(|exception| Fault::threw(env, "read comparisons", exception))?;
        for at in 0..count {
            let (left, right) = (Operand::Bits(left[at]), Operand::Bits(right[at]));
            self.add(sites[at], left, right);
        }
        Ok(())
    }

    fn references(&mut self, env: &mut Env<'_>, count: usize, keys: &mut ClassKeys) -> Result<(), Fault> {
        let mut sites = vec![0; count];
        let read = env.get_region(self.reference_sites.get(), 0, &mut sites);
        read.map_err(|exception| Fault::threw(env, "read comparisons", exception))?;
        for (at, site) in sites.into_iter().enumerate() {
            let left = operand(env, &self.left_references, at, keys)?;
            let right = operand(env, &self.right_references, at, keys)?;
            self.add(site, left, right);
        }
        Ok(())
    }

    fn add(&mut self, site: i32, left: Operand, right: Operand) {
        let compared = Compared { site: site.cast_unsigned(), left, right };
        if self.seen.len() < REPORTED && !self.seen.contains(&compared) {
            self.seen.push(compared);
        }
    }
}

/// Reads an element, and forgets it so that the list keeps nothing alive.
fn operand(
    env: &mut Env<'_>,
    list: &Global<ObjectArray>,
    at: usize,
    keys: &mut ClassKeys,
) -> Result<Operand, Fault> {
    let element = match env.element(list.get(), at) {
        Ok(element) => element,
        Err(exception) => return Err(Fault::threw(env, "read comparisons", exception)),
    };
    let Some(object) = element else { return Ok(Operand::Null) };
    let operand = match env.cast::<Str>(object.get()) {
        Some(text) => {
            let mut units = [0; UNITS];
            let length = env.string_units(text, &mut units).min(UNITS);
            Operand::Text(JavaString::from_units(&units[..length]))
        }
        None => {
            let named = keys.of(env, object.get(), &LastClass::default());
            Operand::Object { class: ClassName::internal(named.name) }
        }
    };
    env.delete(object);
    let forgotten = env.set_element(list.get(), at, None);
    forgotten.map_err(|exception| Fault::threw(env, "forget comparisons", exception))?;
    Ok(operand)
}

/// A list of `$Probat`.
pub fn array<K: Marker>(
    env: &mut Env<'_>,
    class: Ref<'_, Class>,
    name: &str,
    descriptor: &str,
) -> Result<Global<K>, Fault> {
    let field = match env.static_field(class, name, descriptor) {
        Ok(field) => field,
        Err(error) => return Err(Fault::member(env, "find the lists", error)),
    };
    let Ok(Value::Object(Some(object))) = env.get_static(&field) else { return Err(Fault::missing(name)) };
    let found = env.cast::<K>(object).ok_or_else(|| Fault::missing(name))?;
    env.global(found).map_err(|_| Fault::missing("memory"))
}
