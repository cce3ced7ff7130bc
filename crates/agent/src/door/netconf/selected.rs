//! What the filter of a request selects.

use trunkline_netconf::document::Element;
use trunkline_netconf::error::RpcError;
use trunkline_netconf::operation::Filter;
use trunkline_netconf::subtree;
use trunkline_restconf::paging::Paging;
use trunkline_yang::forest::{Forest, NodeId};
use trunkline_yang::selection::{self, Selection};

use super::xpath::{self, Narrowed};

/// What a filter selects.
pub(super) enum Selected {
    Nodes(Selection),
    Expression(xpath::Filter),
    /// Entries of the list that the nodes are.
    Page(Selection, Paging),
}

impl Selected {
    pub fn selection(&self) -> &Selection {
        match self {
            Selected::Nodes(selection) | Selected::Page(selection, _) => selection,
            Selected::Expression(filter) => &filter.selection,
        }
    }

    /// The roots that something is selected of.
    pub fn roots(&self) -> Vec<NodeId> {
        self.selection().nodes.iter().map(|it| it.node).collect()
    }

    fn nodes_mut(&mut self) -> &mut Vec<selection::Selected> {
        match self {
            Selected::Nodes(selection) | Selected::Page(selection, _) => &mut selection.nodes,
            Selected::Expression(filter) => &mut filter.selection.nodes,
        }
    }

    /// Only what can be configured.
    pub fn of_configuration(mut self, forest: &Forest) -> Self {
        self.nodes_mut().retain(|it| forest[it.node].place.is_configuration());
        self
    }

    /// Only a part of what is selected. Where it comes from is for whoever makes the data, unless an expression looks at it.
    pub fn narrowed(self, forest: &Forest, narrowed: Narrowed) -> Self {
        match self {
            Selected::Expression(mut filter) => {
                filter.narrowed = narrowed;
                Selected::Expression(filter)
            }
            Selected::Nodes(selection) => Selected::Nodes(narrowed.of(selection, forest)),
            Selected::Page(selection, paging) => Selected::Page(narrowed.of(selection, forest), paging),
        }
    }
}

/// What a filter selects. `paging`: which entries, if it is a list.
pub(super) fn selected(
    forest: &Forest,
    filter: Option<Filter<'_>>,
    paging: Option<Element<'_>>,
) -> Result<Selected, RpcError> {
    let selected = match filter {
        None => Selected::Nodes(Selection::everything(forest)),
        Some(Filter::Subtree(element)) => Selected::Nodes(subtree::compile(element, forest)?),
        Some(Filter::XPath { select, element }) => {
            let filter = xpath::Filter::of(select, element, forest)?;
            if filter.is_exact { Selected::Nodes(filter.selection) } else { Selected::Expression(filter) }
        }
    };
    let Some(element) = paging else { return Ok(selected) };
    let paging = Paging::read(element, forest)?;
    match selected {
        // It is compared with the list when it is known what of it there can be.
        Selected::Nodes(selection) => Ok(Selected::Page(selection, paging)),
        _ => Err(Paging::no_path()),
    }
}
