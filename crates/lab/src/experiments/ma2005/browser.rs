//! Table 3 and figures 6 and 7: a browser between a person and the agent. The paper's had a Java applet that spoke SOAP with a
//! servlet, which asked the agent by SNMP; ours has a page that the agent serves, and asks the agent itself.
//!
//! An initial load is that of a browser that has just been started: from going to the page until it shows sysContact.
//! A transaction is one get of sysContact by a script in the page that is there already, until the value stands in it.
//! Each is timed twice: by the packets on the link, as the paper's, and by the page's clock.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fastrand::Rng;
use serde_json::Value;

use trunkline_labkit::browser::{Browser, BrowserError};
use trunkline_labkit::chapter::Chapter;
use trunkline_labkit::doubt::Doubt;
use trunkline_labkit::error::Error;
use trunkline_labkit::keyring::{PASSWORD, USER};
use trunkline_labkit::ledger::Ledger;
use trunkline_labkit::meter::elf;
use trunkline_labkit::place::link::{Link, LinkSpec, Traffic};
use trunkline_labkit::reading::Quantity;
use trunkline_labkit::schedule::{captured_since, length};
use trunkline_labkit::stage::{Role, Stage, Stand};
use trunkline_labkit::subject::{CONTACT, Equipped};
use trunkline_labkit::transport::Transport;

use super::{FRONT, Options, paper};

/// What a browser does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// It has just been started.
    Initial,
    /// A get by RESTCONF, in JSON.
    Restconf,
    /// A get by SOAP, as in the paper.
    Soap,
}

impl Way {
    pub(super) const ALL: [Way; 3] = [Way::Initial, Way::Soap, Way::Restconf];

    /// The name of its series.
    pub(super) fn series(self, is_https: bool) -> String {
        let way = match self {
            Way::Initial => "initial load",
            Way::Restconf => "RESTCONF",
            Way::Soap => "SOAP",
        };
        format!("{way}, {}", if is_https { "HTTPS" } else { "HTTP" })
    }
}

/// One run of a way.
struct Taken {
    /// By the page's clock.
    whole_ns: f64,
    http_ns: f64,
    /// By the capture of the link.
    wire_ns: Option<u64>,
    traffic: Traffic,
}

/// The link as it was before something is done.
struct Before {
    traffic: Traffic,
    /// The octets of the capture.
    captured: Option<u64>,
}

/// Initial loads, then transactions in a page that is there.
pub(super) fn measure(chapter: &mut Chapter<'_, Options>) -> Result<(), Error> {
    let Chapter { choice, stage, ledger, .. } = chapter;
    let loads = choice.rounds(paper::INITIAL_SAMPLES, QUICK_LOADS);
    let rounds = choice.rounds(paper::PRELOADED_SAMPLES, QUICK_TRANSACTIONS);
    if loads < paper::INITIAL_SAMPLES || rounds < paper::PRELOADED_SAMPLES {
        let how = format!(
            "{loads} initial loads and {rounds} transactions of each kind; the paper has {} and {}",
            paper::INITIAL_SAMPLES,
            paper::PRELOADED_SAMPLES
        );
        ledger.doubt(Doubt::Shortened { table: FRONT.into(), how })?;
    }
    let left_out = |what: &str, reason: String, ledger: &mut Ledger| {
        // Who ends a run ends its browser and agents: then nothing of theirs is the reason.
        if ledger.is_interrupted() {
            return Ok(());
        }
        ledger.doubt(Doubt::LeftOut { table: FRONT.into(), what: what.into(), reason })
    };
    if !stage.stand(Stand::Link)? {
        return left_out("the browser", "packets are counted on the emulated link".into(), ledger);
    }
    let (Some(link), Some(agent)) = (stage.link(), stage.agent(Role::Browser)) else {
        return left_out("the browser", "there is no agent with the page for browsers".into(), ledger);
    };
    if let Err(error) = Browser::find() {
        return left_out("the browser", error.to_string(), ledger);
    }
    link.set(LinkSpec::default());
    let wire = Wire { link, capture: ledger.capture.clone() };
    let mut is_measured = false;
    for is_https in [false, true] {
        let site = match Site::of(stage, agent, is_https) {
            Ok(site) => site,
            Err(reason) => {
                left_out(if is_https { "HTTPS" } else { "HTTP" }, reason, ledger)?;
                continue;
            }
        };
        for round in 0..=loads {
            if ledger.is_interrupted() {
                return Ok(());
            }
            ledger.progress.inc(1);
            match site.initial_load(&wire) {
                Ok(taken) => {
                    is_measured = true;
                    note(&Way::Initial.series(is_https), round, &taken, ledger)?;
                }
                Err(error) => {
                    left_out(&Way::Initial.series(is_https), error.to_string(), ledger)?;
                    break;
                }
            }
        }
        if let Err(error) = transactions(&site, &wire, agent, rounds, ledger)? {
            left_out("transactions", error.to_string(), ledger)?;
        }
    }
    // Of an agent that no browser has used there is nothing to say.
    if is_measured { note_size(agent, ledger) } else { Ok(()) }
}

/// Both kinds in turn, in an order drawn anew in each round.
fn transactions(
    site: &Site,
    wire: &Wire<'_>,
    agent: &Equipped,
    rounds: u32,
    ledger: &mut Ledger,
) -> Result<Result<(), BrowserError>, Error> {
    let mut page = match site.page() {
        Ok(page) => page,
        Err(error) => return Ok(Err(error)),
    };
    let mut random = Rng::with_seed(ledger.seed);
    let mut order = [Way::Soap, Way::Restconf];
    for round in 0..=rounds {
        random.shuffle(&mut order);
        for way in order {
            if ledger.is_interrupted() {
                return Ok(Ok(()));
            }
            ledger.progress.inc(1);
            match site.transaction(&mut page, way, wire) {
                Ok(taken) => note(&way.series(site.is_https), round, &taken, ledger)?,
                Err(error) => return Ok(Err(error)),
            }
        }
        note_resident(agent, site.is_https, round, ledger)?;
    }
    Ok(Ok(()))
}

fn note(series: &str, round: u32, taken: &Taken, ledger: &mut Ledger) -> Result<(), Error> {
    let figures = [
        (Quantity::DelayNs, taken.whole_ns),
        (Quantity::HttpNs, taken.http_ns),
        (Quantity::Packets, taken.traffic.packets as f64),
        (Quantity::IpOctets, taken.traffic.ip_octets as f64),
    ];
    let by_capture = taken.wire_ns.map(|ns| (Quantity::WireNs, ns as f64));
    figures
        .into_iter()
        .chain(by_capture)
        .try_for_each(|(quantity, figure)| ledger.reading(FRONT, series, 1, quantity, round, figure))
}

/// The agent's file, which is all that there is on the server's side.
fn note_size(agent: &Equipped, ledger: &mut Ledger) -> Result<(), Error> {
    if let Ok(sections) = elf::sections(&PathBuf::from(format!("/proc/{}/exe", agent.pid()))) {
        // Without debug information, as it is installed.
        let octets: u64 =
            sections.iter().filter(|it| it.is_loaded && it.is_in_file).map(|it| it.octets).sum();
        ledger.reading(FRONT, FOOTPRINT, 1, Quantity::FileOctets, 1, octets as f64)?;
    }
    Ok(())
}

/// The agent's memory, after a round of transactions.
fn note_resident(agent: &Equipped, is_https: bool, round: u32, ledger: &mut Ledger) -> Result<(), Error> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", agent.pid())).unwrap_or_default();
    let resident =
        status.lines().find_map(|line| line.strip_prefix("VmRSS:")?.trim().strip_suffix(" kB")?.parse().ok());
    if let Some(kilo) = resident {
        let kilo: f64 = kilo;
        let series = self::resident(is_https);
        ledger.reading(FRONT, &series, 1, Quantity::Resident, round, kilo * 1024.0)?;
    }
    Ok(())
}

/// The agent's page, over one of the two transports.
struct Site {
    is_https: bool,
    base: String,
    /// The cookie of a session that is logged in.
    cookie: (String, String),
}

impl Site {
    fn of(stage: &Stage, agent: &Equipped, is_https: bool) -> Result<Site, String> {
        let transport = if is_https { Transport::Https } else { Transport::Http };
        let host = stage.http(Role::Browser, Stand::Link).ok_or("the agent does not listen for HTTP")?;
        let port =
            agent.port(transport).ok_or_else(|| format!("the agent does not listen for {transport}"))?;
        let (scheme, prefix) = if is_https { ("https", "__Host-") } else { ("http", "") };
        let base = format!("{scheme}://{}", SocketAddr::new(host.ip(), port));
        let mut site = Site { is_https, base, cookie: (format!("{prefix}trunkline-{port}"), String::new()) };
        site.cookie.1 = site.log_in().map_err(|error| format!("no login: {error}"))?;
        Ok(site)
    }

    /// Logs in by the page's form; the secret of the session.
    fn log_in(&self) -> Result<String, BrowserError> {
        let mut browser = self.browser()?;
        browser.go(&format!("{}/browser/login", self.base))?;
        browser.wait_until("document.readyState == 'complete'")?;
        let fill = |name: &str, value: &str| {
            format!("document.querySelector('input[name={name}]').value = '{value}';")
        };
        let script =
            fill("name", USER) + &fill("password", PASSWORD) + "document.querySelector('form').submit()";
        browser.evaluate(&script)?;
        browser.wait_until("document.querySelector('#main') != null")?;
        let cookie = browser.cookie(&self.base, &self.cookie.0)?;
        cookie.ok_or_else(|| BrowserError::Silent { what: "the login".into() })
    }

    /// A browser that has just been started, with the session.
    fn browser(&self) -> Result<Browser, BrowserError> {
        let mut browser = Browser::start()?;
        if self.is_https {
            browser.accept_any_certificate()?;
        }
        let (name, value) = &self.cookie;
        if !value.is_empty() {
            browser.set_cookie(&self.base, name, value)?;
        }
        Ok(browser)
    }

    fn initial_load(&self, wire: &Wire<'_>) -> Result<Taken, BrowserError> {
        let mut browser = self.browser()?;
        let before = wire.before();
        browser.go(&format!("{}/browser/", self.base))?;
        let shown = browser.evaluate(&SHOWN.replace("TEXT", CONTACT))?;
        // Answers to what it has requested are part of it; that its connections are closed, with the browser, is not.
        Ok(wire.taken(&shown, &before, QUIET_AFTER_LOAD))
    }

    /// A browser with a page of the agent's origin that asks for nothing of its own accord.
    fn page(&self) -> Result<Browser, BrowserError> {
        let mut browser = self.browser()?;
        browser.go(&format!("{}/browser/plain/", self.base))?;
        browser.wait_until("document.readyState == 'complete'")?;
        browser.evaluate(PREPARED)?;
        Ok(browser)
    }

    fn transaction(&self, page: &mut Browser, way: Way, wire: &Wire<'_>) -> Result<Taken, BrowserError> {
        let before = wire.before();
        let script = if way == Way::Soap { "bySoap()" } else { "byRestconf()" };
        let told = page.evaluate(script)?;
        if told[2] != CONTACT {
            let reason = format!("it shows {}", told[2]);
            return Err(BrowserError::Refused { what: script.into(), reason });
        }
        Ok(wire.taken(&told, &before, QUIET))
    }
}

/// The link, and the file of its packets.
struct Wire<'a> {
    link: &'a Link,
    capture: Option<PathBuf>,
}

impl Wire<'_> {
    fn before(&self) -> Before {
        Before { traffic: self.quiet(QUIET), captured: self.captured().map(length) }
    }

    /// What was done since then, with the milliseconds that a script has told.
    fn taken(&self, told: &Value, before: &Before, least: Duration) -> Taken {
        let ns = |at: usize| told[at].as_f64().unwrap_or(f64::NAN) * 1e6;
        let traffic = self.quiet(least) - before.traffic;
        let captured = self.captured().zip(before.captured);
        let wire_ns = captured.and_then(|(path, from)| captured_since(path, from).ok()?.data_ns);
        Taken { whole_ns: ns(0), http_ns: ns(1), wire_ns, traffic }
    }

    /// The capture, with all packets so far.
    fn captured(&self) -> Option<&Path> {
        self.capture.as_deref().filter(|_| self.link.flush().is_ok())
    }

    /// The traffic once nothing more follows for so long: acknowledgements are late by up to 40 ms.
    fn quiet(&self, least: Duration) -> Traffic {
        let until = Instant::now() + QUIET_WITHIN;
        let mut counts = self.link.counts();
        loop {
            std::thread::sleep(least);
            let now = self.link.counts();
            if now == counts || Instant::now() > until {
                return now.at_manager();
            }
            counts = now;
        }
    }
}

/// Waits until the page shows a text. From the start of the navigation until then, and the part between the first request's
/// start and the last answer's end, in milliseconds.
const SHOWN: &str = r#"new Promise(done => {
    const end = () => {
        const whole = performance.now();
        const [page] = performance.getEntriesByType("navigation");
        const ends = performance.getEntriesByType("resource").map(it => it.responseEnd);
        done([whole, Math.max(page.responseEnd, ...ends) - page.requestStart]);
    };
    const see = () => document.body?.innerText.includes("TEXT");
    if (see()) return end();
    const watch = new MutationObserver(() => {
        if (see()) {
            watch.disconnect();
            end();
        }
    });
    watch.observe(document, { subtree: true, childList: true, characterData: true });
})"#;

/// The two ways, as functions of the page.
const PREPARED: &str = r#"(async () => {
    const place = document.body.appendChild(document.createElement("p"));
    const { token } = await (await fetch("/browser/session")).json();
    const told = async (begun, text) => {
        place.textContent = text;
        const whole = performance.now() - begun;
        // The entry follows its answer.
        await new Promise(done => setTimeout(done, 5));
        const entry = performance.getEntriesByType("resource").at(-1);
        performance.clearResourceTimings();
        return [whole, entry.responseEnd - entry.requestStart, text];
    };
    performance.clearResourceTimings();
    globalThis.byRestconf = async () => {
        const begun = performance.now();
        const answer = await fetch("/restconf/data/SNMPv2-MIB:SNMPv2-MIB/system/sysContact", {
            headers: { accept: "application/yang-data+json" },
            cache: "no-store",
        });
        return told(begun, (await answer.json())["SNMPv2-MIB:sysContact"]);
    };
    const envelope = "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body>"
        + "<Get xmlns='urn:trunkline:soap'><name>sysContact.0</name></Get></e:Body></e:Envelope>";
    globalThis.bySoap = () => new Promise((done, failed) => {
        const begun = performance.now();
        const request = new XMLHttpRequest();
        request.open("POST", "/soap");
        request.setRequestHeader("content-type", "text/xml; charset=utf-8");
        request.setRequestHeader("soapaction", '""');
        request.setRequestHeader("trunkline-token", token ?? "");
        request.onerror = () => failed(new Error("no answer"));
        request.onload = () => {
            const value = request.responseXML?.querySelector("text, octets");
            done(told(begun, value ? value.textContent : request.status + " " + request.responseText));
        };
        request.send(envelope);
    });
})()"#;

/// The series of the agent's memory after transactions.
pub(super) fn resident(is_https: bool) -> String {
    format!("{FOOTPRINT}, {}", if is_https { "HTTPS" } else { "HTTP" })
}

/// What the server's side takes, among the series.
pub(super) const FOOTPRINT: &str = "the agent";
const QUICK_LOADS: u32 = 3;
const QUICK_TRANSACTIONS: u32 = 10;
const QUIET: Duration = Duration::from_millis(60);
/// Once a page is there, answers may still follow that its scripts have requested.
const QUIET_AFTER_LOAD: Duration = Duration::from_millis(300);
const QUIET_WITHIN: Duration = Duration::from_secs(5);
