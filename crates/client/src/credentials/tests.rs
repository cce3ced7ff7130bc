//! Secrets, levels and mistakes of credentials.

use super::*;

fn ann() -> UsmCredentials {
    UsmCredentials::new(b"ann").unwrap()
}

#[test]
fn the_level_is_what_the_keys_allow() {
    let secret = || Secret::password(b"maplesyrup");
    assert_eq!(ann().level(), SecurityLevel::NoAuthNoPriv);
    let auth = ann().with_auth(AuthProtocol::Sha256, secret()).unwrap();
    assert_eq!(auth.level(), SecurityLevel::AuthNoPriv);
    assert!(auth.clone().with_level(SecurityLevel::AuthPriv).is_none());
    let privacy = auth.with_privacy(PrivProtocol::Aes128, secret()).unwrap();
    assert_eq!(privacy.level(), SecurityLevel::AuthPriv);
    let lower = privacy.with_level(SecurityLevel::AuthNoPriv).unwrap();
    let user = lower.user_at(&EngineId::LOCAL).unwrap();
    assert!(user.auth().is_some() && user.privacy().is_none());
    assert!(ann().with_level(SecurityLevel::AuthNoPriv).is_none());
}

#[test]
fn mistakes_are_reported() {
    let short = ann().with_auth(AuthProtocol::Md5, Secret::password(b"1234567")).unwrap_err();
    assert_eq!(short, CredentialsError::Key(KeyError::PasswordTooShort { found: 7 }));
    let alone = ann().with_privacy(PrivProtocol::Des, Secret::password(b"12345678")).unwrap_err();
    assert_eq!(alone, CredentialsError::User(UserError::PrivacyWithoutAuthentication));
    assert!(matches!(UsmCredentials::new(b""), Err(CredentialsError::User(_))));
    assert!(ann().with_auth(AuthProtocol::Md5, Secret::master_key(&[0; 15])).is_err());
}

/// RFC 3414 section A.3.1: the password, the master key and the localized key agree.
#[test]
fn each_kind_of_secret_gives_the_same_key() {
    let engine = EngineId::from_hex("000000000000000000000002").unwrap();
    let master = LocalKey::from_hex("9faf3283884e92834ebc9847d8edd963").unwrap();
    let local = LocalKey::from_hex("526f5eed9fcce26f8964c2930787d82b").unwrap();
    for secret in [
        Secret::password(b"maplesyrup"),
        Secret::master_key(master.as_bytes()),
        Secret::LocalizedKey(local.clone()),
    ] {
        let user = ann().with_auth(AuthProtocol::Md5, secret).unwrap();
        for _ in 0..2 {
            let user = user.user_at(&engine).unwrap();
            assert_eq!(user.auth().unwrap().local_key().as_bytes(), local.as_bytes());
        }
    }
}

#[test]
fn secrets_are_not_shown() {
    let secret = || Secret::password(b"maplesyrup");
    let user = ann().with_auth(AuthProtocol::Sha1, secret()).unwrap();
    let user = user.with_privacy(PrivProtocol::Aes128, secret()).unwrap();
    let shown = format!("{:?} {:?}", Credentials::from(user), Credentials::community(Version::V1, b"hush"));
    assert!(!shown.contains("maple") && !shown.contains("hush") && !shown.contains("109"), "{shown}");
}
