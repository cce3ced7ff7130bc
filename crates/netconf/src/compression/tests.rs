//! Streams of other programs, bombs, and what is agreed.

use proptest::prelude::*;

use super::*;

const MESSAGE: &[u8] =
    b"<rpc message-id=\"1\" xmlns=\"urn:ietf:params:xml:ns:netconf:base:1.0\"><get><filter/></get></rpc>";

/// What other programs make of [`MESSAGE`]: zlib of Python with the largest and the least window, and zstd 1.5.4 with a
/// checksum, without one, and with the length unknown.
const FOREIGN: [(Algorithm, &str); 5] = [
    (
        Algorithm::Zlib,
        "789c1dcc310e80200c40d1ab107645d606b84bc54248a0128a89c79738fe377c377a548d4430d3562eafad566fab2c5e3f83a1d04cd0716013580c2cc034e3cd094e1402bb1f3ab84c33b854eaa46182337f9a350e1f18c72064",
    ),
    (
        Algorithm::Zlib,
        "18951dcc310e80200c40d1ab107645d606b84bc54248a0128a89c79738fe377c377a548d4430d3562eafad566fab2c5e3f83a1d04cd0716013580c2cc034e3cd094e1402bb1f3ab84c33b854eaa46182337f9a350e1f18c72064",
    ),
    (
        Algorithm::Zstd,
        "28b52ffd0458b502009245131790a71d0060b1621b724689d4ccc4448ad9b0e949eec61e69949782597c57420773ad8169010071fb2ab8d304b3b6effb121ff7acaeeace5a74ed052bbe131fc4082b06685843ff9789518e0101009408330a681f2b9d",
    ),
    (
        Algorithm::Zstd,
        "28b52ffd00688d020092051211a06f20050da8c96a039061a5237b02383889554bc849c4fa8dd09d74fd9d14ca30edaf56bb49d9f5d93f3bcadc2f9555b5dd75d8d3e2807e46994130013528fca97f9780557b0201009408330a",
    ),
    (
        Algorithm::Zstd,
        "28b52ffd0048a50200e205141880276e00285608a22bdb4173991820b70e7d90d1645074a879da16cc7e2a9865df4b21cc7ec224014071672338a484d3d763bdc58e6366d6b4437d75ba0562b02e760ca420c640114f86f96c386d3100",
    ),
];

fn octets(hex: &str) -> Vec<u8> {
    hex.as_bytes()
        .chunks(2)
        .map(|two| u8::from_str_radix(std::str::from_utf8(two).unwrap(), 16).unwrap())
        .collect()
}

fn hello(capabilities: &[&str]) -> Hello {
    Hello { capabilities: capabilities.iter().map(|&it| it.to_owned()).collect(), session_id: None }
}

/// In parts of this size, the last one with the end, or an empty one behind it.
fn deflated(deflater: &mut Deflater, message: &[u8], part: usize, ends_empty: bool) -> Vec<u8> {
    let mut stream = b"before".to_vec();
    let parts: Vec<&[u8]> = message.chunks(part).collect();
    for (at, octets) in parts.iter().enumerate() {
        deflater.part(octets, !ends_empty && at + 1 == parts.len(), &mut stream).unwrap();
    }
    if ends_empty || parts.is_empty() {
        deflater.part(&[], true, &mut stream).unwrap();
    }
    stream.split_off(6)
}

#[test]
fn streams_of_other_programs_are_read() {
    for (algorithm, hex) in FOREIGN {
        let stream = octets(hex);
        assert_eq!(Algorithm::of(&stream), Some(algorithm));
        assert_eq!(inflate(algorithm, &stream, MESSAGE.len()), Ok(MESSAGE.to_vec()));
        let limit = MESSAGE.len() - 1;
        assert_eq!(inflate(algorithm, &stream, limit), Err(CompressionError::TooLong { limit }));
        for cut in 0..stream.len() {
            assert_eq!(inflate(algorithm, &stream[..cut], 1000), Err(CompressionError::CutShort), "{cut}");
        }
        for more in [&b"x"[..], b"\n", &stream] {
            let found = inflate(algorithm, &[&stream, more].concat(), 1000);
            assert_eq!(found, Err(CompressionError::Trailing));
        }
        for at in 0..stream.len() {
            for bit in 0..8 {
                let mut wrong = stream.clone();
                wrong[at] ^= 1 << bit;
                // No more than what is checked can be noticed: the transport's checksums are not ours.
                let _ = inflate(algorithm, &wrong, 1000);
            }
        }
    }
}

#[test]
fn streams_that_are_too_dear_or_of_another_kind_are_refused() {
    let malformed = |algorithm| Err(CompressionError::Malformed { algorithm });
    // A window of 128 MiB.
    let window = octets(&FOREIGN[3].1.replacen("28b52ffd0068", "28b52ffd0088", 1));
    assert_eq!(inflate(Algorithm::Zstd, &window, 1000), malformed(Algorithm::Zstd));
    // A dictionary that nobody has.
    let dictionary = octets(&FOREIGN[3].1.replacen("28b52ffd0068", "28b52ffd016805", 1));
    assert_eq!(inflate(Algorithm::Zstd, &dictionary, 1000), malformed(Algorithm::Zstd));
    // A frame to skip.
    assert_eq!(inflate(Algorithm::Zstd, b"\x50\x2a\x4d\x18\x01\0\0\0x", 1000), malformed(Algorithm::Zstd));
    for (algorithm, other) in [(Algorithm::Zlib, Algorithm::Zstd), (Algorithm::Zstd, Algorithm::Zlib)] {
        assert_eq!(inflate(algorithm, MESSAGE, 1000), malformed(algorithm));
        assert_eq!(inflate(algorithm, &deflate(other, MESSAGE).unwrap(), 1000), malformed(algorithm));
    }
    let mut checksum = octets(FOREIGN[0].1);
    *checksum.last_mut().unwrap() ^= 1;
    assert_eq!(inflate(Algorithm::Zlib, &checksum, 1000), malformed(Algorithm::Zlib));
    let mut checksum = octets(FOREIGN[2].1);
    *checksum.last_mut().unwrap() ^= 1;
    assert_eq!(inflate(Algorithm::Zstd, &checksum, 1000), malformed(Algorithm::Zstd));
}

#[test]
fn bombs_are_cut_off() {
    for algorithm in Algorithm::ALL {
        let mut zeros = vec![];
        Deflater::with_level(algorithm, 9).unwrap().part(&vec![0; 8 << 20], true, &mut zeros).unwrap();
        assert_eq!(inflate(algorithm, &zeros, 64 << 20).err(), Some(CompressionError::Bomb));
        let limit = 1 << 16;
        assert_eq!(inflate(algorithm, &zeros, limit).err(), Some(CompressionError::TooLong { limit }));
        // What is short may grow: it cannot do harm.
        let short = deflate(algorithm, &vec![b' '; SMALL]).unwrap();
        assert_eq!(inflate(algorithm, &short, 64 << 20).map(|it| it.len()), Ok(SMALL));
    }
    // Like entries are not bombs.
    let entry = |at: usize| {
        format!(
            "<interface><name>eth{at}</name><description>{}</description></interface>",
            "port ".repeat(100)
        )
    };
    let entries: String = (0..4000).map(entry).collect();
    for algorithm in Algorithm::ALL {
        let stream = deflate(algorithm, entries.as_bytes()).unwrap();
        let growth = entries.len() / stream.len();
        assert!((20..MOST_GROWTH / 2).contains(&growth), "{growth}");
        assert!(inflate(algorithm, &stream, 64 << 20).unwrap() == entries.as_bytes());
    }
}

#[test]
fn xml_does_not_begin_as_a_stream_does() {
    for begin in ["<rpc", "\n<rpc", " <", "\t<", "\r\n<", "\u{feff}<", "", "x", "<?xml", "(", "h"] {
        assert_eq!(Algorithm::of(begin.as_bytes()), None, "{begin:?}");
    }
    for first in [0xfe, 0xff, 0x00] {
        assert_eq!(Algorithm::of(&[first, 0xfe, 0x3c, 0]), None);
    }
    for algorithm in Algorithm::ALL {
        for message in [&b""[..], MESSAGE, &[7; 100_000]] {
            assert_eq!(Algorithm::of(&deflate(algorithm, message).unwrap()), Some(algorithm));
        }
    }
}

#[test]
fn what_both_hellos_have_is_agreed() {
    let both = capability(&Algorithm::ALL).unwrap();
    assert_eq!(both, "urn:trunkline:params:netconf:capability:compression:1.0?algorithms=zstd,zlib");
    assert_eq!(capability(&[]), None);
    let known = |parameters: &str| announced(&hello(&["urn:other", &format!("{CAPABILITY}{parameters}")]));
    use Algorithm::{Zlib, Zstd};
    for (parameters, expected) in [
        ("?algorithms=zlib,zstd", &[Zlib, Zstd][..]),
        ("?level=1&algorithms=brotli,zstd", &[Zstd]),
        ("?algorithms= zlib , zlib", &[Zlib]),
        ("?algorithms=ZLIB", &[]),
        ("?algorithms=", &[]),
        ("", &[]),
    ] {
        assert_eq!(known(parameters), expected, "{parameters}");
    }
    assert_eq!(announced(&hello(&[])), []);
    let theirs = hello(&[&capability(&[Zlib, Zstd]).unwrap()]);
    let agreed = |ours: &Hello, framing| Agreed::of(ours, &theirs, framing).preferred();
    assert_eq!(agreed(&hello(&[&both]), Framing::Chunked), Some(Zstd));
    assert_eq!(agreed(&theirs, Framing::Chunked), Some(Zlib));
    assert_eq!(agreed(&hello(&[&both]), Framing::EndOfMessage), None);
    assert_eq!(agreed(&hello(&[]), Framing::Chunked), None);
}

#[test]
fn only_what_is_agreed_is_inflated() {
    let only = hello(&[&capability(&[Algorithm::Zlib]).unwrap()]);
    let agreed = Agreed::of(&only, &only, Framing::Chunked);
    let [zstd, zlib] = Algorithm::ALL.map(|it| deflate(it, MESSAGE).unwrap());
    assert_eq!(agreed.receive(MESSAGE.to_vec(), 1000), Ok(MESSAGE.to_vec()));
    assert_eq!(agreed.receive(zlib.clone(), 1000), Ok(MESSAGE.to_vec()));
    let refused = agreed.receive(zstd, 1000).unwrap_err();
    assert_eq!(refused, CompressionError::NotAgreed { found: Algorithm::Zstd });
    assert!(Agreed::default().receive(zlib.clone(), 1000).is_err());
    let long = agreed.receive(zlib, 10).unwrap_err();
    for (error, tag) in [(refused, Tag::MalformedMessage), (long, Tag::TooBig)] {
        assert_eq!(error.error().tag, tag);
    }
}

#[test]
fn a_request_with_content_is_not_compressed() {
    use crate::operation::Datastore::{Candidate, Running};
    use crate::request::{self, Commit, EditConfig, Select, Store};
    let may = |operation: &[u8]| {
        let begin = format!("<?xml version='1.0'?>\n<rpc xmlns='{BASE}' message-id='1'>\n");
        let rpc = [begin.as_bytes(), operation, b"</rpc>"];
        may_be_compressed(&rpc.concat())
    };
    let (running, candidate) = (Store::Datastore(Running), Store::Datastore(Candidate));
    let edit = EditConfig {
        target: Running,
        default_operation: None,
        test_option: None,
        error_option: None,
        config: b"<community>public</community>",
    };
    let persist = Commit { persist: Some("name"), ..Commit::default() };
    for operation in [
        request::get(Select::Everything, None),
        request::get_config(running, Select::Subtree(b"<interfaces/>"), None),
        request::get_schema("ietf-interfaces", None, None),
        request::create_subscription(Default::default()),
        format!("<get-data xmlns='{NMDA}'/>").into_bytes(),
        format!("<establish-subscription xmlns='{SUBSCRIBED}'/>").into_bytes(),
    ] {
        assert!(may(&operation), "{}", String::from_utf8_lossy(&operation));
    }
    for operation in [
        request::edit_config(edit),
        request::copy_config(running, candidate),
        request::validate(candidate),
        request::commit(persist),
        request::kill_session(1),
        format!("<edit-data xmlns='{NMDA}'/>").into_bytes(),
        b"<change-password xmlns='urn:other'><get/></change-password>".to_vec(),
        b"<get xmlns='urn:other'/>".to_vec(),
        b"".to_vec(),
    ] {
        assert!(!may(&operation), "{}", String::from_utf8_lossy(&operation));
    }
    for message in [&b"<get/>"[..], b"<rpc><get/></rpc>", b"<rpc", b""] {
        assert!(!may_be_compressed(message));
    }
}

proptest! {
    #[test]
    fn what_is_deflated_in_parts_is_inflated(
        messages in prop::collection::vec(("([a-z]{0,3}|<name>|</name>|eth|[0-9]){0,2000}", any::<bool>()), 1..4),
        part in 1usize..5_000,
        level in -1i32..8,
    ) {
        for algorithm in Algorithm::ALL {
            let mut deflater = Deflater::with_level(algorithm, level).unwrap();
            for (message, ends_empty) in &messages {
                let message = message.as_bytes();
                let stream = deflated(&mut deflater, message, part, *ends_empty);
                prop_assert_eq!(Algorithm::of(&stream), Some(algorithm));
                prop_assert_eq!(&inflate(algorithm, &stream, message.len()).unwrap(), message);
                // Nothing of one message is in the next.
                let mut anew = Deflater::with_level(algorithm, level).unwrap();
                prop_assert_eq!(&deflated(&mut anew, message, part, *ends_empty), &stream);
            }
        }
    }

    #[test]
    fn anything_is_inflated_within_limits(octets in prop::collection::vec(any::<u8>(), 0..300), most in 0usize..2_000) {
        for (algorithm, begin) in [(Algorithm::Zlib, &b"\x78\x9c"[..]), (Algorithm::Zstd, b"\x28\xb5\x2f\xfd")] {
            for stream in [octets.clone(), [begin, &octets].concat()] {
                if let Ok(message) = inflate(algorithm, &stream, most) {
                    prop_assert!(message.len() <= most);
                }
            }
        }
    }
}
