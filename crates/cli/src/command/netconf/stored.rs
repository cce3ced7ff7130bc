//! `seal`, `relay` and `open`: messages for a device that pass through files and other hands.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use trunkline_client::netconf::{NetconfFault, open_stored, seal_stored};
use trunkline_login::token::RoleToken;
use trunkline_login::write_private;

use super::{Server, content, is_for_person, show};
use crate::arguments::netconf::{OpenArgs, RelayArgs, SealArgs};
use crate::connect::say;
use crate::error::Error;

pub(super) fn seal(options: &SealArgs, out: &mut impl Write) -> Result<(), Error> {
    let keys = RoleToken::read(&options.keys)?.into_keys();
    let operation = content(&options.file)?;
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

fn write(file: Option<&Path>, message: &[u8], out: &mut impl Write) -> Result<(), Error> {
    match file {
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
