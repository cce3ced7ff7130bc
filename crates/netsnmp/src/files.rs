//! Which files Net-SNMP's agent reads (snmp_config(5)): the default ones, those of a manager's sets,
//! and those of the command line.

use std::path::{Path, PathBuf};

use crate::arguments::SnmpdArguments;

/// Where configurations are looked for, after `/etc/snmp`.
const SHARED: &str = "/usr/share/snmp";

/// The default of SNMP_PERSISTENT_DIR: Debian's, and Red Hat's.
const PERSISTENT: [&str; 2] = ["/var/lib/snmp", "/var/lib/net-snmp"];

/// The files that are there, in the order in which they count.
pub fn find(arguments: &SnmpdArguments) -> Vec<PathBuf> {
    let mut files = Vec::new();
    if !arguments.only_named_files {
        for folder in folders() {
            for end in ["conf", "local.conf"] {
                files.push(folder.join(format!("{}.{end}", arguments.name)));
            }
        }
        files.push(persistent_file(&arguments.name));
        let mut seen = Vec::new();
        files.retain(|file| {
            file.is_file() && !seen.contains(file) && {
                seen.push(file.clone());
                true
            }
        });
    }
    // A file that was named must be there.
    files.extend(arguments.files.iter().cloned());
    files
}

/// The files that snmpd reads on this machine when it is started without options, as its unit does.
pub fn of_this_machine() -> Vec<PathBuf> {
    find(&SnmpdArguments { name: "snmpd".into(), ..SnmpdArguments::default() })
}

fn folders() -> Vec<PathBuf> {
    if let Some(path) = std::env::var_os("SNMPCONFPATH") {
        return std::env::split_paths(&path).collect();
    }
    let library = format!("/usr/lib/{}-linux-gnu/snmp", std::env::consts::ARCH);
    let home = std::env::var_os("HOME").map(|home| Path::new(&home).join(".snmp"));
    ["/etc/snmp", SHARED, &library].iter().map(PathBuf::from).chain(home).collect()
}

fn persistent_file(name: &str) -> PathBuf {
    match std::env::var_os("SNMP_PERSISTENT_FILE") {
        Some(file) => PathBuf::from(file),
        None => {
            let folder = persistent_directory().unwrap_or_else(|| {
                let there = PERSISTENT.iter().find(|folder| Path::new(folder).is_dir());
                PathBuf::from(there.unwrap_or(&PERSISTENT[0]))
            });
            folder.join(format!("{name}.conf"))
        }
    }
}

/// The value of SNMP_PERSISTENT_DIR.
pub fn persistent_directory() -> Option<PathBuf> {
    std::env::var_os("SNMP_PERSISTENT_DIR").filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// A user by name, or by number with or without `#`; an unassigned number stays as it is.
pub fn user_name(user: &str) -> String {
    let number = user.strip_prefix('#').unwrap_or(user);
    if number.is_empty() || !number.chars().all(|c| c.is_ascii_digit()) {
        return user.to_string();
    }
    let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let found = users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)? == number).then(|| name.to_string())
    });
    found.unwrap_or_else(|| user.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_have_names_and_numbers() {
        assert_eq!(user_name("0"), "root");
        assert_eq!(user_name("#0"), "root");
        assert_eq!(user_name("nobody"), "nobody");
        assert_eq!(user_name("4294967290"), "4294967290");
    }

    #[test]
    fn only_named_files_are_only_those() {
        let files = vec![PathBuf::from("/a"), PathBuf::from("/b")];
        let arguments =
            SnmpdArguments { only_named_files: true, files: files.clone(), ..SnmpdArguments::default() };
        assert_eq!(find(&arguments), files);
    }
}
