//! What devices lack, sent to them: a session of NETCONF with each, several at once.

use std::time::Duration;

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use tokio::time::Instant;
use trunkline_client::NetconfTarget;
use trunkline_xmlsec::Time;

use crate::serve::{Served, serve};
use crate::{Content, Error, Held, Name, Of, Options};

/// A device to serve.
pub struct Device {
    /// Its name.
    pub name: Name,
    /// Where it is, as it was written.
    pub address: String,
    /// Where it is, with our credentials; or why that is not known.
    pub target: Result<NetconfTarget, String>,
}

/// What became of a device.
#[derive(Debug)]
pub struct Outcome {
    /// The device.
    pub name: Name,
    /// What happened.
    pub ended: Ended,
    /// What else is worth knowing: sessions that were ended, a clock that is wrong.
    pub notes: Vec<String>,
}

/// How it went with a device.
pub type Ended = Result<Option<Deployment>, String>;

/// What a device took to acknowledge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deployment {
    /// From the beginning of the deployment to its acknowledgement.
    pub after: Duration,
    /// Octets of the edit and of its reply, as they are framed.
    pub octets: usize,
}

/// Figures of a deployment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Devices that have acknowledged now.
    pub acknowledged: usize,
    /// Devices that had everything.
    pub current: usize,
    /// Devices that still lack something.
    pub pending: usize,
    /// From the beginning to the last acknowledgement.
    pub after: Duration,
    /// Edits and replies.
    pub messages: usize,
    /// Their octets, as they are framed.
    pub octets: usize,
}

/// Serves the devices: `report` is called with each that ended, when it has ended and its acknowledgement is on the disk.
///
/// # Errors
/// An acknowledgement cannot be read or written.
pub async fn deploy(
    held: &Held,
    content: &Content<'_>,
    devices: Vec<Device>,
    options: Options,
    began: Instant,
    mut report: impl FnMut(&Outcome),
) -> Result<Totals, Error> {
    let mut totals = Totals::default();
    let mut left = Vec::new();
    for device in devices {
        let mut has = held.directory().acknowledged(&device.name)?;
        if options.whole {
            // A device that is not reached now is behind until it is.
            has = has.forgotten(content.wanted());
            held.acknowledge(&device.name, &has)?;
        }
        if content.behind(&has) == 0 {
            totals.current += 1;
            report(&Outcome { name: device.name, ended: Ok(None), notes: Vec::new() });
        } else {
            left.push((device, has));
        }
    }
    let mut left = left.into_iter();
    let mut running = FuturesUnordered::new();
    loop {
        while running.len() < options.parallel {
            let Some((Device { name, address, target }, has)) = left.next() else { break };
            // If we are killed, it may have what it is sent.
            let mut may_have = has.clone();
            may_have.sent.extend(content.parts(&has).into_iter().filter_map(|part| match part.of {
                Of::Role(name) => Some(name),
                Of::User(_) => None,
            }));
            if may_have != has {
                held.acknowledge(&name, &may_have)?;
            }
            running.push(async move {
                let served = match target {
                    Ok(target) => serve((&address, &target), content, has, options).await,
                    Err(words) => Served { has, refusals: vec![words], ..Served::default() },
                };
                (name, served, began.elapsed())
            });
        }
        let Some((name, served, after)) = running.next().await else { break };
        let Served { has, messages, octets, refusals, mut notes, clock } = served;
        held.acknowledge(&name, &has)?;
        totals.messages += messages;
        totals.octets += octets;
        notes.extend(clock.and_then(|clock| apart(clock, content.moment().after(after))));
        let ended = if refusals.is_empty() {
            totals.acknowledged += 1;
            totals.after = totals.after.max(after);
            Ok(Some(Deployment { after, octets }))
        } else {
            totals.pending += 1;
            Err(refusals.join("; "))
        };
        report(&Outcome { name, ended, notes });
    }
    Ok(totals)
}

/// What to say of a device whose clock is not ours, on which a grace ends then.
fn apart(clock: Time, ours: Time) -> Option<String> {
    let apart = clock.apart(ours);
    let (word, result) = if clock < ours { ("behind", "later") } else { ("ahead of", "earlier") };
    let seconds = apart.as_secs();
    (apart > CLOCKS_APART).then(|| {
        format!("its clock is {seconds} s {word} the authority's: the grace ends {seconds} s {result} there")
    })
}

/// Clocks that are less apart are the same: devices give seconds, and replies take time.
const CLOCKS_APART: Duration = Duration::from_secs(5);

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};

    use trunkline_client::Defaults;

    use super::*;
    use crate::Directory;
    use crate::authority::tests::{at, name, some};

    /// A device that begins the reply to its first request and goes on for ever, an octet at a time, never silent for long.
    fn drip(mut stream: TcpStream) {
        let hello = "<hello xmlns=\"urn:ietf:params:xml:ns:netconf:base:1.0\"><capabilities><capability>urn:ietf:params:netconf:base:1.0\
                     </capability></capabilities><session-id>1</session-id></hello>]]>]]>";
        stream.write_all(hello.as_bytes()).unwrap();
        let _ = stream.read(&mut [0; 1]).unwrap();
        // What the other end sends is read meanwhile; its end is an end.
        stream.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
        while !matches!(stream.read(&mut [0; 64]), Ok(0)) && stream.write_all(b" ").is_ok() {}
    }

    /// Two such devices hold off neither each other nor a deployment's end, and a check ends as well.
    #[tokio::test]
    async fn a_device_that_drips_is_left_at_its_deadline() {
        let folder = tempfile::tempdir().unwrap();
        let directory = Directory::at(folder.path().join("rbac"));
        directory.init().unwrap();
        let held = directory.hold(&mut || {}).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("netconf+tcp://{}", listener.local_addr().unwrap());
        let accepting = std::thread::spawn(move || {
            for _ in 0..4 {
                let (stream, _) = listener.accept().unwrap();
                std::thread::spawn(move || drip(stream));
            }
        });
        let devices = || {
            let device = |called| Device {
                name: name(called),
                address: address.clone(),
                target: Ok(NetconfTarget::parse(&address, &Defaults::default()).unwrap()),
            };
            vec![device("r1"), device("r2")]
        };
        let options = Options {
            parallel: 2,
            timeout: Duration::from_secs(600),
            deadline: Duration::from_millis(300),
            whole: false,
        };
        let (authority, mut words) = (some(), Vec::new());
        let content = Content::of(&authority, at(0));
        let report = |outcome: &Outcome| words.push(outcome.ended.clone().unwrap_err());
        let totals = deploy(&held, &content, devices(), options, Instant::now(), report).await.unwrap();
        assert_eq!((totals.pending, totals.acknowledged), (2, 0));
        assert_eq!(words, ["it has not done all of it within 0.3 s"; 2]);
        let mut checked = Vec::new();
        let report = |one: &crate::Checked| checked.push(one.found.as_ref().unwrap_err().clone());
        crate::check(&held, &authority, devices(), options, report).await.unwrap();
        assert_eq!(checked, ["it has not done all of it within 0.3 s"; 2]);
        accepting.join().unwrap();
    }

    #[test]
    fn the_whole_time_follows_from_the_silence() {
        let whole = |seconds| Options::whole_time(Duration::from_secs(seconds)).as_secs();
        assert_eq!([whole(0), whole(1), whole(10), whole(60)], [15, 15, 60, 360]);
    }

    #[test]
    fn clocks_that_differ_are_reported() {
        assert_eq!(apart(at(100), at(105)), None);
        assert_eq!(apart(at(105), at(100)), None);
        let words = "its clock is 600 s behind the authority's: the grace ends 600 s later there";
        assert_eq!(apart(at(0), at(600)).as_deref(), Some(words));
        let words = "its clock is 30 s ahead of the authority's: the grace ends 30 s earlier there";
        assert_eq!(apart(at(30), at(0)).as_deref(), Some(words));
    }
}
