//! `trunkline netconf edit`: a change, shown before it is committed, and undone if anything fails.

use std::io::{IsTerminal, Write};

use trunkline_client::netconf::protocol::needs;
use trunkline_client::netconf::protocol::operation::{Datastore, TestOption};
use trunkline_client::netconf::protocol::request::{self, Commit, EditConfig};

use super::{Server, content, name_of as datastore_name};
use crate::arguments::netconf::EditArgs;
use crate::connect::say;
use crate::error::Error;

/// `:candidate`.
const CANDIDATE: &str = "urn:ietf:params:netconf:capability:candidate:1.0";

/// Runs the command.
pub async fn run(options: &EditArgs, out: &mut impl Write) -> Result<(), Error> {
    let config = content(&options.file)?;
    let server = Server::open(&options.server).await?;
    let target = match options.datastore {
        Some(target) => target,
        None if server.hello().await?.has(CANDIDATE) => Datastore::Candidate,
        None => Datastore::Running,
    };
    let needs_candidate = options.no_commit || options.confirmed.is_some() || options.persist_id.is_some();
    if target == Datastore::Running && needs_candidate {
        let words = "--no-commit, --confirmed and --persist-id need a candidate configuration, which this edit does not use";
        return Err(Error::Usage(words.to_owned()));
    }
    let kept = kept(options.confirmed, options.persist.as_deref(), options.persist_id.as_deref());
    let commit = Commit {
        confirmed: options.confirmed.is_some(),
        timeout: options.confirmed,
        persist: kept.as_deref(),
        persist_id: options.persist_id.as_deref(),
    };
    let edit = EditConfig {
        target,
        default_operation: options.default_operation,
        test_option: options.test_option,
        error_option: options.error_option,
        config: &config,
    };
    server.needs(|hello| needs::edit(hello, &edit)).await?;
    if target == Datastore::Candidate && !options.no_commit {
        server.needs(|hello| needs::commit(hello, &commit)).await?;
    }
    let edit = request::edit_config(edit);
    // Another session would have neither the locks nor, with them, what was edited.
    server.session.pin();
    // What is left in the candidate is discarded when its lock is given up (RFC 6241 section 8.3.5.2).
    let locks = match !options.no_commit && server.has_locks() {
        true => {
            let locks = server.session.lock_for(target, options.persist_id.is_none()).await;
            locks.map_err(|fault| server.failed(&fault))?
        }
        false => Vec::new(),
    };
    let done = match target {
        Datastore::Candidate => through_candidate(&server, options, &edit, commit, out).await,
        _ => match agreed(options, "this edit changes the running configuration at once; do it?").await {
            Ok(()) => server.done(&edit).await,
            refused => refused,
        },
    };
    done.and(server.session.unlock(&locks).await.map_err(|fault| server.failed(&fault)))
}

/// Edits the candidate, shows what that changes, and commits it.
async fn through_candidate(
    server: &Server,
    options: &EditArgs,
    edit: &[u8],
    commit: Commit<'_>,
    out: &mut impl Write,
) -> Result<(), Error> {
    let done = async {
        server.done(edit).await?;
        if options.test_option == Some(TestOption::TestOnly) {
            say("the edit is valid: nothing is changed");
            return Ok(());
        }
        show(server).await?;
        if options.no_commit {
            return Ok(());
        }
        agreed(options, "commit?").await?;
        // A commit validates (RFC 6241 section 8.3.4.1). To ask for it before makes netconfd 2.13 commit nothing, with `ok`.
        server.done(&request::commit(commit)).await?;
        commit.persist.iter().try_for_each(|name| say_confirmed(options.confirmed, name, out))
    };
    let done = done.await;
    if done.is_err() {
        // What was there before the edit is as it was; the error is what the user needs.
        let _ = server.done(&request::discard_changes()).await;
    }
    done
}

/// What the candidate changes, to standard error.
async fn show(server: &Server) -> Result<(), Error> {
    let running = server.configuration(Datastore::Running).await?;
    let candidate = server.configuration(Datastore::Candidate).await?;
    let difference = server.difference(&running, &candidate).await?;
    let lines = difference.lines();
    let name = datastore_name(Datastore::Running);
    match lines {
        // What a user may write is not always what it may read.
        [] => say(&format!(
            "nothing that you may read changes in the {name} configuration: what the edit changes, if anything, is not shown"
        )),
        lines => say(&format!("changes of the {name} configuration:\n  {}", lines.join("\n  "))),
    }
    Ok(())
}

/// Asks on a terminal; a program that runs us, or an edit from standard input, cannot be asked.
async fn agreed(options: &EditArgs, question: &str) -> Result<(), Error> {
    let is_test = options.test_option == Some(TestOption::TestOnly);
    let is_terminal = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    if options.yes || is_test || !is_terminal {
        return Ok(());
    }
    let question = format!("trunkline: {question} [y/N] ");
    let answer = tokio::task::spawn_blocking(move || {
        let mut answer = String::new();
        std::io::stderr().write_all(question.as_bytes())?;
        std::io::stderr().flush()?;
        std::io::stdin().read_line(&mut answer).map(|_| answer)
    });
    let answer = answer.await.map_err(|lost| Error::Runtime(lost.to_string()))??;
    match answer.trim().to_ascii_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        _ => Err(Error::Runtime("nothing is changed: you did not agree".to_owned())),
    }
}

/// The name of a confirmed commit (RFC 6241 section 8.4.5.1): the one that is given, else that of the commit which it extends, else one that
/// nobody else has. Without a name it would end with our session.
pub fn kept(confirmed: Option<u32>, persist: Option<&str>, persist_id: Option<&str>) -> Option<String> {
    confirmed?;
    let made_up = || format!("trunkline-{:016x}", fastrand::u64(..));
    Some(persist.or(persist_id).map_or_else(made_up, str::to_owned))
}

/// How to confirm a commit.
pub fn say_confirmed(seconds: Option<u32>, name: &str, out: &mut impl Write) -> Result<(), Error> {
    let seconds = seconds.unwrap_or_default();
    say(&format!(
        "committed for {seconds} s: `trunkline netconf commit --persist-id {name}` confirms it, \
         `trunkline netconf rollback --persist-id {name}` takes it back"
    ));
    Ok(writeln!(out, "{name}")?)
}
