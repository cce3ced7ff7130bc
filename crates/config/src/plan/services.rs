//! Services and their relations, which path selections are made on: `[[service]]` and `[[relation]]`.

use std::ops::Range;

use serde_spanned::Spanned;
use trunkline_soap::expression::{RelationSpec, ServiceSpec, Specification, SpecificationPart};

use super::value::{self, Checked};
use crate::{Place, raw};

/// The services; if a file has only relations, they are added to the default services.
pub(super) fn check_services(
    services: Vec<raw::Service>,
    relations: Vec<raw::Relation>,
    place: Place<'_>,
) -> Checked<Specification> {
    let mut specification = Specification::default();
    let (mut service_spans, mut relation_spans) = (Vec::new(), Vec::new());
    if services.is_empty() {
        // Nothing of the default can be wrong.
        relation_spans.resize_with(specification.relations.len(), Spans::default);
    } else {
        specification = Specification { services: Vec::new(), relations: Vec::new() };
    }
    for raw in services {
        let (service, spans) = check_service(raw, place)?;
        specification.services.push(service);
        service_spans.push(spans);
    }
    for raw in relations {
        relation_spans.push(Spans { own: raw.name.span(), lists: vec![spans(&raw.to)], named_by: 0..0 });
        specification.relations.push(RelationSpec {
            name: raw.name.into_inner(),
            from: raw.from.into_inner(),
            to: texts(raw.to),
        });
    }
    // One service per row of a table: the rows are only known at the time of a request.
    let error = match specification.graph(&|_, _| vec![(1, None)]) {
        Ok(_) => return Ok(specification),
        Err(error) => error,
    };
    let of = |spans: &[Spans], at: usize, list: Option<(usize, usize)>| {
        let found = spans.get(at)?;
        list.map_or(Some(found.own.clone()), |(list, which)| found.lists.get(list)?.get(which).cloned())
    };
    let span = match error.part {
        SpecificationPart::Service(at) => of(&service_spans, at, None),
        SpecificationPart::Holds(at, which) => of(&service_spans, at, Some((0, which))),
        SpecificationPart::Each(at, which) => of(&service_spans, at, Some((1, which))),
        SpecificationPart::NamedBy(at) => service_spans.get(at).map(|spans| spans.named_by.clone()),
        SpecificationPart::Relation(at) => of(&relation_spans, at, None),
        SpecificationPart::To(at, which) => of(&relation_spans, at, Some((0, which))),
    };
    Err(place.wrong(span.unwrap_or(0..0), error.problem.to_string()))
}

/// The positions of the parts of a service or a relation.
#[derive(Default)]
struct Spans {
    own: Range<usize>,
    lists: Vec<Vec<Range<usize>>>,
    named_by: Range<usize>,
}

fn check_service(raw: raw::Service, place: Place<'_>) -> Checked<(ServiceSpec, Spans)> {
    const GREATEST: i64 = 1_000_000;
    // The front of HTTP has doors of these names.
    if matches!(raw.tag.get_ref().as_str(), "soap" | "snmp" | "restconf" | "browser") {
        let message = format!("/{} is the URI of a door, expected another tag", raw.tag.get_ref());
        return Err(place.wrong(raw.tag.span(), message));
    }
    let level = raw.level.map(|level| value::number(&level, 0, GREATEST, place)).transpose()?;
    if let (Some(named_by), None) = (&raw.named_by, raw.each_row_of.first()) {
        let message = "expected each-row-of as well: a single service lists its names in names = [..]";
        return Err(place.wrong(named_by.span(), message.into()));
    }
    let spans = Spans {
        own: raw.tag.span(),
        lists: vec![spans(&raw.holds), spans(&raw.each_row_of)],
        named_by: raw.named_by.as_ref().map_or(0..0, Spanned::span),
    };
    let service = ServiceSpec {
        tag: raw.tag.into_inner(),
        aliases: texts(raw.names),
        level: level.and_then(|level| u32::try_from(level).ok()),
        holds: texts(raw.holds),
        each: texts(raw.each_row_of),
        named_by: raw.named_by.map(Spanned::into_inner),
    };
    Ok((service, spans))
}

fn spans(list: &[Spanned<String>]) -> Vec<Range<usize>> {
    list.iter().map(Spanned::span).collect()
}

fn texts(list: Vec<Spanned<String>>) -> Vec<String> {
    list.into_iter().map(Spanned::into_inner).collect()
}
