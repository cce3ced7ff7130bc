//! Compressed messages of NETCONF: what is received is inflated within its limit or refused, and what is inflated is deflated, in parts
//! too, to a stream that inflates to the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trunkline_netconf::compression::{
    Agreed, Algorithm, CompressionError, Deflater, announced, capability, inflate, may_be_compressed,
};
use trunkline_netconf::framing::Framing;
use trunkline_netconf::hello::Hello;

/// Small enough to be reached.
const MOST: usize = 1 << 18;

fuzz_target!(|input: &[u8]| {
    let Some((first, message)) = input.split_first() else { return };
    let ours = Hello { capabilities: capability(&Algorithm::ALL).into_iter().collect(), session_id: None };
    // Any text as a capability.
    let theirs =
        Hello { capabilities: vec![String::from_utf8_lossy(message).into_owned()], session_id: None };
    assert!(
        Agreed::of(&ours, &theirs, Framing::Chunked)
            .preferred()
            .is_none_or(|it| announced(&theirs).contains(&it))
    );
    assert_eq!(Agreed::of(&ours, &theirs, Framing::EndOfMessage), Agreed::default());
    let agreed = Agreed::of(&ours, &ours, Framing::Chunked);
    match (Algorithm::of(message), agreed.receive(message.to_vec(), MOST)) {
        (None, received) => assert_eq!(received.as_deref(), Ok(message)),
        (Some(algorithm), Ok(received)) => {
            assert!(received.len() <= MOST);
            round_trip(algorithm, &received, 1 + usize::from(*first) * 16);
        }
        (Some(_), Err(error)) => assert!(!matches!(error, CompressionError::NotAgreed { .. })),
    }
    let _ = may_be_compressed(message);
    for algorithm in Algorithm::ALL {
        round_trip(algorithm, message, 1 + usize::from(*first));
    }
});

fn round_trip(algorithm: Algorithm, message: &[u8], part: usize) {
    let mut deflater = Deflater::new(algorithm).expect("memory");
    let mut stream = Vec::new();
    for part in message.chunks(part) {
        deflater.part(part, false, &mut stream).expect("memory");
    }
    deflater.part(&[], true, &mut stream).expect("memory");
    assert_eq!(Algorithm::of(&stream), Some(algorithm));
    assert_eq!(inflate(algorithm, &stream, message.len()).as_deref(), Ok(message));
    // The next message does not know the one before.
    let (mut again, mut first) = (Vec::new(), Vec::new());
    deflater.part(message, true, &mut again).expect("memory");
    Deflater::new(algorithm).expect("memory").part(message, true, &mut first).expect("memory");
    assert_eq!(again, first);
}
