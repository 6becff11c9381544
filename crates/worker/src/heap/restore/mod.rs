//! Objects rebuilt from a stored state.
//!
//! In: a [`StoredState`] and the loader to find its classes with. Out: objects whose state is that state again, or a
//! [`RestoreError`] that names what stands in the way. No constructor of theirs runs: objects are allocated and their
//! fields written, final and private ones too. Code of the JDK runs for boxes and strings (which are interned, as
//! literals are), static initialisers run for classes not used before, and hash tables are filled by the JDK's own
//! `put`, which asks keys for their hash codes, once all other objects stand.
//!
//! Objects are made in the order of the tokens, parents before children, on a stack of its own.

mod tables;
mod values;

use std::rc::Rc;

use probat_jvm::{CallError, Class, Env, Field, Loader, Local, ObjectArray, Ref, Thrown, Trust, Value};
use probat_model::state::{StateError, Token, tokens};
use probat_model::{ClassLayout, ClassName, StoredState};
use rustc_hash::FxHashMap;

use super::live::{FRAME, HeapError, Registry};
use super::shape::{ClassId, Shape};
use tables::Pending;
use values::Values;

/// Why a state cannot be made into objects here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RestoreError {
    #[error(transparent)]
    Malformed(#[from] StateError),
    #[error("the state ends before it is complete, at token {0}")]
    Incomplete(usize),
    #[error("a `{class}` is opaque in the state ({site})")]
    Opaque { class: ClassName, site: String },
    #[error("the state was cut off at the token limit")]
    Truncated,
    #[error("class `{class}` cannot be used: {reason}")]
    Class { class: ClassName, reason: String },
    #[error("the state has no layout of class `{class}`")]
    NoLayout { class: ClassName },
    #[error("class `{class}` has no field `{field}` of type `{descriptor}`")]
    Field { class: ClassName, field: String, descriptor: String },
    #[error("`{class}` has no constant `{name}`")]
    Constant { class: ClassName, name: String },
    #[error("{place} cannot hold what the state has there")]
    Misfit { place: String },
    #[error("filling a `{class}` threw {thrown}")]
    Threw { class: ClassName, thrown: String },
    #[error(transparent)]
    Heap(#[from] HeapError),
}

impl From<Thrown<'_>> for RestoreError {
    fn from(thrown: Thrown<'_>) -> Self {
        RestoreError::Heap(thrown.into())
    }
}

/// Rebuilds the roots of a state, in order.
pub(crate) fn restore<'f>(
    env: &mut Env<'f>,
    registry: &mut Registry,
    loader: Option<Ref<'_, Loader>>,
    state: &StoredState,
) -> Result<Vec<Value<'f>>, RestoreError> {
    let tokens = tokens(&state.tokens)?;
    let mut outcome = Ok(Vec::new());
    // Only one reference can leave a frame, so the roots leave it in an array.
    let kept = env.with_frame_keeping(FRAME, |env| {
        let built = build(env, registry, loader, state, &tokens).and_then(|roots| pack(env, &roots));
        match built {
            Ok((array, scalars)) => {
                outcome = Ok(scalars);
                Some(array.erase())
            }
            Err(error) => {
                outcome = Err(error);
                None
            }
        }
    })?;
    let scalars = outcome?;
    let kept = kept.expect("the array of roots was carried over");
    unpack(env, kept.get(), scalars)
}

/// The references of some values in an array, and the primitives beside them.
type Packed<'i> = (Ref<'i, ObjectArray>, Vec<Option<Value<'static>>>);

fn pack<'i>(env: &Env<'i>, roots: &[Value<'_>]) -> Result<Packed<'i>, RestoreError> {
    let object = env.find_class("java/lang/Object")?;
    let array = env.new_object_array(object.get(), roots.len(), None)?;
    let array = array.expect("nothing is put in yet").keep();
    let mut scalars = Vec::with_capacity(roots.len());
    for (at, root) in roots.iter().enumerate() {
        scalars.push(match *root {
            Value::Object(object) => {
                env.set_element(array, at, object)?;
                None
            }
            Value::Boolean(value) => Some(Value::Boolean(value)),
            Value::Byte(value) => Some(Value::Byte(value)),
            Value::Char(value) => Some(Value::Char(value)),
            Value::Short(value) => Some(Value::Short(value)),
            Value::Int(value) => Some(Value::Int(value)),
            Value::Long(value) => Some(Value::Long(value)),
            Value::Float(value) => Some(Value::Float(value)),
            Value::Double(value) => Some(Value::Double(value)),
        });
    }
    Ok((array, scalars))
}

fn unpack<'f>(
    env: &Env<'f>,
    array: Ref<'_>,
    scalars: Vec<Option<Value<'static>>>,
) -> Result<Vec<Value<'f>>, RestoreError> {
    let array = env.assume::<ObjectArray>(array);
    let unpacked = scalars.into_iter().enumerate().map(|(at, scalar)| match scalar {
        Some(scalar) => Ok(scalar),
        None => Ok(Value::Object(env.element(array, at)?.map(Local::keep))),
    });
    unpacked.collect()
}

fn build<'e, 'i>(
    env: &'e Env<'i>,
    registry: &'e mut Registry,
    loader: Option<Ref<'e, Loader>>,
    state: &'e StoredState,
    tokens: &'e [Token],
) -> Result<Vec<Value<'e>>, RestoreError> {
    let values = Values::new(env, loader);
    let mut builder = Builder {
        values,
        registry,
        layouts: &state.layouts,
        plans: FxHashMap::default(),
        tokens,
        at: 0,
        objects: Vec::new(),
        unfinished: Vec::new(),
        pending: Vec::new(),
    };
    let count = match tokens.first() {
        Some(Token::Roots(count)) => {
            builder.at = 1;
            *count as usize
        }
        _ => 1,
    };
    let mut roots = Vec::new();
    for _ in 0..count {
        roots.push(builder.value()?);
        builder.run()?;
    }
    // What was met last lies deepest: a table may be a key of one met before.
    while let Some(pending) = builder.pending.pop() {
        tables::fill(&builder.values, builder.registry, pending)?;
    }
    Ok(roots)
}

/// How to make an object of a class.
#[derive(Debug)]
struct Plan {
    id: ClassId,
    shape: Rc<Shape<Field>>,
    /// Which field of the shape each slot of the layout is.
    fields: Vec<u32>,
}

/// An object whose content is still to be read.
#[derive(Debug)]
enum Unfinished<'e> {
    Slots {
        object: Ref<'e>,
        plan: Rc<Plan>,
        next: usize,
    },
    Elements {
        array: Ref<'e, ObjectArray>,
        class: ClassName,
        next: usize,
        length: usize,
    },
    /// Keys and values of the table at this place among the pending ones.
    Entries {
        table: usize,
        left: usize,
    },
}

/// Where the next value belongs.
enum Place<'e> {
    Slot(Ref<'e>, Rc<Plan>, usize),
    Element(Ref<'e, ObjectArray>, ClassName, usize),
    Entry(usize),
}

/// The primitive a token is.
fn scalar(token: &Token) -> Option<Value<'static>> {
    Some(match token {
        Token::Boolean(value) => Value::Boolean(*value),
        Token::Byte(value) => Value::Byte(*value),
        Token::Char(value) => Value::Char(*value),
        Token::Short(value) => Value::Short(*value),
        Token::Int(value) => Value::Int(*value),
        Token::Long(value) => Value::Long(*value),
        Token::Float(bits) => Value::Float(f32::from_bits(*bits)),
        Token::Double(bits) => Value::Double(f64::from_bits(*bits)),
        _ => return None,
    })
}

struct Builder<'e, 'i> {
    values: Values<'e, 'i>,
    registry: &'e mut Registry,
    layouts: &'e [ClassLayout],
    plans: FxHashMap<ClassName, Rc<Plan>>,
    tokens: &'e [Token],
    at: usize,
    /// By number, as `Token::Ref` has it.
    objects: Vec<Ref<'e>>,
    unfinished: Vec<Unfinished<'e>>,
    pending: Vec<Pending<'e>>,
}

impl<'e> Builder<'e, '_> {
    fn next(&mut self) -> Result<&'e Token, RestoreError> {
        let token = self.tokens.get(self.at).ok_or(RestoreError::Incomplete(self.at))?;
        self.at += 1;
        Ok(token)
    }

    /// Finishes everything that was begun.
    fn run(&mut self) -> Result<(), RestoreError> {
        while let Some(innermost) = self.unfinished.last_mut() {
            let place = match innermost {
                Unfinished::Slots { object, plan, next } if *next < plan.fields.len() => {
                    *next += 1;
                    Place::Slot(*object, Rc::clone(plan), *next - 1)
                }
                Unfinished::Elements { array, class, next, length } if *next < *length => {
                    *next += 1;
                    Place::Element(*array, class.clone(), *next - 1)
                }
                Unfinished::Entries { table, left } if *left > 0 => {
                    *left -= 1;
                    Place::Entry(*table)
                }
                Unfinished::Slots { .. } | Unfinished::Elements { .. } | Unfinished::Entries { .. } => {
                    self.unfinished.pop();
                    continue;
                }
            };
            let value = self.value()?;
            self.store(place, value)?;
        }
        Ok(())
    }

    /// Reads a value. An object is only begun; its content follows.
    fn value(&mut self) -> Result<Value<'e>, RestoreError> {
        let token = self.next()?;
        if let Some(scalar) = scalar(token) {
            return Ok(scalar);
        }
        Ok(match token {
            Token::Null => Value::Object(None),
            Token::Ref(number) => {
                let object = self.objects.get(*number as usize).copied();
                Value::Object(Some(object.ok_or(RestoreError::Incomplete(self.at))?))
            }
            Token::String(text) => Value::Object(Some(self.values.string(text)?)),
            Token::Boxed => {
                let inside = scalar(self.next()?).ok_or(RestoreError::Incomplete(self.at))?;
                Value::Object(Some(self.values.boxed(inside)?))
            }
            Token::Enum(class, name) => Value::Object(Some(self.values.enum_constant(class, name)?)),
            Token::Class(descriptor) => Value::Object(Some(self.values.class_object(descriptor)?)),
            Token::Object(class) => Value::Object(Some(self.object(class)?)),
            Token::Array(class, length) => Value::Object(Some(self.array(class, *length as usize)?)),
            Token::Sorted(class, entries) => Value::Object(Some(self.sorted(class, *entries as usize)?)),
            Token::Opaque(class, site) => {
                return Err(RestoreError::Opaque { class: class.clone(), site: site.clone() });
            }
            Token::Truncated => return Err(RestoreError::Truncated),
            Token::Roots(_)
            | Token::Boolean(_)
            | Token::Byte(_)
            | Token::Char(_)
            | Token::Short(_)
            | Token::Int(_)
            | Token::Long(_)
            | Token::Float(_)
            | Token::Double(_) => return Err(RestoreError::Incomplete(self.at)),
        })
    }

    fn store(&mut self, place: Place<'e>, value: Value<'e>) -> Result<(), RestoreError> {
        let env = self.values.env;
        match place {
            Place::Slot(object, plan, at) => {
                let slot = &plan.shape.fields[plan.fields[at] as usize];
                let misfit = |_: CallError<'_>| RestoreError::Misfit {
                    place: format!("field `{}` of `{}`", slot.name, slot.declared_in.replace('/', ".")),
                };
                env.set(&slot.handle, object, value, Trust::Nothing).map_err(misfit)
            }
            Place::Element(array, class, at) => {
                let misfit = || RestoreError::Misfit { place: format!("an element of a `{class}`") };
                let Value::Object(element) = value else { return Err(misfit()) };
                env.set_element(array, at, element).map_err(|_| misfit())
            }
            Place::Entry(table) => {
                let Value::Object(part) = value else {
                    return Err(RestoreError::Misfit { place: "an entry of a table".into() });
                };
                self.pending[table].parts.push(part);
                Ok(())
            }
        }
    }

    fn object(&mut self, class: &ClassName) -> Result<Ref<'e>, RestoreError> {
        if let Some(only) = self.values.singleton(class)? {
            self.objects.push(only);
            return Ok(only);
        }
        let (object, plan) = self.allocate(class)?;
        self.unfinished.push(Unfinished::Slots { object, plan, next: 0 });
        Ok(object)
    }

    fn sorted(&mut self, class: &ClassName, entries: usize) -> Result<Ref<'e>, RestoreError> {
        let (object, plan) = self.allocate(class)?;
        let table = self.pending.len();
        self.pending.push(Pending { object, shape: Rc::clone(&plan.shape), parts: Vec::new() });
        self.unfinished.push(Unfinished::Entries { table, left: entries * 2 });
        self.unfinished.push(Unfinished::Slots { object, plan, next: 0 });
        Ok(object)
    }

    fn allocate(&mut self, class: &ClassName) -> Result<(Ref<'e>, Rc<Plan>), RestoreError> {
        let plan = match self.plans.get(class) {
            Some(plan) => Rc::clone(plan),
            None => {
                let plan = Rc::new(self.plan(class)?);
                self.plans.insert(class.clone(), Rc::clone(&plan));
                plan
            }
        };
        let found = self.registry.class(plan.id).expect("the plan's class stays while its state is restored");
        let made = self.values.env.alloc_object(found);
        let made = made.map_err(|thrown| self.values.unusable(class, &thrown))?;
        let object = self.values.kept(made)?;
        self.objects.push(object);
        Ok((object, plan))
    }

    fn plan(&mut self, class: &ClassName) -> Result<Plan, RestoreError> {
        let layout = self.layouts.iter().find(|layout| layout.class == *class);
        let layout = layout.ok_or_else(|| RestoreError::NoLayout { class: class.clone() })?;
        let local: Local<'_, Class> = self.values.load(class, true)?;
        let id = self.registry.look_up(self.values.env, local.get())?;
        self.values.env.delete(local);
        let shape = Rc::clone(self.registry.shape(id).expect("it was just looked up"));
        let find = |slot: &probat_model::Slot| {
            let of = slot.declared_in.as_internal();
            let found = shape.fields.iter().position(|field| {
                *field.name == slot.name && *field.descriptor == slot.descriptor && &*field.declared_in == of
            });
            found.map(|at| at as u32).ok_or_else(|| RestoreError::Field {
                class: slot.declared_in.clone(),
                field: slot.name.clone(),
                descriptor: slot.descriptor.clone(),
            })
        };
        let fields = layout.slots.iter().map(find).collect::<Result<_, _>>()?;
        Ok(Plan { id, fields, shape })
    }

    fn array(&mut self, class: &ClassName, length: usize) -> Result<Ref<'e>, RestoreError> {
        let element = class.as_internal().strip_prefix('[').unwrap_or_default();
        let left = self.tokens.len() - self.at;
        if length > left {
            return Err(RestoreError::Incomplete(self.tokens.len()));
        }
        let cells = &self.tokens[self.at..self.at + length];
        if let Some(array) = self.values.cells(element, cells)? {
            self.at += length;
            self.objects.push(array);
            return Ok(array);
        }
        let array = self.values.object_array(class, element, length)?;
        self.objects.push(array.erase());
        self.unfinished.push(Unfinished::Elements { array, class: class.clone(), next: 0, length });
        Ok(array.erase())
    }
}
