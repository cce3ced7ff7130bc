//! `trunkline netconf diff`, `copy`, `validate` and `delete`: configurations as wholes, and `commit`, `rollback` and `cancel`.

use std::io::Write;

use trunkline_client::netconf::protocol::needs::{self, Use};
use trunkline_client::netconf::protocol::operation::Datastore;
use trunkline_client::netconf::protocol::request::{self, Select, Store};

use super::{Server, content, edit};
use crate::arguments::netconf::{
    CancelArgs, CommitArgs, Compared, CopyArgs, DiffArgs, RollbackArgs, StoreArgs, StoreName,
};
use crate::error::Error;

/// Shows what differs between two configurations.
pub async fn diff(options: &DiffArgs, out: &mut impl Write) -> Result<(), Error> {
    let given = |option: &Option<Compared>, position: &Option<Compared>, usual| {
        let store = || Compared::Store(StoreName::Datastore(usual));
        option.clone().or_else(|| position.clone()).unwrap_or_else(store)
    };
    let from = given(&options.from, &options.first, Datastore::Running);
    let to = given(&options.to, &options.second, Datastore::Candidate);
    let stdin = Compared::File("-".into());
    if from == stdin && to == stdin {
        return Err(Error::Usage(
            "only one of both configurations can be read from standard input".to_owned(),
        ));
    }
    let server = Server::open(&options.server).await?;
    let (from, to) = (compared(&server, &from).await?, compared(&server, &to).await?);
    let difference = server.difference(&from, &to).await?;
    Ok(difference.lines().iter().try_for_each(|line| writeln!(out, "{line}"))?)
}

/// One of those that are compared: a root with an element around its content.
async fn compared(server: &Server, compared: &Compared) -> Result<Vec<u8>, Error> {
    match compared {
        Compared::Store(StoreName::Url(url)) => of_url(server, url, Select::Everything, None).await,
        Compared::Store(StoreName::Datastore(datastore)) => server.configuration(*datastore).await,
        Compared::File(file) => {
            let content = content(file)?;
            // A file of the server, or a reply, has an element around its content.
            let is_within = trunkline_client::netconf::is_whole_configuration(&content);
            let (begin, end): (&[u8], &[u8]) =
                if is_within { (b"<file>", b"</file>") } else { (b"<file><data>", b"</data></file>") };
            Ok([begin, &content[..], end].concat())
        }
    }
}

/// The configuration in a file that the server reads: a reply. `get-config` has no URL as its source (RFC 6241 section 7.1), so it is
/// copied to the candidate, which is locked meanwhile, read there, and discarded.
pub async fn of_url(
    server: &Server,
    url: &str,
    select: Select<'_>,
    defaults: Option<trunkline_client::netconf::protocol::operation::WithDefaults>,
) -> Result<Vec<u8>, Error> {
    let candidate = Store::Datastore(Datastore::Candidate);
    if server.session.is_restconf() {
        let words = "RESTCONF reads no URLs as configurations; a file here is written ./FILE";
        return Err(Error::Usage(words.to_owned()));
    }
    server.needs(|hello| needs::store(hello, Store::Url(url), Use::Read)).await?;
    server.needs(|hello| needs::candidate(hello, "reading the configuration at a URL")).await?;
    if server.session.lent_locks().contains(&Datastore::Candidate) {
        let words = "the configuration at a URL is read through the candidate, which `trunkline netconf lock` holds: read it before or after";
        return Err(Error::Usage(words.to_owned()));
    }
    server.session.pin();
    // Whoever has changed the candidate and not committed it does not lose that: the lock is refused then (RFC 6241 section 7.5).
    server.done(&request::lock(Datastore::Candidate)).await?;
    let read = async {
        server.done(&request::copy_config(candidate, Store::Url(url))).await?;
        server.fetch(&request::get_config(candidate, select, defaults)).await
    };
    let read = read.await;
    let discarded = server.done(&request::discard_changes()).await;
    let unlocked = server.done(&request::unlock(Datastore::Candidate)).await;
    let read = read?;
    discarded.and(unlocked).map(|()| read)
}

/// Copies a configuration.
pub async fn copy(options: &CopyArgs) -> Result<(), Error> {
    let (source, to) = (options.source.store(), options.to.store());
    let server = Server::open(&options.server).await?;
    server.needs(|hello| needs::store(hello, source, Use::Read)).await?;
    server.needs(|hello| needs::store(hello, to, Use::Write)).await?;
    server.done(&request::copy_config(to, source)).await
}

/// Validates a configuration.
pub async fn validate(options: &StoreArgs) -> Result<(), Error> {
    let server = Server::open(&options.server).await?;
    server.needs(|hello| needs::validate(hello, "validate")).await?;
    server.needs(|hello| needs::store(hello, options.store.store(), Use::Read)).await?;
    server.done(&request::validate(options.store.store())).await
}

/// Deletes a configuration.
pub async fn delete(options: &StoreArgs) -> Result<(), Error> {
    let server = Server::open(&options.server).await?;
    server.needs(|hello| needs::store(hello, options.store.store(), Use::Read)).await?;
    server.done(&request::delete_config(options.store.store())).await
}

/// Commits the candidate, or confirms a commit.
pub async fn commit(options: &CommitArgs, out: &mut impl Write) -> Result<(), Error> {
    let CommitArgs { confirmed, persist, persist_id, .. } = options;
    let kept = edit::kept(*confirmed, persist.as_deref(), persist_id.as_deref());
    let commit = request::Commit {
        confirmed: confirmed.is_some(),
        timeout: *confirmed,
        persist: kept.as_deref(),
        persist_id: persist_id.as_deref(),
    };
    let server = Server::open(&options.server).await?;
    server.needs(|hello| needs::commit(hello, &commit)).await?;
    server.done(&request::commit(commit)).await?;
    kept.iter().try_for_each(|name| edit::say_confirmed(*confirmed, name, out))
}

/// Takes back a confirmed commit, or discards the candidate's changes.
pub async fn rollback(options: &RollbackArgs) -> Result<(), Error> {
    let server = Server::open(&options.server).await?;
    match &options.persist_id {
        Some(name) => cancelled(&server, Some(name)).await,
        None => {
            server.needs(|hello| needs::candidate(hello, "discarding its changes")).await?;
            server.done(&request::discard_changes()).await
        }
    }
}

/// Takes back a confirmed commit.
pub async fn cancel(options: &CancelArgs) -> Result<(), Error> {
    cancelled(&Server::open(&options.server).await?, options.persist_id.as_deref()).await
}

async fn cancelled(server: &Server, name: Option<&str>) -> Result<(), Error> {
    server.needs(|hello| needs::persistent(hello, "taking back a confirmed commit")).await?;
    server.done(&request::cancel_commit(name)).await
}
