//! `seal`, `relay` and `open`: messages for a device that pass through files and other hands.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use trunkline_client::netconf::protocol::BASE;
use trunkline_client::netconf::protocol::operation::Operation;
use trunkline_client::netconf::protocol::rpc::Rpc;
use trunkline_client::netconf::security::is_protected;
use trunkline_client::netconf::{NetconfFault, open_stored, seal_stored};
use trunkline_login::token::RoleToken;
use trunkline_login::write_private;

use super::{Server, content, is_for_person, show};
use crate::arguments::netconf::{OpenArgs, RelayArgs, SealArgs};
use crate::connect::say;
use crate::error::Error;
use crate::output_file::may_replace;

pub(super) fn seal(options: &SealArgs, out: &mut impl Write) -> Result<(), Error> {
    let keys = RoleToken::read(&options.keys)?.into_keys();
    let operation = content(&options.file)?;
    if let Some(words) = mistake(&operation) {
        return Err(Error::Usage(format!("{}: {words}", options.file.display())));
    }
    may_write(options.output.as_deref(), &options.file, options.force)?;
    let message = seal_stored(&keys, &options.device, options.expires, &operation);
    let message = message.map_err(|fault| Error::Runtime(fault.to_string()))?;
    write(options.output.as_deref(), &message, out)
}

pub(super) async fn relay(options: &RelayArgs, out: &mut impl Write) -> Result<(), Error> {
    let message = read(&options.file)?;
    if options.server.keys.is_some() {
        let words = "a message for a device has its own protection: relay it without --keys";
        return Err(Error::Usage(words.to_owned()));
    }
    // Before the device has carried it out.
    may_write(options.output.as_deref(), &options.file, options.force)?;
    let server = Server::open(&options.server).await?;
    let reply = server.session.relay(&message).await.map_err(|fault| server.failed(&fault))?;
    write(options.output.as_deref(), &reply, out)
}

pub(super) fn open(options: &OpenArgs, out: &mut impl Write) -> Result<(), Error> {
    let keys = RoleToken::read(&options.keys)?.into_keys();
    let (request, reply) = (read(&options.request)?, read(&options.reply)?);
    let most = usize::try_from(MOST).unwrap_or(usize::MAX);
    let failed = |fault: NetconfFault| Error::Runtime(format!("{}: {fault}", options.reply.display()));
    let reply = open_stored(&keys, &request, &reply, most).map_err(failed)?;
    show::document(&reply, is_for_person(), out)?;
    super::refused(&reply, most).map_err(failed)
}

/// A message of a file, as it is; `-` is standard input.
fn read(file: &Path) -> Result<Vec<u8>, Error> {
    let mut octets = Vec::new();
    let named = |fault: &dyn std::fmt::Display| Error::Usage(format!("{}: {fault}", file.display()));
    match file.as_os_str() == "-" {
        true => std::io::stdin().lock().take(MOST + 1).read_to_end(&mut octets),
        false => File::open(file).and_then(|opened| opened.take(MOST + 1).read_to_end(&mut octets)),
    }
    .map_err(|fault| named(&fault))?;
    match octets.len() as u64 > MOST {
        true => Err(named(&format!("more than {} MiB are not a message", MOST >> 20))),
        false => Ok(octets.trim_ascii().to_vec()),
    }
}

/// Why a device would refuse to carry out an operation that comes without a session.
fn mistake(operation: &[u8]) -> Option<String> {
    let head = format!("<rpc message-id=\"1\" xmlns=\"{BASE}\">");
    let rpc = [head.as_bytes(), operation, b"</rpc>"].concat();
    let expected =
        "expected one element, that of an operation, such as <edit-config>, without the rpc around it";
    let Ok(rpc) = Rpc::read(&rpc, rpc.len()) else { return Some(expected.to_owned()) };
    let operation = rpc.operation();
    if operation.name() == "rpc" {
        return Some(expected.to_owned());
    }
    match Operation::read(operation) {
        Ok(read) => read.needs_session(operation.name()),
        Err(fault) => Some(fault.to_string()),
    }
}

/// Refuses to replace another file than such a message, and the one that is read.
fn may_write(output: Option<&Path>, input: &Path, force: bool) -> Result<(), Error> {
    let Some(output) = output.filter(|path| path.as_os_str() != "-") else { return Ok(()) };
    let same = |path: &Path| std::fs::canonicalize(path).ok();
    if same(output).is_some_and(|output| same(input) == Some(output)) {
        let words = "it would replace the file that is read: name another one with --output";
        return Err(Error::Usage(format!("{}: {words}", output.display())));
    }
    let is_message = |path: &Path| read(path).is_ok_and(|found| is_protected(&found));
    may_replace(output, force, "a sealed message", &is_message)
}

fn write(file: Option<&Path>, message: &[u8], out: &mut impl Write) -> Result<(), Error> {
    match file.filter(|path| path.as_os_str() != "-") {
        Some(file) => {
            write_private(file, message)?;
            say(&format!("{} octets are in {}", message.len(), file.display()));
        }
        None => {
            out.write_all(message)?;
            out.write_all(b"\n")?;
        }
    }
    Ok(())
}

/// Octets of the longest message: a reply of 32 MiB, encrypted, in base64.
const MOST: u64 = 64 << 20;
