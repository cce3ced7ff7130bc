//! What users of an access have worked out of it, so that they need not do it for each request.

use std::any::Any;
use std::fmt;
use std::sync::OnceLock;

/// A value of a type that the tree does not know, made once. A copy begins without it.
#[derive(Default)]
pub(super) struct WorkedOut(OnceLock<Box<dyn Any + Send + Sync>>);

impl WorkedOut {
    pub fn get<T: Any + Send + Sync>(&self, make: impl FnOnce() -> T) -> Option<&T> {
        self.0.get_or_init(|| Box::new(make())).downcast_ref()
    }
}

impl Clone for WorkedOut {
    fn clone(&self) -> Self {
        WorkedOut::default()
    }
}

impl fmt::Debug for WorkedOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.get().is_some() { "something" } else { "nothing" })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Access;
    use crate::view::View;

    #[test]
    fn what_is_worked_out_is_kept_until_the_access_is_another_one() {
        let access = Access::new(&[], View::everything(), View::NOTHING);
        assert_eq!(access.worked_out(|| 1), Some(&1));
        assert_eq!(access.worked_out(|| 2), Some(&1), "it is made once");
        assert_eq!(access.worked_out(|| "text"), None, "another type");
        let other = access.clone().with_notify(View::everything());
        assert_eq!(other.worked_out(|| 3), Some(&3));
        assert_eq!(access.worked_out(|| 4), Some(&1));
    }
}
