//! Which door answers: `/soap` is SOAP, `/snmp` is SNMP inside SOAP, and every other path names a service.

use trunkline_transport::http::{HeaderValue, HttpRequest, HttpResponse, Method, StatusCode, header};

use super::{Asker, Front};
use crate::config::HttpDoors;
use crate::door::{eventing, select, snmp_soap, soap};

/// The doors behind the front.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Soap,
    Snmp,
    Select,
    /// What is here, for a person.
    Index,
}

impl Place {
    fn of(request: &HttpRequest, doors: HttpDoors) -> Option<Self> {
        let describes = doors.select && request.method == Method::GET && request.query.is_some();
        let (place, is_served) = match request.path.split('/').nth(1).unwrap_or_default() {
            "soap" => (Place::Soap, doors.soap),
            "snmp" => (Place::Snmp, doors.snmp),
            "" if request.method != Method::POST && !describes => (Place::Index, true),
            _ => (Place::Select, doors.select),
        };
        is_served.then_some(place)
    }

    const fn allowed(self) -> &'static str {
        match self {
            Place::Index => "GET, HEAD, OPTIONS",
            _ => "GET, HEAD, OPTIONS, POST",
        }
    }
}

impl Front {
    /// The answer of the door that the path names. A door sees GET for HEAD; only GET and POST come to it.
    pub(super) async fn route(&self, mut request: HttpRequest, asker: &Asker) -> HttpResponse {
        let doors = self.plan.load().doors;
        let Some(place) = Place::of(&request, doors) else {
            return HttpResponse::text(
                StatusCode::NOT_FOUND,
                "there is nothing here; GET / says what there is",
            );
        };
        let allow = HeaderValue::from_static(place.allowed());
        match request.method {
            Method::GET => {}
            Method::POST if place != Place::Index => {}
            Method::HEAD => request.method = Method::GET,
            Method::OPTIONS => {
                return HttpResponse::empty(StatusCode::NO_CONTENT).with(header::ALLOW, allow);
            }
            _ => {
                let line = format!("{} is not understood here, expected {}", request.method, place.allowed());
                return HttpResponse::text(StatusCode::METHOD_NOT_ALLOWED, &line).with(header::ALLOW, allow);
            }
        }
        match place {
            Place::Soap if request.path == eventing::PATH => eventing::answer(self, &request, asker).await,
            Place::Soap => soap::answer(self, &request, asker).await,
            Place::Snmp => snmp_soap::answer(self, &request, asker).await,
            Place::Select => select::answer(self, &request, asker).await,
            Place::Index => index(doors),
        }
    }
}

fn index(doors: HttpDoors) -> HttpResponse {
    let lines = [
        (doors.soap, "/soap    SOAP for everything that is served; its description is at /soap?wsdl"),
        (doors.snmp, "/snmp    SNMP inside SOAP; its schema is at /snmp?xsd"),
        (
            doors.select,
            "/NAME    the service NAME: its data, and what a selection leaves of it; the description is at /?wsdl",
        ),
    ];
    let served: Vec<&str> =
        lines.into_iter().filter(|(is_served, _)| *is_served).map(|(_, line)| line).collect();
    HttpResponse::text(StatusCode::OK, &served.join("\n"))
}
