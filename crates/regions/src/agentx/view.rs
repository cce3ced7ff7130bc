//! What AGENTX-MIB shows of the master (RFC 2742).

use std::sync::{Arc, OnceLock};

use trunkline_admin::{AgentxConnection, AgentxRegistration, AgentxSession, AgentxState, AgentxView};
use trunkline_agentx::wire::CloseReason;

use super::Master;

impl AgentxView for Master {
    fn state(&self) -> Option<AgentxState> {
        if !self.is_serving() {
            return None;
        }
        let default_timeout = u8::try_from(self.timeout().as_secs()).unwrap_or(u8::MAX);
        let state = self.state();
        let connection = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let connections = state.connections.iter().map(|(number, known)| AgentxConnection {
            index: connection(*number),
            opened: known.opened,
            peer: known.peer.clone(),
        });
        let sessions = state.registry.sessions().map(|(number, of, session)| AgentxSession {
            connection: connection(of),
            index: number,
            id: session.id.clone(),
            description: session.description.clone(),
            opened: session.opened,
            timeout: session.timeout,
        });
        let registrations = state.registry.registrations().map(|(number, registered)| {
            let made = &registered.registration;
            AgentxRegistration {
                connection: connection(state.registry.connection_of(registered.session).unwrap_or_default()),
                session: registered.session,
                index: number,
                context: registered.context.clone(),
                start: made.subtree.clone(),
                range: made.range,
                priority: made.priority,
                timeout: made.timeout,
                is_instance: made.is_instance,
            }
        });
        Some(AgentxState {
            default_timeout,
            connections: connections.collect(),
            connections_changed: state.changed.connections,
            sessions: sessions.collect(),
            sessions_changed: state.changed.sessions,
            registrations: registrations.collect(),
            registrations_changed: state.changed.registrations,
        })
    }

    fn close_session(&self, session: u32) -> bool {
        self.close_by_master(session, CloseReason::ByManager)
    }
}

/// What AGENTX-MIB shows: nothing until there is a master.
#[derive(Default)]
pub struct MasterView(OnceLock<Arc<Master>>);

impl MasterView {
    /// From now on this master's.
    pub fn set(&self, master: Arc<Master>) {
        // There is one master.
        let _ = self.0.set(master);
    }
}

impl AgentxView for MasterView {
    fn state(&self) -> Option<AgentxState> {
        AgentxView::state(&**self.0.get()?)
    }

    fn close_session(&self, session: u32) -> bool {
        self.0.get().is_some_and(|master| master.close_session(session))
    }
}
