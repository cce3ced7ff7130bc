//! What the deliverable claims in section 3, and what this run finds.

use trunkline_labkit::claims::{Claim, Now, Relation, ThenAndNow, Verdict};
use trunkline_labkit::estimate::Estimate;
use trunkline_labkit::picked::over;
use trunkline_labkit::reading::Quantity;
use trunkline_labkit::trial::Trials;

use super::{MS, RATES, SERIES, TABLE_3_2, inside, mean, packing, revocation, whole};
use crate::emanics2006::inside::{CHECKS, COMPRESSION, DEFAULT, ENCRYPTED_COMPRESSED, SUBTREE, XPATH};
use crate::emanics2006::packing::Cipher;
use crate::emanics2006::paper;
use crate::emanics2006::prepare::Way;

pub(super) fn then_and_now(trials: &Trials) -> ThenAndNow {
    let mut claims = packing_first(trials);
    claims.extend(shares(trials));
    claims.extend(schema(trials));
    claims.extend(selection(trials));
    claims.push(series(trials));
    let break_even = crate::marinov2006::claims::break_even(trials);
    claims.extend(break_even.into_iter().map(|claim| claim.numbered("C8", "break-even")));
    claims.extend(selected_before(trials));
    claims.push(protected(trials));
    claims.push(selection_share(trials));
    claims.extend(response_times(trials));
    claims.extend(revoked(trials));
    claims.extend(crate::emanics2006::section_6::claims(trials));
    ThenAndNow {
        id: "emanics2006/claims".into(),
        asked: "What do NETCONF, filters, access control by roles, encryption and compression of its messages cost an agent?".into(),
        found: "Protection of all kinds takes about a fifth of the processing time, subtree filters and XPath about the same, and from a size on it is \
                faster to compress before encrypting. All answers come within a fifth of a second."
            .into(),
        today: today(trials),
        basis: "Figures of this run are means, as in the deliverable.".into(),
        claims,
        drawing: None,
    }
}

/// C1: section 3.3.
fn packing_first(trials: &Trials) -> Vec<Claim> {
    let of = |level, cipher: Cipher| {
        let text = format!(
            "a MB takes less time compressed (zlib {level}) and then encrypted ({}) than only encrypted",
            cipher.name()
        );
        Claim::new(text, "x", Relation::Below(1.0))
            .numbered("C1", "section-3.3")
            .found(packing::ratio_at_most(trials, level, cipher).as_ref())
            .because(
                Verdict::Reversed,
                "processors have instructions for AES: compression takes longer than what it saves",
            )
    };
    vec![
        of(1, Cipher::MessageThen),
        of(6, Cipher::MessageThen),
        of(6, Cipher::MessageNow),
        of(6, Cipher::Aes128Cbc),
        of(6, Cipher::TripleDes),
    ]
}

/// C2, C3: section 3.2.
fn shares(trials: &Trials) -> Vec<Claim> {
    let places: Vec<u32> = (1..=paper::FIGURE_3_2_REQUESTS).collect();
    let access = inside::share_of_all(trials, DEFAULT, &["access"], &places);
    let protection = ["access", "encrypt", "sign", "decrypt", "verify", "deflate", "inflate"];
    let all = inside::share_of_all(trials, ENCRYPTED_COMPRESSED, &protection, &places);
    let compression = inside::share_of_all(trials, COMPRESSION, &["deflate", "inflate"], &places);
    vec![
        Claim::new("compression has less than a tenth of the processing time", "%", Relation::Below(10.0))
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
fn series(trials: &Trials) -> Claim {
    let lasting = |way: Way| {
        let length = trials.places(SERIES, Quantity::SeriesNs).last().copied().unwrap_or(0);
        mean(trials, SERIES, &way.name(), length, Quantity::SeriesNs, 1.0)
    };
    let beside = over(lasting(Way::SSH).as_ref(), lasting(Way::THEN).as_ref());
    let [ssh, encryption] = paper::SERIES_S;
    Claim::new("a series over SSH takes longer than with XML-Encryption", "x", Relation::Above(1.0))
        .numbered("C7", "section-3.5")
        .then(ssh / encryption)
        .found(beside.as_ref())
        .because(Verdict::NotResolved, ALIKE)
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
    let shorter = inside::request_octets(trials).map(|ratio| Now::exact(ratio, 12));
    vec![
        Claim::new("selection by XPath takes longer than by subtree filters", "x", Relation::Above(1.0))
            .numbered("C5", "table-3.3")
            .then(paper::mean(&paper::XPATH_US) / paper::mean(&paper::SUBTREE_US))
            .found(longer.as_ref())
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
fn selection_share(trials: &Trials) -> Claim {
    Claim::new("selection is less than half of the processing time", "%", Relation::Below(50.0))
        .found(inside::mean_share(trials).as_ref())
        .because(
            Verdict::Reversed,
            "the rest has become cheap: reading requests, writing and sending answers",
        )
}

/// C9: section 5.1.
fn selected_before(trials: &Trials) -> Vec<Claim> {
    let beside = |text: &str, quantity| {
        let found = whole::document_over_agent(trials, quantity);
        Claim::new(text, "x", Relation::Above(1.0)).numbered("C9", "section-5").found(found.as_ref())
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
        let text = format!("a role that is taken from a user is refused by {size} devices within a second");
        Claim::new(text, "s", Relation::Below(1.0)).found(revocation::last_refusal(trials, size).as_ref()).because(
            Verdict::Reversed,
            "a device has the keys on its disk before it acknowledges, and all devices of a run share the disk and the processors",
        )
    };
    vec![within(100), within(1000)]
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
        packing::ratio_at_most(trials, 6, Cipher::MessageThen).map(|it: Estimate| {
            format!(
                "a document of a MB takes {} times as long compressed and encrypted as only encrypted",
                Now::from(&it)
            )
        }),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    match parts[..] {
        [] => {
            "This run measured none of the tables that answer it (table-3.2, figure-3.2, section-3.3).".into()
        }
        _ => trunkline_labkit::claims::sentence(&parts.join("; ")),
    }
}
