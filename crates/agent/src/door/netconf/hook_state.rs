//! Programs of the operator that apply parts of the data (decision 0065): whether they accept a change, and the state that they know.

use trunkline_models::joined::{Configured, join};
use trunkline_netconf::document::Document;
use trunkline_netconf::error::RpcError;
use trunkline_restconf::body;
use trunkline_restconf::media::Encoding;
use trunkline_yang::annotation::{Annotation, Origin};
use trunkline_yang::forest::{Forest, NodeId};

use trunkline_datastore::Config;

use super::made::Made;
use super::{Netconf, permission};
use trunkline_commit::{Known, State};
use trunkline_core::DataQuery;

/// Makes a root of which a program may know the state; whether there is anything.
pub(super) async fn make(
    door: &Netconf,
    query: &DataQuery<'_>,
    root: NodeId,
    config: &Configured,
    made: &mut Made<'_>,
) -> bool {
    let forest = &door.models().forest;
    let config = config.within(root);
    // A program's words are not divided by rights.
    let state = match permission::may_read_all(forest, root, query.access) {
        true => door.datastores.state_of(forest, root).await.and_then(|known| read(forest, root, &known)),
        false => None,
    };
    let element = state.as_ref().map(Document::root).filter(|it| it.has_children());
    if !config.is_there() && element.is_none() {
        return false;
    }
    if forest[root].place.is_configuration() {
        made.note(Annotation::from(Origin::Intended));
    }
    join(made, forest, root, config, element);
    true
}

/// Whether a configuration could be that of running, as the tables of SNMP and the programs see it that would have to apply it. Whoever only reads does not wait for them.
///
/// # Errors
/// Why they do not accept it.
pub(super) async fn ask(door: &Netconf, state: &State, wanted: &Config) -> Result<(), Vec<RpcError>> {
    let forest = &door.models().forest;
    let running = door.datastores.running(&door.core, forest, state).await;
    let _meanwhile = door.datastores.meanwhile(&running, state);
    door.datastores.try_change(forest, &running, wanted).await
}

/// What a program has written, if it is what the models have.
fn read(forest: &Forest, root: NodeId, known: &Known) -> Option<Document> {
    let name = &forest[root].name;
    let wrong = match body::read(&known.octets, Encoding::Json, None, forest) {
        Ok(document) if document.root().is(&forest.module(root).namespace, name) => return Some(document),
        Ok(_) => "it is another root's".to_owned(),
        Err(refusal) => refusal.errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "),
    };
    // Of an answer that was kept the log has it already.
    if known.is_new {
        tracing::warn!(root = name, "the state that a program gives cannot be used: {wrong}");
    }
    None
}
