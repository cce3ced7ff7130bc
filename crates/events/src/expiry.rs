//! The end of rows that last for a time: they are removed as a manager would remove them, and the log says so.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio::time::sleep;
use trunkline_admin::rows::{Row, RowStore, Rows};
use trunkline_admin::{AUTHORITY, EXPIRES, LIFETIME, Now, UNTIL};
use trunkline_core::{Core, NotSet};
use trunkline_smi::module::{disman_event_mib, disman_expression_mib};
use trunkline_smi::schema::Table;
use trunkline_smi::{IndexValue, Oid, Value, decode_index, visible};
use trunkline_tree::policy::OwnedPrincipal;
use trunkline_tree::{SetBinding, View};

/// The hidden cells of the rows.
pub(crate) const HIDDEN: [&str; 4] = [AUTHORITY, LIFETIME, UNTIL, EXPIRES];

/// The tables whose rows may end, and the columns of their status.
const TABLES: [(&Table, u32); 4] = [
    (&disman_expression_mib::EXP_EXPRESSION_TABLE, 9),
    (&disman_event_mib::MTE_TRIGGER_TABLE, 15),
    (&disman_event_mib::MTE_EVENT_TABLE, 5),
    (&disman_event_mib::MTE_OBJECTS_TABLE, 5),
];

/// RowStatus: destroy.
const DESTROY: i32 = 6;

/// A store of rows that may last for a time.
pub struct Lasting {
    /// The store.
    pub(crate) store: Arc<RowStore>,
    /// Told whenever its rows change.
    pub(crate) changed: Arc<Notify>,
}

/// How long after a row could not be removed it is tried again.
const AGAIN: Duration = Duration::from_secs(1);
/// How long it is waited at most while some row will end: the clock of the machine may be set.
const LONGEST: Duration = Duration::from_secs(10);

/// The task that ends rows; it ends when this is dropped.
#[derive(Debug)]
pub struct Expiry(JoinHandle<()>);

impl Expiry {
    /// Starts it, for the rows of these stores. Must be called on a tokio runtime.
    pub fn start(all: [Lasting; 2], core: Arc<Core>) -> Self {
        Expiry(tokio::spawn(async move {
            loop {
                for (table, status, index) in ended(&all, &Now::read()) {
                    end(&core, table, status, &index).await;
                }
                let [one, other] = &all;
                // While no row lasts for a time, nothing wakes this.
                let pause = async {
                    match first_end(&all, &Now::read()) {
                        Some(left) => sleep(pause_for(left)).await,
                        None => pending().await,
                    }
                };
                tokio::select! {
                    () = pause => {}
                    () = one.changed.notified() => {}
                    () = other.changed.notified() => {}
                }
            }
        }))
    }
}

impl Drop for Expiry {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// How long to wait for an end that is so many seconds away; one that has passed could not be heeded.
fn pause_for(left: u64) -> Duration {
    Duration::from_secs(left).clamp(AGAIN, LONGEST)
}

/// In how many seconds the first row ends.
fn first_end(all: &[Lasting], now: &Now) -> Option<u64> {
    let of = |rows: &Rows| {
        TABLES.iter().flat_map(|(table, _)| rows.of(table)).filter_map(|(_, row)| left(row, now)).min()
    };
    all.iter().filter_map(|lasting| of(&lasting.store.rows())).min()
}

/// The rows whose time is over.
fn ended(all: &[Lasting], now: &Now) -> Vec<(&'static Table, u32, Vec<u32>)> {
    let mut found = Vec::new();
    for lasting in all {
        let rows = lasting.store.rows();
        for (table, status) in TABLES {
            let over = rows.of(table).filter(|(_, row)| left(row, now) == Some(0));
            found.extend(over.map(|(index, _)| (table, status, index.to_vec())));
        }
    }
    found
}

/// How many seconds a row still lasts.
fn left(row: &Row, now: &Now) -> Option<u64> {
    now.left(row.secret(EXPIRES)?)
}

async fn end(core: &Core, table: &'static Table, status: u32, index: &[u32]) {
    let settings = core.settings();
    let access = settings.served().tree.access(View::everything(), View::everything());
    let name = Oid::EMPTY.child(table.oid).child(&[1, status]).child(index);
    let binding = SetBinding { name, value: Some(Value::Integer(DESTROY)) };
    // Nobody made a request.
    let principal = OwnedPrincipal::of_user("");
    let row = title(table, index);
    match settings.set(&principal.as_principal(), &access, vec![binding]).await {
        Ok(()) => tracing::info!(table = table.name, %row, "its lifetime is over: the row is removed"),
        // A lock of the configuration, a full disk: it is tried again.
        Err(NotSet::Refused(failure)) => {
            tracing::debug!(table = table.name, %row, %failure, "a row whose lifetime is over stays for now");
        }
        Err(NotSet::Panicked | NotSet::Changed) => {}
    }
}

/// The owner and the name, for the log.
fn title(table: &Table, index: &[u32]) -> String {
    let parts = decode_index(table.index, index).unwrap_or_default();
    let texts = parts.iter().map(|part| match part {
        IndexValue::Octets(octets) => visible(&String::from_utf8_lossy(octets)).into_owned(),
        _ => String::new(),
    });
    texts.collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_over_at_its_time_and_never_without_one() {
        let at = |clock| Now { clock, machine: None };
        let mut row = Row::created([]);
        assert_eq!(left(&row, &at(u64::MAX)), None);
        row.set_secret(EXPIRES, Some(b"100".to_vec()));
        assert_eq!([99, 100, 101].map(|clock| left(&row, &at(clock))), [Some(1), Some(0), Some(0)]);
        row.set_secret(EXPIRES, Some(b"soon".to_vec()));
        assert_eq!(left(&row, &at(u64::MAX)), None);
    }

    #[test]
    fn the_wait_is_until_the_end_and_neither_short_nor_long() {
        assert_eq!([5, 0, 900].map(|left| pause_for(left).as_secs()), [5, 1, 10]);
    }
}
