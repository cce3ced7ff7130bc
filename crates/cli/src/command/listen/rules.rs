//! The rules of `--rules`, and the sessions that forwarding needs.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use trunkline_client::transport::files;
use trunkline_client::{
    Credentials, Defaults, Endurance, Inside, ListenCounts, Notifier, SessionOptions, Target, UsmCredentials,
    Version,
};
use trunkline_login::session::equipped;
use trunkline_login::user::{private_file, secret_of_file};
use trunkline_login::{EndsArgs, TlsArgs};
use trunkline_receiver::{Action, ActionCounts, Forms, ForwardPlan, Open, Rules};
use trunkline_snmp::engine::Engine;

use super::users::Known;
use crate::connect::say;
use crate::error::Error;

/// Reads the file; communities that it names in files too.
pub fn read(path: &Path, forms: &dyn Forms, known: &Known) -> Result<Rules, Error> {
    let wrong = |what: &dyn std::fmt::Display| Error::Usage(format!("{}: {what}", path.display()));
    let text = files::read_named(path, files::LONGEST).map_err(|fault| wrong(&fault))?;
    let mut rules = Rules::parse(&text, forms).map_err(|fault| wrong(&fault))?;
    if rules.holds_secrets() {
        // Communities are in it.
        private_file(path)?;
    }
    for rule in &mut rules.rules {
        for action in &mut rule.actions {
            if let Action::File(plan) = action {
                let checked = plan.check();
                checked.map_err(|fault| {
                    wrong(&format!("rule {}: file: {}: {fault}", rule.name, plan.path.display()))
                })?;
            }
            let Action::Forward(plan) = action else { continue };
            if let Some(file) = &plan.community_file {
                plan.community = Some(secret_of_file(file)?);
            }
            if let Some(user) = plan.user.as_ref().filter(|name| known.user(name).is_none()) {
                let words = format!("rule {}: forward: there is no user {user:?} in --users", rule.name);
                return Err(wrong(&words));
            }
            // What is wrong with it is better known now than at the first notification.
            let probe = plan.version.unwrap_or(Version::V2c);
            let ends = Ends { users: known.by_name(), tls: TlsArgs::default() };
            ends.named(plan, probe, Vec::new())
                .map_err(|fault| wrong(&format!("rule {}: {fault}", rule.name)))?;
        }
    }
    Ok(rules)
}

/// Whether traps go out that an engine of ours must sign or name, so that it must be the kept one.
pub fn need_engine(rules: &Rules) -> bool {
    let mut actions = rules.rules.iter().flat_map(|rule| &rule.actions);
    actions.any(
        |action| matches!(action, Action::Forward(plan) if plan.version.is_none_or(|v| v == Version::V3)),
    )
}

/// What forwarding authenticates itself with.
struct Ends {
    users: HashMap<String, UsmCredentials>,
    tls: TlsArgs,
}

impl Ends {
    /// The receiver of a plan, without what its transport needs.
    fn named(&self, plan: &ForwardPlan, version: Version, community: Vec<u8>) -> Result<Target, String> {
        let mut defaults = Defaults::default().with_version(version).with_community(community);
        if let Some(user) = &plan.user {
            let user = self.users.get(user).cloned();
            defaults = defaults.with_usm(user).with_inside(Inside::User);
        } else if let Some(version) = plan.version.filter(|version| *version != Version::V3) {
            defaults = defaults.with_inside(Inside::Community(version));
        }
        let target = Target::parse_receiver(&plan.to, &defaults).map_err(|fault| fault.to_string())?;
        match (&target.credentials, &plan.user) {
            (Credentials::Usm(_), None) => Err(format!(
                "{}: SNMPv3 needs `user`; `version = \"v2c\"` and `community-file` forward it as SNMPv2c",
                plan.to
            )),
            _ => Ok(target),
        }
    }
}

/// Opens sessions with other receivers. `engine` sends traps of SNMPv3.
pub fn opener(known: &Known, tls: &TlsArgs, engine: &Arc<Engine>) -> Open {
    let ends = Arc::new(Ends { users: known.by_name(), tls: tls.clone() });
    let engine = Arc::clone(engine);
    Arc::new(move |plan, version, community| {
        let (ends, engine) = (Arc::clone(&ends), Arc::clone(&engine));
        Box::pin(async move {
            let target = ends.named(&plan, version, community)?;
            let arguments = EndsArgs { tls: ends.tls.clone(), ..EndsArgs::default() };
            let target = equipped(target, &arguments).map_err(|fault| fault.to_string())?;
            let options = SessionOptions::default()
                .with_timeout(plan.timeout)
                .with_retries(plan.retries)
                .with_endurance(Endurance::Retries);
            Notifier::open(&target, Some(engine), options).await.map_err(|fault| fault.to_string())
        })
    })
}

/// Says what has been received and done so far.
pub fn tell_counts(counts: &ListenCounts, actions: &[ActionCounts]) {
    let ListenCounts { taken, refused, malformed, below_level, crowded_out, .. } = counts;
    say(&format!(
        "{taken} notifications received, {} messages refused, {crowded_out} notifications dropped before the rules",
        refused + malformed + below_level
    ));
    for ActionCounts { name, done, failed, dropped } in actions {
        say(&format!("{name}: {done} done, {failed} failed, {dropped} dropped"));
    }
}

/// How long programs and forwarding may take at the end.
pub const PATIENCE: Duration = Duration::from_secs(5);
