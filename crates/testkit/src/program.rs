//! Programs that a test makes and then runs.

use std::path::Path;
use std::process::{Command, Stdio};

/// Writes a script that can be run at once.
///
/// Another process writes it. If this one did, a child that another test starts at the same moment would inherit the
/// open file for an instant, and running the script would fail with `Text file busy`.
pub fn write_program(path: &Path, text: &str) {
    let write = "printf %s \"$2\" > \"$1\" && chmod 755 \"$1\"";
    run(Command::new("sh").args(["-c", write, "sh"]).arg(path).arg(text));
}

/// Copies a program that can be run at once, as [`write_program`] writes one.
pub fn copy_program(from: &Path, to: &Path) {
    run(Command::new("cp").arg(from).arg(to));
}

fn run(command: &mut Command) {
    let status = command.stdin(Stdio::null()).status().unwrap();
    assert!(status.success(), "{command:?}: {status}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn a_program_runs_at_once_while_others_start_programs() {
        let folder = tempfile::tempdir().unwrap();
        thread::scope(|scope| {
            for name in ["a", "b", "c", "d"] {
                let path = folder.path().join(name);
                scope.spawn(move || {
                    for round in 0..20 {
                        write_program(&path, &format!("#!/bin/sh\nprintf '%s' 'it''s {round}'\n"));
                        let output = Command::new(&path).output().unwrap();
                        assert_eq!(String::from_utf8_lossy(&output.stdout), format!("its {round}"));
                    }
                });
            }
        });
    }
}
