//! Man pages and shell completions, from the definition of a program's arguments: what the program
//! takes is written down once.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::{Args, Command};
use clap_complete::aot::{Bash, Fish, Generator, Zsh};
use clap_mangen::Man;

/// The arguments of a program's command that writes its manual.
#[derive(Debug, Args)]
pub struct ManualArguments {
    /// The folder for shared files, as /usr/share: man pages go to man/, completions to where bash, zsh and fish look.
    #[arg(value_name = "FOLDER")]
    pub share: PathBuf,
}

/// Writes a page for the program and for each of its visible commands, and completions for bash, zsh and
/// fish, below `share`. `section` is the manual's: 1 for commands, 8 for daemons.
///
/// # Errors
/// A folder or file cannot be written; the error names it.
pub fn write(program: Command, section: u8, share: &Path) -> io::Result<Vec<PathBuf>> {
    // Its page would repeat what every page has.
    let mut program = program.disable_help_subcommand(true);
    program.build();
    let mut written = Vec::new();
    let folder = share.join(format!("man/man{section}"));
    write_pages(&program, section, &folder, &mut written)?;
    let name = program.get_name().to_string();
    complete(Bash, &program, &name, &share.join("bash-completion/completions").join(&name), &mut written)?;
    complete(Zsh, &program, &name, &share.join("zsh/site-functions").join(format!("_{name}")), &mut written)?;
    let fish = share.join("fish/vendor_completions.d").join(format!("{name}.fish"));
    complete(Fish, &program, &name, &fish, &mut written)?;
    Ok(written)
}

fn write_pages(command: &Command, section: u8, folder: &Path, written: &mut Vec<PathBuf>) -> io::Result<()> {
    for inner in command.get_subcommands().filter(|inner| !inner.is_hide_set()) {
        write_pages(inner, section, folder, written)?;
    }
    let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_string();
    let mut page = Vec::new();
    let man = Man::new(command.clone()).title(name.to_uppercase()).section(section.to_string());
    man.manual("Trunkline").render(&mut page)?;
    put(&folder.join(format!("{name}.{section}")), &page, written)
}

fn complete(
    shell: impl Generator,
    program: &Command,
    name: &str,
    path: &Path,
    written: &mut Vec<PathBuf>,
) -> io::Result<()> {
    let mut script = Vec::new();
    clap_complete::aot::generate(shell, &mut program.clone(), name, &mut script);
    put(path, &script, written)
}

fn put(path: &Path, octets: &[u8], written: &mut Vec<PathBuf>) -> io::Result<()> {
    let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    fs::create_dir_all(path.parent().unwrap_or(path)).map_err(named)?;
    fs::write(path, octets).map_err(named)?;
    written.push(path.to_path_buf());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program() -> Command {
        let count = clap::Arg::new("count").long("count").value_name("NUMBER").help("How many apples.");
        Command::new("basket")
            .about("Carries fruit.")
            .subcommand(Command::new("fill").about("Puts fruit in.").arg(count))
            .subcommand(Command::new("secret").hide(true))
    }

    #[test]
    fn each_visible_command_has_a_page_and_each_shell_its_completions() {
        let folder = tempfile::tempdir().unwrap();
        let written = write(program(), 1, folder.path()).unwrap();
        let names: Vec<String> = written
            .iter()
            .map(|path| path.strip_prefix(folder.path()).unwrap().display().to_string())
            .collect();
        assert_eq!(
            names,
            [
                "man/man1/basket-fill.1",
                "man/man1/basket.1",
                "bash-completion/completions/basket",
                "zsh/site-functions/_basket",
                "fish/vendor_completions.d/basket.fish",
            ]
        );
        let page = fs::read_to_string(&written[0]).unwrap();
        assert!(page.contains(".TH BASKET-FILL 1") && page.contains("How many apples"), "{page}");
        for completion in &written[2..] {
            assert!(fs::read_to_string(completion).unwrap().contains("count"));
        }
    }

    #[test]
    fn unwritable_files_are_reported() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let error = write(program(), 1, file.path()).unwrap_err();
        assert!(error.to_string().contains("man/man1"), "{error}");
    }
}
