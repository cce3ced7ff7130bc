//! What the paper claims, and what this run finds.

use crate::experiments::pras2005::header::PROTOCOLS;
use crate::experiments::pras2005::memory::SNMPD;
use crate::experiments::pras2005::paper::{HEADER_ESTIMATE, HEADER_V3, TABLE_1, TABLE_2, told};
use crate::experiments::pras2005::services::{Form, GSOAP, of_snmp, of_web};
use trunkline_labkit::block::Operation;
use trunkline_labkit::claims::Verdict::{DirectionHolds, Reversed, Stronger, Weaker};
use trunkline_labkit::claims::{Claim, Now, Relation, ThenAndNow};
use trunkline_labkit::estimate::Estimate;
use trunkline_labkit::reading::{Quantity, Readings};
use trunkline_labkit::report::figure::{Axis, Figure, Line, Panel, Point, Scale, Stroke};
use trunkline_labkit::report::palette;
use trunkline_labkit::report::text::three_digits;
use trunkline_labkit::subject::Freshness;
use trunkline_labkit::trial::Trials;

use super::super::{CODING, OURS, RETRIEVAL};
use super::coding::{self, coding, packing, retrieval, xml_over_ber};
use super::lines;
use super::services::{by_library, objects, over, row};
use super::{delay, distributions, header, many, memory, nearest, traffic};

/// The paper's page.
pub(super) fn then_and_now(trials: &Trials) -> ThenAndNow {
    let parts = [
        of_octets(trials),
        of_compression(trials),
        of_coding(trials),
        of_retrieval(trials),
        of_memory(trials),
        of_delay(trials),
    ];
    ThenAndNow {
        is_ours: false,
        id: "pras2005/claims".into(),
        asked: "Do web services cost more than SNMP to fetch ifTable, in octets, time and memory, and from how many objects on?".into(),
        found: "For a single object SNMP costs less. From 70 objects on, compressed web services take fewer octets. Retrieving the data \
                takes more time than coding them, in BER at any number of objects, in XML up to 180. Delays are comparable."
            .into(),
        today: today(trials),
        basis: "Times to code and to retrieve are medians; delays the least of ten, as in the paper, and of many such tens the median."
            .into(),
        claims: parts.into_iter().flatten().collect(),
        drawing: drawing(trials),
    }
}

/// What this run finds, as far as it measured it.
fn today(trials: &Trials) -> String {
    let objects = objects(trials);
    let mut said = Vec::new();
    let at_many = |form, is_compressed| {
        many(&objects).and_then(|at| ratio(trials, form, is_compressed, Operation::GetBulk)[at])
    };
    if let (Some(papers), Some(lean), Some(at)) =
        (at_many(Form::AS_IN_PAPER, false), at_many(Form::LEAN, false), many(&objects))
    {
        said.push(format!(
            "Without compression, {} objects take {} times the octets of GetBulk in the paper's encoding, and {} times in an encoding \
             of lists.",
            objects[at],
            three_digits(papers),
            three_digits(lean)
        ));
    }
    let [crossing, _] = traffic::crossing_of(trials, Form::AS_IN_PAPER, true, Operation::GetBulk);
    match crossing {
        Some(it) if it.at.is_finite() => {
            let level_6 = traffic::crossing_of_library(trials, Form::AS_IN_PAPER, Operation::GetBulk)
                .filter(|it| it.at.is_finite())
                .map_or_else(String::new, |it| format!(", and at level 6 from {:.0} on", it.at));
            said.push(format!(
                "Compressed at level 1, the paper's encoding takes fewer octets than GetBulk from {:.0} objects on{level_6}.",
                it.at
            ));
        }
        Some(_) => {
            said.push("Compressed, the paper's encoding takes more octets than GetBulk throughout.".into())
        }
        None => {}
    }
    let kept = Freshness::ALL.map(|freshness| retrieval_over_coding(trials, freshness, MANY));
    if let [_, Some(request), Some(kept)] = kept {
        said.push(format!(
            "Reading the data again for each request takes {} times as long as coding them in BER; reading them from the cache, {} times.",
            three_digits(request.value()),
            three_digits(kept.value())
        ));
    }
    if said.is_empty() {
        "This run measured none of what the claims are about.".into()
    } else {
        said.join(" ")
    }
}

/// Sections IV.E and IV.F.
fn of_octets(trials: &Trials) -> Vec<Claim> {
    let objects = objects(trials);
    let mut claims = Vec::new();
    let at = |row: Vec<Option<f64>>, at: Option<usize>| counted(at.and_then(|at| row[at]));
    for operation in [Operation::Get, Operation::GetBulk] {
        let ratio = ratio(trials, Form::AS_IN_PAPER, false, operation);
        let text = format!("a single object takes more octets by web services than by {operation}");
        claims.push(Claim::new(text, "x", Relation::Above(1.0)).now(at(ratio, nearest(&objects, 1))));
    }
    for (form, why) in [
        (Form::AS_IN_PAPER, "the same encoding"),
        (Form::TYPED, "shorter tags, and no types in them"),
        (Form::LEAN, "lists without a tag for each value: it is the encoding, not XML"),
    ] {
        for (operation, then) in [(Operation::Get, told::OVER_GET), (Operation::GetBulk, told::OVER_BULK)] {
            let text = format!("many objects take more octets by web services ({form}) than by {operation}");
            let mut claim = Claim::new(text, "x", Relation::Above(1.0)).then(then);
            for verdict in [Weaker, Reversed] {
                claim = claim.because(verdict, why);
            }
            claims.push(claim.now(at(ratio(trials, form, false, operation), many(&objects))));
        }
    }
    let of_header = [Quantity::RequestHeader, Quantity::ResponseHeader]
        .into_iter()
        .filter_map(|quantity| header::header(trials, PROTOCOLS[3], quantity))
        .reduce(f64::max);
    let text = format!(
        "the header of a message of SNMPv3 (at most) takes more than the {HEADER_ESTIMATE} octets of SNMPv1 and v2c"
    );
    let claim =
        Claim::new(text, "octets", Relation::Above(HEADER_ESTIMATE as f64)).then(*HEADER_V3.end() as f64);
    claims.push(claim.now(counted(of_header)));
    for agent in [OURS, SNMPD] {
        let text = format!("most values take 1 to 6 octets ({agent})");
        let claim = Claim::new(text, "%", Relation::Above(50.0)).then(told::VALUES_OF_1_TO_6);
        claims.push(claim.now(counted(distributions::of_1_to_6(trials, agent))));
    }
    claims
}

/// Sections IV.G and IV.H.
fn of_compression(trials: &Trials) -> Vec<Claim> {
    let objects = objects(trials);
    let mut claims = Vec::new();
    let papers = Form::AS_IN_PAPER;
    let plain = row(trials, &of_web(papers, false), &objects);
    for (level, packed) in
        [(1, row(trials, &of_web(papers, true), &objects)), (6, by_library(trials, papers, &objects))]
    {
        let factors = over(&plain, &packed);
        for it in told::COMPRESSION {
            let text = format!("zlib (level {level}) shortens web services, about {}", of(it.objects));
            let now = nearest(&objects, it.objects).and_then(|at| factors[at]);
            claims.push(Claim::new(text, "x", Relation::Above(1.0)).then(it.figure).now(counted(now)));
        }
    }
    for operation in [Operation::Get, Operation::GetBulk] {
        let shares = over(
            &row(trials, &of_snmp(operation, ", OPC"), &objects),
            &row(trials, &of_snmp(operation, ""), &objects),
        );
        let text = format!("OPC saves octets of SNMP ({operation}, many objects)");
        let claim = Claim::new(text, "%", Relation::Above(0.0)).then(100.0 - told::PREFIX_COMPRESSION);
        let saved = many(&objects).and_then(|at| Some((1.0 - shares[at]?) * 100.0));
        claims.push(claim.now(counted(saved)));
    }
    for operation in [Operation::Get, Operation::GetBulk] {
        let [first, at_ip] = traffic::crossing_of(trials, papers, true, operation);
        let sixth = traffic::crossing_of_library(trials, papers, operation);
        for (how, then, found) in [
            ("level 1, application level", told::CROSSING, first),
            ("level 6, application level", told::CROSSING, sixth),
            ("level 1, IP level", traffic::crossing_at_ip(), at_ip),
        ] {
            let text = format!("web services with zlib take fewer octets than {operation}, {how}, from");
            let now = found.map(|it| Now::between(it.at, it.between, 1));
            let claim = Claim::new(text, "objects", Relation::Crosses).then(then).now(now);
            let why = "it lies between the two measured numbers of objects in the interval";
            claims.push(claim.because(DirectionHolds, why));
        }
    }
    claims
}

/// Section V.A, figure 13.
fn of_coding(trials: &Trials) -> Vec<Claim> {
    let objects = coding::objects(trials, CODING, Quantity::CodingNs);
    let mut claims = Vec::new();
    let papers = Form::AS_IN_PAPER;
    for (xml, ber) in told::XML_CODING.into_iter().zip(told::BER_CODING) {
        for form in [papers, Form::LEAN] {
            let found = nearest(&objects, xml.objects)
                .and_then(|at| xml_over_ber(trials, form, &objects)[at].clone());
            let text = format!("coding takes longer in XML ({form}) than in BER, about {}", of(xml.objects));
            let claim = Claim::new(text, "x", Relation::Above(1.0)).then(xml.figure / ber.figure);
            claims.push(claim.found(found.as_ref()));
        }
    }
    let [first, sixth] = packing(trials, papers, &objects);
    let plain = coding(trials, papers, &objects);
    let (least, most) = (told::COMPRESSION_OVER_CODING.start(), told::COMPRESSION_OVER_CODING.end());
    let own = "rows are compressed while they are written, by an encoder that knows their tags";
    for (level, row, why) in [("level 6, as gSOAP", sixth, ""), ("level 1, as our agent", first, own)] {
        let factors = coding::over(&row, &plain);
        let found = many(&objects).and_then(|at| factors[at].clone());
        let text =
            format!("zlib ({level}) takes {least} to {most} times as long as coding in XML, many objects");
        let claim = Claim::new(text, "x", Relation::Above(1.0)).then((least + most) / 2.0);
        claims.push(claim.because(Reversed, why).because(Weaker, why).found(found.as_ref()));
    }
    claims
}

/// Section V.A, figure 14.
fn of_retrieval(trials: &Trials) -> Vec<Claim> {
    let whys = [
        "the kernel is read again for each object, as in Net-SNMP then",
        "the kernel is read once for all objects",
        "nothing is read: the paper's advice, followed",
    ];
    let claim = |(freshness, why): (Freshness, &str)| {
        let text = format!(
            "retrieval ({freshness}) takes longer than coding in BER, about {MANY} objects (then: coding 216, carried on to {MANY})"
        );
        let mut claim = Claim::new(text, "x", Relation::Above(1.0)).then(retrieval_then());
        for verdict in [Weaker, Stronger, Reversed] {
            claim = claim.because(verdict, why);
        }
        claim.found(retrieval_over_coding(trials, freshness, MANY).as_ref())
    };
    let mut claims: Vec<Claim> = Freshness::ALL.into_iter().zip(whys).map(claim).collect();
    let quick = "XML is written faster by more than the kernel answers";
    for (relation, word, papers) in
        [(Relation::Above(1.0), "longer", UP_TO_176), (Relation::Below(1.0), "less long", MANY)]
    {
        let text = format!(
            "retrieval (per-request) takes {word} than coding in XML (as-in-paper), about {papers} objects (then: longer up to 180)"
        );
        let claim = Claim::new(text, "x", relation).because(Reversed, quick);
        claims.push(claim.found(retrieval_over_xml(trials, papers).as_ref()));
    }
    claims
}

/// Retrieval once for each request by coding in XML, in the column nearest to so many objects.
fn retrieval_over_xml(trials: &Trials, papers: u32) -> Option<Estimate> {
    let objects = coding::objects(trials, RETRIEVAL, Quantity::RetrievalNs);
    let at = nearest(&objects, papers)?;
    let retrieved = retrieval(trials, Freshness::PerRequest, &objects);
    Some(retrieved[at].as_ref()? / coding(trials, Form::AS_IN_PAPER, &objects)[at].as_ref()?)
}

/// Section V.B, table I.
fn of_memory(trials: &Trials) -> Vec<Claim> {
    let [snmp, services] = TABLE_1;
    let text =
        "SNMP takes more dynamic memory than web services (as-in-paper), 270 objects, without what is kept";
    let claim = Claim::new(text, "x", Relation::Above(1.0))
        .then(snmp.dynamic_data.1 / services.dynamic_data.1)
        .because(Reversed, "our agent writes SNMP's answer into a buffer that it keeps, where Net-SNMP allocates each variable");
    let [ours, web] =
        [OURS.to_owned(), of_web(Form::AS_IN_PAPER, false)].map(|way| memory::released(trials, &way));
    let found = ours.zip(web).map(|(ours, web)| &ours / &web);
    let text = format!("{SNMPD} has more instructions in memory than {GSOAP}'s server");
    let of_code = Claim::new(text, "x", Relation::Above(1.0))
        .then(snmp.instructions / services.instructions)
        .direction_only("not like with like in size: the paper has the instructions of its prototype, with a table of its own");
    let [snmpd, gsoap] = [SNMPD, GSOAP].map(|program| memory::once(trials, program, Quantity::Instructions));
    let instructions = snmpd.zip(gsoap).map(|(snmpd, gsoap)| &snmpd / &gsoap);
    vec![claim.found(found.as_ref()), of_code.found(instructions.as_ref())]
}

/// 500 ms by 0.8 ms of 216 objects, carried on to 270.
fn retrieval_then() -> Option<f64> {
    let coding = told::told(&told::BER_CODING, 216)? * f64::from(MANY) / 216.0;
    Some(told::told(&told::RETRIEVAL, MANY)? / coding)
}

/// Retrieval under a policy by coding in BER, in the column nearest to so many objects.
fn retrieval_over_coding(trials: &Trials, freshness: Freshness, papers: u32) -> Option<Estimate> {
    let objects = coding::objects(trials, RETRIEVAL, Quantity::RetrievalNs);
    let at = nearest(&objects, papers)?;
    let coding =
        coding::row(trials, CODING, crate::experiments::pras2005::codecs::BER, &objects, Quantity::CodingNs);
    Some(retrieval(trials, freshness, &objects)[at].as_ref()? / coding[at].as_ref()?)
}

/// Section VI.
fn of_delay(trials: &Trials) -> Vec<Claim> {
    let least = |series: &str| delay::row(trials, series, Quantity::DelayNs, Readings::least_of_ten);
    let then =
        |agent: &str| TABLE_2.iter().find(|line| line.agent == agent).and_then(|line| line.milliseconds[3]);
    let papers = Form::AS_IN_PAPER;
    let mut claims = Vec::new();
    for (is_compressed, agent, relation, word) in
        [(false, "WS", Relation::Above(1.0), "more"), (true, "WS-Comp", Relation::Below(1.0), "less")]
    {
        let series = if is_compressed { "compressed web services" } else { "web services" };
        let factor = then(agent).zip(then("SNMP-1")).map(|(web, snmp)| web / snmp);
        for (subject, why) in [
            (OURS, "our agent answers GetBulk from its cache"),
            (SNMPD, "snmpd takes as long for each object as then"),
        ] {
            let found = coding::over(&least(&of_web(papers, is_compressed)), &least(subject));
            let text = format!(
                "{series} take {word} time than GetBulk from {subject}, 270 objects (then: the quickest agent)"
            );
            let claim = Claim::new(text, "x", relation).then(factor).direction_only(OTHER_MACHINES);
            claims.push(claim.because(Reversed, why).found(found[3].as_ref()));
        }
    }
    let first = delay::first_over_others(trials, OURS);
    let text = "the first measurement of SNMP takes longer than the next ones, 66 objects";
    claims.push(Claim::new(text, "x", Relation::Above(1.0)).found(first[2].as_ref()));
    claims
}

/// Octets of web services by those of an operation of SNMP.
fn ratio(trials: &Trials, form: Form, is_compressed: bool, operation: Operation) -> Vec<Option<f64>> {
    let objects = objects(trials);
    over(
        &row(trials, &of_web(form, is_compressed), &objects),
        &row(trials, &of_snmp(operation, ""), &objects),
    )
}

/// Octets of a format do not vary.
fn counted(figure: Option<f64>) -> Option<Now> {
    figure.map(|figure| Now::exact(figure, 1))
}

fn of(objects: u32) -> String {
    if objects == 1 { "1 object".into() } else { format!("{objects} objects") }
}

/// Octets of web services by those of SNMP, and the paper's factors for many objects.
fn drawing(trials: &Trials) -> Option<(Figure, String)> {
    let objects = objects(trials);
    let all =
        [(Form::AS_IN_PAPER, false), (Form::TYPED, false), (Form::LEAN, false), (Form::AS_IN_PAPER, true)];
    let style = |form, is_compressed| {
        let style = lines::style(&of_web(form, false), 0);
        if is_compressed { style.with(Stroke::Dashed) } else { style }
    };
    let point = |(&at, ratio): (&u32, Option<f64>)| Some(Point::at(f64::from(at), ratio?));
    let panel = |(operation, factor): (Operation, f64)| {
        let ends = [MANY_FROM, objects.last().map_or(MANY_FROM, |&last| f64::from(last).max(MANY_FROM))];
        let paper = ends.map(|x| Point::at(x, factor));
        let mut lines = vec![Line::new("the paper's factor for many objects", palette::PAPER, paper)];
        lines.extend(all.map(|(form, is_compressed)| {
            let points = objects.iter().zip(ratio(trials, form, is_compressed, operation)).filter_map(point);
            Line::new(of_web(form, is_compressed), style(form, is_compressed), points)
        }));
        Panel { title: format!("by SNMP {operation}"), lines, ..Panel::default() }
    };
    let panels: Vec<Panel> =
        [(Operation::Get, told::OVER_GET), (Operation::GetBulk, told::OVER_BULK)].map(panel).into();
    let any = panels.iter().any(|panel| panel.lines.iter().skip(1).any(|line| !line.points.is_empty()));
    let figure = Figure {
        title: "Octets of web services by octets of SNMP".into(),
        x: Axis { title: "objects".into(), scale: Scale::Log },
        y: Axis { title: "WS / SNMP".into(), scale: Scale::Log },
        panels,
    };
    let caption = "Octets of request and response of web services by those of SNMP: below 1 web services take fewer. The paper's \
                   factors of 2 (Get) and 4 (GetBulk) are for its encoding and many objects, without compression.";
    any.then(|| (figure, caption.into()))
}

/// Why delays compare by their direction only.
const OTHER_MACHINES: &str =
    "not like with like in size: the paper asks for great care, since its agents ran on different machines";
/// The objects of the paper's figure 14 at its end.
const MANY: u32 = 270;
/// The measured number of objects below the paper's 180, from where on it takes longer to code in XML than to retrieve.
const UP_TO_176: u32 = 176;
/// From where on the paper's factors are drawn.
const MANY_FROM: f64 = 100.0;
