//! From when until when a certificate is valid.

use time::{Duration, OffsetDateTime};

use crate::Error;

/// From when until when a certificate is valid; both are included, whole seconds count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Validity {
    /// The first second.
    pub not_before: OffsetDateTime,
    /// The last second.
    pub not_after: OffsetDateTime,
}

impl Validity {
    /// How far back a certificate made now begins, since the clocks of devices differ.
    pub const BACKDATED: Duration = Duration::minutes(10);

    /// From now, slightly backdated, for this many days.
    ///
    /// # Errors
    /// [`Error::Days`]: beyond the year 9999, after which a certificate cannot say a date.
    pub fn days(days: u32) -> Result<Self, Error> {
        let now = OffsetDateTime::now_utc();
        let not_after = now.checked_add(Duration::days(days.into())).ok_or(Error::Days { days })?;
        Ok(Validity { not_before: now - Self::BACKDATED, not_after })
    }

    pub(crate) fn checked(self) -> Result<Self, Error> {
        let Validity { not_before, not_after } = self;
        if not_before > not_after || not_after.year() > 9999 || not_before.year() < 1950 {
            return Err(Error::Validity { not_before, not_after });
        }
        Ok(self)
    }
}
