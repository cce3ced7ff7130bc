//! Streams that are meant to harm: classes of gadget chains, lengths that lie, depth, circles, values that unfold.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that fails panics")]

use crate::common;

use common::{read, read_within, write};
use trunkline_jmx::jrmp::{Client, Endpoint, Event, Server};
use trunkline_jmx::model::{Array, MarshalledObject, ObjectName, Value};
use trunkline_jmx::remote::{Method, Reply, Request};
use trunkline_jmx::stream::{Input, Limits, Reader};
use trunkline_jmx::{Callee, Error};

const HEADER: [u8; 4] = [0xac, 0xed, 0x00, 0x05];

fn stream(parts: &[&[u8]]) -> Vec<u8> {
    [&[&HEADER[..]], parts].concat().concat()
}

/// A class descriptor without fields.
fn class(name: &str, suid: i64, flags: u8) -> Vec<u8> {
    let mut octets = vec![0x72];
    octets.extend((name.len() as u16).to_be_bytes());
    octets.extend(name.as_bytes());
    octets.extend(suid.to_be_bytes());
    octets.extend([flags, 0, 0, 0x70, 0x78, 0x70]);
    octets
}

#[test]
fn classes_of_gadget_chains_are_refused_by_name() {
    for name in [
        "org.apache.commons.collections.functors.InvokerTransformer",
        "com.sun.org.apache.xalan.internal.xsltc.trax.TemplatesImpl",
        "java.util.PriorityQueue",
        "java.net.URL",
        "sun.rmi.server.UnicastRef",
        "java.lang.ProcessBuilder",
        "",
    ] {
        let octets = stream(&[&[0x73], &class(name, 1, 2)]);
        assert_eq!(read(&octets), Err(Error::UnknownClass { name: name.to_owned() }));
        // Nothing after the name is needed for that.
        let value = Value::Marshalled(MarshalledObject { object: Some(octets), location: None, hash: 0 });
        let Ok(Value::Marshalled(marshalled)) = read(&write(&value)) else { panic!("{name}") };
        assert!(matches!(marshalled.value(Limits::default()), Err(Error::UnknownClass { .. })));
    }
    let proxy = [&[0x7d, 0, 0, 0, 1, 0, 18][..], b"java.util.Map$Evil"].concat();
    assert_eq!(
        read(&stream(&[&[0x73], &proxy])),
        Err(Error::UnknownClass { name: "java.util.Map$Evil".to_owned() })
    );
}

#[test]
fn a_known_class_with_another_descriptor_is_refused() {
    let differs = |part| Err(Error::Descriptor { class: "java.util.HashSet", part });
    let suid = -5_024_744_406_713_321_676;
    for (octets, expected) in [
        (class("java.util.HashSet", 1, 3), differs("serialVersionUID")),
        (class("java.util.HashSet", suid, 2), differs("set of flags")),
        (class("java.util.HashSet", suid, 12), differs("set of flags")),
    ] {
        assert_eq!(read(&stream(&[&[0x73], &octets])), expected);
    }
    let mut parent = class("java.util.HashSet", suid, 3);
    parent.pop();
    parent.extend(class("java.util.Date", 7_523_967_970_034_938_905, 3));
    assert_eq!(read(&stream(&[&[0x73], &parent])), differs("superclass"));
    let long = write(&Value::Long(1));
    let at = long.windows(5).position(|octets| octets == b"value").unwrap();
    let mut renamed = long.clone();
    renamed[at] = b'V';
    assert_eq!(read(&renamed), Err(Error::Descriptor { class: "java.lang.Long", part: "field" }));
    let mut fields = long;
    fields[at - 4] = 2;
    assert_eq!(read(&fields), Err(Error::Descriptor { class: "java.lang.Long", part: "number of fields" }));
    let signature = write(&Value::Attribute(Box::new(trunkline_jmx::model::Attribute {
        name: "a".to_owned(),
        value: Value::Null,
    })));
    let at = signature.windows(8).position(|octets| octets == b"g/Object").unwrap();
    let mut other = signature;
    other[at + 2] = b'o';
    let expected = Error::Descriptor { class: "javax.management.Attribute", part: "type of a field" };
    assert_eq!(read(&other), Err(expected));
}

#[test]
fn a_length_that_lies_reserves_nothing() {
    let array = |class: &[u8], length: i32| stream(&[&[0x75], class, &length.to_be_bytes()]);
    let longs = class("[J", 8_655_923_659_555_304_851, 2);
    let objects = class("[Ljava.lang.Object;", -8_012_369_246_846_506_644, 2);
    for class in [&longs, &objects] {
        let limits = Limits { array: i32::MAX as usize, ..Limits::default() };
        let octets = array(class, i32::MAX);
        let mut reader = Reader::new(limits);
        assert_eq!(reader.next(&mut Input::new(&octets)), Ok(None));
        assert_eq!(read(&array(class, -1)), Err(Error::Length { found: -1 }));
        let expected = Error::Limit { what: "elements in an array", limit: 1 << 20 };
        assert_eq!(read(&array(class, i32::MAX)), Err(expected));
    }
    let text = stream(&[&[0x7c], &u64::MAX.to_be_bytes()]);
    assert_eq!(read(&text), Err(Error::Length { found: -1 }));
    let text = stream(&[&[0x7c], &(1_u64 << 40).to_be_bytes()]);
    assert_eq!(read(&text), Err(Error::Limit { what: "octets in a string", limit: 1 << 20 }));
    let block = stream(&[&[0x7a], &i32::MAX.to_be_bytes()]);
    assert_eq!(read(&block), Err(Error::Limit { what: "octets in a block", limit: 1 << 20 }));
    let proxy = stream(&[&[0x7d], &i32::MAX.to_be_bytes()]);
    assert_eq!(read(&proxy), Err(Error::Limit { what: "interfaces of a proxy", limit: 8 }));
    let name = stream(&[&[0x72, 0xff, 0xff]]);
    assert_eq!(read(&name), Err(Error::Limit { what: "octets in the name of a class", limit: 1024 }));
}

#[test]
fn depth_is_bounded() {
    let mut nested = Value::Null;
    for _ in 0..90 {
        nested = Value::List(vec![nested]);
    }
    assert_eq!(read(&write(&nested)).as_ref(), Ok(&nested));
    let deep = |depth| {
        let objects = class("[Ljava.lang.Object;", -8_012_369_246_846_506_644, 2);
        // Each array holds the next; the first has the descriptor, the others refer to it.
        let mut octets = stream(&[&[0x75], &objects, &1_i32.to_be_bytes()]);
        for _ in 0..depth {
            octets.extend([0x75, 0x71, 0, 0x7e, 0, 0, 0, 0, 0, 1]);
        }
        octets.push(0x70);
        octets
    };
    let too_deep = Error::Limit { what: "values within each other", limit: 200 };
    assert_eq!(read(&deep(100_000)), Err(too_deep.clone()));
    let too_deep_to_convert = Error::Limit { what: "values within each other", limit: 100 };
    assert_eq!(read(&deep(150)), Err(too_deep_to_convert.clone()));
    // Tokens alone.
    assert_eq!(
        read(&stream(&[&[0x76; 1000]])),
        Err(Error::Token { found: 0x76, expected: "a class descriptor" })
    );
    // A chain of references to what was read before is as deep, though the stream is flat.
    let objects = class("[Ljava.lang.Object;", -8_012_369_246_846_506_644, 2);
    let mut chain = stream(&[&[0x75], &objects, &1000_i32.to_be_bytes()]);
    for index in 0..1000_u32 {
        chain.extend([0x75, 0x71, 0, 0x7e, 0, 0, 0, 0, 0, 1]);
        match index {
            0 => chain.push(0x70),
            _ => chain.extend([&[0x71][..], &(0x7e_0001 + index).to_be_bytes()].concat()),
        }
    }
    assert_eq!(read(&chain), Err(too_deep_to_convert));
}

#[test]
fn a_few_octets_do_not_unfold_to_many() {
    // Lists of two references to the list before: 2 to the power of 60 values.
    let objects = class("[Ljava.lang.Object;", -8_012_369_246_846_506_644, 2);
    let mut octets = stream(&[&[0x75], &objects, &61_i32.to_be_bytes()]);
    for index in 0..61_u32 {
        octets.extend([0x75, 0x71, 0, 0x7e, 0, 0, 0, 0, 0, 2]);
        for _ in 0..2 {
            match index {
                0 => octets.push(0x70),
                _ => octets.extend([&[0x71][..], &(0x7e_0001 + index).to_be_bytes()].concat()),
            }
        }
    }
    let limits = Limits { octets: 1 << 20, ..Limits::default() };
    let unfolded = Err(Error::Limit { what: "octets of values", limit: 4 << 20 });
    assert_eq!(read_within(&octets, limits), unfolded);
    // Where much is allowed, it is not allowed to a few octets.
    let few = Err(Error::Limit { what: "octets of values", limit: (4 << 20) + 72 * octets.len() });
    assert_eq!(read_within(&octets, Limits::REPLIES), few);
    // What is as large without references is read.
    let many = Value::List(vec![Value::Null; 1_000_000]);
    assert_eq!(read_within(&write(&many), Limits::REPLIES).as_ref(), Ok(&many));
    // One array of 100,000 octets a thousand times.
    let bytes = write(&Value::Array(Array::Bytes(vec![0; 100_000])));
    let mut octets = stream(&[&[0x75], &objects, &1001_i32.to_be_bytes(), &bytes[4..]]);
    for _ in 0..1000 {
        octets.extend([0x71, 0, 0x7e, 0, 3]);
    }
    assert_eq!(read_within(&octets, limits), unfolded);
}

#[test]
fn references_to_nothing_and_other_tokens() {
    for found in [0, 0x7d_ffff, 0x7e_0000, u32::MAX] {
        assert_eq!(read(&stream(&[&[0x71], &found.to_be_bytes()])), Err(Error::Handle { found }));
    }
    for found in [0x00, 0x6f, 0x78, 0x7f, 0xff] {
        assert_eq!(read(&stream(&[&[found]])), Err(Error::Token { found, expected: "a value" }));
    }
    assert_eq!(read(b"\xac\xed\0\x04\x70"), Err(Error::Magic { found: [0xac, 0xed, 0, 4] }));
    assert_eq!(read(&stream(&[&[0x74, 0, 1, 0xff]])), Err(Error::Text { found: 0xff, at: 0 }));
    assert_eq!(read(&stream(&[&[0x70, 0x70]])), Err(Error::Trailing { octets: 1 }));
    assert_eq!(read(&HEADER), Err(Error::Cut));
    // A reset forgets what was there.
    assert_eq!(read(&stream(&[&[0x79, 0x79, 0x70]])), Ok(Value::Null));
    let octets = write(&"a".into());
    let reset = [&octets[..], &[0x79, 0x71, 0, 0x7e, 0, 0]].concat();
    let mut reader = Reader::new(Limits::default());
    let mut input = Input::new(&reset);
    assert!(reader.next(&mut input).unwrap().is_some());
    assert_eq!(reader.next(&mut input), Err(Error::Handle { found: 0x7e_0000 }));
}

#[test]
fn limits_of_values_and_octets() {
    let list = write(&Value::List(vec![Value::Null; 100]));
    let few = Limits { octets: 150, ..Limits::default() };
    assert_eq!(read_within(&list, few), Err(Error::Limit { what: "octets in a stream", limit: 150 }));
    let texts = write(&Value::List(vec!["a".into(); 100]));
    let few = Limits { values: 50, ..Limits::default() };
    assert_eq!(read_within(&texts, few), Err(Error::Limit { what: "values in a stream", limit: 50 }));
}

fn server() -> Server {
    let client = Endpoint { host: "192.0.2.1".to_owned(), port: 5 };
    Server::new(Limits::default(), Method::signature_of, client)
}

#[test]
fn other_protocols_than_that_of_streams_are_refused() {
    for (protocol, found) in [(0x4c, 0x4c), (0x4d, 0x4d), (0x00, 0x00)] {
        let (mut server, mut out) = (server(), Vec::new());
        server.push(&[b'J', b'R', b'M', b'I', 0, 2, protocol]);
        assert_eq!(server.poll(&mut out).unwrap_err(), Error::Protocol { found });
        assert_eq!(out, [0x4f]);
        assert!(server.is_over());
        let mut client =
            Client::new(Limits::default(), &Endpoint { host: String::new(), port: 0 }, &mut Vec::new());
        client.push(&out);
        assert_eq!(client.poll().unwrap_err(), Error::Protocol { found: 0x4b });
    }
    for first in [&b"POST / HTTP/1.1"[..], b"\x16\x03\x01", b"JRMI\0\x01K"] {
        let (mut server, mut out) = (server(), Vec::new());
        server.push(first);
        assert!(matches!(server.poll(&mut out), Err(Error::Token { .. })), "{first:?}");
        assert_eq!(out, [0x4f]);
    }
    let (mut server, mut out) = (server(), Vec::new());
    server.push(b"JRMI\0\x02K\0\x01a\0\0\0\x07\x99");
    assert_eq!(server.poll(&mut out).unwrap_err(), Error::Message { found: 0x99 });
    assert_eq!(out, b"\x4e\0\x09192.0.2.1\0\0\0\x05");
}

#[test]
fn a_call_that_cannot_be_read_is_answered_and_ends_the_connection() {
    let mut out = Vec::new();
    let local = Endpoint { host: "a".to_owned(), port: 0 };
    let mut client = Client::new(Limits::default(), &local, &mut out);
    Request::NewClient(trunkline_jmx::remote::Credentials(None)).encode(
        &mut client,
        Default::default(),
        &mut out,
    );
    out.pop();
    out.push(0x73);
    out.extend(class("a.Gadget", 1, 2));
    let (mut server, mut answer) = (server(), Vec::new());
    server.push(&out);
    let Ok(Some(Event::Refused { error, .. })) = server.poll(&mut answer) else { panic!("not refused") };
    assert_eq!(error, Error::UnknownClass { name: "a.Gadget".to_owned() });
    assert!(server.is_over());
    Reply::refusal(&error).encode(Default::default(), &mut answer);
    client.push(&answer);
    let returned = client.poll().unwrap().unwrap();
    let Reply::Exception(exception) = Reply::decode(Method::NewClient, &returned, Limits::default()).unwrap()
    else {
        panic!("no exception")
    };
    assert_eq!(
        exception.to_string(),
        "java.rmi.ServerException: RemoteException occurred in server thread; caused by \
         java.rmi.UnmarshalException: error unmarshalling arguments; caused by \
         java.lang.ClassNotFoundException: a.Gadget"
    );
}

#[test]
fn an_unknown_method_and_a_change_of_the_registry_end_the_connection() {
    let local = Endpoint { host: "a".to_owned(), port: 0 };
    let mut out = Vec::new();
    let mut client = Client::new(Limits::default(), &local, &mut out);
    let header = trunkline_jmx::jrmp::Header { object: Default::default(), operation: -1, hash: 5 };
    client.call(&mut out, header, trunkline_jmx::jrmp::Kind::Void, |_| {});
    let (mut server_, mut answer) = (server(), Vec::new());
    server_.push(&out);
    let Ok(Some(Event::Refused { error, .. })) = server_.poll(&mut answer) else { panic!("not refused") };
    assert_eq!(error, Error::Method { operation: -1, hash: 5 });
    assert!(server_.is_over());

    let mut out = Vec::new();
    let mut client = Client::new(Limits::default(), &local, &mut out);
    Request::ChangeRegistry.encode(&mut client, Default::default(), &mut out);
    let (mut server, mut answer) = (server(), Vec::new());
    server.push(&out);
    let Ok(Some(Event::Call(call))) = server.poll(&mut answer) else { panic!("no call") };
    assert_eq!(Request::decode(&call, Limits::default()), Ok(Request::ChangeRegistry));
    assert!(server.is_over());
}

#[test]
fn a_peer_that_breaks_off_is_an_error_with_its_reason() {
    let exception = trunkline_jmx::model::Exception::new(
        &trunkline_jmx::stream::classes::exceptions::IO_EXCEPTION,
        "no more",
    );
    let written = write(&Value::Exception(Box::new(exception)));
    let mut out = Vec::new();
    let local = Endpoint { host: "a".to_owned(), port: 0 };
    let mut client = Client::new(Limits::default(), &local, &mut out);
    Request::Lookup("a".to_owned()).encode(&mut client, Default::default(), &mut out);
    let name = out.len() - 4;
    out.truncate(name);
    out.push(0x7b);
    out.extend(&written[4..]);
    let (mut server, mut answer) = (server(), Vec::new());
    server.push(&out);
    let Ok(Some(Event::Refused { error, .. })) = server.poll(&mut answer) else { panic!("not refused") };
    let class = "java.io.IOException".to_owned();
    assert_eq!(error, Error::Aborted { class, message: "no more".to_owned() });
}

/// What Java's own classes refuse when they are read.
#[test]
fn values_that_their_class_does_not_have_are_refused() {
    let corrupted = |value: &Value, from: &[u8], to: &[u8]| {
        let mut octets = write(value);
        let at = octets.windows(from.len()).rposition(|octets| octets == from).unwrap();
        octets[at..at + from.len()].copy_from_slice(to);
        read(&octets)
    };
    let name = Value::Name("domain:k=v".parse().unwrap());
    assert_eq!(corrupted(&name, b"k=v", b"k,v"), Err(Error::Value { what: "an ObjectName" }));
    let number = Value::BigInteger(5_u64.into());
    let sign =
        corrupted(&number, &[0xff, 0xff, 0xff, 0xfe, 0, 0, 0, 1], &[0xff, 0xff, 0xff, 0xfe, 0, 0, 0, 0]);
    assert_eq!(sign, Err(Error::Value { what: "the sign of a BigInteger" }));
    let list = Value::List(vec!["a".into(), "b".into()]);
    let size = corrupted(&list, &[0, 0, 0, 2, 0x77], &[0, 0, 0, 3, 0x77]);
    assert_eq!(size, Err(Error::Value { what: "the number of elements of a collection" }));
}

#[test]
fn a_subject_to_delegate_to_is_refused() {
    let mut out = Vec::new();
    let local = Endpoint { host: "a".to_owned(), port: 0 };
    let mut client = Client::new(Limits::default(), &local, &mut out);
    Request::GetMBeanCount.encode(&mut client, Default::default(), &mut out);
    out.pop();
    out.extend([0x74, 0, 1, b's']);
    let (mut server, mut answer) = (server(), Vec::new());
    server.push(&out);
    let Ok(Some(Event::Call(call))) = server.poll(&mut answer) else { panic!("no call") };
    let expected = Err(Error::Value { what: "a subject to delegate to" });
    assert_eq!(Request::decode(&call, Limits::default()), expected);
}

#[test]
fn null_for_a_text_ends_in_the_exception_of_the_method() {
    let name: ObjectName = "a:b=c".parse().unwrap();
    for (request, callee, expected) in [
        (
            Request::Lookup("x".to_owned()),
            Callee::Registry,
            "java.lang.NullPointerException: the name is null",
        ),
        (
            Request::GetAttribute { name, attribute: "x".to_owned() },
            Callee::MBeanServer,
            "javax.management.RuntimeOperationsException: the name of the attribute is null; caused by \
             java.lang.IllegalArgumentException: the name of the attribute is null",
        ),
    ] {
        let mut out = Vec::new();
        let local = Endpoint { host: "a".to_owned(), port: 0 };
        let mut client = Client::new(Limits::default(), &local, &mut out);
        request.encode(&mut client, Default::default(), &mut out);
        let text = [0x74, 0, 1, b'x'];
        let at = out.windows(4).position(|octets| octets == text).unwrap();
        out.splice(at..at + 4, [0x70]);
        let (mut server, mut answer) = (server(), Vec::new());
        server.push(&out);
        let Ok(Some(Event::Call(call))) = server.poll(&mut answer) else { panic!("no call") };
        let error = Request::decode(&call, Limits::default()).unwrap_err();
        assert!(matches!(error, Error::Argument { callee: found, .. } if found == callee), "{error:?}");
        let Reply::Exception(exception) = Reply::refusal(&error) else { panic!("no exception") };
        assert_eq!(exception.to_string(), expected);
    }
}

#[test]
fn limits_can_change_within_a_call() {
    let few = Limits { octets: 200, ..Limits::default() };
    let client = Endpoint { host: "192.0.2.1".to_owned(), port: 5 };
    let local = Endpoint { host: "a".to_owned(), port: 0 };
    let mut out = Vec::new();
    let mut sender = Client::new(Limits::default(), &local, &mut out);
    let object = trunkline_jmx::jrmp::ObjId { number: 7, ..Default::default() };
    let name = "a".repeat(300);
    Request::Lookup(name.clone()).encode(&mut sender, object, &mut out);
    let (first, rest) = out.split_at(out.len() - 290);
    for is_raised in [false, true] {
        let mut server = Server::new(few, Method::signature_of, client.clone());
        assert!(server.is_between_messages() && server.called().is_none());
        server.push(first);
        assert!(matches!(server.poll(&mut Vec::new()), Ok(None)));
        // The header has arrived, and says whose object is called.
        assert_eq!(server.called(), Some(object));
        assert!(!server.is_between_messages());
        if is_raised {
            server.set_limits(Limits::default());
        }
        server.push(rest);
        match server.poll(&mut Vec::new()) {
            Ok(Some(Event::Call(call))) if is_raised => {
                assert_eq!(Request::decode(&call, Limits::default()), Ok(Request::Lookup(name.clone())));
                assert!(server.is_between_messages() && server.called().is_none());
            }
            Ok(Some(Event::Refused { error, .. })) if !is_raised => {
                assert_eq!(error, Error::Limit { what: "octets in a stream", limit: 200 });
            }
            other => panic!("{other:?}"),
        }
    }
}
