//! A step of `cargo xtask ci`: what `packaging/` ships is understood by those it is for.
//!
//! The example configurations are checked as they are, and again with every setting uncommented, so that they contain
//! no unknown setting.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use crate::command;
use crate::outcome::Outcome;
use crate::workspace::Workspace;

/// Checks the example configurations with the programs, the units with systemd, and that man pages and
/// completions are made and understood.
pub fn check(workspace: &Workspace) -> Outcome {
    let text = workspace.read("packaging/trunklined.toml")?;
    let folder = workspace.path("target/packaging");
    fs::create_dir_all(&folder)?;
    // The user and the group of the example exist where the agent is installed; root exists here too.
    let with_all = with_all_settings(&text)
        .replace("user = \"trunkline\"", "user = \"root\"")
        .replace("subsystem-group = \"trunkline\"", "subsystem-group = \"root\"");
    for (name, text) in [("as-shipped.toml", text), ("with-all.toml", with_all)] {
        let path = folder.join(name);
        fs::write(&path, text)?;
        let mut agent = Command::new(workspace.path("target/debug/trunklined"));
        command::run(agent.arg("--check").arg("--config").arg(path))?;
    }
    manuals(workspace)?;
    receiver(workspace, &folder)?;
    if command::which("systemd-analyze").is_none() {
        println!("systemd-analyze is not installed: the units are not verified");
        return Ok(());
    }
    for unit in ["trunklined.service", RECEIVER] {
        verify(workspace, &folder, unit)?;
    }
    Ok(())
}

/// What systemd has to say about a unit.
fn verify(workspace: &Workspace, folder: &Path, name: &str) -> Outcome {
    let unit = workspace.read(&format!("packaging/{name}"))?;
    let path = folder.join(name);
    fs::write(&path, installed(&unit, &workspace.path("target/debug").display().to_string()))?;
    // The manual need not be installed here.
    let words = Command::new("systemd-analyze").args(["verify", "--man=no"]).arg(&path).output()?;
    let words = String::from_utf8_lossy(&words.stderr).into_owned();
    // It also reports on other units of the machine.
    let ours: Vec<&str> =
        words.lines().filter(|line| line.contains(name) && !is_of_newer_systemd(line)).collect();
    if ours.is_empty() { Ok(()) } else { Err(ours.join("\n").into()) }
}

/// Whether a complaint is about a setting that systemd has from version 254 on, and older ones ignore.
fn is_of_newer_systemd(complaint: &str) -> bool {
    let is_named = |key: &str| complaint.contains(&format!("'{key}'"));
    complaint.contains(": Unknown key") && (is_named("RestartSteps") || is_named("RestartMaxDelaySec"))
}

/// The example of the receiver's rules is what `trunkline listen` reads, and so are the command lines of its unit, with
/// the options that the unit's first lines name.
fn receiver(workspace: &Workspace, folder: &Path) -> Outcome {
    let unit = workspace.read(&format!("packaging/{RECEIVER}"))?;
    let text = workspace.read("packaging/listen.toml")?;
    let value =
        |key: &str| unit.lines().find_map(|line| line.split_once(key)).map(|(_, value)| value.to_owned());
    let without_file =
        value("SetCredential=listen-users.toml:").ok_or("the unit has no users without a file")?;
    let options = value("LISTEN_OPTIONS=").ok_or("the unit names no options")?;
    for (name, text) in [("as-shipped", text.clone()), ("with-all", with_all_settings(&text))] {
        let credentials = folder.join(format!("listen-{name}"));
        fs::create_dir_all(&credentials)?;
        fs::write(credentials.join("listen.toml"), text)?;
        let users = credentials.join("listen-users.toml");
        fs::write(&users, &without_file)?;
        fs::set_permissions(&users, fs::Permissions::from_mode(0o600))?;
        let lines = command_lines(&unit, &workspace.path("target/debug"), &credentials, &options);
        if lines.is_empty() {
            return Err(format!("packaging/{RECEIVER} starts nothing").into());
        }
        for words in lines {
            let mut listen = Command::new(&words[0]);
            command::run(listen.args(&words[1..]).arg("--check"))?;
        }
    }
    Ok(())
}

/// The words of `ExecStartPre=` and `ExecStart=`, as systemd splits them where there are no quotes, without `--check`.
fn command_lines(unit: &str, programs: &Path, credentials: &Path, options: &str) -> Vec<Vec<String>> {
    let unit = installed(unit, &programs.display().to_string());
    let lines = unit.lines().filter_map(|line| match line.split_once('=')? {
        ("ExecStartPre" | "ExecStart", words) => Some(words),
        _ => None,
    });
    let line = |words: &str| {
        let words = words
            .replace("${CREDENTIALS_DIRECTORY}", &credentials.display().to_string())
            .replace("$LISTEN_OPTIONS", options);
        words.split_whitespace().filter(|word| *word != "--check").map(str::to_owned).collect()
    };
    lines.map(line).collect()
}

/// The unit of the receiver.
const RECEIVER: &str = "trunkline-listen.service";

/// The programs write their man pages and completions below `target/packaging/share`, laid out as
/// `/usr/share`; packages install them from there.
fn manuals(workspace: &Workspace) -> Outcome {
    let share = workspace.path("target/packaging/share");
    if share.exists() {
        fs::remove_dir_all(&share)?;
    }
    for program in PROGRAMS {
        let mut program = Command::new(workspace.path("target/debug").join(program));
        command::run(program.arg("manual").arg(&share))?;
    }
    for program in PROGRAMS {
        let script = share.join("bash-completion/completions").join(program);
        command::run(Command::new("bash").arg("-n").arg(script))?;
    }
    if command::which("man").is_none() {
        println!("man is not installed: the pages are not read");
        return Ok(());
    }
    for section in ["man1", "man8"] {
        for page in fs::read_dir(share.join("man").join(section))? {
            let page = page?.path();
            let mut man = Command::new("man");
            man.args(["--warnings", "-E", "UTF-8", "-Tutf8", "-Z", "-l"]).arg(&page);
            let output = man.output()?;
            let complaints = String::from_utf8_lossy(&output.stderr).into_owned();
            if !output.status.success() || !complaints.is_empty() {
                return Err(format!("{}: {complaints}", page.display()).into());
            }
        }
    }
    Ok(())
}

/// What a package installs.
const PROGRAMS: [&str; 3] = ["trunklined", "trunkline", "trunkline-lab"];

/// Uncomments each setting: `#` without a space after it.
fn with_all_settings(text: &str) -> String {
    let lines = text.lines().map(|line| match line.strip_prefix('#') {
        Some(setting) if setting.starts_with(|first: char| !first.is_whitespace()) => setting,
        _ => line,
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// A unit as if the programs were installed where they were built: a missing program is an error to systemd.
fn installed(unit: &str, programs: &str) -> String {
    unit.replace("/usr/sbin/trunklined", &format!("{programs}/trunklined"))
        .replace("/usr/bin/trunkline ", &format!("{programs}/trunkline "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_put_in_and_prose_is_not() {
        let text = "# prose\n#\n#key = 1\n[table]\nother = 2 # more\n#[[list]]\n";
        assert_eq!(with_all_settings(text), "# prose\n#\nkey = 1\n[table]\nother = 2 # more\n[[list]]");
    }

    #[test]
    fn only_settings_that_older_systemd_ignores_are_left_out() {
        let line = |key: &str| {
            format!("/p/trunklined.service:25: Unknown key '{key}' in section [Service], ignoring.")
        };
        assert!(
            is_of_newer_systemd(&line("RestartSteps")) && is_of_newer_systemd(&line("RestartMaxDelaySec"))
        );
        assert!(!is_of_newer_systemd(&line("RestartStep")));
        assert!(!is_of_newer_systemd("trunklined.service: Failed to parse RestartSteps= value"));
    }

    #[test]
    fn command_lines_of_a_unit_have_its_variables() {
        let unit = "[Service]\nExecStartPre=/usr/bin/trunkline listen --check $LISTEN_OPTIONS\n\
                    ExecStart=/usr/bin/trunkline listen --rules ${CREDENTIALS_DIRECTORY}/a $LISTEN_OPTIONS\n";
        let lines = command_lines(unit, Path::new("/p"), Path::new("/c"), "udp:1 tls:2");
        assert_eq!(lines[0], ["/p/trunkline", "listen", "udp:1", "tls:2"]);
        assert_eq!(lines[1], ["/p/trunkline", "listen", "--rules", "/c/a", "udp:1", "tls:2"]);
        assert_eq!(lines.len(), 2);
    }
}
