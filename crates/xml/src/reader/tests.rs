//! Documents, and the expected events or errors.

use super::*;
use crate::XSI;

/// What is read: elements as `{namespace}local[attribute=value]( ... )`, text in quotes.
fn read(document: &str) -> Result<String, XmlError> {
    read_within(document.as_bytes(), SMALL)
}

fn read_within(octets: &[u8], limits: Limits) -> Result<String, XmlError> {
    let mut reader = Reader::new(octets, limits);
    let mut said = String::new();
    let named = |name: Name<'_>| match name.namespace {
        "" => name.local.to_owned(),
        namespace => format!("{{{namespace}}}{}", name.local),
    };
    loop {
        match reader.next()? {
            Event::Start(name) => {
                said.push_str(&named(name));
                for attribute in reader.attributes() {
                    said.push_str(&format!("[{}={}]", named(attribute.name), attribute.value));
                }
                said.push('(');
            }
            Event::End(_) => said.push(')'),
            Event::Text(text) => said.push_str(&format!("{text:?}")),
            Event::Eof => return Ok(said),
        }
    }
}

/// The error for a document.
fn wrong(document: &str) -> String {
    read(document).expect_err(document).to_string()
}

const SMALL: Limits = Limits { octets: 1000, depth: 4, attributes: 4, name: 20, text: 40, namespaces: 3 };

#[test]
fn contents_of_documents() {
    for (document, meant) in [
        ("<a/>", "a()"),
        ("<a></a >", "a()"),
        ("\u{feff}<a/>", "a()"),
        ("<?xml version='1.0' encoding='us-ascii'?><a/>", "a()"),
        ("<?xml version=\"1.0\" encoding='utf-8' standalone='no' ?>\n<!-- c --><a/>\n<?pi x?>", "a()"),
        ("<a>x<b>y</b>z</a>", "a(\"x\"b(\"y\")\"z\")"),
        ("<a>1<!-- 2 -->3<?four?>5</a>", "a(\"135\")"),
        ("<a>&lt;&amp;&gt;&apos;&quot;&#65;&#x42;</a>", "a(\"<&>'\\\"AB\")"),
        ("<a><![CDATA[<b>&amp;]]]]><![CDATA[>]]></a>", "a(\"<b>&amp;]]>\")"),
        ("<a><![CDATA[]]></a>", "a()"),
        ("<a>1\r\n2\r3&#13;</a>", "a(\"1\\n2\\n3\\r\")"),
        ("<a b = '1\t2\r\n3&#10;&quot;' c=\">/\"/>", "a[b=1 2 3\n\"][c=>/]()"),
        ("<a xmlns='u'><b c=''/></a>", "{u}a({u}b[c=]())"),
        ("<p:a xmlns:p='u' p:b='1' b='2'/>", "{u}a[{u}b=1][b=2]()"),
        ("<a xmlns='u'><b xmlns=''/><c/></a>", "{u}a(b(){u}c())"),
        ("<p:a xmlns:p='u'><p:b xmlns:p='v'/><p:b/></p:a>", "{u}a({v}b(){u}b())"),
        ("<größe xml:lang='de'/>", "größe[{http://www.w3.org/XML/1998/namespace}lang=de]()"),
    ] {
        assert_eq!(read(document).as_deref(), Ok(meant), "{document}");
    }
}

#[test]
fn invalid_documents() {
    for (document, said) in [
        ("", "line 1, column 1: the document has no root element"),
        (" \n ", "line 2, column 2: the document has no root element"),
        ("<a>", "line 1, column 4: the document ends within an element"),
        ("<a", "line 1, column 1: the document ends within a tag"),
        ("<a b='>", "line 1, column 1: the document ends within the value of an attribute"),
        ("<a><!-- ", "line 1, column 4: the document ends within a comment"),
        ("<a><![CDATA[", "line 1, column 4: the document ends within a CDATA section"),
        ("<a><?p ", "line 1, column 4: the document ends within a processing instruction"),
        ("<a>\n</b>", "line 2, column 1: found </b>, expected </a>"),
        ("<a></a b='c'>", "line 1, column 4: found </a b='c'>, expected </a>"),
        ("</a>", "line 1, column 1: an end tag without a start tag"),
        ("<a/><b/>", "line 1, column 5: only comments are allowed outside the root element"),
        ("<a/>x", "line 1, column 5: only comments are allowed outside the root element"),
        ("x<a/>", "line 1, column 1: only comments are allowed outside the root element"),
        ("&lt;<a/>", "line 1, column 1: only comments are allowed outside the root element"),
        ("\u{feff}\u{feff}<a/>", "line 1, column 1: only comments are allowed outside the root element"),
        (
            " <?xml version='1.0'?><a/>",
            "line 1, column 2: an XML declaration is only allowed at the very beginning",
        ),
        ("<?xml version='1.1'?><a/>", "line 1, column 1: the XML declaration must have version=\"1.0\""),
        ("<?xml encoding='utf-8'?><a/>", "line 1, column 1: the XML declaration must have version=\"1.0\""),
        ("<?XML x?><a/>", "line 1, column 1: an XML declaration is only allowed at the very beginning"),
        (
            "<?xml version='1.0' encoding='latin1'?><a/>",
            "line 1, column 1: the document is in latin1: only UTF-8 is supported",
        ),
        (
            "<!DOCTYPE a><a/>",
            "line 1, column 1: a document type declaration is not accepted; remove <!DOCTYPE",
        ),
        ("<!doctype a [", "line 1, column 1: a document type declaration is not accepted; remove <!DOCTYPE"),
        ("<!ELEMENT a><a/>", "line 1, column 1: <! must start a comment or a CDATA section"),
        (
            "<a>&lol;</a>",
            "line 1, column 4: unknown reference &lol;, expected &lt; &gt; &amp; &apos; &quot; or a character",
        ),
        (
            "<a>&#0;</a>",
            "line 1, column 4: unknown reference &#0;, expected &lt; &gt; &amp; &apos; &quot; or a character",
        ),
        (
            "<a>&#x+41;</a>",
            "line 1, column 4: unknown reference &#x+41;, expected &lt; &gt; &amp; &apos; &quot; or a character",
        ),
        ("<a>ä & b</a>", "line 1, column 6: & starts a reference that has no ;, write &amp; for a plain &"),
        ("<a b='x&y'/>", "line 1, column 8: & starts a reference that has no ;, write &amp; for a plain &"),
        ("<a>]]></a>", "line 1, column 4: ]]> is not allowed in text; write ]]&gt;"),
        ("<a b='<'/>", "line 1, column 7: < is not allowed in an attribute; write &lt;"),
        ("<a b/>", "line 1, column 4: expected an attribute: a name, =, and a value in quotes"),
        ("<a b=c/>", "line 1, column 6: an attribute's value must be in quotes"),
        ("<a b='1'c='2'/>", "line 1, column 9: expected white space between attributes"),
        ("<a b='1' b='2'/>", "line 1, column 10: duplicate attribute b"),
        ("<a xmlns:p='u' xmlns:q='u' p:b='1' q:b='2'/>", "line 1, column 1: duplicate attribute b"),
        ("<a xmlns='u' xmlns='v'/>", "line 1, column 14: duplicate attribute xmlns"),
        ("<p:a/>", "line 1, column 1: the prefix p is not declared: xmlns:p is missing"),
        ("<a p:b=''/>", "line 1, column 1: the prefix p is not declared: xmlns:p is missing"),
        ("<a xmlns:p=''/>", "line 1, column 4: a prefix cannot stand for an empty namespace"),
        ("<a xmlns:xml='u'/>", "line 1, column 4: the prefixes xml and xmlns are reserved"),
        (
            "<a xmlns:p='http://www.w3.org/2000/xmlns/'/>",
            "line 1, column 4: this namespace has its own prefix",
        ),
        (
            "<a xmlns='&amp;'/>",
            "line 1, column 4: a namespace name with references or line ends is not supported",
        ),
        ("<a xmlns:p='urn:a>b'/>", "line 1, column 4: a namespace name with \" or > is not supported"),
        ("<a xmlns='urn:\"a'/>", "line 1, column 4: a namespace name with \" or > is not supported"),
        ("<1a/>", "line 1, column 2: \"1a\" is not a name"),
        ("<:a/>", "line 1, column 2: \":a\" is not a name"),
        ("<a:b:c/>", "line 1, column 2: \"a:b:c\" is not a name"),
        ("<<a/>", "line 1, column 2: \"<a\" is not a name"),
        ("<a><!-- -- --></a>", "line 1, column 4: -- is not allowed in a comment"),
        ("<a>\u{1}</a>", "line 1, column 4: a character that is not allowed in XML (U+0001)"),
        ("<a>\u{ffff}</a>", "line 1, column 4: a character that is not allowed in XML (U+FFFF)"),
    ] {
        assert_eq!(wrong(document), said, "{document:?}");
    }
}

#[test]
fn invalid_utf8() {
    for (octets, said) in [
        (&b"<a>\xff</a>"[..], "line 1, column 4: not UTF-8, which is the only supported encoding"),
        (b"\xff\xfe<\0a\0", "line 1, column 1: the document is in UTF-16: only UTF-8 is supported"),
        (b"\0\0\0<", "line 1, column 1: the document is in UTF-32: only UTF-8 is supported"),
    ] {
        assert_eq!(read_within(octets, SMALL).unwrap_err().to_string(), said);
    }
}

#[test]
fn everything_has_a_limit() {
    let deep = |depth: usize| "<a>".repeat(depth) + &"</a>".repeat(depth);
    let attributes = |count: usize| {
        let all: Vec<String> = (0..count).map(|number| format!("b{number}=''")).collect();
        format!("<a {}/>", all.join(" "))
    };
    let named = |length: usize| format!("<{}/>", "n".repeat(length));
    let text = |length: usize| format!("<a>{}</a>", "t".repeat(length));
    let pieces = |count: usize| format!("<a>{}</a>", "&lt;<!-- -->".repeat(count));
    let value = |length: usize| format!("<a b='{}'/>", "v".repeat(length));
    let spaces = |count: usize| {
        let all: Vec<String> = (0..count).map(|number| format!("xmlns:n{number}='u'")).collect();
        format!("<a {}/>", all.join(" "))
    };
    let octets = |length: usize| format!("<a/>{}", " ".repeat(length - 4));
    type Sized<'f> = &'f dyn Fn(usize) -> String;
    let cases: [(Sized<'_>, usize, LimitKind); 8] = [
        (&deep, SMALL.depth, LimitKind::Depth),
        (&attributes, SMALL.attributes, LimitKind::Attributes),
        (&named, SMALL.name, LimitKind::Name),
        (&text, SMALL.text, LimitKind::Text),
        (&pieces, SMALL.text, LimitKind::Text),
        (&value, SMALL.text, LimitKind::Text),
        (&spaces, SMALL.namespaces, LimitKind::Namespaces),
        (&octets, SMALL.octets, LimitKind::Octets),
    ];
    for (document, limit, what) in cases {
        assert!(read(&document(limit)).is_ok(), "{}", document(limit));
        let error = read(&document(limit + 1)).unwrap_err();
        assert_eq!(error.kind, XmlErrorKind::Limit { what, limit });
    }
}

#[test]
fn an_error_stays() {
    let mut reader = Reader::new(b"<a><b></a>", SMALL);
    assert!(reader.next().is_ok() && reader.next().is_ok());
    let error = reader.next().unwrap_err();
    assert_eq!(reader.next(), Err(error.clone()));
    assert_eq!(reader.skip(), Err(error));
}

#[test]
fn places_count_characters() {
    let error = read("\u{feff}<a>\n  äöü<b>\n</a>").unwrap_err();
    assert_eq!(error.position, Position { line: 3, column: 1, offset: 19 });
    let error = read("<a>\näöü</b>").unwrap_err();
    assert_eq!((error.position.line, error.position.column), (2, 4));
}

#[test]
fn decoders_are_helped() {
    let document = format!(
        "<a xmlns='u' xmlns:x='{XSI}' xmlns:d='types'>\n <b x:nil='1'/><c x:type='d:int' e=' 7 '>42</c>\n\
         <d><e>1</e>2</d></a>"
    );
    let limits = Limits { text: 100, ..SMALL };
    let mut reader = Reader::new(document.as_bytes(), limits);
    reader.expect("u", "a").unwrap();
    assert_eq!(reader.child().unwrap(), Some(Name { namespace: "u", local: "b" }));
    assert_eq!((reader.is_nil(), reader.type_name()), (Ok(true), Ok(None)));
    reader.end().unwrap();
    reader.expect("u", "c").unwrap();
    assert_eq!(reader.type_name(), Ok(Some(Name { namespace: "types", local: "int" })));
    assert_eq!(reader.require("e").as_deref(), Ok(" 7 "));
    assert_eq!(
        reader.require("f").unwrap_err().to_string(),
        "line 2, column 16: expected the attribute f, found c without it"
    );
    assert_eq!(reader.leaf().as_deref(), Ok("42"));
    assert_eq!(reader.position().line, 2);
    assert_eq!(
        reader.invalid("a colour", "42").to_string(),
        "line 2, column 16: expected a colour, found \"42\""
    );
    reader.expect("u", "d").unwrap();
    reader.skip().unwrap();
    assert_eq!(reader.child(), Ok(None));
    assert_eq!(reader.depth(), 0);
    reader.finish().unwrap();
}

#[test]
fn decoders_get_errors_for_unexpected_content() {
    let check = |document: &str, ask: fn(&mut Reader<'_>) -> Result<(), XmlError>, said: &str| {
        let error = ask(&mut Reader::new(document.as_bytes(), SMALL)).unwrap_err();
        assert_eq!(error.to_string(), said, "{document}");
    };
    let expect = |reader: &mut Reader<'_>| reader.expect("u", "a");
    check("<a xmlns='v'/>", expect, "line 1, column 1: a must be in the namespace u, found v");
    check("<a/>", expect, "line 1, column 1: a must be in the namespace u, found none");
    check("<b/>", expect, "line 1, column 1: expected a, found b");
    let leaf = |reader: &mut Reader<'_>| reader.next().and_then(|_| reader.leaf().map(drop));
    check("<a><b/></a>", leaf, "line 1, column 4: expected text, found b");
    check("<a>1<b/></a>", leaf, "line 1, column 5: expected the end of the text, found b");
    let children = |reader: &mut Reader<'_>| {
        while reader.child()?.is_some() {}
        Ok(())
    };
    check("<a> x </a>", children, "line 1, column 4: expected an element, found the text \"x\"");
    let end = |reader: &mut Reader<'_>| reader.next().and_then(|_| reader.end());
    check("<a><b/></a>", end, "line 1, column 4: expected the end of a, found b");
    let nil = |reader: &mut Reader<'_>| reader.next().and_then(|_| reader.is_nil().map(drop));
    let document = format!("<a xmlns:x='{XSI}' x:nil='maybe'/>");
    let mut reader = Reader::new(document.as_bytes(), Limits::MESSAGE);
    assert!(nil(&mut reader).unwrap_err().to_string().contains("expected true or false"));
    let finish = |reader: &mut Reader<'_>| reader.finish();
    check("<a/>", finish, "line 1, column 1: expected the end of the document, found a");
    let mut reader = Reader::new(b"<a xmlns:p='u'/>", SMALL);
    reader.next().unwrap();
    assert_eq!(reader.qualified(" p:x ").unwrap(), Name { namespace: "u", local: "x" });
    assert!(reader.qualified("q:x").is_err() && reader.qualified("p:").is_err());
}

#[test]
fn a_start_tag_is_known_as_it_was_written_with_the_prefixes_in_scope() {
    let mut reader =
        Reader::new(b"<a xmlns='u' xmlns:p=\"v\"> x <p:b  c='1' xmlns:p='w'/><d /></a>", Limits::MESSAGE);
    let mut seen = Vec::new();
    loop {
        match reader.next().unwrap() {
            Event::Start(_) => seen.push((reader.tag().to_owned(), reader.scope().collect::<Vec<_>>())),
            Event::Eof => break,
            _ => {}
        }
    }
    let outer = vec![("", "u"), ("p", "v")];
    assert_eq!(
        seen,
        [
            ("a xmlns='u' xmlns:p=\"v\"".to_owned(), outer.clone()),
            ("p:b  c='1' xmlns:p='w'".to_owned(), [&outer[..], &[("p", "w")]].concat()),
            ("d ".to_owned(), outer),
        ]
    );
}
