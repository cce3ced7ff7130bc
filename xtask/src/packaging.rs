//! A step of `cargo xtask ci`: what `packaging/` ships is understood by those it is for.
//!
//! The example configuration is checked as it is, and again with every setting uncommented, so that it contains
//! no unknown setting.

use std::fs;
use std::process::Command;

use crate::command;
use crate::outcome::Outcome;
use crate::workspace::Workspace;

/// Checks the example configuration with the agent, the unit with systemd, and that man pages and
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
    if command::which("systemd-analyze").is_none() {
        println!("systemd-analyze is not installed: the unit is not verified");
        return Ok(());
    }
    let unit = workspace.read("packaging/trunklined.service")?;
    let path = folder.join("trunklined.service");
    fs::write(&path, installed(&unit, &workspace.path("target/debug/trunklined").display().to_string()))?;
    let words = Command::new("systemd-analyze").arg("verify").arg(&path).output()?;
    let words = String::from_utf8_lossy(&words.stderr).into_owned();
    // It also reports on other units of the machine.
    let ours: Vec<&str> = words.lines().filter(|line| line.contains("trunklined.service")).collect();
    if ours.is_empty() { Ok(()) } else { Err(ours.join("\n").into()) }
}

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

/// The unit as if the agent were installed where it was built: a missing program is an error to systemd.
fn installed(unit: &str, program: &str) -> String {
    unit.replace("/usr/sbin/trunklined", program)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_put_in_and_prose_is_not() {
        let text = "# prose\n#\n#key = 1\n[table]\nother = 2 # more\n#[[list]]\n";
        assert_eq!(with_all_settings(text), "# prose\n#\nkey = 1\n[table]\nother = 2 # more\n[[list]]");
    }
}
