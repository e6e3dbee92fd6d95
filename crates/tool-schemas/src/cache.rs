use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::error::SchemaError;
use crate::validator::{Limits, Validator};

/// The digest of a schema, to be computed once per tool and kept.
#[derive(Clone, Copy, Eq, Hash, PartialEq)]
pub struct SchemaKey([u8; 32]);

impl SchemaKey {
    /// The digest of `schema` as it is written.
    #[must_use]
    pub fn of(schema: &Value) -> Self {
        Self(Sha256::digest(schema.to_string()).into())
    }
}

impl fmt::Debug for SchemaKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SchemaKey(")?;
        self.0
            .iter()
            .take(4)
            .try_for_each(|byte| write!(f, "{byte:02x}"))?;
        f.write_str("…)")
    }
}

type Slot = Arc<OnceLock<Result<Arc<Validator>, SchemaError>>>;

/// Compiled schemas, each compiled once and only when it is first needed.
///
/// Equal schemas share one validator, whichever tools they belong to. A schema that does not compile is not tried again.
pub struct ValidatorCache {
    limits: Limits,
    capacity: usize,
    slots: Mutex<Slots>,
}

#[derive(Default)]
struct Slots {
    clock: u64,
    by_key: HashMap<SchemaKey, (u64, Slot)>,
}

impl fmt::Debug for ValidatorCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ValidatorCache")
            .field("capacity", &self.capacity)
            .field("len", &self.len())
            .finish_non_exhaustive()
    }
}

impl Default for ValidatorCache {
    /// 512 validators, the default [`Limits`].
    fn default() -> Self {
        Self::new(512, Limits::default())
    }
}

impl ValidatorCache {
    /// A cache of at most `capacity` validators, at least one; the one that was unused longest makes room.
    #[must_use]
    pub fn new(capacity: usize, limits: Limits) -> Self {
        Self {
            limits,
            capacity: capacity.max(1),
            slots: Mutex::default(),
        }
    }

    /// The validator of `schema`, whose digest is computed for it: prefer [`get_keyed`](Self::get_keyed) for each call.
    ///
    /// # Errors
    ///
    /// As for [`Validator::compile`].
    pub fn get(&self, schema: &Value) -> Result<Arc<Validator>, SchemaError> {
        self.get_keyed(SchemaKey::of(schema), schema)
    }

    /// The validator of `schema`, which `key` is the digest of.
    ///
    /// # Errors
    ///
    /// As for [`Validator::compile`].
    pub fn get_keyed(&self, key: SchemaKey, schema: &Value) -> Result<Arc<Validator>, SchemaError> {
        let slot = self.slot(key);
        // Compiled outside the lock: a slow schema holds up only those who want it too.
        slot.get_or_init(|| Validator::compile_within(schema, self.limits.clone()).map(Arc::new))
            .clone()
    }

    fn slot(&self, key: SchemaKey) -> Slot {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        slots.clock += 1;
        let now = slots.clock;
        if let Some((used, slot)) = slots.by_key.get_mut(&key) {
            *used = now;
            return Arc::clone(slot);
        }
        if slots.by_key.len() >= self.capacity
            && let Some(oldest) = slots
                .by_key
                .iter()
                .min_by_key(|(_, (used, _))| *used)
                .map(|(key, _)| *key)
        {
            slots.by_key.remove(&oldest);
        }
        let slot = Slot::default();
        slots.by_key.insert(key, (now, Arc::clone(&slot)));
        slot
    }

    /// How many schemas are kept.
    #[must_use]
    pub fn len(&self) -> usize {
        self.slots
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .by_key
            .len()
    }

    /// Whether none is kept.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
