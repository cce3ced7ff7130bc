//! `/subscriptions` (RFC 8639 section 4): what sessions have subscribed to.

use std::sync::atomic::Ordering::Relaxed;

use trunkline_models::made::Made;
use trunkline_netconf::operation::Filter;
use trunkline_netconf::push::{Terms, Trigger};

use crate::{About, Register};

impl Register {
    /// Makes it, of the subscriptions of the sessions that `sees` has.
    pub fn make(&self, sees: impl Fn(u32) -> bool, made: &mut Made<'_>) {
        for (id, member) in self.all().into_iter().filter(|(_, member)| sees(member.session)) {
            let about = member.about().clone();
            made.within("subscription", |made| {
                made.leaf("id", &id.to_string());
                about.leaves.iter().for_each(|(name, value)| made.leaf(name, value));
                made.leaf("encoding", "sn:encode-xml");
                made.within("receivers", |made| {
                    made.within("receiver", |made| {
                        made.leaf("name", &format!("session {}", member.session));
                        made.leaf("sent-event-records", &member.sent.load(Relaxed).to_string());
                        made.leaf("excluded-event-records", &member.excluded.load(Relaxed).to_string());
                        made.leaf("state", if about.is_suspended { "suspended" } else { "active" });
                    });
                });
                if let Some((name, leaves)) = &about.within {
                    made.within(name, |made| leaves.iter().for_each(|(name, value)| made.leaf(name, value)));
                }
            });
        }
    }
}

impl About {
    /// The filter and the end of a subscription. `xpath`: the leaf of an expression. A subtree is not repeated: it can be
    /// as long as a request.
    pub fn set_terms(&mut self, terms: &Terms<'_>, xpath: &'static str) {
        if let Some(filter) = terms.filter {
            self.leaves.retain(|(name, _)| *name != xpath);
            if let Filter::XPath { select, .. } = filter {
                self.leaves.push((xpath, select.to_owned()));
            }
        }
        if let Some(stop) = terms.stop {
            self.leaves.retain(|(name, _)| *name != "stop-time");
            self.leaves.push(("stop-time", stop.value().trim().to_owned()));
        }
    }

    /// When data is sent.
    pub fn set_trigger(&mut self, trigger: &Trigger<'_>) {
        match trigger {
            Trigger::Periodic { period, anchor } => {
                let mut leaves = vec![("period", period.to_string())];
                leaves.extend(anchor.map(|it| ("anchor-time", it.value().trim().to_owned())));
                self.within = Some(("periodic", leaves));
            }
            Trigger::OnChange(on_change) => {
                let is_dampening = |(name, _): &(&'static str, String)| *name == "dampening-period";
                let dampening = ("dampening-period", on_change.dampening.to_string());
                match &mut self.within {
                    // Nothing else can be modified.
                    Some((_, leaves)) => {
                        leaves.retain(|leaf| !is_dampening(leaf));
                        leaves.insert(0, dampening);
                    }
                    None => {
                        let mut leaves = vec![dampening, ("sync-on-start", on_change.syncs.to_string())];
                        let excluded = trunkline_netconf::push::changes::Operation::WORDS;
                        let excluded = excluded.iter().filter(|(_, it)| on_change.excluded.has(*it));
                        leaves.extend(excluded.map(|(name, _)| ("excluded-change", (*name).to_owned())));
                        self.within = Some(("on-change", leaves));
                    }
                }
            }
        }
    }
}
