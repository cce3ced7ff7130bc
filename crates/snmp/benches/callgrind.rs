//! Runs one case so often, for instruction counts that do not depend on the machine's mood:
//!
//! ```text
//! valgrind --tool=callgrind target/release/deps/callgrind-* encode_column_66 1000
//! ```
//! Counts of two runs with different repetitions, subtracted, leave the set-up out. Without arguments it
//! names the cases. `cargo xtask bench codec` does this for all of them.
#![allow(missing_docs, clippy::print_stdout, clippy::print_stderr)]

mod cases;

use std::hint::black_box;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1).filter(|argument| !argument.starts_with("--"));
    let (Some(name), times) = (arguments.next(), arguments.next()) else {
        cases::all().iter().for_each(|(name, _)| println!("{name}"));
        return ExitCode::SUCCESS;
    };
    let Ok(times) = times.as_deref().unwrap_or("1000").parse::<u32>() else {
        eprintln!("usage: callgrind CASE TIMES, where TIMES is a number");
        return ExitCode::FAILURE;
    };
    let Some((_, mut case)) = cases::all().into_iter().find(|(case, _)| *case == name) else {
        eprintln!("no case {name}; without arguments all are named");
        return ExitCode::FAILURE;
    };
    let mut sum = 0usize;
    for _ in 0..times {
        sum = sum.wrapping_add(black_box(case()));
    }
    println!("{name} {times} {sum}");
    ExitCode::SUCCESS
}
