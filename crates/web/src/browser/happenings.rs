//! What devices have told, as a stream of server-sent events: of one device, or of all that the client may hear. Devices that send only
//! to subscribers are subscribed to as long as somebody reads.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use tokio::time::timeout;
use trunkline_browser::files::OF_FILES;
use trunkline_browser::happening;
use trunkline_core::Core;
use trunkline_devices::{Device, Devices, Happening, Told, Watch};
use trunkline_transport::http::{
    FlowWriter, HeaderValue, HttpFlow, HttpRequest, HttpResponse, StatusCode, header,
};
use trunkline_tree::policy::OwnedPrincipal;

use super::super::http::{Asker, Front, NoAccess, Places, Session, device_of};
use super::{NO_STORE, with_all};

/// Who reads, and what of.
struct Reader {
    core: Arc<Core>,
    devices: Arc<Devices>,
    principal: OwnedPrincipal,
    /// The session of a browser, with which it ends.
    session: Option<Session>,
    /// The only device; `None`: all.
    device: Option<String>,
}

/// Who is refused streams keeps no connection for it.
fn refused(status: StatusCode, words: &str) -> HttpResponse {
    HttpResponse::text(status, words).with(header::CONNECTION, HeaderValue::from_static("close"))
}

/// The answer with what is kept, from a number on, and with what comes.
pub(super) fn stream(
    front: &Front,
    request: &HttpRequest,
    asker: &Asker,
    places: &Arc<Places>,
) -> HttpResponse {
    let Asker::Principal(proved) = asker else {
        return NoAccess::Nobody.answer(HttpResponse::text(StatusCode::UNAUTHORIZED, "log in first"));
    };
    let principal = front.principal(proved).into_owned();
    let device = device_of(&request.path).0.map(str::to_owned);
    let (core, devices) = (front.core().clone(), front.devices().clone());
    let reader = Reader { core, devices, principal, session: proved.session().cloned(), device };
    if reader.device.is_some() && reader.heard().is_empty() {
        return refused(StatusCode::FORBIDDEN, "there is no right to read anything of this device");
    }
    let place = match places.enter(&reader.principal) {
        Ok(place) => place,
        Err(error) => return refused(StatusCode::CONFLICT, &error.to_string()),
    };
    let from = request.query.as_deref().and_then(|query| query.strip_prefix("from="));
    let from = from.and_then(|from| from.parse().ok()).unwrap_or(0);
    let (writer, flow) = HttpFlow::new();
    tokio::spawn(async move {
        let closing = reader.core.closing().clone();
        tokio::select! {
            () = reader.tell(from, &writer) => {}
            () = writer.closed() => {}
            () = closing.closed() => {}
        }
        writer.end().await;
        drop(place);
    });
    let answer = HttpResponse::events(flow);
    with_all(answer.with(header::CACHE_CONTROL, NO_STORE), &OF_FILES)
}

impl Reader {
    /// The devices that it may hear now.
    fn heard(&self) -> BTreeMap<String, Arc<Device>> {
        let settings = self.core.settings();
        let (policy, principal) = (settings.guard().policy(), self.principal.as_principal());
        let all = match &self.device {
            Some(name) => self.devices.find(name).into_iter().collect(),
            None => self.devices.all(),
        };
        let may = |device: &Arc<Device>| device.is_readable(&principal, policy);
        all.into_iter().filter(may).map(|device| (device.name().to_owned(), device)).collect()
    }

    async fn tell(&self, from: u64, writer: &FlowWriter) {
        let log = self.devices.happenings();
        let mut news = log.watch();
        // A program that was started again counts from the beginning.
        let mut next = if from > log.next() { 0 } else { from };
        let mut watches: BTreeMap<String, (Arc<Device>, Watch)> = BTreeMap::new();
        let mut part = String::from(": events of devices\n\n");
        loop {
            // Nothing is sent to a browser that has logged out.
            let is_open = self.session.as_ref().is_none_or(Session::is_open);
            if !is_open || writer.write(part).await.is_err() {
                return;
            }
            news.mark_unchanged();
            let devices = self.heard();
            self.watch(&devices, &mut watches);
            part = self.written(&devices, &mut next);
            if part.is_empty() && !matches!(timeout(SILENCE, news.changed()).await, Ok(Ok(()))) {
                // A comment shows whether the client is still there.
                part = ":\n\n".into();
            }
        }
    }

    /// Watches the one device, or of all those that are known to have subscriptions: the others are not asked.
    fn watch(
        &self,
        devices: &BTreeMap<String, Arc<Device>>,
        watches: &mut BTreeMap<String, (Arc<Device>, Watch)>,
    ) {
        watches.retain(|name, (device, _)| devices.get(name).is_some_and(|known| Arc::ptr_eq(known, device)));
        for (name, device) in devices {
            let is_wanted = self.device.is_some() || device.has_subscriptions();
            if is_wanted && watches.len() < MOST_WATCHED && !watches.contains_key(name) {
                let watch = device.watch(self.devices.happenings());
                watches.insert(name.clone(), (device.clone(), watch));
            }
        }
    }

    /// What is to be sent next, and not too much at once.
    fn written(&self, devices: &BTreeMap<String, Arc<Device>>, next: &mut u64) -> String {
        let settings = self.core.settings();
        let (policy, principal) = (settings.guard().policy(), self.principal.as_principal());
        let mut out = String::new();
        while out.len() < PART
            && let Some((number, happening)) = self.devices.happenings().at(*next)
        {
            *next = number + 1;
            let device = devices.get(&happening.device);
            if device.is_some_and(|device| device.may_tell(&principal, policy, &happening.told)) {
                out += &written(number, &happening);
            }
        }
        out
    }
}

fn written(number: u64, happening: &Happening) -> String {
    let time = happening.time.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_millis());
    match &happening.told {
        Told::Objects(name, objects) => {
            let (name, content) = happening::named(name, objects);
            happening::write(number, time, &happening.device, &name, &content)
        }
        Told::Leaves(name, leaves) => {
            let prefix = format!("/{name}/");
            let bare = |path: &str| path.strip_prefix(&prefix).unwrap_or(path).to_owned();
            let content: Vec<_> = leaves.iter().map(|(path, value)| (bare(path), value.clone())).collect();
            happening::write(number, time, &happening.device, name, &content)
        }
    }
}

/// Without an event for so long, a comment is sent.
const SILENCE: Duration = Duration::from_secs(20);
/// Devices that one reader has subscribed to.
const MOST_WATCHED: usize = 256;
/// Octets that are sent at once, about.
const PART: usize = 32 << 10;
