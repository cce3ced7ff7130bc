//! What a user writes to select data, a path or an expression, as a filter that the server can carry out; and the data that it
//! returns, as leaves with their paths.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use trunkline_netconf::document::{Document, Element, limits};
use trunkline_netconf::json::{self, JsonData};
use trunkline_netconf::leaves::{Leaf, Naming};
use trunkline_netconf::modules::{Modules, library_filter};
use trunkline_netconf::path::{Path, declarations};
use trunkline_netconf::request::{self, Select};
use trunkline_netconf::{BASE, NOTIFICATION};
use trunkline_yang::forest::Forest;
use trunkline_yang::own::ALL;
use trunkline_yang::smiv2;

use super::{NetconfFault, NetconfSession};
use crate::error::Error;

/// The modules that are known here: their lists have known keys.
pub(super) static FOREST: LazyLock<Forest> =
    LazyLock::new(|| ALL.into_iter().fold(Forest::of(&smiv2::modules()), Forest::with));

/// A filter of what a user wrote.
#[derive(Clone, Debug)]
pub struct Selection {
    /// What it is made of, if that is a path.
    pub path: Option<Path>,
    /// The modules of the server, and the user's prefixes.
    pub modules: Modules,
    filter: Filter,
}

#[derive(Clone, Debug)]
enum Filter {
    Subtree(Vec<u8>),
    XPath(String, Vec<(String, String)>),
}

impl Selection {
    /// The same for a request.
    #[must_use]
    pub fn select(&self) -> Select<'_> {
        match &self.filter {
            Filter::Subtree(content) => Select::Subtree(content),
            Filter::XPath(expression, prefixes) => Select::XPath(expression, prefixes),
        }
    }
}

impl NetconfSession {
    /// The modules of the server, as its hello and its YANG library have them. They are requested once.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn modules(&self) -> Result<&Modules, Error> {
        self.inner.modules.get_or_try_init(|| self.read_modules()).await
    }

    async fn read_modules(&self) -> Result<Modules, Error> {
        let hello = self.hello().await?;
        let mut modules = Modules::of_hello(&hello);
        // That of RESTCONF has all of them.
        if let Some(filter) = library_filter(&hello).filter(|_| !self.is_restconf()) {
            let operation = request::get(Select::Subtree(filter.as_bytes()), None);
            let (octets, _) = self.read_octets(&operation).await?;
            let reply = self.reply(&octets)?;
            // A server that does not let everybody read it has announced what it will.
            if reply.is_done() {
                reply.content().for_each(|data| modules.read_library(data));
            }
        }
        Ok(modules)
    }

    /// A filter for a path with the names of modules, or for an expression of XPath that may have these as prefixes too. A path becomes a subtree
    /// filter where there is one, which every server takes.
    ///
    /// # Errors
    /// [`NetconfFault::Prefix`], and [`NetconfFault::NoXPath`] if it needs what the server does not have.
    pub async fn selection(&self, text: &str, prefixes: &[(String, String)]) -> Result<Selection, Error> {
        let mut modules = self.modules().await?.clone();
        prefixes.iter().for_each(|(prefix, namespace)| modules.declare(prefix, namespace));
        let path = Path::parse(text);
        if let Ok(path) = &path
            && let Some(content) =
                path.subtree(|prefix| modules.namespace(prefix)).map_err(NetconfFault::from)?
        {
            return Ok(Selection { path: Some(path.clone()), filter: Filter::Subtree(content), modules });
        }
        // Events over RESTCONF are filtered by XPath, and data says what is wrong itself.
        if !self.hello().await?.has(XPATH) && !self.is_restconf() {
            let reason = match path {
                Ok(_) => "a subtree filter cannot test this value".to_owned(),
                Err(fault) => fault.to_string(),
            };
            return Err(NetconfFault::NoXPath { reason }.into());
        }
        let path = path.ok();
        let expression = path.as_ref().map_or_else(|| text.to_owned(), Path::xpath);
        let found = declarations(&expression, |prefix| modules.namespace(prefix));
        let found = found.map_err(NetconfFault::from)?;
        // What a literal means by a prefix is not known here.
        let declared: BTreeMap<String, String> = found.into_iter().chain(prefixes.iter().cloned()).collect();
        Ok(Selection { path, filter: Filter::XPath(expression, declared.into_iter().collect()), modules })
    }

    /// Configuration and state at a path and below it, or what an expression selects with the keys of its entries: each leaf with its
    /// path.
    ///
    /// # Errors
    /// As [`NetconfSession::selection`], and what the server refuses; [`NetconfFault::UnknownNode`] if there is nothing and the schema does not
    /// have a name of the path.
    pub async fn leaves(&self, text: &str, mut found: impl FnMut(Leaf<'_>)) -> Result<Selection, Error> {
        let selection = self.selection(text, &[]).await?;
        let octets = self.selected(&request::get(selection.select(), None), &selection).await?;
        let reply = self.reply(&octets)?;
        let mut naming = Naming::new(&FOREST);
        selection.path.iter().for_each(|path| naming.expect(path, &selection.modules));
        reply.content().for_each(|data| naming.see(data));
        let mut is_found = false;
        for data in reply.content() {
            naming.leaves(data, &selection.modules, selection.path.as_ref(), &mut |leaf| {
                is_found = true;
                found(leaf);
            });
        }
        if !is_found {
            self.check_path(&selection, &FOREST).await?;
        }
        Ok(selection)
    }
}

/// The data of a reply as JSON (RFC 7951), for a reader that knows the models which are known here.
///
/// # Errors
/// [`NetconfFault::Reply`]: it is not well-formed.
pub fn json_of(reply: &[u8], modules: &Modules) -> Result<JsonData, NetconfFault> {
    let document =
        Document::read(reply, limits(usize::MAX)).map_err(|fault| NetconfFault::Reply(fault.into()))?;
    let root = document.root();
    let data = root.children().find(|it| it.name() == "data");
    Ok(json::data(data.unwrap_or(root), &FOREST, modules))
}

/// Whether XML is a configuration with the element around it that files of servers and replies have.
#[must_use]
pub fn is_whole_configuration(octets: &[u8]) -> bool {
    let document = Document::read(octets, limits(octets.len()));
    document.is_ok_and(|it| it.root().is(BASE, "config") || it.root().is(BASE, "data"))
}

/// The leaves of documents, such as replies, with the same names in all of them: of what is in each element of a root.
///
/// # Errors
/// [`NetconfFault::Reply`]: one is not well-formed.
pub fn leaves_of(documents: &[&[u8]], modules: &Modules) -> Result<Vec<Vec<(String, String)>>, NetconfFault> {
    let read = |octets: &&[u8]| {
        Document::read(octets, limits(usize::MAX)).map_err(|fault| NetconfFault::Reply(fault.into()))
    };
    let documents = documents.iter().map(read).collect::<Result<Vec<Document>, _>>()?;
    let mut naming = Naming::new(&FOREST);
    for document in &documents {
        within(document).for_each(|data| naming.see(data));
    }
    let all = documents.iter().map(|document| {
        let mut all = Vec::new();
        for data in within(document) {
            naming.leaves(data, modules, None, &mut |leaf| all.push((leaf.path, leaf.value.into_owned())));
        }
        all
    });
    Ok(all.collect())
}

/// The elements with data: warnings may stand beside them.
fn within(document: &Document) -> impl Iterator<Item = Element<'_>> {
    document.root().children().filter(|it| !it.is(BASE, "rpc-error"))
}

/// A notification as a person reads it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// What happened, with its module: `ietf-netconf-notifications:netconf-config-change`.
    pub name: String,
    /// Its leaves: each path begins with a slash and the name.
    pub leaves: Vec<(String, String)>,
}

impl Told {
    /// Reads a whole `notification`.
    ///
    /// # Errors
    /// [`NetconfFault::Reply`]: it is not well-formed.
    pub fn read(octets: &[u8], modules: &Modules) -> Result<Told, NetconfFault> {
        let document = Document::read(octets, limits(octets.len()))
            .map_err(|fault| NetconfFault::Reply(fault.into()))?;
        let root = document.root();
        let mut naming = Naming::new(&FOREST);
        naming.see(root);
        let mut told = Told::default();
        if let Some(event) = root.children().find(|it| it.namespace() != NOTIFICATION) {
            let module = modules.name(event.namespace());
            told.name = module.map_or_else(String::new, |module| format!("{module}:")) + event.name();
        }
        naming.leaves(root, modules, None, &mut |leaf| {
            // Neither its time, nor an event that has no more to tell than its name.
            if leaf.depth > 1 {
                told.leaves.push((leaf.path, leaf.value.into_owned()));
            }
        });
        Ok(told)
    }
}

/// `:xpath` (RFC 6241 section 8.9).
const XPATH: &str = "urn:ietf:params:netconf:capability:xpath:1.0";
