//! Programs whose output is served, and what the error flags of UCD-SNMP-MIB watch.

use crate::collected::{Collected, Exec, Extend, LogMatch, Pass, Process};
use crate::source::Directive;
use crate::{oids, words, write};
use trunkline_config::check_pattern;

type Done = Result<(), String>;

/// As in snmpd: without its dot an object identifier is a name.
fn is_oid(word: &str) -> bool {
    word.starts_with('.') && word.len() > 1
}

/// The program must be there by its full path, unless the shell looks for it.
fn full_path(command: &[String], shell: bool) -> Done {
    match command.first() {
        None => Err("names no program".into()),
        Some(line) if line.trim().is_empty() => Err("names no program".into()),
        Some(program) if !shell && !program.starts_with('/') => {
            Err(format!("{program:?} is not a full path, and PATH is not searched; write its full path"))
        }
        Some(_) => Ok(()),
    }
}

/// `extend [-cacheTime TIME] [-execType TYPE] [MIBOID] NAME PROG ARGS`
pub(super) fn extend(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let mut rest = directive.rest.as_str();
    let mut shell = directive.name.to_ascii_lowercase().ends_with("-sh");
    let mut cache = None;
    let mut oid = None;
    let name = loop {
        let (word, behind) = words::first(rest);
        rest = behind;
        match word.to_ascii_lowercase().as_str() {
            "" => return Err("names no program".into()),
            "-cachetime" | "-exectype" => {
                let (value, behind) = words::first(rest);
                rest = behind;
                match word.to_ascii_lowercase().as_str() {
                    "-cachetime" => {
                        cache =
                            Some(value.parse().map_err(|_| format!("{value:?} is not a number of seconds"))?)
                    }
                    _ => shell = value == "sh",
                }
            }
            _ if oid.is_none() && is_oid(&word) => oid = Some(oids::parse(&word)?.to_string()),
            _ => break word,
        }
    };
    let command = command(rest, shell);
    full_path(&command, shell)?;
    if name.len() > 64 {
        return Err("a name of more than 64 octets".into());
    }
    let same = |known: &Extend| known.name == name && known.oid == oid;
    if let Some(known) = collected.programs.extends.iter().find(|known| same(known)) {
        return Err(format!("{name} is already defined at {}, which takes precedence", known.origin));
    }
    let origin = directive.origin.clone();
    collected.programs.extends.push(Extend { name, command, shell, cache, oid, origin });
    Ok(())
}

/// The words of a program; for the shell the line as it is. snmpd takes the quotes off the first word, puts it before
/// the rest again, and only then splits all of it: a whole command in quotes is several words.
fn command(rest: &str, shell: bool) -> Vec<String> {
    if shell {
        return vec![rest.to_string()];
    }
    let (first, behind) = words::first(rest);
    words::split(&format!("{first} {behind}"))
}

/// `exec NAME PROG ARGS`, `sh NAME PROG ARGS`
pub(super) fn exec(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let shell = directive.name.eq_ignore_ascii_case("sh");
    let (name, rest) = words::first(&directive.rest);
    if name.is_empty() {
        return Err("names no program".into());
    }
    if is_oid(&name) {
        let why = format!(
            "snmpd 5 refuses an exec or sh with an OID, and has not a row for it: extend {name} serves output there"
        );
        collected.remark(&directive.origin, &directive.name, why);
        return Ok(());
    }
    let command = command(rest, shell);
    full_path(&command, shell)
        .map_err(|why| format!("{why}; until then rows of extTable behind it have lower numbers"))?;
    if name.len() > 255 {
        return Err("a name of more than 255 octets".into());
    }
    if let Some(first) = collected.programs.execs.iter().find(|known| known.name == name) {
        let why = format!("{} has the name {name} already, and takes precedence, as in snmpd", first.origin);
        collected.remark(&directive.origin, &directive.name, why);
        return Ok(());
    }
    let origin = directive.origin.clone();
    collected.programs.execs.push(Exec { name, command, shell, fix: None, origin });
    Ok(())
}

/// `execfix NAME PROG ARGS`
pub(super) fn exec_fix(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let (name, rest) = words::first(&directive.rest);
    let fix = words::split(rest);
    full_path(&fix, false)?;
    let found = collected.programs.execs.iter_mut().find(|exec| exec.name == name);
    let exec = found.ok_or("no exec or sh of this name precedes it")?;
    exec.fix = Some(fix);
    let whole = exec.origin.clone();
    collected.part_of(&directive.origin, &whole);
    Ok(())
}

/// `pass [-p PRIORITY] MIBOID PROG`, `pass_persist`
pub(super) fn pass(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let words = directive.words();
    let (priority, rest) = match words.as_slice() {
        [option, priority, rest @ ..] if option == "-p" => {
            let number: i64 = priority.parse().map_err(|_| format!("-p {priority:?} is not a number"))?;
            let number = u8::try_from(number).map_err(|_| format!("-p {number} is not in 0 to 255"))?;
            (Some(number), rest)
        }
        rest => (None, rest),
    };
    let [oid, command @ ..] = rest else { return Err("expected MIBOID PROG".into()) };
    full_path(command, false)?;
    let oid = oids::parse(oid)?.to_string();
    let persistent = directive.name.to_ascii_lowercase().ends_with("persist");
    let same = |known: &Pass| known.oid == oid && known.priority.unwrap_or(127) == priority.unwrap_or(127);
    if let Some(known) = collected.programs.passes.iter().find(|known| same(known)) {
        return Err(format!(
            "a program for {oid} is already defined at {}, which takes precedence",
            known.origin
        ));
    }
    let origin = directive.origin.clone();
    collected.programs.passes.push(Pass { oid, command: command.to_vec(), persistent, priority, origin });
    Ok(())
}

/// `proc NAME [MAX [MIN]]`: a MAX of 0 with another MIN means no limit. Each line makes a row, so that the others keep their
/// numbers.
pub(super) fn process(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let words = directive.words();
    let name =
        words.first().filter(|name| (1..=255).contains(&name.len())).ok_or("names no process")?.clone();
    if let Some(first) = collected.programs.processes.iter().find(|known| known.name == name) {
        let why =
            format!("{name} is monitored by {} already, which takes precedence, as in snmpd", first.origin);
        collected.remark(&directive.origin, &directive.name, why);
        return Ok(());
    }
    let mut limit = |at: usize| words.get(at).map(|word| count(collected, directive, word));
    let (max, min) = (limit(1), limit(2));
    let (min, max) = match (min, max) {
        (Some(min), Some(0)) if min > 0 => (Some(min), None),
        limits => limits,
    };
    if let Some(pattern) = words.get(3) {
        let why = format!("processes are counted by their name, and the expression {pattern:?} is not used");
        collected.note(&directive.origin, &directive.name, why);
    }
    let origin = directive.origin.clone();
    collected.programs.processes.push(Process { name, min, max, fix: None, origin });
    Ok(())
}

/// A number of processes as snmpd reads it: the digits in front.
fn count(collected: &mut Collected<'_>, directive: &Directive, word: &str) -> u32 {
    let digits = word.len() - word.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let number = word[..digits].parse::<u32>().unwrap_or(0).min(i32::MAX as u32);
    if word.starts_with('-') {
        collected.note(&directive.origin, &directive.name, format!("{word} is read as 0"));
    } else if digits < word.len() {
        let why = format!("{word:?} is read as {number}, as in snmpd");
        collected.remark(&directive.origin, &directive.name, why);
    }
    number
}

/// `procfix NAME PROG ARGS`
pub(super) fn process_fix(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let (name, rest) = words::first(&directive.rest);
    let fix = words::split(rest);
    full_path(&fix, false)?;
    let found = collected.programs.processes.iter_mut().find(|process| process.name == name);
    let process = found.ok_or("no proc of this name precedes it")?;
    process.fix = Some(fix);
    let whole = process.origin.clone();
    collected.part_of(&directive.origin, &whole);
    Ok(())
}

/// `disk PATH [MINSPACE | MINPERCENT%]`
pub(super) fn disk(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let words = directive.words();
    let path = words
        .first()
        .filter(|path| path.starts_with('/') && path.len() <= 4096)
        .ok_or("names no mounted path")?;
    let minimum = words.get(1).map(|word| minimum(word)).transpose()?;
    add_disk(collected, directive, path, minimum)
}

/// `includeAllDisks MINPERCENT%`
pub(super) fn all_disks(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let minimum = directive.words().first().map(|word| minimum(word)).transpose()?;
    add_disk(collected, directive, "*", minimum)
}

fn add_disk(
    collected: &mut Collected<'_>,
    directive: &Directive,
    path: &str,
    minimum: Option<String>,
) -> Done {
    if collected.programs.disks.iter().any(|(known, _, _)| known == path) {
        return Err(format!("{path} is already monitored; the first line takes precedence"));
    }
    collected.programs.disks.push((path.into(), minimum, directive.origin.clone()));
    Ok(())
}

/// As TOML has it.
fn minimum(word: &str) -> Result<String, String> {
    let wrong = || format!("{word:?} is neither a number of kB nor a percentage such as 10%");
    match word.strip_suffix('%') {
        Some(percent) => {
            let percent: u8 = percent.parse().ok().filter(|percent| *percent <= 100).ok_or_else(wrong)?;
            Ok(write::text(&format!("{percent}%")))
        }
        None => word.parse::<u32>().map(|kilobytes| kilobytes.to_string()).map_err(|_| wrong()),
    }
}

/// `diskio DEVICE`
pub(super) fn disk_io(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let device = directive.words().into_iter().next().ok_or("names no device")?;
    // snmpd takes a path too.
    let name = device.strip_prefix("/dev/").unwrap_or(&device).to_owned();
    if name.is_empty() || name.len() > 31 {
        return Err(format!("{device:?} is not the name of a block device"));
    }
    match collected.disk_io[0].iter().find(|(known, _)| *known == name) {
        Some((_, first)) => collected.parts.push((directive.origin.clone(), first.clone())),
        None => collected.disk_io[0].push((name, directive.origin.clone())),
    }
    Ok(())
}

/// `diskio_exclude_loop yes`
pub(super) fn disk_io_exclude(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let start = directive.name.rsplit('_').next().unwrap_or_default().to_ascii_lowercase();
    let (earlier, mut excluded): (Vec<_>, Vec<_>) =
        std::mem::take(&mut collected.disk_io[1]).into_iter().partition(|(known, _)| *known == start);
    for (_, earlier) in earlier {
        let why = format!("{} says it again, and the last line counts", directive.origin);
        collected.unneeded(&earlier, &directive.name, why);
    }
    if super::yes(directive.words().first()) {
        excluded.push((start, directive.origin.clone()));
    } else {
        collected.unneeded(&directive.origin, &directive.name, "nothing is excluded by default");
    }
    collected.disk_io[1] = excluded;
    Ok(())
}

/// `file PATH [MAXSIZE]`
pub(super) fn file(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let words = directive.words();
    let path = log_path(words.first())?;
    // A negative size means any.
    let max = words.get(1).map(|word| {
        let size: i64 = word.parse().map_err(|_| format!("{word:?} is not a size in kB"))?;
        Ok::<_, String>(u32::try_from(size.min(i64::from(i32::MAX))).ok())
    });
    let max = max.transpose()?.flatten();
    if collected.programs.files.iter().any(|(known, _, _)| *known == path) {
        return Err(format!("{path} is already monitored; the first line takes precedence"));
    }
    collected.programs.files.push((path, max, directive.origin.clone()));
    Ok(())
}

/// `logmatch NAME PATH CYCLETIME REGEX`
pub(super) fn log_match(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let (name, rest) = words::first(&directive.rest);
    let (path, rest) = words::first(rest);
    let (cycle, pattern) = words::first(rest);
    let path = log_path(Some(&path))?;
    if path.contains('%') {
        return Err("a path with the date in it is not supported; name the file that is written now".into());
    }
    let every: i32 = cycle.parse().map_err(|_| format!("{cycle:?} is not a number of seconds"))?;
    // A regular expression has its blanks, and its quotes.
    let pattern = pattern.trim();
    if pattern.is_empty() || pattern.len() > 255 {
        return Err("expected NAME PATH CYCLETIME REGEX, with an expression of at most 255 octets".into());
    }
    check_pattern(pattern).map_err(|error| {
        format!("its expression must be written anew for [[log-match]]: {}", error.replace('\n', " "))
    })?;
    if name.len() > 255 {
        return Err("a name of more than 255 octets".into());
    }
    if collected.programs.log_matches.iter().any(|known| known.name == name) {
        return Err(format!("a second log match {name}; give it another name"));
    }
    let every = u32::try_from(every).unwrap_or(0).min(8760 * 3600);
    let origin = directive.origin.clone();
    collected.programs.log_matches.push(LogMatch { name, path, every, pattern: pattern.into(), origin });
    Ok(())
}

fn log_path(word: Option<&String>) -> Result<String, String> {
    let is_path = |path: &&String| path.starts_with('/') && path.len() <= 255;
    word.filter(is_path).cloned().ok_or_else(|| "names no file by its full path".into())
}

/// `swap MINIMUM`
pub(super) fn swap(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let words = directive.words();
    let minimum = words.first().ok_or("names no minimum")?;
    let kilobytes = minimum.parse::<u32>().ok().filter(|number| *number <= i32::MAX as u32);
    let kilobytes = kilobytes.ok_or_else(|| format!("{minimum:?} is not a number of kB"))?;
    collected.swap = Some((kilobytes, directive.origin.clone()));
    Ok(())
}

/// `load MAX1 [MAX5 [MAX15]]`
pub(super) fn load(collected: &mut Collected<'_>, directive: &Directive) -> Done {
    let limits = directive.words().into_iter().take(3).map(|word| {
        let number = word.parse::<f64>().ok().filter(|number| (0.0..=65_535.0).contains(number));
        number.ok_or_else(|| format!("{word:?} is not a load average"))
    });
    let limits = limits.collect::<Result<Vec<f64>, String>>()?;
    if limits.is_empty() {
        return Err("names no limit".into());
    }
    if let Some((_, earlier)) = collected.load.replace((limits, directive.origin.clone())) {
        let why = format!("{} sets the limits again, and the last line counts", directive.origin);
        collected.unneeded(&earlier, &directive.name, why);
    }
    Ok(())
}
