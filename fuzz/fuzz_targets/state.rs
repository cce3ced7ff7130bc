//! Files of the state directory, whatever a crash, an editor or another program has made of them: refused with the
//! file's name, or read; and then written and read back the same. The first octet selects the file.
#![no_main]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use std::time::{Instant, SystemTime};

use libfuzzer_sys::fuzz_target;
use trunkline_admin::rows::{RowStore, RowTable, Rows, Rules};
use trunkline_admin::{Identity, Start};
use trunkline_admin::{Kept, StateError};
use trunkline_smi::ValueRef;
use trunkline_smi::module::snmp_target_mib::SNMP_TARGET_ADDR_TABLE;
use trunkline_smi::module::snmp_user_based_sm_mib::USM_USER_TABLE;
use trunkline_smi::module::snmp_view_based_acm_mib::{VACM_ACCESS_TABLE, VACM_SECURITY_TO_GROUP_TABLE};
use trunkline_tree::{SetItem, SetTransaction};

fuzz_target!(|input: &[u8]| {
    let Some((which, octets)) = input.split_first() else { return };
    match which {
        b'e' => engine(octets),
        b's' => system(octets),
        _ => rows(octets),
    }
});

/// A directory of this process, in memory if the system supports that: nothing here needs to survive a crash.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let shared = Path::new("/dev/shm");
    let place = if shared.is_dir() { shared.to_path_buf() } else { std::env::temp_dir() };
    let folder = place.join(format!("trunkline-fuzz-state-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    make(&folder);
    folder
});

fn make(folder: &Path) {
    use std::os::unix::fs::DirBuilderExt;
    fs::DirBuilder::new().mode(0o700).recursive(true).create(folder).expect("a folder for the files");
}

/// Writes the octets to the file, as the agent would: readable by its owner only.
fn put(name: &str, octets: &[u8]) {
    use std::io::Write;
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = fs::OpenOptions::new();
    let file = options.write(true).create(true).truncate(true).mode(0o600).open(FOLDER.join(name));
    file.and_then(|mut file| file.write_all(octets)).expect("the file can be written");
}

/// A refused file is named, and its contents cannot send control sequences to a terminal.
fn check(error: &StateError, name: &str) {
    let words = error.to_string();
    assert!(words.contains(name), "{words}");
    assert!(!words.contains(|c: char| c.is_control() && c != '\n'), "{words:?}");
}

fn engine(octets: &[u8]) {
    const NAME: &str = "engine.toml";
    put(NAME, octets);
    let start = || Start { random: [7; 12], wall: SystemTime::UNIX_EPOCH, now: Instant::now() };
    let establish = || Identity::establish(&FOLDER, None, start());
    let first = match establish() {
        Ok(identity) => identity,
        Err(error) => return check(&error, NAME),
    };
    let second = establish().expect("what was written is read");
    assert_eq!(second.id, first.id);
    let (boots, before) = (second.clock.boots().get(), first.clock.boots().get());
    assert!(
        boots == before + 1 || (boots == before && boots == i32::MAX.cast_unsigned()),
        "{before} {boots}"
    );
}

fn system(octets: &[u8]) {
    const NAME: &str = "system.toml";
    put(NAME, octets);
    let kept = match Kept::open(&FOLDER) {
        Ok(kept) => kept,
        Err(error) => return check(&error, NAME),
    };
    let mut state = kept.state();
    // Unchanged values are not written.
    state.snmp_enable_authen_traps = Some(state.snmp_enable_authen_traps != Some(true));
    kept.replace(state.clone()).expect("it can be written");
    assert_eq!(Kept::open(&FOLDER).expect("what was written is read").state(), state);
}

struct NoRules;

impl Rules for NoRules {}

static TABLES: &[RowTable] = &[
    RowTable {
        tables: &[&VACM_SECURITY_TO_GROUP_TABLE],
        status: "vacmSecurityToGroupStatus",
        storage: "vacmSecurityToGroupStorageType",
        required: &["vacmGroupName"],
        defaults: |_| Vec::new(),
        fixed_while_active: &[],
        first: &[],
    },
    RowTable {
        tables: &[&VACM_ACCESS_TABLE],
        status: "vacmAccessStatus",
        storage: "vacmAccessStorageType",
        required: &[],
        defaults: |_| Vec::new(),
        fixed_while_active: &[],
        first: &[],
    },
    RowTable {
        tables: &[&USM_USER_TABLE],
        status: "usmUserStatus",
        storage: "usmUserStorageType",
        required: &[],
        defaults: |_| Vec::new(),
        fixed_while_active: &[],
        first: &[],
    },
    RowTable {
        tables: &[&SNMP_TARGET_ADDR_TABLE],
        status: "snmpTargetAddrRowStatus",
        storage: "snmpTargetAddrStorageType",
        required: &["snmpTargetAddrTDomain", "snmpTargetAddrTAddress", "snmpTargetAddrParams"],
        defaults: |_| Vec::new(),
        fixed_while_active: &[],
        first: &[],
    },
];

fn open(name: &'static str) -> Result<Arc<RowStore>, StateError> {
    RowStore::open(TABLES, &["auth-key", "priv-key"], Box::new(NoRules), (FOLDER.as_path(), name), |_| {})
}

fn rows(octets: &[u8]) {
    const NAME: &str = "rows.toml";
    put(NAME, octets);
    let store = match open(NAME) {
        Ok(store) => store,
        Err(error) => return check(&error, NAME),
    };
    // A set writes the whole file; a file that already has this row is fine unchanged.
    let index = [2, 7, 102, 117, 122, 122, 105, 110, 103];
    let item = |name, value| SetItem {
        binding: 0,
        object: VACM_SECURITY_TO_GROUP_TABLE.oid,
        name,
        index: &index,
        value,
    };
    let items = [
        item("vacmSecurityToGroupStatus", ValueRef::Integer(4)),
        item("vacmGroupName", ValueRef::OctetString(b"g")),
    ];
    let Ok(mut change) = store.prepare(&items, None) else { return };
    change.commit().expect("it can be written");
    let (now, again) = (store.rows(), open(NAME).expect("what was written is read").rows());
    assert!(now.get(&VACM_SECURITY_TO_GROUP_TABLE, &index).is_some());
    assert_eq!(lasting(&now), *again);
}

/// The rows that survive a restart.
fn lasting(rows: &Rows) -> Rows {
    let mut kept = Rows::new();
    for table in TABLES.iter().map(|table| table.tables[0]) {
        let lasting = rows.of(table).filter(|(_, row)| row.state.is_kept() || row.is_changed);
        lasting.for_each(|(index, row)| kept.insert(table, index.to_vec(), row.clone()));
    }
    kept
}
