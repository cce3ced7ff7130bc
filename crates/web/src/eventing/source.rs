//! What a subscription is to: all that the agent sends, or what happens within a service (EMANICS D7.1, section 5.4, where services
//! are the sources of notifications).

use std::time::Instant;

use trunkline_config::HttpDoors;
use trunkline_query::services::{Holding, percent_encoded};
use trunkline_retrieval::Services;
use trunkline_smi::Oid;
use trunkline_soap::expression::Specification;
use trunkline_soap::fault::{Fault, FaultKind};
use trunkline_tree::policy::ViewType;
use trunkline_tree::{Access, Event};

use super::PATH;
use crate::http::{Asker, Front, Refused};
use trunkline_core::Settings;
use trunkline_transport::http::HttpRequest;

/// Where requests for subscriptions go.
#[derive(Clone, Copy)]
pub(super) enum At<'s> {
    /// To the agent.
    Agent,
    /// To one of these services, by its URI.
    Service(&'s Services),
}

/// The source of a subscription's notifications.
pub(super) struct Source {
    /// The path of its address, which notifications name.
    pub path: String,
    /// The path at which the subscription was made, and is managed.
    pub asked_at: String,
    within: Within,
}

/// Which notifications it has.
enum Within {
    /// All.
    Agent,
    /// Those of the service with this tag and those below it, or of all services, and what these hold.
    Services(Option<String>, Vec<Holding>),
}

impl Source {
    /// The agent.
    pub fn agent() -> Self {
        Source { path: PATH.to_owned(), asked_at: PATH.to_owned(), within: Within::Agent }
    }

    /// The service that a path names, if it is there for somebody with this access.
    ///
    /// # Errors
    /// There is none, or its table cannot be read.
    pub async fn service(
        services: &Services,
        settings: &Settings,
        access: &Access,
        path: &str,
    ) -> Result<Self, Fault> {
        let tag = match path.trim_matches('/') {
            "" => None,
            _ => {
                let graph = services.graph(settings.served(), access, Instant::now()).await;
                let graph = graph.map_err(Fault::source_failed)?;
                let id = graph.at_path(path).ok_or_else(|| missing(path))?;
                Some(graph.service(id).tag.clone())
            }
        };
        let holds = services.specification().below(tag.as_deref()).ok_or_else(|| missing(path))?;
        let own = format!("/{}", tag.as_deref().map(percent_encoded).unwrap_or_default());
        Ok(Source { path: own, asked_at: path.to_owned(), within: Within::Services(tag, holds) })
    }

    /// Whether it stays with these doors open and these services; the services may hold other data then.
    pub fn may_stay(&mut self, doors: HttpDoors, specification: &Specification) -> bool {
        match &mut self.within {
            Within::Agent => doors.soap,
            Within::Services(tag, holds) => match specification.below(tag.as_deref()) {
                Some(now) if doors.select => {
                    *holds = now;
                    true
                }
                _ => false,
            },
        }
    }

    /// Whether this is the path of the address at which the subscription was made, or of its source.
    pub fn is_at(&self, path: &str) -> bool {
        path == self.asked_at || path == self.path
    }

    /// Whether an event is the source's: of a service if one of the objects is a part of it, or one that it is about without
    /// being sent, if the subscriber may receive that too. The services are this machine's own.
    pub fn has(&self, event: &Event, may_know: impl Fn(&Oid) -> bool) -> bool {
        let Within::Services(_, holds) = &self.within else { return true };
        let Some(about) = event.about.as_ref().filter(|_| event.context.is_empty()) else { return false };
        let is_held = |name: &Oid| holds.iter().any(|holding| holding.has(name));
        event.objects.iter().any(|(name, _)| is_held(name))
            || about.iter().any(|name| is_held(name) && may_know(name))
    }
}

impl At<'_> {
    /// The source that a request is sent to.
    ///
    /// # Errors
    /// There is no such service, or the client may not see it.
    pub(super) async fn source(
        self,
        front: &Front,
        settings: &Settings,
        request: &HttpRequest,
        asker: &Asker,
        community: Option<&str>,
    ) -> Result<Source, Refused> {
        let At::Service(services) = self else { return Ok(Source::agent()) };
        let community = community.map(str::as_bytes);
        let admitted = front.admit(settings, request, asker, community, ViewType::Read);
        let access = admitted.map_err(Refused::NoAccess)?.access;
        Ok(Source::service(services, settings, &access, &request.path).await?)
    }
}

fn missing(path: &str) -> Fault {
    let reason = "no service has this URI; GET / lists the services, and /soap/events is the source of all notifications";
    Fault::new(FaultKind::UnknownName, reason).about(path.chars().take(200).collect::<String>())
}

#[cfg(test)]
mod tests {
    use trunkline_smi::Value;

    use super::*;

    fn service(tag: Option<&str>) -> Source {
        let holds = Specification::default().below(tag).unwrap();
        let (path, asked_at) = ("/a".to_owned(), "/b".to_owned());
        Source { path, asked_at, within: Within::Services(tag.map(str::to_owned), holds) }
    }

    fn name(text: &str) -> Oid {
        text.parse().unwrap()
    }

    const MTU: &str = "1.3.6.1.2.1.2.2.1.4.7";

    fn event(objects: &[&str]) -> Event {
        let objects = objects.iter().map(|object| (name(object), Value::Integer(1)));
        Event::new(name("1.3.6.1.6.3.1.1.5.3"), objects.collect())
    }

    #[test]
    fn an_event_is_of_the_services_whose_objects_it_has() {
        let all = |_: &Oid| true;
        let up_time = "1.3.6.1.2.1.1.3.0";
        for (tag, is_there) in [
            (Some("Interface-7"), true),
            (Some("Interface-8"), false),
            (Some("Interfaces"), true),
            (Some("TCP"), false),
            (None, true),
        ] {
            assert_eq!(service(tag).has(&event(&[up_time, MTU]), all), is_there, "{tag:?}");
            assert!(!service(tag).has(&event(&[up_time]), all) && !service(tag).has(&event(&[]), all));
        }
        assert!(Source::agent().has(&event(&[]), all));
        assert!(service(None).is_at("/a") && service(None).is_at("/b") && !service(None).is_at(PATH));
    }

    #[test]
    fn what_an_event_is_about_counts_for_those_who_may_know_it() {
        let about = Event { about: Some(vec![name(MTU)]), ..event(&[]) };
        assert!(service(Some("Interface-7")).has(&about, |known| *known == name(MTU)));
        assert!(!service(Some("Interface-7")).has(&about, |_| false));
        // Objects of other contexts and machines have the same names, and are not the service's.
        let elsewhere = Event { context: "lab".to_owned(), ..event(&[MTU]) };
        assert!(!service(None).has(&elsewhere, |_| true) && Source::agent().has(&elsewhere, |_| false));
        let passed_on = Event { about: None, ..event(&[MTU]) };
        assert!(!service(None).has(&passed_on, |_| true) && Source::agent().has(&passed_on, |_| false));
    }

    #[test]
    fn a_service_stays_as_long_as_it_is_configured() {
        let (mut specification, mut source) = (Specification::default(), service(Some("TCP-Data")));
        let doors = |select| HttpDoors { select, ..HttpDoors::default() };
        assert!(
            source.may_stay(doors(true), &specification) && !source.may_stay(doors(false), &specification)
        );
        specification.services[3].holds = vec!["ifEntry[7]".to_owned()];
        assert!(!source.has(&event(&[MTU]), |_| true));
        assert!(source.may_stay(doors(true), &specification) && source.has(&event(&[MTU]), |_| true));
        specification.relations.remove(1);
        specification.services.remove(3);
        assert!(!source.may_stay(doors(true), &specification));
    }
}
