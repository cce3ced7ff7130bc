//! The writer: straight into the buffer, canonical as it stands.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::algorithm::{Cipher, Protection};
use crate::canonical;
use crate::error::SealError;
use crate::header::{Header, Place};
use crate::keyring::{self, SealKeys};
use crate::keys::UserKeys;
use crate::name::KeyName;
use crate::number;
use crate::step::{Step, Steps};
use crate::template as piece;

/// Appends a protected message. `entropy` are random octets that are never used again.
///
/// A content that is not encrypted stays readable if it is one element in exclusive canonical form without parts of a protected
/// message; any other is in base64.
///
/// # Errors
///
/// The header, or the keys for this protection, break a rule; nothing is appended then.
pub fn seal(
    header: &Header,
    content: &[u8],
    keys: &SealKeys<'_>,
    protection: Protection,
    entropy: &[u8; 16],
    output: &mut Vec<u8>,
) -> Result<(), SealError> {
    seal_in_steps(header, content, keys, protection, entropy, output, &|_| ())
}

/// The same, and calls `steps` as each step begins: [`Step::Encrypt`] if the content is encrypted, and [`Step::Sign`].
///
/// # Errors
///
/// Those of [`seal`].
pub fn seal_in_steps(
    header: &Header,
    content: &[u8],
    keys: &SealKeys<'_>,
    protection: Protection,
    entropy: &[u8; 16],
    output: &mut Vec<u8>,
    steps: Steps<'_>,
) -> Result<(), SealError> {
    let from = output.len();
    let sealed = append(header, content, keys, protection, entropy, output, steps);
    if sealed.is_err() {
        output.truncate(from);
    }
    sealed
}

fn append(
    header: &Header,
    content: &[u8],
    keys: &SealKeys<'_>,
    protection: Protection,
    entropy: &[u8; 16],
    output: &mut Vec<u8>,
    steps: Steps<'_>,
) -> Result<(), SealError> {
    steps(if protection.cipher.is_some() { Step::Encrypt } else { Step::Sign });
    let method = protection.signature;
    let encryption = match protection.cipher {
        Some(cipher) => {
            let (name, keys) = keys.encryption().ok_or(SealError::Keys("there is no key to encrypt by"))?;
            Some((cipher, name, keys))
        }
        None => None,
    };
    if let Some(fault) = header.fault() {
        return Err(SealError::Header(fault));
    }
    if let Some(fault) = keyring::fault(header, method, keys.name(), encryption.map(|(_, name, _)| name)) {
        return Err(SealError::Keys(fault));
    }
    if !keys.fits(method) {
        return Err(SealError::Keys("the key does not sign by this method"));
    }
    output.reserve(content.len() + content.len() / 3 + AROUND);
    let from = output.len();
    write_header(header, output);
    match encryption {
        Some((cipher, name, keys)) => {
            write_encrypted(content, cipher, name, keys, entropy, output)?;
            steps(Step::Sign);
        }
        None => write_content(header, content, output),
    }
    // The signature is left out of what is digested, and is last.
    let digest = method.digest(&[&output[from..], piece::END.as_bytes()]);
    let digest = STANDARD.encode(digest);
    let signed = piece::signed_octets(method, digest.as_bytes());
    let signature = keys.sign(method, &signed).ok_or(SealError::Failed)?;
    put(output, &[piece::SIGNATURE, piece::signed_info(method), &digest, piece::SIGNED_INFO_END]);
    put(output, &[piece::SIGNATURE_VALUE.0]);
    put_base64(output, &signature);
    put(output, &[piece::SIGNATURE_VALUE.1]);
    put_name(output, piece::SIGNATURE_KEY.0, keys.name());
    put(output, &[piece::SIGNATURE_KEY.1, piece::END]);
    Ok(())
}

fn write_header(header: &Header, output: &mut Vec<u8>) {
    put(output, &[piece::BEGIN, header.direction.name(), piece::DIRECTION_END]);
    match &header.place {
        Place::Session(nonce) => {
            put(output, &[piece::SESSION.0]);
            put_base64(output, &nonce.0);
            put(output, &[piece::SESSION.1]);
        }
        Place::Device(name) => put(output, &[piece::DEVICE.0, name.as_str(), piece::DEVICE.1]),
    }
    put_number(output, piece::NUMBER, header.number);
    if let Some(request) = header.in_reply_to {
        put_number(output, piece::IN_REPLY_TO, request);
    }
    for (tags, time) in [(piece::TIME, Some(header.time)), (piece::EXPIRES, header.expires)] {
        if let Some(time) = time {
            output.extend_from_slice(tags.0.as_bytes());
            output.extend_from_slice(&time.spelling());
            output.extend_from_slice(tags.1.as_bytes());
        }
    }
    if let Some(compression) = header.compression {
        put(output, &[piece::COMPRESSION.0, compression.name(), piece::COMPRESSION.1]);
    }
    if let Some(role) = &header.role {
        put(output, &[piece::ROLE.0, role.as_str(), piece::ROLE.1]);
    }
    put(output, &[piece::HEADER_END]);
}

fn write_encrypted(
    content: &[u8],
    cipher: Cipher,
    name: &KeyName,
    keys: &UserKeys,
    entropy: &[u8; 16],
    output: &mut Vec<u8>,
) -> Result<(), SealError> {
    let key = keys.cipher(cipher).ok_or(SealError::Failed)?;
    let value = key.encrypt(content, entropy).map_err(|_| SealError::Failed)?;
    let [data, uri, key_info] = piece::encryption(cipher);
    put(output, &[data, uri]);
    put_name(output, key_info, name);
    put(output, &[piece::CIPHER_VALUE]);
    put_base64(output, &value);
    put(output, &[piece::ENCRYPTED_DATA_END]);
    Ok(())
}

fn write_content(header: &Header, content: &[u8], output: &mut Vec<u8>) {
    put(output, &[piece::CONTENT.0]);
    if header.compression.is_none() && canonical::element(content) == Some(content.len()) {
        output.extend_from_slice(content);
    } else {
        put_base64(output, content);
    }
    put(output, &[piece::CONTENT.1]);
}

fn put(output: &mut Vec<u8>, pieces: &[&str]) {
    pieces.iter().for_each(|piece| output.extend_from_slice(piece.as_bytes()));
}

fn put_base64(output: &mut Vec<u8>, octets: &[u8]) {
    let from = output.len();
    output.resize(from + octets.len().div_ceil(3) * 4, b'=');
    // there is exactly as much room as it takes
    let _ = STANDARD.encode_slice(octets, &mut output[from..]);
}

fn put_number(output: &mut Vec<u8>, tags: (&str, &str), value: u64) {
    put(output, &[tags.0]);
    number::write(output, value);
    put(output, &[tags.1]);
}

fn put_name(output: &mut Vec<u8>, before: &str, name: &KeyName) {
    put(output, &[before]);
    match name {
        KeyName::Role { role, epoch, user } => {
            put(output, &[role.as_str(), "/"]);
            number::write(output, u64::from(*epoch));
            put(output, &["/", user.as_str()]);
        }
        KeyName::User(user) => put(output, &["user/", user.as_str()]),
    }
}

/// Octets of a message without its content, to begin with.
const AROUND: usize = 1900;
