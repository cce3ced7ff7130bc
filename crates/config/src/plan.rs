//! The checked configuration: what the daemon is built from. A file for each section; here is
//! the whole of them, and the order in which they are checked, since one names another.

mod agentx;
mod community;
mod computed;
mod expression;
mod files;
mod freshness;
mod group;
mod hook;
mod http;
mod jmx;
mod listen;
mod monitor;
mod netconf;
mod peer;
mod principal;
mod programs;
mod proxy;
mod role;
mod secret;
mod secure;
mod security;
mod services;
mod several;
mod snmp;
mod subagent;
mod system;
mod target;
mod trigger;
mod user;
mod value;
mod view;
mod watched;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use serde_spanned::Spanned;
use trunkline_snmp::usm::EngineId;
use trunkline_soap::expression::Specification;
use trunkline_tree::Family;
use trunkline_tree::policy::{ContextMatch, Member, Roles, SecurityLevel, SecurityModel, ViewType};

pub use agentx::AgentxPlan;
pub use community::{CommunityName, CommunityPlan, Network, Rights};
pub use computed::{ComputedObjectPlan, ComputedPlan, ExpressionsPlan, SampleType};
pub use expression::{Expression, ExpressionError, Operator, Sample, SampleOf};
pub use files::FilePlan;
pub use freshness::{FreshnessPlan, GROUPS};
pub use group::{
    AggregatePlan, FilterEquals, FilterPlan, FunctionPlan, GroupListenPlan, GroupPeerPlan, GroupPlan,
    MemberCommunity, MemberPlan, MemberWay, MembersFile, OverPlan,
};
pub use hook::HookPlan;
pub use http::{HttpDoors, HttpPlan, MaxAnswer};
pub use jmx::JmxPlan;
pub use listen::overlap;
pub use monitor::{Condition, MonitorPlan};
pub use netconf::{CallHome, NetconfPlan};
pub use peer::{Credentials, PeerAddress, PeerRole};
pub use principal::{EVERYBODY, PasswordHash, PrincipalPlan, TokenHash};
pub use programs::{ExecPlan, ExtendPlan, PassPlan};
pub use proxy::ProxyPlan;
pub use role::{AccessPlan, RolePlan, admin_string};
pub use secret::Secret;
pub use secure::{NAME_ROW_STEP, SshPlan, TlsPlan, TlsServer, TlsVersion};
pub use several::joined;
pub use snmp::{SnmpPlan, TcpPlan, TrapStyle};
pub use subagent::{SubagentPlan, absent_subagent_user};
pub use system::{ProgramPrivileges, SystemPlan};
pub use target::{NotificationKind, TargetPlan};
pub use trigger::{
    BUILT_IN_EVENTS, BooleanPlan, Comparison, EventPlan, EventsPlan, ExistencePlan, ObjectPlan,
    ThresholdPlan, ThresholdStartup, TriggerPlan, powerless_triggers,
};
pub use user::UserPlan;
pub use value::check_beginning;
pub use view::{PathRule, Rules, ViewPlan, ViewRef, precedence};
pub use watched::{
    DiskIoPlan, DiskMinimum, DiskPlan, LoadPlan, LogMatchPlan, ProcessPlan, WatchedFilePlan, check_pattern,
};

use trunkline_transport::{DEFAULT_WAITING, ListenUrl, Protocol, Transport};

use super::{Place, WrongConfig, raw};
use snmp::Needed;
use value::Mistakes;

/// Everything that the daemon needs.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The user to change to when started as root.
    pub user: Option<String>,
    /// Which rights programs have.
    pub program_privileges: ProgramPrivileges,
    /// Whether an agent that was started as root keeps the capabilities to look into processes of other users.
    pub read_processes: bool,
    /// The directory for state that must survive a restart; `None`: the default.
    pub state: Option<PathBuf>,
    /// What is logged, in the form of `tracing`: `info`, `trunkline_host=debug,info`.
    pub log: String,
    /// The identifier of this engine; `None`: made at the first start and kept.
    pub engine_id: Option<EngineId>,
    /// The configuration does not say where to listen: the defaults hold.
    pub listens_by_default: bool,
    /// The time limit for outstanding requests at shutdown.
    pub grace: Duration,
    /// The most octets that wait for peers, over all connections.
    pub waiting_output: usize,
    /// The system group.
    pub system: SystemPlan,
    /// The SNMP door.
    pub snmp: SnmpPlan,
    /// The doors of HTTP.
    pub http: HttpPlan,
    /// The door of NETCONF; `None`: it is closed.
    pub netconf: Option<NetconfPlan>,
    /// The door of JMX; `None`: it is closed.
    pub jmx: Option<JmxPlan>,
    /// The master of AgentX; `None`: there are no subagents.
    pub agentx: Option<AgentxPlan>,
    /// The agent as a subagent; `None`: it is not one.
    pub subagent: Option<SubagentPlan>,
    /// How fresh data must be.
    pub freshness: FreshnessPlan,
    /// Named views.
    pub views: Vec<ViewPlan>,
    /// Roles.
    pub roles: Vec<RolePlan>,
    /// What is watched.
    pub monitors: Vec<MonitorPlan>,
    /// Rows of mteTriggerTable.
    pub triggers: Vec<TriggerPlan>,
    /// Rows of mteEventTable.
    pub events: Vec<EventPlan>,
    /// The limits of DISMAN-EVENT-MIB.
    pub event_limits: EventsPlan,
    /// Rows of expExpressionTable.
    pub computed: Vec<ComputedPlan>,
    /// The limits of DISMAN-EXPRESSION-MIB.
    pub expression_limits: ExpressionsPlan,
    /// Programs of NET-SNMP-EXTEND-MIB.
    pub extends: Vec<ExtendPlan>,
    /// Programs that answer for subtrees.
    pub passes: Vec<PassPlan>,
    /// Programs of extTable.
    pub execs: Vec<ExecPlan>,
    /// Rows of prTable.
    pub processes: Vec<ProcessPlan>,
    /// Rows of dskTable; none: all disks, without limits.
    pub disks: Vec<DiskPlan>,
    /// Limits of laTable.
    pub load: Option<LoadPlan>,
    /// Rows of diskIOTable.
    pub disk_io: DiskIoPlan,
    /// Whether hrStorageTable has file systems of other machines.
    pub network_disks: bool,
    /// Rows of fileTable.
    pub files: Vec<WatchedFilePlan>,
    /// Rows of logMatchTable.
    pub log_matches: Vec<LogMatchPlan>,
    /// With less unused swap space, in kilobytes, memSwapError is raised.
    pub minimum_swap: u64,
    /// The bridge of BRIDGE-MIB; `None`: the first one.
    pub bridge: Option<String>,
    /// Other agents that answer.
    pub proxies: Vec<ProxyPlan>,
    /// Groups of other agents that this one reads.
    pub groups: Vec<GroupPlan>,
    /// Where their notifications are received.
    pub groups_listen: GroupListenPlan,
    /// Services and the relations between them, for path selections.
    pub services: Specification,
}

impl Default for Plan {
    /// Without a file: loopback only, port 1161, community `public`, read-only.
    fn default() -> Self {
        Plan {
            user: None,
            program_privileges: ProgramPrivileges::Restricted,
            read_processes: false,
            state: None,
            log: "info".into(),
            engine_id: None,
            listens_by_default: true,
            grace: Duration::from_secs(1),
            waiting_output: DEFAULT_WAITING,
            system: SystemPlan::default(),
            snmp: SnmpPlan::default(),
            http: HttpPlan::default(),
            netconf: None,
            jmx: None,
            agentx: None,
            subagent: None,
            freshness: FreshnessPlan::default(),
            views: Vec::new(),
            roles: Vec::new(),
            monitors: Vec::new(),
            triggers: Vec::new(),
            events: Vec::new(),
            event_limits: EventsPlan::default(),
            computed: Vec::new(),
            expression_limits: ExpressionsPlan::default(),
            extends: Vec::new(),
            passes: Vec::new(),
            execs: Vec::new(),
            processes: Vec::new(),
            disks: Vec::new(),
            load: None,
            disk_io: DiskIoPlan::default(),
            network_disks: true,
            files: Vec::new(),
            log_matches: Vec::new(),
            minimum_swap: watched::MINIMUM_SWAP,
            bridge: None,
            proxies: Vec::new(),
            groups: Vec::new(),
            groups_listen: GroupListenPlan::default(),
            services: Specification::default(),
        }
    }
}

impl Plan {
    /// Where the agent listens, and what it speaks there.
    pub fn listeners(&self) -> impl Iterator<Item = (Protocol, ListenUrl)> {
        let snmp = self.snmp.listen.iter().map(|url| (Protocol::Snmp, *url));
        let http = self.http.listen.iter().map(|url| (Protocol::Http, *url));
        let netconf = self.netconf.iter().flat_map(|netconf| &netconf.listen);
        let jmx = self.jmx.iter().flat_map(|jmx| &jmx.listen).map(|url| (Protocol::Jmx, *url));
        snmp.chain(http).chain(netconf.map(|url| (Protocol::Netconf, *url))).chain(jmx)
    }

    /// The users by whose rights this agent itself reads.
    fn internal_users(&self) -> BTreeSet<String> {
        let of_triggers = self.triggers.iter().map(|trigger| &trigger.user);
        let of_expressions = self.computed.iter().map(|computed| &computed.user);
        of_triggers.chain(of_expressions).flatten().cloned().collect()
    }

    /// Whether the tree is reached by SNMP or not at all. NETCONF is served over the socket for OpenSSH's subsystem too, so it
    /// needs no listener.
    fn has_only_snmp(&self) -> bool {
        let has_jmx = self.jmx.as_ref().is_some_and(|it| !it.listen.is_empty());
        let has_door = !self.http.listen.is_empty() || self.netconf.is_some() || has_jmx;
        !has_door && self.subagent.is_none()
    }

    /// Whether peers can connect over a transport that authenticates them.
    pub fn has_sessions(&self) -> bool {
        let is_authenticated = |url: &ListenUrl| url.transport != Transport::Tcp;
        let is_served = |it: &NetconfPlan| it.listen.iter().any(is_authenticated) || !it.call_home.is_empty();
        let of_netconf = self.netconf.as_ref().is_some_and(is_served);
        let of_jmx = self.jmx.as_ref().is_some_and(JmxPlan::has_tls);
        self.snmp.has_sessions() || self.http.has_sessions() || of_netconf || of_jmx
    }

    /// Whether sessions over this transport are accepted with the keys and certificates of `[snmp]`.
    pub fn accepts(&self, transport: Transport) -> bool {
        self.snmp.listen.iter().any(|url| url.transport == transport)
            || self.netconf.as_ref().is_some_and(|netconf| netconf.listens(transport))
    }

    /// Whether TLS encrypts nothing somewhere.
    pub fn is_integrity_only(&self) -> bool {
        self.snmp.tls.integrity_only || self.http.tls.as_ref().is_some_and(|tls| tls.integrity_only)
    }

    /// A revocation list that is in force with another plan and that this one would lose without saying so.
    pub fn lost_revocation_list(&self, now: &Plan) -> Option<PathBuf> {
        let of_https = |plan: &Plan| plan.http.tls.clone().unwrap_or_else(|| plan.snmp.tls.clone());
        let lost = self.snmp.tls.lost_revocation_list(&now.snmp.tls);
        lost.or_else(|| of_https(self).lost_revocation_list(&of_https(now)))
    }

    /// Whether anybody may write anything: then the agent keeps the capability to change links.
    pub fn may_write(&self) -> bool {
        let by_role =
            |role: &str| role::all_rules(role, &self.roles).iter().any(|(rule, _)| rule.write.is_some());
        let community = |community: &CommunityPlan| match &community.rights {
            Rights::View { write, .. } => *write,
            Rights::Role(role) => by_role(role),
        };
        self.snmp.communities.iter().any(community)
            || self.snmp.users.iter().filter_map(|user| user.role.as_deref()).any(by_role)
            || self.snmp.principals.iter().filter_map(|principal| principal.role.as_deref()).any(by_role)
            || self.roles.iter().any(|role| !role.members.is_empty() && by_role(&role.name))
    }

    /// The least level at which users of SNMPv3 may read or write anything with a role.
    pub(crate) fn least_level(&self, role: &str) -> Option<SecurityLevel> {
        let is_of_users =
            |rule: &AccessPlan| rule.model == SecurityModel::ANY || rule.model == SecurityModel::USM;
        let rules = role::all_rules(role, &self.roles).into_iter();
        let rules =
            rules.filter(|(rule, _)| is_of_users(rule) && (rule.read.is_some() || rule.write.is_some()));
        rules.map(|(_, level)| level).min()
    }

    /// The roles and the beginnings of contexts in their rules that match no context.
    pub(crate) fn rules_without_context(&self) -> Vec<(&str, &str)> {
        let contexts = self.contexts();
        let rules = self.roles.iter().flat_map(|role| role.access.iter().map(move |rule| (role, rule)));
        let beginnings = rules.filter(|(_, rule)| rule.context_match == ContextMatch::Prefix);
        let all = beginnings.map(|(role, rule)| (role.name.as_str(), rule.context.as_str()));
        // The default context begins with nothing.
        all.filter(|(_, start)| {
            !start.is_empty() && !contexts.iter().any(|context| context.starts_with(start))
        })
        .collect()
    }

    /// Roles, views, contexts and the users that have roles, for a policy. Communities are added by the code that
    /// gives them security names.
    pub fn access(&self) -> Roles {
        let views = self.views.iter().map(|view| (admin_string(&view.name), view.rules.view()));
        let user = |user: &UserPlan| {
            let role = admin_string(user.role.as_deref()?);
            Some(Member { model: SecurityModel::USM, name: admin_string(&user.name), role })
        };
        let principal = |principal: &PrincipalPlan| {
            let role = admin_string(principal.role.as_deref()?);
            Some(Member { model: SecurityModel::TSM, name: admin_string(&principal.name), role })
        };
        let users = self.snmp.users.iter().filter_map(user);
        let is_given =
            |name: &str| self.snmp.users.iter().any(|user| user.role.is_some() && user.name == name);
        let later = self.roles.iter().flat_map(|role| role.members.iter().map(move |name| (role, name)));
        let later = later.filter(|(_, name)| !is_given(name)).map(|(role, name)| Member {
            model: SecurityModel::USM,
            name: admin_string(name),
            role: admin_string(&role.name),
        });
        Roles {
            contexts: self.contexts().iter().map(|context| admin_string(context)).collect(),
            views: views.collect(),
            roles: self.roles.iter().map(RolePlan::role).collect(),
            members: users.chain(later).chain(self.snmp.principals.iter().filter_map(principal)).collect(),
        }
    }

    /// The rules for places in YANG's data, each with its role or view and what it permits; those of a view may permit anything.
    pub fn paths(&self) -> impl Iterator<Item = (&str, ViewType, &PathRule)> {
        let views = self
            .views
            .iter()
            .flat_map(|view| view.rules.paths.iter().map(|rule| (view.name.as_str(), ViewType::Read, rule)));
        let roles = self.roles.iter().flat_map(|role| {
            let views = role.access.iter().flat_map(AccessPlan::views);
            views.flat_map(move |(of, view)| {
                let rules = view.as_ref().map_or(&[][..], ViewRef::paths);
                rules.iter().map(move |rule| (role.name.as_str(), of, rule))
            })
        });
        views.chain(roles)
    }

    /// Finds the subtrees of objects that paths stand for, as they are now.
    ///
    /// # Errors
    /// All paths that have none, where they are in the file.
    pub fn set_subtrees<E: std::fmt::Display>(
        &mut self,
        mut subtrees: impl FnMut(&PathRule, ViewType) -> Result<Vec<Family>, E>,
    ) -> Result<(), WrongConfig> {
        let views =
            self.views.iter_mut().flat_map(|view| &mut view.rules.paths).map(|it| (ViewType::Read, it));
        let roles = self.roles.iter_mut().flat_map(|role| &mut role.access).flat_map(AccessPlan::paths_mut);
        let mut wrong = Vec::new();
        for (of, rule) in views.chain(roles) {
            match subtrees(rule, of) {
                Ok(families) => rule.families = families,
                Err(error) => wrong.push(rule.wrong(error)),
            }
        }
        WrongConfig::join(wrong).map_or(Ok(()), Err)
    }

    /// The contexts besides the default one, each once.
    fn contexts(&self) -> BTreeSet<String> {
        let rules = self.roles.iter().flat_map(|role| &role.access);
        let exact = rules.filter(|rule| rule.context_match == ContextMatch::Exact);
        let communities = self.snmp.communities.iter().map(|community| community.context.as_str());
        let proxies = self.proxies.iter().map(|proxy| proxy.context.as_str());
        let all = exact.map(|rule| rule.context.as_str()).chain(communities).chain(proxies);
        let members = self.groups.iter().flat_map(GroupPlan::contexts).map(|(context, _)| context);
        all.filter(|context| !context.is_empty()).map(str::to_owned).chain(members).collect()
    }
}

/// The longest grace: a service manager waits no longer for a program to end.
const LONGEST_GRACE: Duration = Duration::from_secs(60);

/// The second stage. Mistakes of sections that do not depend on each other are found together.
pub(super) fn check(mut raw: raw::Config, place: Place<'_>) -> Result<Plan, WrongConfig> {
    let mut wrong = Mistakes::default();
    let mut plan = Plan {
        listens_by_default: raw.has_no_listeners(),
        user: raw.agent.user.map(Spanned::into_inner),
        read_processes: raw.agent.read_processes,
        state: raw.agent.state.map(|state| PathBuf::from(state.into_inner())),
        ..Plan::default()
    };
    let log = raw.agent.log.map_or_else(|| Ok(plan.log.clone()), |log| system::check_log(log, place));
    wrong.set(&mut plan.log, log);
    let privileges = system::check_privileges(raw.agent.program_privileges.as_ref(), place);
    wrong.set(&mut plan.program_privileges, privileges);
    let engine_id = raw.agent.engine_id.map(|text| system::check_engine_id(&text, place));
    wrong.set(&mut plan.engine_id, engine_id.transpose());
    let grace = value::time_or_none(raw.agent.grace, plan.grace, LONGEST_GRACE, place);
    wrong.set(&mut plan.grace, grace);
    wrong.set(&mut plan.system, system::check_system(raw.system, place));
    wrong.set(&mut plan.freshness, freshness::check_freshness(raw.freshness, place));
    wrong.set(&mut plan.monitors, monitor::check_monitors(raw.monitor, place));
    wrong.set(&mut plan.event_limits, trigger::check_limits(raw.events, place));
    if wrong.set(&mut plan.events, trigger::check_events(raw.event, place)) {
        wrong.set(&mut plan.triggers, trigger::check_triggers(raw.trigger, &plan.events, place));
    }
    wrong.set(&mut plan.expression_limits, computed::check_limits(raw.expressions, place));
    wrong.set(&mut plan.computed, computed::check(raw.expression, place));
    wrong.set(&mut plan.extends, programs::check_extends(raw.extend, place));
    wrong.set(&mut plan.passes, programs::check_passes(raw.pass, place));
    wrong.set(&mut plan.execs, programs::check_execs(raw.exec, place));
    wrong.set(&mut plan.processes, watched::check_processes(raw.process, place));
    wrong.set(&mut plan.disks, watched::check_disks(raw.disk, place));
    wrong.set(&mut plan.load, raw.load.map(|load| watched::check_load(load, place)).transpose());
    wrong.set(&mut plan.disk_io, watched::check_disk_io(raw.disk_io, place));
    plan.network_disks = raw.storage.network_disks.unwrap_or(true);
    wrong.set(&mut plan.files, watched::check_files(raw.file, place));
    wrong.set(&mut plan.log_matches, watched::check_log_matches(raw.log_match, place));
    let bridge = raw.bridge.name.map(|name| value::length(&name, 15, place));
    wrong.set(&mut plan.bridge, bridge.transpose());
    wrong.set(&mut plan.minimum_swap, watched::check_swap(raw.swap, place));
    wrong.set(&mut plan.services, services::check_services(raw.service, raw.relation, place));

    wrong.set(&mut plan.waiting_output, system::check_waiting_output(raw.agent.waiting_output, place));
    wrong.set(&mut plan.agentx, raw.agentx.map(|it| agentx::check_agentx(it, place)).transpose());
    wrong.set(&mut plan.subagent, raw.subagent.map(|it| subagent::check_subagent(it, place)).transpose());

    wrong.keep(several::add_roles(&raw.snmp, &mut raw.role, place));
    let members = role::member_spans(&raw.role);
    let of_netconf = raw.netconf.as_ref().map_or(&None, |netconf| &netconf.listen);
    let of_jmx = raw.jmx.as_ref().map_or(&None, |jmx| &jmx.listen);
    let spans = [&raw.snmp.listen, &raw.http.listen, of_netconf, of_jmx].map(listen::spans);
    let internal = plan.internal_users();
    let needed = Needed {
        by_https: http::needs_certificate(&raw.http),
        by_netconf: netconf::needs_certificate(raw.netconf.as_ref()),
        by_jmx: jmx::needs_certificate(raw.jmx.as_ref()),
        internal: &internal,
    };
    let plain = community::of_doors(raw.netconf.as_ref(), raw.jmx.as_ref());
    wrong.set(&mut plan.netconf, raw.netconf.map(|it| netconf::check_netconf(it, place)).transpose());
    wrong.set(&mut plan.jmx, raw.jmx.map(|it| jmx::check_jmx(it, place)).transpose());
    let max_answer = raw.http.max_answer_size.as_ref().map(Spanned::span);
    let has_roles = wrong.set(&mut plan.views, view::check_views(raw.view, place))
        && wrong.set(&mut plan.roles, role::check_roles(raw.role, &plan.views, place));
    if wrong.set(&mut plan.http, http::check_http(raw.http, place)) && has_roles {
        wrong.keep(http::check_share(max_answer, &mut plan.http.max_answer, plan.waiting_output, place));
        let snmp = snmp::check_snmp(raw.snmp, plan.has_only_snmp(), needed, &plan.views, &plan.roles, place);
        if wrong.set(&mut plan.snmp, snmp) {
            wrong.set(&mut plan.proxies, proxy::check_proxies(raw.proxy, &plan.snmp.users, place));
            let users = &plan.snmp.users;
            wrong.set(&mut plan.groups, group::check_groups(raw.group, users, place));
            wrong.set(&mut plan.groups_listen, group::check_listen(raw.groups, users, place));
            wrong.keep(role::check_members(&members, &plan.roles, users, place));
            for (protocol, name) in plain {
                wrong.keep(community::check_community_of(protocol, name, &plan.snmp.communities, place));
            }
            wrong.keep(listen::check_overlaps(&plan, spans, place));
        }
    }
    wrong.finish(plan)
}
