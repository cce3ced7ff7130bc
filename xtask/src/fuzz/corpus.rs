//! The corpus of a target: the few inputs that reach what its seeds do not, so that
//! a run of seconds begins where a run of hours ended. It is committed, so it is small.

use std::fs;
use std::io;
use std::path::Path;

use super::Run;

/// The most octets of a target's corpus. The smallest inputs stay.
const MOST_OCTETS: u64 = 16 << 10;

/// Rebuilds the corpus from itself and from the finds of this machine's runs: of inputs with the same coverage
/// the smallest, and none that only reach what the seeds reach.
pub(super) fn merge(run: &Run<'_>) -> io::Result<()> {
    let (name, corpus) = (&run.target.name, run.corpus());
    let merged = run.workspace.path("target/fuzz/merged").join(name);
    empty(&merged)?;
    // What is in the first folder counts as reached.
    for seed in files(&run.seeds())? {
        fs::copy(&seed.path, merged.join(format!("{SEED}{}", seed.name)))?;
    }
    let mut fuzzer = run.fuzzer();
    // What counts is which code is reached, not how often.
    fuzzer.args(["-set_cover_merge=1", "-use_counters=0"]).arg(&merged);
    fuzzer.args([corpus.clone(), run.finds()].iter().filter(|folder| folder.is_dir()));
    run.heed(&mut fuzzer)?;
    let found: Vec<Entry> = files(&merged)?.into_iter().filter(|file| !file.name.starts_with(SEED)).collect();
    let (count, kept) = (found.len(), within(found, MOST_OCTETS));
    empty(&corpus)?;
    for file in &kept {
        fs::copy(&file.path, corpus.join(&file.name))?;
    }
    let octets: u64 = kept.iter().map(|file| file.octets).sum();
    println!("fuzz {name}: {} of {count} inputs in its corpus, {octets} octets", kept.len());
    Ok(())
}

/// A file of a folder.
#[derive(Clone, Debug, PartialEq)]
struct Entry {
    name: String,
    path: std::path::PathBuf,
    octets: u64,
}

fn files(folder: &Path) -> io::Result<Vec<Entry>> {
    let mut found = Vec::new();
    for file in fs::read_dir(folder)? {
        let file = file?;
        let name = file.file_name().to_string_lossy().into_owned();
        found.push(Entry { name, path: file.path(), octets: file.metadata()?.len() });
    }
    Ok(found)
}

fn empty(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => fs::create_dir_all(folder),
    }
}

/// The smallest files that are together no larger than `most`.
fn within(mut files: Vec<Entry>, most: u64) -> Vec<Entry> {
    files.sort_by(|a, b| (a.octets, &a.name).cmp(&(b.octets, &b.name)));
    let mut octets = 0;
    files.retain(|file| {
        octets += file.octets;
        octets <= most
    });
    files
}

/// How seeds are called in the folder that is merged into; libFuzzer's own names are digests.
const SEED: &str = "seed-";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_stay_within_the_limit() {
        let file = |name: &str, octets| Entry { name: name.into(), path: name.into(), octets };
        let all = vec![file("long", 90), file("b", 5), file("a", 5), file("next", 20)];
        let names = |most| within(all.clone(), most).into_iter().map(|file| file.name).collect::<Vec<_>>();
        assert_eq!(names(1000), ["a", "b", "next", "long"]);
        assert_eq!(names(30), ["a", "b", "next"]);
        assert_eq!(names(9), ["a"]);
    }
}
