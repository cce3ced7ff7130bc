//! All users an engine knows, in the order of usmUserTable. A value: cloned, changed and swapped as a whole.

use std::cmp::Ordering;
use std::sync::Arc;

use super::{EngineId, User};

/// Users by engine ID and name. Looking up allocates nothing and takes a time logarithmic in their number;
/// changing takes a time linear in it, and clones share the users.
#[derive(Clone, Debug, Default)]
pub struct UserTable {
    users: Vec<Arc<User>>,
}

impl UserTable {
    /// An empty table.
    #[must_use]
    pub const fn new() -> UserTable {
        UserTable { users: Vec::new() }
    }

    /// The active user with this name at this engine: the possible sender of a message (RFC 3414 section 3.2 step
    /// 4).
    #[must_use]
    pub fn get(&self, engine_id: &[u8], name: &[u8]) -> Option<&Arc<User>> {
        self.row(engine_id, name).filter(|user| user.is_active())
    }

    /// The user with this name at this engine, active or not.
    #[must_use]
    pub fn row(&self, engine_id: &[u8], name: &[u8]) -> Option<&Arc<User>> {
        self.position(engine_id, name).ok().map(|at| &self.users[at])
    }

    /// Whether there is any user at this engine, active or not.
    #[must_use]
    pub fn knows_engine(&self, engine_id: &[u8]) -> bool {
        let at = match self.position(engine_id, &[]) {
            Ok(at) | Err(at) => at,
        };
        self.users.get(at).is_some_and(|user| user.engine_id().as_bytes() == engine_id)
    }

    /// Inserts a user, replacing the one with the same engine and name, which is returned.
    pub fn insert(&mut self, user: User) -> Option<Arc<User>> {
        let user = Arc::new(user);
        match self.position(user.engine_id().as_bytes(), user.name()) {
            Ok(at) => Some(std::mem::replace(&mut self.users[at], user)),
            Err(at) => {
                self.users.insert(at, user);
                None
            }
        }
    }

    /// Removes a user.
    pub fn remove(&mut self, engine_id: &[u8], name: &[u8]) -> Option<Arc<User>> {
        self.position(engine_id, name).ok().map(|at| self.users.remove(at))
    }

    /// All users, in the order of usmUserTable's rows.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Arc<User>> {
        self.users.iter()
    }

    /// The users at one engine, in the order of their rows.
    pub fn at_engine(&self, engine_id: &EngineId) -> impl Iterator<Item = &Arc<User>> {
        let start = match self.position(engine_id.as_bytes(), &[]) {
            Ok(at) | Err(at) => at,
        };
        self.users[start..].iter().take_while(move |user| user.engine_id() == engine_id)
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.users.len()
    }

    /// Whether the table is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.users.is_empty()
    }

    fn position(&self, engine_id: &[u8], name: &[u8]) -> Result<usize, usize> {
        self.users.binary_search_by(|user| {
            by_length(user.engine_id().as_bytes(), engine_id).then_with(|| by_length(user.name(), name))
        })
    }
}

/// The order of index components of variable length: the length comes first (RFC 2578 section 7.7).
fn by_length(a: &[u8], b: &[u8]) -> Ordering {
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

impl FromIterator<User> for UserTable {
    /// Of users with the same engine and name the last one stays.
    fn from_iter<I: IntoIterator<Item = User>>(users: I) -> UserTable {
        let mut table = UserTable::new();
        users.into_iter().for_each(|user| drop(table.insert(user)));
        table
    }
}
