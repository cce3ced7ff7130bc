//! Messages, good and broken: each by a name, and what a broken one is answered by.

use trunkline_netconf::error::Tag;

use Kind::{Doc, Hello, Note, Reply, Rpc};

/// What is around a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nothing.
    Doc,
    /// An `rpc` with a number.
    Rpc,
    /// An `rpc-reply` with one.
    Reply,
    /// A `hello`.
    Hello,
    /// A `notification` with its time.
    Note,
}

/// The document of a text.
pub fn document(kind: Kind, text: &str) -> String {
    const NC: &str =
        "xmlns='urn:ietf:params:xml:ns:netconf:base:1.0' xmlns:nc='urn:ietf:params:xml:ns:netconf:base:1.0'";
    match kind {
        Doc => text
            .replace("{nc}", NC)
            .replace("{nn}", "xmlns='urn:ietf:params:xml:ns:netconf:notification:1.0'"),
        Rpc => format!("<rpc {NC} message-id='101'>{text}</rpc>"),
        Reply => format!("<rpc-reply {NC} message-id='101'>{text}</rpc-reply>"),
        Hello => format!("<hello {NC}>{text}</hello>"),
        Note => format!(
            "<notification xmlns='urn:ietf:params:xml:ns:netconf:notification:1.0'><eventTime>2026-11-28T07:50:00Z</eventTime>{text}</notification>"
        ),
    }
}

/// Messages that are accepted.
pub const GOOD: &[(Kind, &str)] = &[
    (Hello, "<capabilities><capability>urn:ietf:params:netconf:base:1.1</capability></capabilities>"),
    (
        Hello,
        "\n <capabilities>\n <capability>\n urn:ietf:params:netconf:base:1.0 </capability>\n<capability>http://example.net/m?module=a&amp;revision=2020-01-01</capability></capabilities><session-id> 4 </session-id>\n",
    ),
    (Hello, "<capabilities><capability/></capabilities><session-id>4294967295</session-id>"),
    (Rpc, "<get/>"),
    (Rpc, "<nc:get><nc:filter type='xpath' select='/a:b' xmlns:a='urn:a'/></nc:get>"),
    (Rpc, "<get>\n<filter type='subtree'>text<a xmlns='urn:a' b='1'>c<d/></a><e xmlns=''/></filter>\n</get>"),
    (Rpc, "<get><filter nc:type='subtree' other='x'/></get>"),
    (
        Rpc,
        "<get><filter/><with-defaults xmlns='urn:ietf:params:xml:ns:yang:ietf-netconf-with-defaults'>trim</with-defaults></get>",
    ),
    (Rpc, "<get-config><source><running/></source></get-config>"),
    (Rpc, "<get-config><source><candidate></candidate></source><filter/></get-config>"),
    (Rpc, "<!-- before --><get-config><!-- in --><source><?do it?><startup/></source></get-config>"),
    (
        Rpc,
        "<get-config><source><datastore xmlns='urn:ietf:params:xml:ns:yang:ietf-netconf-nmda'>x</datastore></source></get-config>",
    ),
    (Rpc, "<edit-config><target><running/></target><config/></edit-config>"),
    (
        Rpc,
        "<edit-config><target><candidate/></target><default-operation>none</default-operation><test-option>test-only</test-option><error-option>rollback-on-error</error-option><config><a xmlns='urn:a' nc:operation='delete'><b nc:operation='replace'/></a></config></edit-config>",
    ),
    (Rpc, "<edit-config><target><candidate/></target><url>file:///a%20b.xml</url></edit-config>"),
    (
        Rpc,
        "<edit-config><target><running/></target><error-option>stop-on-error</error-option><config>text</config></edit-config>",
    ),
    (Rpc, "<copy-config><target><startup/></target><source><running/></source></copy-config>"),
    (
        Rpc,
        "<copy-config><target><url>file:///x</url></target><source><config><a xmlns='urn:a'/></config></source></copy-config>",
    ),
    (Rpc, "<delete-config><target><startup/></target></delete-config>"),
    (Rpc, "<delete-config><target><url>https://user@host.example:8443/x?y#z</url></target></delete-config>"),
    (Rpc, "<lock><target><running/></target></lock>"),
    (Rpc, "<unlock><target><candidate/></target></unlock>"),
    (Rpc, "<close-session/>"),
    (Rpc, "<kill-session><session-id>4</session-id></kill-session>"),
    (Rpc, "<kill-session><session-id>\n0004\n</session-id></kill-session>"),
    (Rpc, "<commit/>"),
    (
        Rpc,
        "<commit><confirmed/><confirm-timeout>120</confirm-timeout><persist>a &lt;name&gt;</persist></commit>",
    ),
    (Rpc, "<commit>\n<persist-id><![CDATA[x]]></persist-id></commit>"),
    (Rpc, "<cancel-commit><persist-id/></cancel-commit>"),
    (Rpc, "<cancel-commit/>"),
    (Rpc, "<discard-changes/>"),
    (Rpc, "<validate><source><config><a xmlns='urn:a'/></config></source></validate>"),
    (Rpc, "<validate><source><url/></source></validate>"),
    (Rpc, "<create-subscription xmlns='urn:ietf:params:xml:ns:netconf:notification:1.0'/>"),
    (
        Rpc,
        "<create-subscription xmlns='urn:ietf:params:xml:ns:netconf:notification:1.0'><stream>NETCONF</stream><filter type='xpath' select='/a'/><startTime>2026-02-28T23:59:59.5+14:00</startTime><stopTime>2028-02-29T24:00:00</stopTime></create-subscription>",
    ),
    (
        Rpc,
        "<partial-lock xmlns='urn:ietf:params:xml:ns:netconf:partial-lock:1.0'><select>/a</select><select>/b</select></partial-lock>",
    ),
    (
        Rpc,
        "<partial-unlock xmlns='urn:ietf:params:xml:ns:netconf:partial-lock:1.0'><lock-id>0</lock-id></partial-unlock>",
    ),
    (
        Rpc,
        "<get-schema xmlns='urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring'><identifier>a</identifier><odd b='1'/></get-schema>",
    ),
    (
        Rpc,
        "<get-data xmlns='urn:ietf:params:xml:ns:yang:ietf-netconf-nmda'><datastore>x</datastore></get-data>",
    ),
    (Doc, "<rpc {nc} message-id='' a='1' nc:b='2' x:c='3' xmlns:x='urn:x' xml:lang='en-GB'><get/></rpc>"),
    (
        Doc,
        "<?xml version='1.0' encoding='UTF-8'?>\n<p:rpc xmlns:p='urn:ietf:params:xml:ns:netconf:base:1.0' message-id='größer'><p:get/></p:rpc>\n",
    ),
    (Reply, "<ok/>"),
    (Reply, "<ok a='1'>done<a xmlns='urn:a'/></ok>"),
    (Reply, ""),
    (Reply, "<data/>"),
    (Reply, "<data><a xmlns='urn:a'><b>1</b>x</a><c xmlns=''/></data>"),
    (Reply, "<data xmlns='urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring'>module a {}</data>"),
    (Reply, "<lock-id xmlns='urn:ietf:params:xml:ns:netconf:partial-lock:1.0'>1</lock-id><b xmlns='urn:b'/>"),
    (
        Reply,
        "<rpc-error><error-type>rpc</error-type><error-tag>missing-attribute</error-tag><error-severity>error</error-severity><error-info><bad-attribute>message-id</bad-attribute><bad-element>nc:rpc</bad-element></error-info></rpc-error>",
    ),
    (
        Reply,
        "<rpc-error><error-type>application</error-type><error-tag>lock-denied</error-tag><error-severity>error</error-severity><error-app-tag>x</error-app-tag><error-path>/a</error-path><error-message xml:lang='en'>no</error-message><error-info><session-id>0</session-id><a xmlns='urn:a'/></error-info></rpc-error>",
    ),
    (
        Reply,
        "<rpc-error><error-type>protocol</error-type><error-tag>unknown-namespace</error-tag><error-severity>error</error-severity><error-info><bad-element>a</bad-element><bad-namespace>urn:a</bad-namespace><bad-element> b </bad-element></error-info></rpc-error><rpc-error><error-type>transport</error-type><error-tag>too-big</error-tag><error-severity>warning</error-severity><error-info/></rpc-error><data/>",
    ),
    (Doc, "<rpc-reply {nc}><ok/></rpc-reply>"),
    (Note, "<a xmlns='urn:a'><b/></a>"),
    (Note, "\n<replayComplete xmlns='urn:ietf:params:xml:ns:netmod:notification'/>"),
    (
        Doc,
        "<notification {nn}><eventTime>-0001-12-31T00:00:00.000000-00:00</eventTime><x xmlns='urn:x'/></notification>",
    ),
];

/// Messages that are refused, and by which tag.
pub const BROKEN: &[(Kind, &str, Tag)] = &[
    (Hello, "", Tag::MissingElement),
    (Hello, "<capabilities/>", Tag::MissingElement),
    (Hello, "<session-id>1</session-id>", Tag::MissingElement),
    (
        Hello,
        "<session-id>1</session-id><capabilities><capability>urn:a</capability></capabilities>",
        Tag::MissingElement,
    ),
    (
        Hello,
        "<capabilities><capability>urn:a</capability></capabilities><session-id>0</session-id>",
        Tag::InvalidValue,
    ),
    (
        Hello,
        "<capabilities><capability>urn:a</capability></capabilities><session-id>4294967296</session-id>",
        Tag::InvalidValue,
    ),
    (Hello, "<capabilities><capability>two words</capability></capabilities>", Tag::InvalidValue),
    (Hello, "<capabilities><capability>urn:%zz</capability></capabilities>", Tag::InvalidValue),
    (Hello, "<capabilities><capability>1:2</capability></capabilities>", Tag::InvalidValue),
    (Hello, "<capabilities><capability>urn:a#b#c</capability></capabilities>", Tag::InvalidValue),
    (Hello, "<capabilities><capability>http://host:port/</capability></capabilities>", Tag::InvalidValue),
    (
        Hello,
        "<capabilities><capability>urn:a</capability></capabilities><more xmlns='urn:more'/>",
        Tag::UnknownElement,
    ),
    (
        Hello,
        "<capabilities><capability>urn:a</capability></capabilities><capabilities><capability>urn:a</capability></capabilities>",
        Tag::BadElement,
    ),
    (Hello, "<capabilities><capability a='1'>urn:a</capability></capabilities>", Tag::UnknownAttribute),
    (Hello, "<capabilities>text<capability>urn:a</capability></capabilities>", Tag::BadElement),
    (Hello, "<capabilities><capability>urn:a<b/></capability></capabilities>", Tag::UnknownElement),
    (
        Doc,
        "<hello {nc} a='1'><capabilities><capability>urn:a</capability></capabilities></hello>",
        Tag::UnknownAttribute,
    ),
    (Rpc, "", Tag::MissingElement),
    (Rpc, "<get/><get/>", Tag::BadElement),
    (Rpc, "<get/>text", Tag::BadElement),
    (Rpc, "<odd/>", Tag::UnknownElement),
    (Rpc, "<source/>", Tag::UnknownElement),
    (Rpc, "<get xmlns=''/>", Tag::UnknownNamespace),
    (Doc, "<rpc {nc}><get/></rpc>", Tag::MissingAttribute),
    (Doc, "<rpc {nc} nc:message-id='1'><get/></rpc>", Tag::MissingAttribute),
    (Doc, "<rpc {nc} message-id='1' xml:lang='no language'><get/></rpc>", Tag::BadAttribute),
    (Doc, "<rpc {nc} message-id='1' nc:operation='odd'><get/></rpc>", Tag::BadAttribute),
    (Doc, "<rpc message-id='1'><get/></rpc>", Tag::UnknownElement),
    (Doc, "<odd {nc}/>", Tag::UnknownElement),
    (Rpc, "<get a='1'/>", Tag::UnknownAttribute),
    (Rpc, "<get>text</get>", Tag::BadElement),
    (Rpc, "<get><filter type='regexp'/></get>", Tag::BadAttribute),
    (Rpc, "<get><filter/><filter/></get>", Tag::BadElement),
    (Rpc, "<get><source><running/></source></get>", Tag::UnknownElement),
    (Rpc, "<get><a xmlns='urn:a'/><filter/></get>", Tag::UnknownElement),
    (Rpc, "<get><filter xmlns=''/></get>", Tag::UnknownNamespace),
    (Rpc, "<get-config/>", Tag::MissingElement),
    (Rpc, "<get-config><filter/><source><running/></source></get-config>", Tag::MissingElement),
    (Rpc, "<get-config><source/></get-config>", Tag::MissingElement),
    (Rpc, "<get-config><source><running/><candidate/></source></get-config>", Tag::UnknownElement),
    (Rpc, "<get-config><source><operational/></source></get-config>", Tag::UnknownElement),
    (Rpc, "<get-config><source><running> </running></source></get-config>", Tag::BadElement),
    (Rpc, "<get-config><source><running a='1'/></source></get-config>", Tag::UnknownAttribute),
    (Rpc, "<get-config><source><running><a/></running></source></get-config>", Tag::UnknownElement),
    (Rpc, "<get-config><source><url>file:///x</url></source></get-config>", Tag::UnknownElement),
    (Rpc, "<get-config><source xmlns='urn:x'><running/></source></get-config>", Tag::UnknownNamespace),
    (Rpc, "<edit-config><target><running/></target></edit-config>", Tag::MissingElement),
    (Rpc, "<edit-config><config/><target><running/></target></edit-config>", Tag::MissingElement),
    (Rpc, "<edit-config><target><startup/></target><config/></edit-config>", Tag::UnknownElement),
    (Rpc, "<edit-config><target><running/></target><config/><url>x</url></edit-config>", Tag::UnknownElement),
    (
        Rpc,
        "<edit-config><target><running/></target><default-operation> merge </default-operation><config/></edit-config>",
        Tag::InvalidValue,
    ),
    (
        Rpc,
        "<edit-config><target><running/></target><default-operation>delete</default-operation><config/></edit-config>",
        Tag::InvalidValue,
    ),
    (Rpc, "<edit-config><target><running/></target><test-option/><config/></edit-config>", Tag::InvalidValue),
    (
        Rpc,
        "<edit-config><target><running/></target><error-option>stop-on-error</error-option><test-option>set</test-option><config/></edit-config>",
        Tag::UnknownElement,
    ),
    (
        Rpc,
        "<edit-config><target><running/></target><config><a xmlns='urn:a' nc:operation='move'/></config></edit-config>",
        Tag::BadAttribute,
    ),
    (
        Rpc,
        "<edit-config><target><running/></target><config><lock><target/></lock></config></edit-config>",
        Tag::MissingElement,
    ),
    (Rpc, "<edit-config><target><running/></target><url>a b</url></edit-config>", Tag::InvalidValue),
    (
        Rpc,
        "<copy-config><source><running/></source><target><startup/></target></copy-config>",
        Tag::MissingElement,
    ),
    (
        Rpc,
        "<copy-config><target><config/></target><source><running/></source></copy-config>",
        Tag::UnknownElement,
    ),
    (Rpc, "<delete-config><target><running/></target></delete-config>", Tag::UnknownElement),
    (Rpc, "<lock/>", Tag::MissingElement),
    (Rpc, "<lock><target><url>x</url></target></lock>", Tag::UnknownElement),
    (Rpc, "<unlock><target><running/></target><target><running/></target></unlock>", Tag::BadElement),
    (Rpc, "<close-session> </close-session>", Tag::BadElement),
    (Rpc, "<close-session><a xmlns='urn:a'/></close-session>", Tag::UnknownElement),
    (Rpc, "<kill-session/>", Tag::MissingElement),
    (Rpc, "<kill-session><session-id>0</session-id></kill-session>", Tag::InvalidValue),
    (Rpc, "<kill-session><session-id>-1</session-id></kill-session>", Tag::InvalidValue),
    (Rpc, "<kill-session><session-id>0x4</session-id></kill-session>", Tag::InvalidValue),
    (Rpc, "<kill-session><session-id/></kill-session>", Tag::InvalidValue),
    (Rpc, "<commit><persist>a</persist><confirmed/></commit>", Tag::UnknownElement),
    (Rpc, "<commit><confirmed>true</confirmed></commit>", Tag::BadElement),
    (Rpc, "<commit><confirmed/><confirm-timeout>0</confirm-timeout></commit>", Tag::InvalidValue),
    (Rpc, "<commit><confirmed/><confirm-timeout>10s</confirm-timeout></commit>", Tag::InvalidValue),
    (Rpc, "<cancel-commit><persist>a</persist></cancel-commit>", Tag::UnknownElement),
    (Rpc, "<discard-changes a='1'/>", Tag::UnknownAttribute),
    (Rpc, "<validate><source><odd/></source></validate>", Tag::UnknownElement),
    (Rpc, "<validate><target><running/></target></validate>", Tag::MissingElement),
    (
        Rpc,
        "<create-subscription xmlns='urn:ietf:params:xml:ns:netconf:notification:1.0'><startTime>2026-02-30T00:00:00Z</startTime></create-subscription>",
        Tag::InvalidValue,
    ),
    (
        Rpc,
        "<create-subscription xmlns='urn:ietf:params:xml:ns:netconf:notification:1.0'><startTime>yesterday</startTime></create-subscription>",
        Tag::InvalidValue,
    ),
    (
        Rpc,
        "<create-subscription xmlns='urn:ietf:params:xml:ns:netconf:notification:1.0'><nc:filter/></create-subscription>",
        Tag::UnknownNamespace,
    ),
    (
        Rpc,
        "<create-subscription xmlns='urn:ietf:params:xml:ns:netconf:notification:1.0'><filter/><stream/></create-subscription>",
        Tag::UnknownElement,
    ),
    (Rpc, "<partial-lock xmlns='urn:ietf:params:xml:ns:netconf:partial-lock:1.0'/>", Tag::MissingElement),
    (
        Rpc,
        "<partial-unlock xmlns='urn:ietf:params:xml:ns:netconf:partial-lock:1.0'><lock-id>a</lock-id></partial-unlock>",
        Tag::InvalidValue,
    ),
    (Reply, "<ok/><ok/>", Tag::BadElement),
    (Reply, "<ok/><data/>", Tag::UnknownElement),
    (Reply, "text", Tag::BadElement),
    (Reply, "<a xmlns=''/>", Tag::UnknownElement),
    (Reply, "<get/>", Tag::UnknownElement),
    (Reply, "<rpc-error/>", Tag::MissingElement),
    (
        Reply,
        "<data/><rpc-error><error-type>rpc</error-type><error-tag>too-big</error-tag><error-severity>error</error-severity></rpc-error>",
        Tag::UnknownElement,
    ),
    (
        Reply,
        "<rpc-error><error-tag>too-big</error-tag><error-type>rpc</error-type><error-severity>error</error-severity></rpc-error>",
        Tag::MissingElement,
    ),
    (
        Reply,
        "<rpc-error><error-type>rpc</error-type><error-tag>too-late</error-tag><error-severity>error</error-severity></rpc-error>",
        Tag::InvalidValue,
    ),
    (
        Reply,
        "<rpc-error><error-type>rpc</error-type><error-tag>too-big</error-tag><error-severity>fatal</error-severity></rpc-error>",
        Tag::InvalidValue,
    ),
    (
        Reply,
        "<rpc-error><error-type>rpc</error-type><error-tag>too-big</error-tag><error-severity>error</error-severity><error-message lang='en'>a</error-message></rpc-error>",
        Tag::UnknownAttribute,
    ),
    (
        Reply,
        "<rpc-error><error-type>rpc</error-type><error-tag>too-big</error-tag><error-severity>error</error-severity><error-info><session-id>1</session-id><bad-element>a</bad-element></error-info></rpc-error>",
        Tag::UnknownElement,
    ),
    (
        Reply,
        "<rpc-error><error-type>rpc</error-type><error-tag>too-big</error-tag><error-severity>error</error-severity><error-info><bad-element>p:a</bad-element></error-info></rpc-error>",
        Tag::InvalidValue,
    ),
    (
        Reply,
        "<rpc-error><error-type>rpc</error-type><error-tag>too-big</error-tag><error-severity>error</error-severity><error-info><bad-element>1a</bad-element></error-info></rpc-error>",
        Tag::InvalidValue,
    ),
    (Note, "", Tag::MissingElement),
    (Note, "<a xmlns='urn:a'/><b xmlns='urn:b'/>", Tag::UnknownElement),
    (Note, "<a xmlns=''/>", Tag::UnknownElement),
    (Doc, "<notification {nn}><a xmlns='urn:a'/></notification>", Tag::MissingElement),
    (Doc, "<notification {nn}><eventTime/><a xmlns='urn:a'/></notification>", Tag::InvalidValue),
    (
        Doc,
        "<notification {nn}><eventTime>2026-11-28 07:50:00</eventTime><a xmlns='urn:a'/></notification>",
        Tag::InvalidValue,
    ),
    (
        Doc,
        "<notification {nn} a='1'><eventTime>2026-11-28T07:50:00Z</eventTime><a xmlns='urn:a'/></notification>",
        Tag::UnknownAttribute,
    ),
];

/// Documents about which libxml2 and our reader differ: whether ours accepts, and why that stays.
pub const DIFFERENT: &[(&str, &str, bool, &str)] = &[
    (
        "a document type declaration",
        "<!DOCTYPE rpc><rpc {nc} message-id='1'><get/></rpc>",
        false,
        "our reader of XML has none: they are a way to bombs, and NETCONF forbids nothing that needs one",
    ),
    (
        "an encoding other than UTF-8",
        "<?xml version='1.0' encoding='ISO-8859-1'?><rpc {nc} message-id='1'><get/></rpc>",
        false,
        "NETCONF is UTF-8 (RFC 6241 section 3)",
    ),
    (
        "xsi:type that names the declared type",
        "<rpc {nc} message-id='1' xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'><kill-session><session-id xsi:type='nc:positive'>1</session-id></kill-session></rpc>",
        false,
        "types of a schema have no names in our reader; the protocol never needs them",
    ),
    (
        "white space before the declaration",
        "\n<?xml version='1.0'?><rpc {nc} message-id='1'><get/></rpc>",
        true,
        "many clients begin messages with a line feed",
    ),
    (
        "a name with letters that XML has since its fifth edition",
        "<rpc-error {nc}><error-type>rpc</error-type><error-tag>bad-element</error-tag><error-severity>error</error-severity><error-info><bad-element>٣</bad-element></error-info></rpc-error>",
        true,
        "libxml2 knows names of values by the fourth, and elements by the fifth",
    ),
];
