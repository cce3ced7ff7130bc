//! A commit that is not confirmed is taken back as a whole, or in parts where that cannot be.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use trunkline_admin::{Kept, SystemGroup, SystemOptions};
use trunkline_commit::register::Member;
use trunkline_commit::{Confirmed, Datastores, Timer, Trial};
use trunkline_config::{HookPlan, NetconfPlan, Plan, SystemPlan, access};
use trunkline_core::{Core, Inputs, Served};
use trunkline_datastore::{Config, read};
use trunkline_host::{HostOptions, SourceRoot};
use trunkline_netconf::document::{Document, limits};
use trunkline_snmp::Counters;
use trunkline_snmp::engine::{Engine, EngineOptions, Handlers};
use trunkline_snmp::usm::{EngineBoots, EngineClock, EngineId};
use trunkline_transport::Transport;
use trunkline_tree::{Freshness, TreeBuilder};
use trunkline_yang::forest::Forest;
use trunkline_yang::own::ALL;

/// The system group and a program, which refuses to apply anything while there is a file `refuse`.
struct World {
    folder: tempfile::TempDir,
    forest: Forest,
    system: Arc<SystemGroup>,
    core: Arc<Core>,
}

impl World {
    fn new() -> World {
        let (folder, started) = (tempfile::tempdir().unwrap(), Instant::now());
        let kept = Arc::new(Kept::open(folder.path()).unwrap());
        let options = SystemOptions { configured: SystemPlan::default(), started };
        let system = Arc::new(SystemGroup::new(options, kept));
        let mut builder = TreeBuilder::default();
        builder.provider(system.clone(), Freshness::MaxAge(Duration::from_secs(3600)));
        let engine = Engine::new(EngineOptions {
            id: EngineId::new(b"\x80\x00\x1f\x88\x04test-engine").unwrap(),
            clock: EngineClock::new(EngineBoots::new(1).unwrap(), started),
            max_size: 1472,
            handlers: Handlers::RESPONDER,
            remote_engines: 1,
            entropy: 1,
        });
        let inputs = Inputs {
            communities: Vec::new(),
            served: Served::new(Arc::new(builder.build(started).unwrap()), Vec::new()),
            policy: Arc::new(access::policy(&Plan::default()).unwrap()),
            targets: Arc::default(),
            proxies: Arc::default(),
            names: Arc::default(),
        };
        let core = Core::new(Arc::new(engine), Arc::new(Counters::default()), inputs);
        let forest = ALL.into_iter().fold(Forest::of(&[]), Forest::with);
        World { folder, forest, system, core }
    }

    /// Datastores over it, as they are after a start.
    fn open(&self) -> Datastores {
        let host = HostOptions::new(SourceRoot::recording(self.folder.path()), Instant::now());
        let datastores = Datastores::open(self.folder.path(), host).unwrap().with_system(self.system.clone());
        let folder = self.folder.path().display();
        let script = format!(
            "cat > {folder}/$0; echo $0 >> {folder}/steps; [ $0 != apply ] || [ ! -e {folder}/refuse ]"
        );
        let hook = HookPlan {
            subtree: "/trunkline-bgp:bgp".to_owned(),
            command: ["/bin/sh", "-c", &script].map(str::to_owned).to_vec(),
            timeout: Duration::from_secs(60),
            state: false,
        };
        datastores.configure(Some(&NetconfPlan { hooks: vec![hook], ..NetconfPlan::default() }));
        datastores
    }

    fn config(&self, contact: &str, number: u32) -> Config {
        let text = format!(
            "<config><system xmlns='urn:ietf:params:xml:ns:yang:ietf-system'><contact>{contact}</contact></system>\
             <bgp xmlns='urn:trunkline:yang:bgp'><global><as>{number}</as></global></bgp></config>"
        );
        let document = Document::read(text.as_bytes(), limits(1 << 20)).unwrap();
        read(&self.forest, document.root()).unwrap()
    }

    /// What the program was asked to do, in order.
    fn steps(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("steps")).unwrap().replace('\n', " ")
    }
}

fn refuse(folder: &Path) {
    std::fs::write(folder.join("refuse"), "").unwrap();
}

#[tokio::test]
async fn what_cannot_be_taken_back_as_a_whole_is_taken_back_in_parts() {
    let world = World::new();
    let World { folder, forest, core, .. } = &world;
    let datastores = world.open();
    let mut state = datastores.lock().await;
    let (before, tried) = (world.config("before", 65001), world.config("tried", 65002));
    for (config, trial) in [(&before, Trial::No), (&tried, Trial::OfSession)] {
        datastores.change(core, forest, &mut state, config.clone(), trial, |_| true).await.unwrap();
    }
    state.confirmed = Some(Confirmed {
        before: before.clone(),
        session: 1,
        member: Arc::new(Member::new(Transport::Ssh, "max".to_owned(), None)),
        persist: None,
        commit: 1,
        is_over: false,
        timer: Timer::after(Duration::from_secs(3600), async {}),
    });
    refuse(folder.path());
    // As a whole: nothing of it, and it can no longer be confirmed.
    datastores.take_back(core, forest, &mut state, false).await.unwrap_err();
    assert_eq!(datastores.running(core, forest, &state).await, tried);
    assert!(state.is_unsettled() && state.confirmed.as_ref().is_some_and(|confirmed| confirmed.is_over));
    let steps = world.steps();
    assert_eq!(steps, "check apply check apply apply undo ");
    // In parts: the contact, although the program refuses its part again.
    let changed = datastores.take_back(core, forest, &mut state, true).await.unwrap();
    let changed: Vec<_> = changed.iter().map(|it| (it.before.as_deref(), it.after.as_deref())).collect();
    assert_eq!(changed, [(Some("tried"), Some("before")), (Some("65002"), Some("65001"))]);
    assert_eq!(datastores.running(core, forest, &state).await, before);
    assert!(!state.is_unsettled() && state.confirmed.is_none());
    assert!(world.steps().starts_with(&steps) && world.steps().len() > steps.len(), "{}", world.steps());
    // So it is after a start, too.
    drop(state);
    let again = world.open();
    again.restore(core, forest).await;
    assert_eq!(again.running(core, forest, &*again.lock().await).await, before);
}
