//! `trunkline user`: an agent's users (RFC 3414 section 5): listed, created, changed and deleted.

mod passwords;

use std::io::Write;

use trunkline_accounts::user_arguments::{CreateArgs, NameArgs, PasswordArgs, Purpose};
use trunkline_accounts::{
    ACCOUNT_HEADER, Account, Action, KeyChange, UserRow, account, account_columns, locked, spin_lock,
};
use trunkline_client::{Bound, Credentials, Error as ClientError, SnmpSession, Value, WalkOptions, table};
use trunkline_smi::Oid;
use trunkline_snmp::usm::{AuthProtocol, EngineId, PrivProtocol, User};
use trunkline_snmp::wire::VarBind;

use super::access;
use crate::arguments::accounts::UserCommand;
use crate::connect::Connection;
use crate::error::Error;
use crate::print::Printer;
use passwords::{New, Old};

/// Runs the command.
pub async fn run<W: Write>(
    command: &UserCommand,
    connection: &Connection<'_>,
    printer: &mut Printer<'_, W>,
) -> Result<(), Error> {
    let agent = Users::of(connection)?;
    match command {
        UserCommand::List(_) => agent.list(printer).await?,
        UserCommand::Create(arguments) => agent.create(&arguments.what).await?,
        UserCommand::Clone(arguments) => {
            let engine = agent.engine(arguments.what.name.engine.user_engine).await?;
            let row = agent.existing(&arguments.what.name).await?;
            let from = user_row(&engine, &arguments.what.from)?;
            agent.set(&[row.clone_from(&from)]).await?;
            agent.say(
                &arguments.what.name.user,
                &format!("has the protocols and keys of {}", arguments.what.from),
            );
        }
        UserCommand::Password(arguments) => agent.password(&arguments.what).await?,
        UserCommand::Activate(arguments) => {
            agent.act(&arguments.what, Action::Activate, "is active").await?;
        }
        UserCommand::Deactivate(arguments) => {
            agent.act(&arguments.what, Action::Deactivate, "is not active").await?;
        }
        UserCommand::Delete(arguments) => agent.act(&arguments.what, Action::Delete, "is deleted").await?,
    }
    connection.show_octets(printer)?;
    Ok(printer.finish()?)
}

/// The users of an agent.
pub struct Users<'c, 'n> {
    session: &'c SnmpSession,
    connection: &'c Connection<'n>,
}

impl<'c, 'n> Users<'c, 'n> {
    /// Those of the agent at the other end.
    pub fn of(connection: &'c Connection<'n>) -> Result<Self, Error> {
        let Some(session) = connection.agent.as_snmp() else {
            let words = "users and rights are managed over SNMP: name the agent by an address or by snmp://, snmp+tls:// or \
                         snmp+ssh://";
            return Err(Error::Usage(words.to_owned()));
        };
        Ok(Users { session, connection })
    }

    /// The rows of a table with these columns.
    pub async fn rows(&self, columns: &[Oid]) -> Result<Vec<(Vec<u32>, Vec<Option<Bound>>)>, Error> {
        let found = table(self.session, columns, WalkOptions::default()).await;
        found.map(|found| found.rows.into_iter().collect()).map_err(|fault| self.connection.failed(&fault))
    }

    async fn list<W: Write>(&self, printer: &mut Printer<'_, W>) -> Result<(), Error> {
        let found = self.rows(&account_columns()).await?;
        let accounts = found.iter().filter_map(|(index, cells)| account(index, cells));
        let rows: Vec<_> = accounts.map(Account::cells).collect();
        if rows.is_empty() {
            self.connection.note("the agent shows no users: usmUserTable is empty, or may not be read");
        }
        access::show(&ACCOUNT_HEADER, &rows, printer)
    }

    /// Creates a user; it is not active before it has keys of its own.
    async fn create(&self, arguments: &CreateArgs) -> Result<(), Error> {
        let CreateArgs { name: NameArgs { user, engine }, from, .. } = arguments;
        let new = if arguments.keep_keys { None } else { Some(New::read(&arguments.new, None)?) };
        let old = Old::read(&arguments.old)?;
        let engine = self.engine(engine.user_engine).await?;
        let (row, from_row) = (user_row(&engine, user)?, user_row(&engine, from)?);
        let Some(new) = new else {
            let action = if arguments.inactive { Action::CreateInactive } else { Action::Create };
            self.add(user, &row, &row.create(action, Some(&from_row))).await?;
            self.say(
                user,
                &format!("is created, with the protocols and keys of {from}: change its passwords"),
            );
            return Ok(());
        };
        let own = self.own(&engine)?.filter(|own| own.name() == from.as_bytes());
        let (auth, privacy) = self.protocols(&from_row, from, own.as_ref()).await?;
        let change = passwords::change(
            user,
            (auth, privacy),
            [true, privacy.is_some()],
            &old,
            own.as_ref(),
            &new,
            &engine,
        )?;
        self.add(user, &row, &row.create(Action::CreateInactive, Some(&from_row))).await?;
        let completed = async {
            self.change(&row, &change, false).await?;
            if !arguments.inactive {
                self.set(&[row.act(Action::Activate)]).await?;
            }
            Ok(())
        };
        if let Err(fault) = completed.await {
            // A user without keys of its own is not left behind.
            let _ = self.session.set(&[row.act(Action::Delete)]).await;
            return Err(fault);
        }
        let cipher = privacy.map_or("no privacy", PrivProtocol::name);
        self.say(user, &format!("is created, with {} and {cipher}", auth.name()));
        Ok(())
    }

    async fn password(&self, arguments: &PasswordArgs) -> Result<(), Error> {
        let new = New::read(&arguments.new, arguments.only)?;
        let old = Old::read(&arguments.old)?;
        let engine = self.engine(arguments.engine.user_engine).await?;
        let own = self.own(&engine)?;
        let is_own = arguments.user.is_none();
        let name = match (&arguments.user, &own) {
            (Some(name), _) => name.clone(),
            (None, Some(own)) => String::from_utf8_lossy(own.name()).into_owned(),
            (None, None) => {
                let words = "name the user: the session has no user of SNMPv3 with a password";
                return Err(Error::Usage(words.to_owned()));
            }
        };
        let row = user_row(&engine, &name)?;
        let known = own.as_ref().filter(|own| own.name() == name.as_bytes());
        let (auth, privacy) = self.protocols(&row, &name, known).await?;
        let which = match arguments.only {
            None => [true, privacy.is_some()],
            Some(only) => [only == Purpose::Auth, only == Purpose::Priv],
        };
        let change = passwords::change(&name, (auth, privacy), which, &old, own.as_ref(), &new, &engine)?;
        self.change(&row, &change, is_own).await?;
        self.say(&name, "has new keys");
        Ok(())
    }

    /// Sends new keys, so that they are not applied twice if an answer is lost.
    async fn change(&self, row: &UserRow, change: &KeyChange, is_own: bool) -> Result<(), Error> {
        let mut bindings = row.change_keys(change, is_own);
        // A copy of a change of own keys fails, since it is signed with the old key.
        if !is_own && let Some(Value::Integer(found)) = self.value(spin_lock()).await? {
            bindings.insert(0, locked(found));
        }
        self.set(&bindings).await
    }

    /// Changes the status of a user that exists.
    async fn act(&self, arguments: &NameArgs, action: Action, words: &str) -> Result<(), Error> {
        let row = self.existing(arguments).await?;
        if let Err(fault) = self.send(&[row.act(action)]).await {
            return Err(self.refused_action(&arguments.user, &row, action, &fault).await);
        }
        self.say(&arguments.user, words);
        Ok(())
    }

    /// Sends the bindings that create a user. An agent refuses one that is there (RFC 2579, RowStatus).
    async fn add(&self, user: &str, row: &UserRow, bindings: &[VarBind]) -> Result<(), Error> {
        let Err(fault) = self.send(bindings).await else { return Ok(()) };
        let [auth, _] = row.protocols();
        match is_refusal(&fault) && self.value(auth).await?.is_some() {
            true => Err(self.because(&format!(
                "there is a user {user:?} already: `trunkline user password` gives it new passwords, and \
                 `trunkline user delete` deletes it"
            ))),
            false => Err(self.connection.failed(&fault)),
        }
    }

    /// Why an agent refuses to change a user's status: the row may be one that no manager deletes.
    async fn refused_action(&self, user: &str, row: &UserRow, action: Action, fault: &ClientError) -> Error {
        let plain = self.connection.failed(fault);
        if !is_refusal(fault) {
            return plain;
        }
        let Ok(Some(storage)) = self.value(row.storage()).await else { return plain };
        match UserRow::lasting(&storage) {
            Some(storage) => self.because(&format!(
                "the user {user:?} is one of the agent's configuration (usmUserStorageType {storage}), and managers cannot \
                 {}: change the agent's configuration",
                match action {
                    Action::Delete => "delete it",
                    _ => "activate or deactivate it",
                }
            )),
            None => plain,
        }
    }

    /// The row of a user, which the agent must show: it accepts to delete what does not exist.
    async fn existing(&self, arguments: &NameArgs) -> Result<UserRow, Error> {
        let engine = self.engine(arguments.engine.user_engine).await?;
        let row = user_row(&engine, &arguments.user)?;
        let [auth, _] = row.protocols();
        match self.value(auth).await? {
            Some(_) => Ok(row),
            None => Err(self.unknown(&arguments.user)),
        }
    }

    fn unknown(&self, user: &str) -> Error {
        self.because(&format!(
            "there is no user {user:?}, or its row in usmUserTable may not be read; `trunkline user list` shows all"
        ))
    }

    fn because(&self, words: &str) -> Error {
        Error::Runtime(format!("{}: {words}", self.connection.label))
    }

    /// The protocols of a user: as the agent shows them, or, of the session's user, as they are used.
    async fn protocols(
        &self,
        row: &UserRow,
        name: &str,
        own: Option<&User>,
    ) -> Result<(AuthProtocol, Option<PrivProtocol>), Error> {
        let [auth, privacy] = row.protocols();
        let found = (self.value(auth).await?, self.value(privacy).await?);
        let (auth, privacy) = match (found, own) {
            ((Some(Value::ObjectIdentifier(auth)), Some(Value::ObjectIdentifier(privacy))), _) => {
                (AuthProtocol::from_oid(&auth), PrivProtocol::from_oid(&privacy))
            }
            (_, Some(own)) => (own.auth().map(|key| key.protocol()), own.privacy().map(|key| key.protocol())),
            _ => return Err(self.unknown(name)),
        };
        let missing = || {
            let words = "the user has no authentication, or one that is unknown here, and so no password";
            Error::Usage(format!("{name}: {words}"))
        };
        Ok((auth.ok_or_else(missing)?, privacy))
    }

    /// The user of the session with its keys at the engine; `None` without SNMPv3 or without authentication.
    fn own(&self, engine: &EngineId) -> Result<Option<User>, Error> {
        let Credentials::Usm(user) = self.session.credentials() else { return Ok(None) };
        let user = user.user_at(engine).map_err(|fault| Error::Usage(fault.to_string()))?;
        Ok(Some(user).filter(|user| user.auth().is_some()))
    }

    /// The agent's engine, unless another one is given.
    async fn engine(&self, given: Option<EngineId>) -> Result<EngineId, Error> {
        if let Some(engine) = given {
            return Ok(engine);
        }
        let read = self.session.engine_id().await;
        match (read, self.session.discovered_engine()) {
            (_, Some(engine)) => Ok(engine),
            (Ok(engine), None) => Ok(engine),
            (Err(fault), None) => Err(self.connection.failed(&fault)),
        }
    }

    /// The value of an instance, if the agent shows it.
    pub async fn value(&self, name: Oid) -> Result<Option<Value>, Error> {
        match self.session.get(&[name]).await.and_then(|answer| answer.into_bindings()) {
            Ok(bindings) => Ok(bindings.into_iter().next().and_then(|binding| match binding.value {
                Bound::Value(value) => Some(value),
                _ => None,
            })),
            Err(ClientError::Status { .. }) => Ok(None),
            Err(fault) => Err(self.connection.failed(&fault)),
        }
    }

    /// Sends a Set.
    pub async fn set(&self, bindings: &[VarBind]) -> Result<(), Error> {
        self.send(bindings).await.map_err(|fault| self.connection.failed(&fault))
    }

    async fn send(&self, bindings: &[VarBind]) -> Result<(), ClientError> {
        self.session.set(bindings).await?.into_bindings().map(drop)
    }

    fn say(&self, user: &str, words: &str) {
        self.connection.note(&format!("{user} {words}"));
    }
}

/// Whether the agent has answered, and refused.
fn is_refusal(fault: &ClientError) -> bool {
    matches!(fault.cause(), ClientError::Status { .. })
}

fn user_row(engine: &EngineId, name: &str) -> Result<UserRow, Error> {
    UserRow::new(engine, name.as_bytes()).map_err(|fault| Error::Usage(fault.to_string()))
}
