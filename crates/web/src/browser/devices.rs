//! The devices that the page shows: which of them somebody may read, and set.

use std::sync::Arc;

use trunkline_browser::files::OF_FILES;
use trunkline_browser::schema;
use trunkline_devices::Device;
use trunkline_transport::http::{HttpResponse, StatusCode, header};

use super::{JSON, NO_STORE, with_all};
use crate::http::{Asker, Front, NoAccess};

/// The devices of which somebody may read something, by name.
pub(super) fn readable(front: &Front, asker: &Asker) -> Vec<Arc<Device>> {
    let Asker::Principal(proved) = asker else { return Vec::new() };
    let (settings, principal) = (front.core().settings(), front.principal(proved));
    let policy = settings.guard().policy();
    let all = front.devices().all().into_iter();
    all.filter(|device| device.is_readable(&principal, policy)).collect()
}

/// How many of these somebody may set objects of.
pub(super) fn writable(front: &Front, asker: &Asker, devices: &[Arc<Device>]) -> usize {
    let Asker::Principal(proved) = asker else { return 0 };
    let (settings, principal) = (front.core().settings(), front.principal(proved));
    let policy = settings.guard().policy();
    devices.iter().filter(|device| device.is_writable(&principal, policy)).count()
}

/// Their names, and why one does not answer, for the page.
pub(super) fn listed(front: &Front, asker: &Asker) -> HttpResponse {
    if matches!(asker, Asker::Nobody) {
        return NoAccess::Nobody.answer(HttpResponse::text(StatusCode::UNAUTHORIZED, "log in first"));
    }
    let mut json = String::from("[");
    for device in readable(front, asker) {
        json.push_str(if json.len() > 1 { ",{\"name\":" } else { "{\"name\":" });
        schema::text(&mut json, device.name());
        if let Some(failure) = device.failure() {
            json.push_str(",\"failure\":");
            schema::text(&mut json, &failure);
        }
        json.push('}');
    }
    json.push(']');
    let answer = HttpResponse::new(StatusCode::OK, JSON, json.into_bytes());
    with_all(answer.with(header::CACHE_CONTROL, NO_STORE), &OF_FILES)
}
