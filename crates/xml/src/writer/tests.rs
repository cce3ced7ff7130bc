//! What is written, and that it is read back.

use proptest::prelude::*;

use super::Writer;
use crate::{Event, Limits, Reader, is_text};

fn written(write: impl FnOnce(&mut Writer<'_>)) -> String {
    let mut buffer = Vec::new();
    write(&mut Writer::new(&mut buffer));
    String::from_utf8(buffer).unwrap()
}

#[test]
fn markup() {
    let all = written(|writer| {
        writer.declaration().start("a").attribute("b", "<\"'\n&>").attribute_plain("c", 7);
        writer.start("d").end("d").leaf("e", "<\"'\r\n&]]>").start("f").signed(-12).end("f");
        writer.start("g").unsigned(u64::MAX).plain("/").hexadecimal(&[0, 0xfa]).raw(b"<h/>").end("g");
        writer.start("i").signed(i64::MIN).end("i").end("a");
    });
    let expected = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<a b=\"&lt;&quot;'&#10;&amp;&gt;\" c=\"7\"><d/>\
        <e>&lt;\"'&#13;\n&amp;]]&gt;</e><f>-12</f><g>18446744073709551615/00fa<h/></g>\
        <i>-9223372036854775808</i></a>";
    assert_eq!(all, expected);
}

#[test]
fn characters_that_xml_cannot_carry() {
    let all = written(|writer| {
        writer.start("a").text("\0x\u{fffe}\u{fffd}\u{f000}").end("a");
        assert_eq!(writer.octets(b"ab\x1b").err().map(|error| error.offset), Some(2));
        assert_eq!(writer.octets(b"\xff").err().map(|error| error.offset), Some(0));
    });
    assert_eq!(all, "<a>\u{fffd}x\u{fffd}\u{fffd}\u{f000}</a>");
}

#[test]
fn pieces_close_the_tag_before_them() {
    let empty = written(|writer| {
        writer.start("a").raw(b"").end("a");
    });
    assert_eq!(empty, "<a></a>");
    let mut buffer = b"before".to_vec();
    let mut writer = Writer::new(&mut buffer);
    assert!(!writer.is_empty() && writer.len() == 6);
    writer.start("a").buffer().push(b'x');
    writer.end("a");
    assert_eq!(buffer, b"before<a>x</a>");
}

/// An element with an attribute, text, and elements.
#[derive(Clone, Debug)]
struct Tree {
    value: String,
    text: String,
    within: Vec<Tree>,
}

fn characters() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), "[<>&\"'\\]\r\n\t a-c\u{0}\u{fffe}\u{efff}]{0,12}"]
        .prop_filter("XML carries it", |text| is_text(text))
}

fn trees() -> impl Strategy<Value = Tree> {
    let leaf = (characters(), characters());
    let leaf = leaf.prop_map(|(value, text)| Tree { value, text, within: Vec::new() });
    leaf.prop_recursive(4, 20, 4, |inner| {
        (characters(), characters(), prop::collection::vec(inner, 0..4))
            .prop_map(|(value, text, within)| Tree { value, text, within })
    })
}

fn write(tree: &Tree, writer: &mut Writer<'_>) {
    writer.start("p:t").attribute("v", &tree.value).text(&tree.text);
    tree.within.iter().for_each(|tree| write(tree, writer));
    writer.end("p:t");
}

fn check(tree: &Tree, reader: &mut Reader<'_>) {
    assert_eq!(reader.attribute("", "v").as_deref(), Some(&*tree.value));
    let mut next = reader.next().unwrap();
    if !tree.text.is_empty() {
        assert_eq!(next, Event::Text(tree.text.as_str().into()));
        next = reader.next().unwrap();
    }
    for tree in &tree.within {
        assert!(matches!(next, Event::Start(name) if name.is("u", "t")));
        check(tree, reader);
        next = reader.next().unwrap();
    }
    assert!(matches!(next, Event::End(name) if name.is("u", "t")));
}

proptest! {
    #[test]
    fn written_values_are_parsed_back(tree in trees()) {
        let mut buffer = Vec::new();
        let mut writer = Writer::new(&mut buffer);
        writer.declaration().start("p:r").attribute("xmlns:p", "u");
        write(&tree, &mut writer);
        writer.end("p:r");
        let mut reader = Reader::new(&buffer, Limits::MESSAGE);
        reader.expect("u", "r").unwrap();
        reader.expect("u", "t").unwrap();
        check(&tree, &mut reader);
        reader.end().unwrap();
        reader.finish().unwrap();
    }

    #[test]
    fn anything_ends(octets: Vec<u8>) {
        let mut reader = Reader::new(&octets, Limits::MESSAGE);
        while !matches!(reader.next(), Err(_) | Ok(Event::Eof)) {}
    }

    #[test]
    fn anything_like_markup_ends(document in "[<>/a:=\"' &;#x\\[\\]!CDAT?-]{0,60}") {
        let mut reader = Reader::new(document.as_bytes(), Limits::MESSAGE);
        while !matches!(reader.next(), Err(_) | Ok(Event::Eof)) {}
    }
}
