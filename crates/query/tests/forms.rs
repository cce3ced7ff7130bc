//! How literals are read, what errors say, which key ranges come of conditions, and that everything is bounded.

#![allow(clippy::unwrap_used, reason = "a test that fails panics")]

use trunkline_query::{
    Cells, Comparison, Condition, KeyRange, Literal, MAX_DEPTH, MAX_TERMS, Mistake, Operand, Page, Pager,
    Predicate, QueryError, Scope, Selection,
};
use trunkline_smi::module::if_mib::{IF_NUMBER, IF_TABLE};
use trunkline_smi::module::ip_mib::IP_NET_TO_MEDIA_TABLE;
use trunkline_smi::module::tcp_mib::TCP_CONNECTION_TABLE;
use trunkline_smi::schema::Table;
use trunkline_smi::{IndexRef, ValueRef};

static IF: Table = IF_TABLE;
static TCP: Table = TCP_CONNECTION_TABLE;

use Comparison::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};

fn is(column: &str, comparison: Comparison, literal: Literal) -> Condition {
    Condition::Compare { at: 7, column: column.to_owned(), comparison, literal }
}

fn text(text: &str) -> Literal {
    Literal::Text(text.to_owned())
}

fn bare(text: &str) -> Literal {
    Literal::Bare(text.to_owned())
}

fn number(number: i128) -> Literal {
    Literal::Integer(number)
}

/// A row of ifTable with one cell.
struct One(u32, ValueRef<'static>);

impl Cells for One {
    fn cell(&self, column: u32) -> Option<ValueRef<'_>> {
        (column == self.0).then_some(self.1)
    }

    fn part(&self, part: usize) -> Option<IndexRef<'_>> {
        (part == 0).then_some(IndexRef::Integer(3))
    }
}

fn holds(condition: Condition, row: One) -> bool {
    Predicate::compile(&condition, &Scope::table(&IF)).unwrap().holds(&row)
}

#[test]
fn literals_are_read_as_their_columns_are() {
    let ethernet = || One(3, ValueRef::Integer(6));
    assert!(holds(is("ifType", Equal, text("ethernetCsmacd")), ethernet()));
    assert!(holds(is("ifType", Equal, bare("6")), ethernet()));
    assert!(holds(is("ifType", Equal, bare("ethernetCsmacd")), ethernet()));
    assert!(holds(is("ifType", Less, number(7)), ethernet()));
    let mac = || One(6, ValueRef::OctetString(&[0, 0x1b, 0x21, 4, 5, 6]));
    assert!(holds(is("ifPhysAddress", Equal, text("0:1b:21:04:05:06")), mac()));
    assert!(holds(is("ifPhysAddress", Equal, bare("00-1B-21-04-05-06")), mac()));
    assert!(holds(is("ifPhysAddress", Equal, bare("0x001b21040506")), mac()));
    assert!(holds(is("ifPhysAddress", Greater, Literal::Octets(vec![0, 0x1b])), mac()));
    assert!(holds(is("ifDescr", Equal, text("0x10")), One(2, ValueRef::OctetString(b"0x10"))));
    assert!(holds(is("ifSpecific", Equal, text("0.0")), One(22, ValueRef::ObjectIdentifier(&[0, 0]))));
    assert!(holds(is("ifIndex", Equal, number(3)), ethernet()), "from the index");
}

#[test]
fn comparisons_with_missing_cells_are_false() {
    for comparison in [Equal, NotEqual, Less, LessOrEqual, Greater, GreaterOrEqual] {
        let absent = || is("ifMtu", comparison, number(1));
        let other = || One(2, ValueRef::OctetString(b"lo"));
        assert!(!holds(absent(), other()));
        assert!(holds(Condition::Not(Box::new(absent())), other()));
    }
    assert!(!holds(Condition::Or(vec![]), One(2, ValueRef::OctetString(b"lo"))));
    assert!(holds(Condition::And(vec![]), One(2, ValueRef::OctetString(b"lo"))));
}

#[track_caller]
fn mistake(condition: Condition, said: &str) -> Mistake {
    let error = Predicate::compile(&condition, &Scope::table(&IF)).unwrap_err();
    assert_eq!((error.at, error.to_string().as_str()), (7, said));
    error.mistake
}

#[test]
fn errors_report_location_mistake_and_suggestion() {
    let unknown = mistake(
        is("ifInOctet", Equal, number(1)),
        "ifTable has no column \"ifInOctet\": did you mean ifInOctets or ifIndex or ifOutOctets?",
    );
    assert!(matches!(unknown, Mistake::UnknownColumn { .. }));
    mistake(is("colour", Equal, number(1)), "ifTable has no column \"colour\"");
    let kind = mistake(
        is("ifMtu", Less, text("big")),
        "ifMtu is of type INTEGER: the text \"big\" cannot be compared with it; write a number",
    );
    assert!(matches!(kind, Mistake::WrongType { .. }));
    mistake(
        is("ifDescr", Less, number(5)),
        "ifDescr is of type OCTET STRING: 5 cannot be compared with it; write a text or octets",
    );
    let range = mistake(is("ifSpeed", Greater, number(-1)), "ifSpeed is 0 to 4294967295: -1 is out of range");
    assert!(matches!(range, Mistake::OutOfRange { .. }));
    let name = mistake(
        is("ifOperStatus", Equal, text("Up")),
        "ifOperStatus has no value named \"Up\": did you mean up?",
    );
    assert!(matches!(name, Mistake::UnknownValueName { .. }));
}

#[test]
fn columns_are_readable_ones_of_the_table() {
    let columns = |names: &[&str]| Selection::compile(&TCP, names, None).map(|selection| selection.columns);
    assert_eq!(columns(&["tcpConnectionProcess", "tcpConnectionState"]), Ok(vec![8, 7]));
    let hidden = Mistake::NotReadable { name: "tcpConnectionLocalPort" };
    assert_eq!(
        columns(&["tcpConnectionState", "tcpConnectionLocalPort"]),
        Err(QueryError { at: 1, mistake: hidden })
    );
    assert_eq!(Selection::all(&TCP).columns, [7, 8]);
    let fields = Scope::table(&TCP);
    assert_eq!(fields.field("tcpConnectionLocalPort", 0).unwrap().operand, Operand::Index(2));
    let scalars = Scope::scalars("interfaces", &[&IF_NUMBER]);
    assert_eq!(scalars.field("ifNumber", 0).unwrap().operand, Operand::Column(0));
}

#[test]
fn conditions_are_bounded() {
    let one = || is("ifMtu", Less, number(1500));
    let compile = |condition| Predicate::compile(&condition, &Scope::table(&IF)).map_err(|e| e.mistake);
    assert!(compile(Condition::And(vec![one(); MAX_TERMS])).is_ok());
    let halves = Condition::Or(vec![one(); MAX_TERMS / 2]);
    assert!(compile(Condition::And(vec![halves.clone(), Condition::Not(Box::new(halves))])).is_ok());
    let many = compile(Condition::Or(vec![one(); MAX_TERMS + 1]));
    assert_eq!(many, Err(Mistake::TooManyTerms { max: MAX_TERMS }));
    let deep = |depth: usize| (0..depth).fold(one(), |inner, _| Condition::Not(Box::new(inner)));
    assert!(compile(deep(MAX_DEPTH)).is_ok());
    assert_eq!(compile(deep(MAX_DEPTH + 1)), Err(Mistake::TooDeep { max: MAX_DEPTH }));
}

/// The key range of a condition on tcpConnectionTable, in text: `from..below`.
fn keys(table: &'static Table, condition: Condition) -> String {
    let predicate = Predicate::compile(&condition, &Scope::table(table)).unwrap();
    let range: KeyRange = predicate.key_range(table.index);
    let oid = |sub_ids: &[u32]| trunkline_smi::display_oid(sub_ids).to_string();
    match range.is_empty() {
        true => "none".to_owned(),
        false => format!("{}..{}", oid(range.from()), range.below().map(oid).unwrap_or_default()),
    }
}

#[test]
fn keys_become_ranges_of_indexes() {
    let local = || is("tcpConnectionLocalAddressType", Equal, text("ipv4"));
    let address = || is("tcpConnectionLocalAddress", Equal, text("127.0.0.1"));
    let port = |comparison, port| is("tcpConnectionLocalPort", comparison, number(port));
    let state = || is("tcpConnectionState", Equal, text("established"));
    assert_eq!(keys(&TCP, state()), "..");
    assert_eq!(keys(&TCP, local()), "1..2");
    assert_eq!(keys(&TCP, local().and(state()).and(address())), "1.4.127.0.0.1..1.4.127.0.0.2");
    let ports = Condition::And(vec![port(Greater, 1023), address(), local(), port(LessOrEqual, 8080)]);
    assert_eq!(keys(&TCP, ports), "1.4.127.0.0.1.1024..1.4.127.0.0.1.8081");
    assert_eq!(keys(&TCP, port(Equal, 80)), "..", "the parts before it are open");
    assert_eq!(keys(&IF, is("ifIndex", GreaterOrEqual, number(5))), "5..");
    assert_eq!(keys(&IF, is("ifIndex", NotEqual, number(5))), "..");
    let two = Condition::Or(vec![is("ifIndex", Equal, number(3)), is("ifIndex", Equal, number(9))]);
    assert_eq!(keys(&IF, two.clone()), "3..10");
    assert_eq!(keys(&IF, two.and(is("ifIndex", Less, number(8)))), "3..8");
    let never = is("ifIndex", Greater, number(5)).and(is("ifIndex", Less, number(3)));
    assert_eq!(keys(&IF, never), "none");
    assert_eq!(keys(&IF, Condition::Or(vec![])), "none");
    assert_eq!(keys(&IF, is("ifIndex", Less, number(0))), "none");
}

#[test]
fn an_address_as_key() {
    static MEDIA: Table = IP_NET_TO_MEDIA_TABLE;
    let condition = is("ipNetToMediaIfIndex", Equal, number(2)).and(is(
        "ipNetToMediaNetAddress",
        GreaterOrEqual,
        text("192.0.2.1"),
    ));
    assert_eq!(keys(&MEDIA, condition), "2.192.0.2.1..3");
    let wrong = is("ipNetToMediaNetAddress", Equal, text("::1"));
    let error = Predicate::compile(&wrong, &Scope::table(&MEDIA)).unwrap_err();
    assert!(error.to_string().ends_with("write an address such as 192.0.2.1"), "{error}");
}

#[test]
fn a_pager_counts() {
    let page = Page { offset: 1, limit: 2 };
    let mut pager = Pager::default();
    assert!(pager.passes_over(page));
    assert!(!pager.passes_over(page));
    pager.give();
    assert!(!pager.is_full(page));
    pager.give();
    assert!(pager.is_full(page) && pager.given() == 2);
}
