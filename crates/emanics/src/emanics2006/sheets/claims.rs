//! What the deliverable claims in section 3, and what this run finds.

use trunkline_labkit::claims::{AS_LARGE, Claim, Now, Relation, ThenAndNow, Verdict};
use trunkline_labkit::picked::over;
use trunkline_labkit::reading::Quantity;
use trunkline_labkit::trial::Trials;

use super::inside::alike;
use super::{MS, RATES, SERIES, TABLE_3_2, inside, mean, packing, revocation, whole};
use crate::emanics2006::inside::{CHECKS, COMPRESSION, DEFAULT, ENCRYPTED_COMPRESSED, SUBTREE, XPATH};
use crate::emanics2006::packing::{Cipher, LEVELS};
use crate::emanics2006::paper;
use crate::emanics2006::prepare::Way;
use crate::emanics2006::revocation::{LAST_ACKNOWLEDGEMENT, LAST_REFUSAL};

pub(super) fn then_and_now(trials: &Trials) -> ThenAndNow {
    let mut claims = crate::emanics2006::section_2::claims(trials);
    claims.extend(packing_first(trials));
    claims.extend(shares(trials));
    claims.extend(schema(trials));
    claims.extend(selection(trials));
    claims.extend(series(trials));
    let break_even = crate::marinov2006::claims::break_even(trials);
    claims.extend(break_even.into_iter().map(|claim| claim.numbered("C8", "break-even")));
    claims.extend(selected_before(trials));
    claims.push(protected(trials));
    claims.extend(selection_share(trials));
    claims.extend(response_times(trials));
    claims.extend(revoked(trials));
    claims.extend(crate::emanics2006::section_6::claims(trials));
    ThenAndNow {
        is_ours: false,
        id: "emanics2006/claims".into(),
        asked: "What do NETCONF, filters, access control by roles, encryption and compression of its messages cost an agent; how late are the answers of a group of agents; and what do managers in the middle and delegation save?"
            .into(),
        found: "Protection of all kinds takes about a fifth of the processing time, subtree filters and XPath about the same, and from a size on it is \
                faster to compress before encrypting. A realistic configuration of BGP is there after around 200 ms; checking each message with an XML Schema takes more than 600 ms. From 350 agents that one manager asks by JMX each second, some are late, as a Weibull distribution of their mean delays foretells. What one center polls grows with its network; what is delegated saves bandwidth, and takes the processors of the devices."
            .into(),
        today: today(trials),
        basis: "Figures of this run are means, as in the deliverable. Claims over several requests: C2 to C6 divide sums (C5 and C6 over the \
                ten pairs of table-3.3 that select the same data), in which a long request counts for more; the shares of phases in a request are means of \
                the shares of twenty requests, in which each counts alike."
            .into(),
        claims,
        drawing: None,
    }
}

/// C1: section 3.3, at each level and with each cipher of the sheet.
fn packing_first(trials: &Trials) -> Vec<Claim> {
    let of = |level, cipher: Cipher| {
        let agents = if level == AGENTS_LEVEL { ", the agent's level" } else { "" };
        let text = format!(
            "a MB, a size of ours, takes less time compressed (zlib {level}{agents}) and then encrypted ({}) than only encrypted",
            cipher.name()
        );
        Claim::new(text, "x", Relation::Below(1.0))
            .numbered("C1", "section-3.3")
            .found(packing::ratio_at_most(trials, level, cipher).as_ref())
            .because(
                Verdict::Reversed,
                "processors have instructions for AES: compression at this level takes longer than what it saves",
            )
    };
    LEVELS.into_iter().flat_map(|level| Cipher::ALL.map(|cipher| of(level, cipher))).collect()
}

/// C2, C3: section 3.2.
fn shares(trials: &Trials) -> Vec<Claim> {
    let places: Vec<u32> = (1..=paper::FIGURE_3_2_REQUESTS).collect();
    let access = inside::share_of_all(trials, DEFAULT, &["access"], &places);
    let protection = ["access", "encrypt", "sign", "decrypt", "verify", "deflate", "inflate"];
    let all = inside::share_of_all(trials, ENCRYPTED_COMPRESSED, &protection, &places);
    // An answer that is too short to be compressed says nothing of compression.
    let compressed: Vec<u32> =
        places.iter().copied().filter(|&at| inside::is_compressed(trials, COMPRESSION, at)).collect();
    let compression = inside::share_of_all(trials, COMPRESSION, &["deflate", "inflate"], &compressed);
    vec![
        Claim::new("compression and decompression are insignificant in requests whose answers are compressed (border of ours: a tenth of the processing time)", "%", Relation::Below(10.0))
            .numbered("C2", "figure-3.2")
            .found(compression.as_ref()),
        Claim::new("all protection together has a share of the processing time", "%", Relation::Above(0.0))
            .numbered("C3", "figure-3.2")
            .then(paper::PROTECTION_SHARE)
            .found(all.as_ref())
            .because(Verdict::Stronger, "the rest of a request has become cheaper than ciphers have"),
        Claim::new("access control has a share of the processing time", "%", Relation::Above(0.0))
            .numbered("C3", "figure-3.2")
            .then(paper::RBAC_SHARE)
            .found(access.as_ref())
            .because(Verdict::Weaker, "rights are compiled when the policy changes, not for each request")
            .because(
                Verdict::Stronger,
                "of a configuration each node is checked, and the rest of a request has become cheaper",
            ),
    ]
}

/// C4: section 3.2.
fn schema(trials: &Trials) -> Vec<Claim> {
    let [_, (ours, _), (libxml, _)] = CHECKS;
    let times = |text: &str, check: &str| {
        Claim::new(text, "x", Relation::Above(1.0))
            .numbered("C4", "schema")
            .then(paper::SCHEMA_FACTOR)
            .found(inside::schema_times(trials, check).as_ref())
            .because(Verdict::Weaker, "the schema is read once, and checking is compiled code")
    };
    vec![
        times("validation by an XML Schema makes the processing time longer", libxml),
        times("so does validation by the agent's own schema", ours),
    ]
}

/// C7: section 3.5.
fn series(trials: &Trials) -> Vec<Claim> {
    let lasting = |way: Way| {
        let length = trials.places(SERIES, Quantity::SeriesNs).last().copied().unwrap_or(0);
        mean(trials, SERIES, &way.name(), length, Quantity::SeriesNs, 1.0)
    };
    let beside = over(lasting(Way::SSH).as_ref(), lasting(Way::THEN).as_ref());
    let [ssh, encryption] = paper::SERIES_S;
    let of = |text: String, relation| {
        let claim = Claim::new(text, "x", relation).numbered("C7", "section-3.5");
        claim.then(ssh / encryption).found(beside.as_ref())
    };
    vec![
        of(
            format!(
                "a series over SSH and with XML-Encryption takes quite similar times (border of ours: a factor of {AS_LARGE})"
            ),
            Relation::Alike(AS_LARGE),
        ),
        of("a series over SSH takes longer than with XML-Encryption".into(), Relation::Above(1.0))
            .because(Verdict::NotResolved, ALIKE),
    ]
}

/// Section 3.2: requests per second.
fn protected(trials: &Trials) -> Claim {
    let rate = |way: Way| mean(trials, RATES, &way.name(), 0, Quantity::Rate, 1.0);
    let ratio = over(rate(Way::THEN_ZLIB).as_ref(), rate(Way::PLAIN).as_ref());
    let [plain, protected] = paper::REQUESTS_PER_SECOND;
    let text = "with all protection an agent answers fewer requests per second than with none";
    Claim::new(text, "x", Relation::Below(1.0)).then(protected / plain).found(ratio.as_ref())
}

/// C5, C6: section 3.4.
fn selection(trials: &Trials) -> Vec<Claim> {
    let [subtree, xpath] = [SUBTREE, XPATH].map(|way| inside::mean_selection(trials, way));
    let longer = over(xpath.as_ref(), subtree.as_ref());
    let shorter = inside::request_octets(trials).map(|ratio| Now::exact(ratio, alike().count()));
    let then = paper::mean(&paper::XPATH_US) / paper::mean(&paper::SUBTREE_US);
    let of = |text: String, relation| {
        Claim::new(text, "x", relation).numbered("C5", "table-3.3").then(then).found(longer.as_ref())
    };
    vec![
        of(
            format!(
                "selection by XPath and by subtree filters takes similar times (border of ours: a factor of {AS_LARGE})"
            ),
            Relation::Alike(AS_LARGE),
        ),
        of("selection by XPath takes longer than by subtree filters".into(), Relation::Above(1.0))
            .because(Verdict::NotResolved, ALIKE)
            .because(
                Verdict::Stronger,
                "an expression beyond a path is evaluated over all that it could look at",
            ),
        Claim::new("requests with XPath are shorter than with subtree filters", "x", Relation::Below(1.0))
            .numbered("C6", "table-3.3")
            .now(shorter),
    ]
}

/// Section 3.4.
fn selection_share(trials: &Trials) -> Vec<Claim> {
    let below = |what: &str, some: &[&str]| {
        let text = format!(
            "a request takes much longer than {what} (border of ours: that is less than half of the processing time)"
        );
        Claim::new(text, "%", Relation::Below(50.0)).found(inside::mean_share(trials, some).as_ref())
    };
    vec![
        below("its phase filter alone", &["filter"]),
        below("its phases filter and retrieve, which finds the data", &inside::SELECTION),
    ]
}

/// C9: section 5.1.
fn selected_before(trials: &Trials) -> Vec<Claim> {
    let beside = |text: &str, quantity| {
        let found = whole::document_over_agent(trials, quantity);
        let of = whole::largest(trials).map_or_else(String::new, |of| format!(", {of}"));
        Claim::new(format!("{text}{of}"), "x", Relation::Above(1.0))
            .numbered("C9", "section-5")
            .found(found.as_ref())
    };
    vec![
        beside(
            "XPath over the finished SOAP body takes longer than selecting before it is made",
            Quantity::DelayNs,
        ),
        beside("it takes more memory of the agent", Quantity::Dynamic),
    ]
}

/// Section 3.1: the exchange of keys "must be fast", above all for a revocation; how fast is not said.
fn revoked(trials: &Trials) -> Vec<Claim> {
    let within = |size: u32| {
        let refused = format!(
            "a role that is taken from a user is refused by {size} devices within a second (border of ours: the deliverable says that it must be fast)"
        );
        let acknowledged = format!(
            "the last of {size} devices acknowledges it within a second (border of ours: its start as a process is not in it)"
        );
        [(refused, LAST_REFUSAL), (acknowledged, LAST_ACKNOWLEDGEMENT)].map(|(text, series)| {
            let found = revocation::until(trials, series, size);
            Claim::new(text, "s", Relation::Below(1.0)).found(found.as_ref()).because(
                Verdict::Reversed,
                "a device has the keys on its disk before it acknowledges, and all devices of a run share the disk and the processors",
            )
        })
    };
    [100, 1000].into_iter().flat_map(within).collect()
}

/// Table 3.2.
fn response_times(trials: &Trials) -> Vec<Claim> {
    let [interfaces, _, bgp, _, sample] = paper::TABLE_3_2;
    let delay = |name: &str| mean(trials, TABLE_3_2, name, 0, Quantity::DelayNs, MS);
    let beside = |text: &str, (one, then_one): (&str, f64), (other, then_other): (&str, f64)| {
        let now = over(delay(one).as_ref(), delay(other).as_ref());
        Claim::new(text, "x", Relation::Above(1.0)).then(then_one / then_other).found(now.as_ref())
    };
    vec![
        beside("a realistic configuration of BGP takes longer than a sample", bgp, sample),
        beside("a realistic configuration of BGP takes longer than the interfaces", bgp, interfaces),
    ]
}

/// Where the deliverable itself says that there is little between two.
const ALIKE: &str = "they are about the same, as the deliverable says";

/// What compression before encryption does with messages of a MB, at each level.
fn packed(trials: &Trials) -> Option<String> {
    let at = |level: u32| {
        let of = |cipher: Cipher, by: &str| {
            packing::ratio_at_most(trials, level, cipher).map(|it| format!("{} times {by}", Now::from(&it)))
        };
        let messages = [
            of(Cipher::MessageThen, "by AES-128-CBC and HMAC-SHA1"),
            of(Cipher::MessageNow, "by AES-128-GCM and HMAC-SHA256"),
        ];
        let messages: Vec<String> = messages.into_iter().flatten().collect();
        let whose = if level == AGENTS_LEVEL { ", the agent's," } else { "" };
        (!messages.is_empty()).then(|| format!("at level {level}{whose} {}", messages.join(" and ")))
    };
    let levels: Vec<String> = LEVELS.into_iter().filter_map(at).collect();
    (!levels.is_empty()).then(|| {
        let levels = levels.join("; ");
        format!(
            "beside a message of a MB that is only encrypted, one that zlib compresses before takes {levels}"
        )
    })
}

/// The level of zlib at which the agent compresses (docs/netconf.md).
const AGENTS_LEVEL: u32 = 1;

/// The sentence about this run.
fn today(trials: &Trials) -> String {
    let [_, _, (bgp, then), ..] = paper::TABLE_3_2;
    let parts = [
        mean(trials, TABLE_3_2, bgp, 0, Quantity::DelayNs, MS).map(|it| {
            format!("a realistic configuration of BGP is there after {} ms ({then} then)", Now::from(&it))
        }),
        inside::share_of_all(
            trials,
            DEFAULT,
            &["access"],
            &(1..=paper::FIGURE_3_2_REQUESTS).collect::<Vec<u32>>(),
        )
        .map(|it| format!("access control takes {} % of the processing time", Now::from(&it))),
        packed(trials),
    ];
    let parts: Vec<String> = parts
        .into_iter()
        .flatten()
        .chain(crate::emanics2006::section_2::today(trials))
        .chain(crate::emanics2006::section_6::today(trials))
        .collect();
    match parts[..] {
        [] => {
            "This run measured none of the tables that answer it (table-3.2, figure-3.2, section-3.3, saturation).".into()
        }
        _ => trunkline_labkit::claims::sentence(&parts.join("; ")),
    }
}
