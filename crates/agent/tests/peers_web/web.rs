//! An agent with web services, and SNMP's view of everything that it serves.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use tokio::runtime::Runtime;
use trunkline_client::ssh::PasswordHash;
use trunkline_client::{Defaults, SessionOptions, SnmpSession, Table, Target, WalkOptions, table};
use trunkline_pki::Token;
use trunkline_smi::Oid;
use trunkline_soap::catalog::{Catalog, ServedTable};
use trunkline_testkit::leave_out;

use super::calls::{Call, calls, operations, selections};
use super::support::Agent;
use super::world::{MANAGER, World};

/// The user with write access, by basic authentication.
pub const USER: [&str; 2] = ["ann", "correct horse"];

/// What a client is generated of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Described {
    /// Operations for everything that is served.
    Soap,
    /// Selections.
    Select,
}

impl Described {
    pub const ALL: [Described; 2] = [Described::Soap, Described::Select];

    /// Where the service is.
    pub const fn path(self) -> &'static str {
        match self {
            Described::Soap => "/soap",
            Described::Select => "/",
        }
    }

    /// The ports by SOAP 1.1 and 1.2.
    pub const fn ports(self) -> [&'static str; 2] {
        match self {
            Described::Soap => ["TrunklineSoap11", "TrunklineSoap12"],
            Described::Select => ["SelectPort0", "Select12Port0"],
        }
    }

    /// Calls of all its operations; `with_community` adds a community.
    pub fn calls(self, web: &Web, with_community: bool) -> Vec<Call> {
        match self {
            Described::Soap => calls(web, with_community),
            Described::Select => selections(web, with_community),
        }
    }

    /// Its operations, by the WSDL.
    pub fn operations(self, web: &Web) -> &[String] {
        match self {
            Described::Soap => &web.operations,
            Described::Select => &web.selections,
        }
    }
}

/// The agent, its authority, and its WSDL.
pub struct Web {
    pub world: World,
    pub agent: Agent,
    pub runtime: Runtime,
    /// Of somebody who may write.
    pub token: Token,
    pub catalog: Arc<Catalog>,
    /// The operations of the WSDL.
    pub operations: Vec<String>,
    /// Those of the WSDL of selections.
    pub selections: Vec<String>,
    /// SNMP's view of each table, by name.
    pub tables: HashMap<&'static str, Table>,
}

/// One of the two ways in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// In the clear, with communities in the requests.
    Http,
    /// With our authority, as a user with a password.
    Https,
}

impl Web {
    pub fn start() -> Web {
        let world = World::usual();
        let hash = PasswordHash::make(&USER[1].into()).unwrap().to_phc();
        let token = Token::create().unwrap();
        let agent = Agent::start(&format!(
            "[snmp]\nlisten = [\"udp://127.0.0.1:0\"]\n\
             [[snmp.community]]\nname = \"public\"\naccess = \"read\"\n\
             [[snmp.community]]\nname = \"private\"\naccess = \"write\"\n\
             [[role]]\nname = \"writer\"\nread = [\"1\"]\nwrite = [\"1\"]\n\
             [[snmp.principal]]\nname = {:?}\nrole = \"writer\"\npassword-hash = {hash:?}\n\
             [[snmp.principal]]\nname = \"robot\"\nrole = \"writer\"\ntoken-hash = {:?}\n\
             [[snmp.principal]]\nname = {MANAGER:?}\nrole = \"writer\"\n\
             [agentx]\nlisten = [\"tcp:127.0.0.1:0\"]\n\
             [http]\nlisten = [\"http://127.0.0.1:0\", \"https://127.0.0.1:0\"]\n\
             [snmp.tls]\ndirectory = {:?}\n\
             [freshness]\ndefault = \"1h\"\n",
            USER[0],
            token.hash(),
            world.pki.path().display().to_string(),
        ));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let catalog = Arc::new(Catalog::complete());
        // Every description that the agent lists, so that none is forgotten here.
        let index = runtime.block_on(get(&agent, "/"));
        let mut told: Vec<&str> =
            index.split_whitespace().filter_map(|word| word.strip_suffix("?wsdl")).collect();
        told.sort_unstable();
        assert_eq!(told, ["/", "/soap"], "{index}");
        let [operations, selections] = Described::ALL.map(|described| {
            operations(&runtime.block_on(get(&agent, &format!("{}?wsdl", described.path()))))
        });
        assert!(operations.len() > 300, "{operations:?}");
        let mut web =
            Web { world, agent, runtime, token, catalog, operations, selections, tables: HashMap::new() };
        web.tables = web.runtime.block_on(web.all_tables());
        web
    }

    /// Where the service is, by this way.
    pub fn url(&self, way: Way, described: Described) -> String {
        let path = described.path();
        match way {
            Way::Http => format!("http://127.0.0.1:{}{path}", self.agent.address("http").port()),
            Way::Https => format!("https://localhost:{}{path}", self.agent.address("https").port()),
        }
    }

    pub fn authority(&self) -> PathBuf {
        self.world.pki.authority_certificate()
    }

    /// What is at a path of the agent.
    pub fn get(&self, path: &str) -> String {
        self.runtime.block_on(get(&self.agent, path))
    }

    async fn all_tables(&self) -> HashMap<&'static str, Table> {
        let target = format!("snmp://private@{}", self.agent.udp());
        let target = Target::parse(&target, &Defaults::default()).unwrap();
        let session = SnmpSession::open(&target, SessionOptions::default()).await.unwrap();
        let mut tables = HashMap::new();
        let served = |name: String| self.operations.contains(&name);
        for found in self.catalog.tables() {
            if !served(found.operation(trunkline_soap::catalog::TableVerb::Whole)) {
                continue;
            }
            let column = |id: &u32| Oid::EMPTY.child(&found.column_oid(*id));
            let columns: Vec<Oid> = columns(found).iter().map(column).collect();
            let rows = table(&session, &columns, WalkOptions::default()).await.unwrap();
            tables.insert(found.table.name, rows);
        }
        assert!(!tables["ifTable"].rows.is_empty(), "there is no interface at all");
        tables
    }
}

/// The columns that a table's rows are compared by: its values; index objects where it has nothing else.
pub fn columns(served: &ServedTable) -> Vec<u32> {
    if !served.record.fields.is_empty() {
        return served.record.fields.iter().map(|field| field.id).collect();
    }
    let readable = served.table.columns.iter().filter(|column| column.access.is_readable());
    readable.map(|column| column.id).collect()
}

async fn get(agent: &Agent, path: &str) -> String {
    use trunkline_transport::http::client::{HttpLink, LinkOptions, Place};
    let address = agent.address("http");
    let authority = address.to_string();
    let place = Place { addresses: &[address], authority: &authority, tls: None };
    let mut link = HttpLink::connect(place, LinkOptions::default()).await.unwrap();
    let answer = link.get(path).await.unwrap();
    assert_eq!(answer.status.as_u16(), 200, "{path}");
    String::from_utf8(answer.body.to_vec()).unwrap()
}

/// The folder of a peer that `cargo xtask setup --peers` has built; without it the test is left out.
pub fn built(peer: &str) -> Option<PathBuf> {
    let folder = root().join("target/peers").join(peer);
    let found = folder.join("built-from").is_file();
    if !found {
        leave_out(format_args!("{peer} is not built (cargo xtask setup --peers)"));
    }
    found.then_some(folder)
}

/// The root of the repository.
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}
