//! A device as a tree.

use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::select;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep};
use trunkline_client::VarBind;
use trunkline_core::Served;
use trunkline_smi::{Oid, Value};
use trunkline_tree::policy::{Denied, Guard, Policy, Principal, ViewType};
use trunkline_tree::{Access, Coverage, Freshness, TreeBuilder};

use crate::follow::Watched;
use crate::groups;
use crate::happenings::Told;
use crate::link::{IsStill, Link, Opener};
use crate::memory::{Kept, Memory};
use crate::remote::Remote;
use crate::set::NotSet;

/// A device. It costs nothing until somebody reads it, and little when nobody has for a while.
pub struct Device {
    link: Arc<Link>,
    context: String,
    made: Arc<Mutex<Option<Made>>>,
    watched: Watched,
    forgotten: Arc<Notify>,
    memory: Arc<Memory>,
}

/// What is made when it is read: some thousand leaves, and the access policy for them.
struct Made {
    served: Arc<Served>,
    guard: Option<Arc<Guard>>,
    kept: Arc<Kept>,
    /// When it was last used.
    used: Instant,
}

impl Device {
    /// A device by this name, in this context of the access policy, whose sessions the opener opens on this runtime.
    #[must_use]
    pub fn new(name: impl Into<String>, context: impl Into<String>, opener: Opener, runtime: Handle) -> Self {
        let link = Arc::new(Link::new(name.into(), opener, runtime));
        Device {
            link,
            context: context.into(),
            made: Arc::default(),
            watched: Watched::default(),
            forgotten: Arc::default(),
            memory: Arc::default(),
        }
    }

    /// The same, which says there when what was read of it is forgotten, and has its memory together with others.
    pub(crate) fn noticed_by(self, forgotten: Arc<Notify>, memory: Arc<Memory>) -> Self {
        Device { forgotten, memory, ..self }
    }

    /// Whether a principal may read anything of it by a policy; nothing is made for that.
    #[must_use]
    pub fn is_readable(&self, principal: &Principal<'_>, policy: &Policy) -> bool {
        policy.decide(principal, self.context.as_bytes()).is_ok()
    }

    /// Whether a principal may set any object of it by a policy; nothing is made for that, and the device may refuse it.
    #[must_use]
    pub fn is_writable(&self, principal: &Principal<'_>, policy: &Policy) -> bool {
        let Ok(decision) = policy.decide(principal, self.context.as_bytes()) else { return false };
        let view = policy.view(decision.access.1.write.octets());
        view.is_some_and(|view| view.families().iter().any(|family| family.included))
    }

    /// Whether a principal may hear by a policy what it tells; nothing is made for that.
    #[must_use]
    pub fn may_tell(&self, principal: &Principal<'_>, policy: &Policy, told: &Told) -> bool {
        let Ok(decision) = policy.decide(principal, self.context.as_bytes()) else { return false };
        let Some(view) = policy.view(decision.access.1.notify.octets()) else { return false };
        match told {
            Told::Objects(name, objects) => {
                let names = objects.iter().map(|(name, _)| name);
                std::iter::once(name).chain(names).all(|name| view.contains(name))
            }
            // Its nodes are those of modules that are not known here.
            Told::Leaves(..) => view.coverage(&[1]) == Coverage::All,
        }
    }

    /// Whether it is known to offer subscriptions. It is not asked.
    #[must_use]
    pub fn has_subscriptions(&self) -> bool {
        self.link.has_subscriptions()
    }

    pub(crate) fn link(&self) -> &Arc<Link> {
        &self.link
    }

    pub(crate) fn watched(&self) -> &Watched {
        &self.watched
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.link.name()
    }

    /// Its context of the access policy.
    #[must_use]
    pub fn context(&self) -> &str {
        &self.context
    }

    /// Why it did not answer when it was last asked; `None`: it did, or it was never asked.
    #[must_use]
    pub fn failure(&self) -> Option<String> {
        self.link.failure()
    }

    /// Its tree.
    pub fn served(&self) -> Arc<Served> {
        self.with_made(|made| made.served.clone())
    }

    fn with_made<T>(&self, using: impl FnOnce(&mut Made) -> T) -> T {
        let mut kept = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.is_none() {
            self.link.runtime().spawn(until_idle(
                self.link.clone(),
                Arc::downgrade(&self.made),
                self.forgotten.clone(),
                self.memory.clone(),
            ));
        }
        let made = kept.get_or_insert_with(|| Made::of(&self.link, &self.memory));
        if made.kept.is_too_much() {
            *made = Made::of(&self.link, &self.memory);
        }
        made.used = Instant::now();
        using(made)
    }

    /// Whether objects can be set over its protocol; its session is opened for that.
    pub async fn can_set(&self) -> bool {
        self.link.can_set().await
    }

    /// Sets an instance, unless it is not what it was, which is compared as far as `access` may read it.
    ///
    /// # Errors
    /// [`NotSet`]
    pub async fn set(
        &self,
        access: &Access,
        name: &Oid,
        is_still: IsStill<'_>,
        value: Value,
    ) -> Result<(), NotSet> {
        if !access.may_write(name) {
            return Err(NotSet::Denied);
        }
        let bindings = [VarBind::new(name.clone(), value)];
        let done = self.link.set(access.may_read_name(name).then_some(is_still), &bindings).await;
        self.forget(&bindings);
        done
    }

    /// Creates a row by these instances, all or none, unless the first of them, its RowStatus, is there, which is looked at as far as
    /// `access` may read it.
    ///
    /// # Errors
    /// [`NotSet`]
    pub async fn create(&self, access: &Access, bindings: Vec<(Oid, Value)>) -> Result<(), NotSet> {
        if !bindings.iter().all(|(name, _)| access.may_write(name)) {
            return Err(NotSet::Denied);
        }
        let bindings: Vec<VarBind> =
            bindings.into_iter().map(|(name, value)| VarBind::new(name, value)).collect();
        let done = self.link.create(&|name| access.may_read_name(name), &bindings).await;
        self.forget(&bindings);
        done
    }

    /// What was set is read again.
    fn forget(&self, bindings: &[VarBind]) {
        let served = self.served();
        let leaves = bindings.iter().filter_map(|binding| served.tree.leaf_of(&binding.name));
        leaves.for_each(|leaf| served.tree.invalidate(leaf.group(), Instant::now().into_std()));
    }

    /// What a principal may do with it by a policy.
    ///
    /// # Errors
    /// Nothing at all.
    pub fn access(
        &self,
        principal: &Principal<'_>,
        policy: &Arc<Policy>,
        view_type: ViewType,
    ) -> Result<Arc<Access>, Denied> {
        let guard = self.with_made(|made| {
            let known = made.guard.take().filter(|guard| Arc::ptr_eq(guard.policy(), policy));
            let guard = known.unwrap_or_else(|| Arc::new(Guard::new(&made.served.tree, policy.clone())));
            made.guard.insert(guard).clone()
        });
        guard.access(principal, self.context.as_bytes(), view_type).cloned()
    }
}

impl Made {
    fn of(link: &Arc<Link>, memory: &Arc<Memory>) -> Self {
        let (now, kept) = (Instant::now(), Arc::new(Kept::of(memory.clone())));
        let mut builder = TreeBuilder::default();
        for group in groups::all() {
            let remote = Remote { group, link: link.clone(), kept: kept.clone() };
            builder.provider(Arc::new(remote), Freshness::MaxAge(MAX_AGE));
        }
        // The schema has each object once, which a test of the groups makes sure of.
        let tree = builder.build(now.into_std()).unwrap_or_else(|_| empty());
        Made { served: Served::new(Arc::new(tree), Vec::new()), guard: None, kept, used: now }
    }
}

/// Forgets what was made, and the session, when nobody has used it for a while.
async fn until_idle(
    link: Arc<Link>,
    made: Weak<Mutex<Option<Made>>>,
    forgotten: Arc<Notify>,
    memory: Arc<Memory>,
) {
    let mut patience = IDLE;
    loop {
        let idle = {
            let Some(made) = made.upgrade() else { return };
            let mut made = made.lock().unwrap_or_else(PoisonError::into_inner);
            let idle = made.as_ref().map_or(IDLE, |made| made.used.elapsed());
            if idle >= patience {
                *made = None;
                break;
            }
            idle
        };
        patience = select! {
            () = sleep(IDLE - idle) => IDLE,
            () = memory.is_short() => IDLE_IF_SHORT,
        };
    }
    link.leave().await;
    forgotten.notify_one();
}

fn empty() -> trunkline_tree::Tree {
    #[expect(clippy::expect_used, reason = "nothing can overlap with nothing")]
    TreeBuilder::default().build(Instant::now().into_std()).expect("an empty tree")
}

/// How old data of a device may be: a page that is looked at asks for several groups at once, and again soon.
const MAX_AGE: Duration = Duration::from_millis(900);
/// After this time without a reader, what was made and read is forgotten, and the session closed.
const IDLE: Duration = Duration::from_secs(300);
/// The same where memory is short.
const IDLE_IF_SHORT: Duration = Duration::from_secs(3);

#[cfg(test)]
mod tests {
    use std::any::Any;
    use std::future::ready;
    use std::pin::Pin;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    use std::time::Instant;

    use trunkline_client::soap::{Fault, FaultKind};
    use trunkline_client::{
        Answer, Asking, Bound, Error, ErrorStatus, Oid, Session, Table, TableLimit, Value, VarBind, Walk,
        WalkOptions,
    };
    use trunkline_smi::ValueRef;
    use trunkline_smi::module::{if_mib, snmpv2_mib};
    use trunkline_smi::schema::Table as Schema;
    use trunkline_tree::View;
    use trunkline_tree::policy::{AdminString, Member, OwnedPrincipal, Role, RoleGrant, Roles, ViewSource};

    use super::*;
    use crate::set::Refused;

    /// A device with these instances, and SNMPv1's way to say that one is missing.
    #[derive(Default)]
    struct Fake {
        instances: Vec<(Oid, Value)>,
        /// How it answers instead.
        fault: Mutex<Option<fn() -> Error>>,
        /// How it answers a Set that it carries out.
        creates: Mutex<Option<fn() -> Error>>,
        /// How it answers after that.
        then: Mutex<Option<fn() -> Error>>,
        made: Mutex<Vec<(Oid, Value)>>,
        /// What it shows, if anything, of an instance whatever that was set to.
        hides: Mutex<Option<(Oid, Option<Value>)>>,
    }

    impl Session for Fake {
        fn get<'a>(&'a self, names: &'a [Oid]) -> Asking<'a, Answer> {
            if let Some(fault) = *self.fault.lock().unwrap() {
                return Box::pin(ready(Err(fault())));
            }
            let made = self.made.lock().unwrap();
            let of = |name: &Oid| {
                self.instances.iter().chain(&*made).find(|(it, _)| it == name).map(|(_, value)| value.clone())
            };
            let found: Option<Vec<VarBind>> =
                names.iter().map(|name| of(name).map(|value| VarBind::new(name.clone(), value))).collect();
            let answer = found.map(|bindings| Answer { bindings, ..Answer::default() });
            let missing = Error::Status { status: ErrorStatus::NoSuchName.code(), index: 1, name: None };
            Box::pin(ready(answer.ok_or(missing)))
        }

        fn next<'a>(&'a self, _names: &'a [Oid]) -> Asking<'a, Answer> {
            unreachable!()
        }

        fn bulk<'a>(&'a self, _: u32, _: u32, _names: &'a [Oid]) -> Asking<'a, Answer> {
            unreachable!()
        }

        /// What it says depends on the value.
        fn set<'a>(&'a self, bindings: &'a [VarBind]) -> Asking<'a, Answer> {
            // A row is created; its answer is lost, or the repeated request meets it.
            if let Some(after) = *self.creates.lock().unwrap() {
                let hides = self.hides.lock().unwrap();
                let values = bindings.iter().filter_map(|it| match &*hides {
                    Some((name, shown)) if *name == it.name => Some((name.clone(), shown.clone()?)),
                    _ => Some((it.name.clone(), it.value.value()?.clone())),
                });
                self.made.lock().unwrap().extend(values);
                *self.fault.lock().unwrap() = *self.then.lock().unwrap();
                return Box::pin(ready(Err(after())));
            }
            let refuses = Bound::Value(Value::text("refuse"));
            let breaks = Bound::Value(Value::text("break"));
            Box::pin(ready(match &bindings[0].value {
                value if *value == refuses => {
                    Err(Error::Status { status: ErrorStatus::NotWritable.code(), index: 1, name: None })
                }
                value if *value == breaks => Err(Error::SessionClosed),
                _ => Ok(Answer::default()),
            }))
        }

        fn walk(&self, _root: Oid, _options: WalkOptions) -> Walk {
            unreachable!()
        }

        fn table<'a>(
            &'a self,
            schema: &'static Schema,
            columns: &'a [u32],
            _: TableLimit,
        ) -> Asking<'a, Table> {
            if let Some(fault) = *self.fault.lock().unwrap() {
                return Box::pin(ready(Err(fault())));
            }
            let entry = Oid::EMPTY.child(schema.oid).child(&[1]);
            let mut table =
                Table { columns: columns.iter().map(|id| entry.child(&[*id])).collect(), ..Table::default() };
            for (at, column) in table.columns.clone().iter().enumerate() {
                for (name, value) in self.instances.iter().filter(|(name, _)| name.starts_with(column)) {
                    let row = table.rows.entry(name[column.len()..].to_vec());
                    row.or_insert_with(|| vec![None; columns.len()])[at] = Some(Bound::Value(value.clone()));
                }
            }
            Box::pin(ready(Ok(table)))
        }

        fn close(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
            Box::pin(ready(()))
        }

        fn as_any(&self) -> &dyn Any {
            self
        }
    }

    fn fault(kind: FaultKind) -> Error {
        Error::Fault { fault: Box::new(Fault::new(kind, "not today")) }
    }

    const ABSENT: fn() -> Error =
        || Error::Status { status: ErrorStatus::NoSuchName.code(), index: 1, name: None };

    fn instance(object: &[u32], index: &[u32], value: Value) -> (Oid, Value) {
        (Oid::EMPTY.child(object).child(index), value)
    }

    /// Reads on a thread that may block, as the core does.
    async fn snapshot(
        device: &Arc<Device>,
        group: &'static str,
    ) -> Result<Arc<trunkline_tree::Snapshot>, String> {
        let device = device.clone();
        let reading = move || {
            let tree = &device.served().tree.clone();
            let (group, now) = (tree.group(group).unwrap(), Instant::now());
            tree.load(group, now, Instant::now).map_err(|error| error.to_string())?;
            Ok(tree.fresh_snapshot(group, now).unwrap())
        };
        tokio::task::spawn_blocking(reading).await.unwrap()
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn what_a_device_answers_is_a_snapshot_and_what_it_makes_up_is_not() {
        let column = |id: u32| [if_mib::IF_TABLE.oid, &[1, id]].concat();
        let session = Arc::new(Fake {
            instances: vec![
                instance(snmpv2_mib::SYS_NAME.oid, &[0], Value::text("old switch")),
                // Of another type than the schema's.
                instance(snmpv2_mib::SYS_CONTACT.oid, &[0], Value::Integer(5)),
                instance(&column(2), &[7], Value::text("eth0")),
                instance(&column(10), &[7], Value::Counter32(9)),
                instance(&column(10), &[8], Value::text("nine")),
                // Not an ifIndex.
                instance(&column(2), &[7, 7], Value::text("eth7.7")),
            ],
            ..Fake::default()
        });
        let opened = Arc::new(AtomicUsize::new(0));
        let (counted, shared) = (opened.clone(), session.clone());
        let opener: Opener = Box::new(move || {
            counted.fetch_add(1, Relaxed);
            let session: Arc<dyn Session> = shared.clone();
            Box::pin(ready(Ok(session)))
        });
        let device = Arc::new(Device::new("switch", "", opener, Handle::current()));
        assert_eq!(opened.load(Relaxed), 0);
        let system = snapshot(&device, "SNMPv2-MIB").await.unwrap();
        let cell = |scalar| system.scalar(scalar).map(|cell| format!("{cell:?}"));
        assert!(cell(&snmpv2_mib::SYS_NAME).unwrap().contains("OctetString"));
        assert_eq!((cell(&snmpv2_mib::SYS_CONTACT), cell(&snmpv2_mib::SYS_DESCR)), (None, None));
        let interfaces = snapshot(&device, "ifTable").await.unwrap();
        let rows = interfaces.table(&if_mib::IF_TABLE).unwrap();
        assert_eq!(rows.index().iter().collect::<Vec<_>>(), [&[7][..], &[8]]);
        assert_eq!(rows.get(0, 10), Some(ValueRef::Counter32(9)));
        assert_eq!((rows.get(1, 10), rows.get(1, 2)), (None, None));
        assert_eq!(opened.load(Relaxed), 1);
        // A device that was away is opened anew.
        *session.fault.lock().unwrap() = Some(|| Error::SessionClosed);
        let failed = snapshot(&device, "IF-MIB").await.unwrap_err();
        assert!(failed.contains("IF-MIB of switch"), "{failed}");
        assert!(device.failure().is_some());
        *session.fault.lock().unwrap() = None;
        // Not at once: requests of the same moment wait for a silence once.
        let began = Instant::now();
        while snapshot(&device, "IF-MIB").await.is_err() {
            assert!(began.elapsed() < Duration::from_secs(60));
            tokio::task::yield_now().await;
        }
        assert_eq!((opened.load(Relaxed), device.failure()), (2, None));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_device_that_refuses_says_so_and_is_not_left_alone() {
        let session = Arc::new(Fake {
            instances: vec![instance(snmpv2_mib::SYS_NAME.oid, &[0], Value::text("switch"))],
            ..Fake::default()
        });
        let shared = session.clone();
        let opener: Opener = Box::new(move || {
            let session: Arc<dyn Session> = shared.clone();
            Box::pin(ready(Ok(session)))
        });
        let device = Arc::new(Device::new("switch", "", opener, Handle::current()));
        let answer = |fault: fn() -> Error| *session.fault.lock().unwrap() = Some(fault);
        answer(|| Error::Status { status: ErrorStatus::GenErr.code(), index: 1, name: None });
        for group in ["ifTable", "ifXTable"] {
            assert!(snapshot(&device, group).await.is_err(), "{group}");
            assert!(device.failure().unwrap().contains("genErr"), "{:?}", device.failure());
        }
        // Over SOAP, a login that it does not know, what it cannot read, and what other peers say.
        let faults: [fn() -> Error; 3] = [
            || fault(FaultKind::Unauthorized),
            || fault(FaultKind::SourceFailed),
            || fault(FaultKind::Other("Busy".into())),
        ];
        for fault in faults {
            answer(fault);
            for group in ["SNMPv2-MIB", "ifXTable"] {
                assert!(snapshot(&device, group).await.is_err(), "{group}");
                assert!(device.failure().unwrap().contains("not today"), "{:?}", device.failure());
            }
        }
        for (fault, group) in [
            (ABSENT, "ipNetToMediaTable"),
            (|| fault(FaultKind::NoSuchObject), "tcpConnectionTable"),
            (|| fault(FaultKind::UnknownOperation), "udpEndpointTable"),
        ] {
            answer(fault);
            assert!(snapshot(&device, group).await.is_ok(), "it has none");
            assert_eq!(device.failure(), None);
        }
        *session.fault.lock().unwrap() = None;
        assert!(snapshot(&device, "SNMPv2-MIB").await.is_ok());
    }

    #[tokio::test]
    async fn a_device_is_set_if_it_is_what_was_seen() {
        let opened = Arc::new(AtomicUsize::new(0));
        let counted = opened.clone();
        let opener: Opener = Box::new(move || {
            counted.fetch_add(1, Relaxed);
            let instances = vec![instance(snmpv2_mib::SYS_CONTACT.oid, &[0], Value::text("ann"))];
            let session: Arc<dyn Session> = Arc::new(Fake { instances, ..Fake::default() });
            Box::pin(ready(Ok(session)))
        });
        let device = Device::new("switch", "", opener, Handle::current());
        let (contact, _) = instance(snmpv2_mib::SYS_CONTACT.oid, &[0], Value::text(""));
        let (location, _) = instance(snmpv2_mib::SYS_LOCATION.oid, &[0], Value::text(""));
        let may = |read, write| device.served().tree.access(read, write);
        let all = may(View::everything(), View::everything());
        let is_ann = |value: Option<&Value>| value == Some(&Value::text("ann"));
        let is_none = |value: Option<&Value>| value.is_none();
        let text = Value::text;
        device.set(&all, &contact, &is_ann, text("bob")).await.unwrap();
        device.set(&all, &location, &is_none, text("here")).await.unwrap();
        let changed = device.set(&all, &contact, &is_none, text("bob")).await;
        assert!(matches!(changed, Err(NotSet::Changed)), "{changed:?}");
        // What somebody may not read is not compared: that would tell.
        let blind = may(View::NOTHING, View::everything());
        device.set(&blind, &contact, &is_none, text("bob")).await.unwrap();
        let denied =
            device.set(&may(View::everything(), View::NOTHING), &contact, &is_ann, text("bob")).await;
        assert!(matches!(denied, Err(NotSet::Denied)), "{denied:?}");
        let refused = device.set(&all, &contact, &is_ann, text("refuse")).await;
        let because = Refused::Because(trunkline_smi::SetStatus::NotWritable);
        assert!(matches!(&refused, Err(NotSet::Refused(it, _)) if *it == because), "{refused:?}");
        assert_eq!(opened.load(Relaxed), 1);
        // Nobody knows whether it was set; the next Set has another session.
        let unknown = device.set(&all, &contact, &is_ann, text("break")).await;
        assert!(matches!(unknown, Err(NotSet::Unknown(_))), "{unknown:?}");
        device.set(&all, &contact, &is_ann, text("bob")).await.unwrap();
        assert_eq!(opened.load(Relaxed), 2);
        let gone: Opener = Box::new(|| Box::pin(ready(Err("nobody is there".into()))));
        let gone = Device::new("gone", "", gone, Handle::current());
        let unreachable = gone.set(&all, &contact, &is_ann, text("bob")).await;
        assert!(matches!(unreachable, Err(NotSet::Unreachable(_))), "{unreachable:?}");
    }

    #[tokio::test]
    async fn a_row_that_is_there_after_a_lost_answer_was_created() {
        let (status, mtu) = (Oid::EMPTY.child(&[1, 3, 1, 1]), Oid::EMPTY.child(&[1, 3, 1, 2]));
        let row = |number| vec![(status.clone(), Value::Integer(4)), (mtu.clone(), Value::Integer(number))];
        let twice: fn() -> Error =
            || Error::Status { status: ErrorStatus::InconsistentValue.code(), index: 1, name: None };
        let lost: fn() -> Error = || Error::SessionClosed;
        let device = |creates, made: Vec<(Oid, Value)>| {
            let fake = Fake { creates: Mutex::new(creates), made: Mutex::new(made), ..Fake::default() };
            let fake: Arc<dyn Session> = Arc::new(fake);
            let opener: Opener = Box::new(move || Box::pin(ready(Ok(fake.clone()))));
            Device::new("switch", "", opener, Handle::current())
        };
        for answer in [twice, lost] {
            let device = device(Some(answer), Vec::new());
            let all = device.served().tree.access(View::everything(), View::everything());
            device.create(&all, row(7)).await.unwrap();
            // Who comes later meets it.
            let again = device.create(&all, row(7)).await;
            assert!(matches!(again, Err(NotSet::Changed)), "{again:?}");
            // Who may not read it does not learn that it is there but from the device.
            let blind = device.served().tree.access(View::NOTHING, View::everything());
            let blind = device.create(&blind, row(7)).await;
            assert!(matches!(blind, Err(NotSet::Refused(..) | NotSet::Unknown(_))), "{blind:?}");
        }
        // Somebody else was faster, between the look and the Set.
        let device = device(Some(twice), vec![(mtu.clone(), Value::Integer(9))]);
        let all = device.served().tree.access(View::everything(), View::everything());
        let there = device.create(&all, row(7)).await;
        assert!(matches!(there, Err(NotSet::There)), "{there:?}");
        // What the device does not show again cannot be compared: the row was perhaps created, and by nobody else.
        let zero = Value::ObjectIdentifier(Oid::from([0, 0]));
        for shown in [None, Some(Value::text("")), Some(zero)] {
            let creates: fn() -> Error = lost;
            let hides = Mutex::new(Some((mtu.clone(), shown)));
            let fake: Arc<dyn Session> =
                Arc::new(Fake { creates: Mutex::new(Some(creates)), hides, ..Fake::default() });
            let opener: Opener = Box::new(move || Box::pin(ready(Ok(fake.clone()))));
            let unshown = Device::new("switch", "", opener, Handle::current()).create(&all, row(7)).await;
            let unshown = unshown.unwrap_err();
            assert!(matches!(unshown, NotSet::Unshown(1)) && unshown.binding() == Some(1), "{unshown:?}");
        }
        // It refuses, and says nothing more.
        let then = Mutex::new(Some(lost));
        let fake: Arc<dyn Session> =
            Arc::new(Fake { creates: Mutex::new(Some(twice)), then, ..Fake::default() });
        let opener: Opener = Box::new(move || Box::pin(ready(Ok(fake.clone()))));
        let doubtful = Device::new("switch", "", opener, Handle::current()).create(&all, row(7)).await;
        let words = doubtful.as_ref().map_err(ToString::to_string).unwrap_err();
        assert!(matches!(doubtful, Err(NotSet::Doubtful(_))) && words.ends_with("is not known"), "{words}");
        // It refuses and has no such row.
        let opener: Opener = Box::new(|| {
            let session: Arc<dyn Session> = Arc::new(Fake::default());
            Box::pin(ready(Ok(session)))
        });
        let device = Device::new("switch", "", opener, Handle::current());
        let refused = device.create(&all, vec![(status.clone(), Value::text("refuse"))]).await;
        assert!(matches!(refused, Err(NotSet::Refused(..))), "{refused:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn what_nobody_reads_is_forgotten() {
        let opened = Arc::new(AtomicUsize::new(0));
        let counted = opened.clone();
        let opener: Opener = Box::new(move || {
            counted.fetch_add(1, Relaxed);
            let session: Arc<dyn Session> = Arc::new(Fake::default());
            Box::pin(ready(Ok(session)))
        });
        let device = Device::new("switch", "", opener, Handle::current());
        let first = Arc::downgrade(&device.served());
        assert!(device.can_set().await && device.can_set().await);
        assert_eq!(opened.load(Relaxed), 1);
        // Somebody comes again and again: it stays.
        for _ in 0..5 {
            sleep(IDLE * 3 / 4).await;
            assert!(std::ptr::eq(Arc::as_ptr(&device.served()), first.as_ptr()));
        }
        assert!(first.upgrade().is_some());
        sleep(IDLE * 2).await;
        assert!(first.upgrade().is_none());
        // The next one has it all made again.
        assert!(device.served().tree.group("IF-MIB").is_some() && device.can_set().await);
        assert_eq!(opened.load(Relaxed), 2);
        let last = Arc::downgrade(&device.made);
        drop(device);
        sleep(IDLE * 2).await;
        assert!(last.upgrade().is_none());
    }

    #[tokio::test]
    async fn the_policy_knows_a_device_as_a_context() {
        let opener: Opener = Box::new(|| Box::pin(ready(Err("nobody is there".into()))));
        let device = Device::new("s1", "switch", opener, Handle::current());
        let ann = OwnedPrincipal::of_user("ann");
        let name = |text: &str| AdminString::try_from(text).unwrap();
        let in_context = |context: &str| {
            let grant = RoleGrant {
                read: Some(ViewSource::Rules(View::everything())),
                context: name(context),
                ..RoleGrant::default()
            };
            let role = Role { name: name("watcher"), grants: vec![grant], ..Role::default() };
            let member = Member { model: ann.model, name: name("ann"), role: name("watcher") };
            let (contexts, roles, members) = (vec![name("switch")], vec![role], vec![member]);
            let policy = Roles { contexts, roles, members, ..Roles::default() }.compile().unwrap();
            let may = device.access(&ann.as_principal(), &Arc::new(policy.clone()), ViewType::Read).is_ok();
            assert_eq!(device.is_readable(&ann.as_principal(), &policy), may);
            may
        };
        assert!(in_context("switch"));
        assert!(!in_context(""));
    }
}
