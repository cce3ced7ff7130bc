//! A request allocates nothing once its walker has seen a similar one, as checked by a counting allocator.
//!
//! The allocator is the process's, the counter each thread's: concurrent tests do not affect each other.

#![allow(unsafe_code, reason = "a global allocator cannot be written without")]
#![allow(clippy::unwrap_used, reason = "a test that fails panics")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

use trunkline_query::{Comparison, Condition, Literal, Predicate, Scope};
use trunkline_smi::{OidList, ValueRef};
use trunkline_testkit::fixture::Fixture;
use trunkline_tree::policy::{
    AdminString, Denied, Guard, Member, Principal, Role, RoleGrant, Roles, SecurityLevel, SecurityModel,
    ViewSource, ViewType,
};
use trunkline_tree::{
    Exception, Freshness, LeafId, Name, Operation, Progress, Query, Room, Row, RowQuery, RowSink, RowWalker,
    Sink, View, Walker,
};

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

fn count() {
    // While a thread ends its locals are gone; nothing is measured then.
    let _ = ALLOCATIONS.try_with(|allocations| allocations.set(allocations.get() + 1));
}

// SAFETY: every method hands its arguments to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller keeps `alloc`'s contract, which is the system allocator's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: `memory` came from the system's allocator through `alloc` or `realloc`.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as for `dealloc`; the caller keeps the contract on `size`.
        unsafe { System.realloc(memory, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Takes everything and keeps a count, so that nothing is optimised away.
#[derive(Default)]
struct Counter {
    bindings: usize,
}

impl Sink for Counter {
    fn value(&mut self, _name: Name<'_>, _value: ValueRef<'_>) -> Room {
        self.bindings += 1;
        Room::Taken
    }

    fn exception(&mut self, _name: Name<'_>, _exception: Exception) -> Room {
        self.bindings += 1;
        Room::Taken
    }
}

#[test]
fn requests_allocate_nothing_in_the_steady_state() {
    // The counter counts at all.
    let before = ALLOCATIONS.get();
    drop(std::hint::black_box(Box::new(7)));
    assert_eq!(ALLOCATIONS.get(), before + 1);

    for (question, bindings) in [
        ("get factNumber.0", 1),
        ("get factText.0 factUptime.0 portName.10 portName.11 peerState.1.4.127.0.0.1.80 2.999", 6),
        ("next portName.1", 1),
        ("next factNumber factGauge portSpeed.10 peerState 2.999", 5),
        ("bulk 0 20 portName", 20),
        ("bulk 1 4 factUptime portName portSpeed portHigh", 13),
    ] {
        assert_eq!(allocations(question, bindings), 0, "{question}");
    }
}

/// The allocations of the last two of ten equal requests, with two views.
fn allocations(question: &str, bindings: usize) -> usize {
    let fixture = Fixture::new(Freshness::default());
    let asker = fixture.asker();
    asker.text(question); // everything is loaded
    let (operation, oids) = asker.parse(question);
    let names: OidList = oids.iter().map(|oid| &**oid).collect();
    let everything = fixture.tree.access(View::everything(), View::NOTHING);
    // A rule that is finer than an object, so that instances are checked one by one.
    let fine = View::everything().exclude(asker.name("portName.2147483647.1"));
    let by_instance = fixture.tree.access(fine, View::NOTHING);
    let mut walker = Walker::new();
    let mut last = 0;
    for round in 0..10 {
        let query = Query {
            operation,
            names: &names,
            access: if round % 2 == 0 { &by_instance } else { &everything },
            without_counter64: false,
            arrived: fixture.now(),
            max_bindings: 1000,
            may_end_early: true,
        };
        let mut sink = Counter::default();
        let before = ALLOCATIONS.get();
        walker.reset();
        let progress = walker.advance(&fixture.tree, &query, &mut sink);
        last = if round < 8 { 0 } else { last + ALLOCATIONS.get() - before };
        assert_eq!((progress, sink.bindings), (Progress::Done, bindings), "{question}");
    }
    last
}

/// A guard finds what a principal may do, and a search passes over what that excludes, without an allocation.
#[test]
fn the_policy_allocates_nothing_either() {
    let fixture = Fixture::new(Freshness::default());
    fixture.asker().text("bulk 0 100 0.0"); // everything is loaded
    let rules =
        ["1.3.6.1.4.1.32473.2.2.1.*.10", "-1.3.6.1.4.1.32473.2.2.1.1.10", "1.3.6.1.4.1.32473.2.2.1.4.3"];
    let view = View::of(rules.map(|rule| rule.parse().unwrap())).unwrap();
    let name = |text: &str| AdminString::try_from(text).unwrap();
    let grant = RoleGrant { read: Some(ViewSource::Rules(view)), ..RoleGrant::default() };
    let role = Role { name: name("rows"), grants: vec![grant], ..Role::default() };
    let member = Member { model: SecurityModel::USM, name: name("ann"), role: name("rows") };
    let roles = Roles { roles: vec![role], members: vec![member], ..Roles::default() };
    let guard = Guard::new(&fixture.tree, Arc::new(roles.compile().unwrap()));
    let names: OidList = [&[1, 3][..]].into_iter().collect();
    let mut walker = Walker::new();
    for round in 0..3 {
        let before = ALLOCATIONS.get();
        let level = SecurityLevel::AuthPriv;
        let access =
            guard.access(&Principal::new(SecurityModel::USM, b"ann", level), b"", ViewType::Read).unwrap();
        assert_eq!(
            guard.access(&Principal::new(SecurityModel::USM, b"an", level), b"", ViewType::Read).err(),
            Some(Denied::NoGroupName)
        );
        assert!(access.may_read_name(&[1, 3, 6, 1, 4, 1, 32473, 2, 2, 1, 4, 3]));
        assert!(!access.may_write(&[1, 3]) && !access.may_notify(&[1, 3]));
        let query = Query {
            operation: Operation::Bulk { non_repeaters: 0, max_repetitions: 50 },
            names: &names,
            access,
            without_counter64: false,
            arrived: fixture.now(),
            max_bindings: 1000,
            may_end_early: true,
        };
        let mut sink = Counter::default();
        walker.reset();
        assert_eq!(walker.advance(&fixture.tree, &query, &mut sink), Progress::Done);
        // portName, portIn, portSpeed of row 3, portAdmin, portHigh, and the end.
        assert_eq!(sink.bindings, 6);
        assert!(round == 0 || ALLOCATIONS.get() == before, "round {round}");
    }
}

impl RowSink for Counter {
    fn row(&mut self, row: Row<'_>) -> Room {
        self.bindings += row.cells().flatten().count();
        Room::Taken
    }
}

/// Neither do rows, chosen by a filter or not, seen as a whole or in part.
#[test]
fn rows_allocate_nothing_in_the_steady_state() {
    let fixture = Fixture::new(Freshness::default());
    let asker = fixture.asker();
    asker.text("bulk 0 100 0.0"); // everything is loaded
    let everything = fixture.tree.access(View::everything(), View::NOTHING);
    let fine =
        View::everything().exclude(asker.name("portName.2147483647")).exclude(asker.name("peerState.2"));
    let fine = fixture.tree.access(fine, View::NOTHING);
    let mut walker = RowWalker::new();
    for (table, condition, cells) in [
        ("portTable", None, 28),
        (
            "portTable",
            Some(Condition::compare("portName", Comparison::Greater, Literal::Text("lo".into()))),
            11,
        ),
        ("portTable", Some(Condition::compare("portIndex", Comparison::Less, Literal::Integer(3))), 11),
        ("peerTable", None, 3),
        ("peerTable", Some(Condition::compare("peerPort", Comparison::Equal, Literal::Integer(80))), 1),
    ] {
        let table = fixture.tree.table_named(table).unwrap();
        let scope = Scope::table(table.schema());
        let filter = condition.map(|condition| Predicate::compile(&condition, &scope).unwrap());
        let columns: Vec<LeafId> = table.columns().map(|(_, leaf)| leaf).collect();
        for round in 0..6 {
            let access = if round % 2 == 0 { &fine } else { &everything };
            let query = RowQuery::all(table.id(), &columns, access, fixture.now());
            let query = RowQuery { filter: filter.as_ref(), ..query };
            let mut sink = Counter::default();
            let before = ALLOCATIONS.get();
            walker.reset();
            assert_eq!(walker.advance(&fixture.tree, &query, &mut sink), Progress::Done);
            assert!(round < 4 || ALLOCATIONS.get() == before, "{}: {:?}", table.schema().name, query.filter);
            assert!(round % 2 == 0 || sink.bindings == cells, "{} cells", sink.bindings);
        }
    }
}
