//! Every fit and every statistic of goodness beside those of scipy, which shares no code with them.

#![allow(clippy::unwrap_used, reason = "a test's helpers fail and speak as tests do")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use trunkline_distributions::goodness::{Goodness, draw, probabilities};
use trunkline_distributions::{
    Continuous, Distribution, Edf, Family, Gamma, Lognormal, Normal, Sample, Summary, Weibull,
};
use trunkline_testkit::leave_out;

/// The probabilities by bootstrap are compared for the first so many samples: scipy draws slowly.
const WITH_PROBABILITIES: usize = 2;

#[test]
fn fits_and_statistics_are_those_of_scipy() {
    let Some(python) = python() else { return };
    let cases: Vec<Value> = samples().iter().enumerate().map(|(at, values)| case(at, values)).collect();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scipy_fits.py");
    let right = run(&python, &script, &json!(cases));
    assert!(right.is_empty(), "{right}");
    // And it finds what is wrong.
    let mut spoiled = cases;
    spoiled[0]["fits"][0]["parameters"][0] = json!(3.5);
    assert!(run(&python, &script, &json!(spoiled)).contains("Weibull"));
}

/// What of the script's comparison disagrees.
fn run(python: &Path, script: &Path, cases: &Value) -> String {
    let mut command = Command::new(python);
    command.arg("-B").arg(script).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(cases.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

/// The agents of Pras et al. (2005), and draws of several shapes and sizes.
fn samples() -> Vec<Vec<f64>> {
    let pras = [
        0.4, 0.4, 0.5, 0.5, 0.5, 0.7, 0.8, 0.9, 0.9, 1.1, 1.2, 1.3, 1.5, 1.6, 1.7, 2.7, 2.7, 3.5, 3.7, 4.1,
        11.1, 11.3, 87.7,
    ];
    let mut random = fastrand::Rng::with_seed(20);
    let mut all = vec![pras.to_vec()];
    for (distribution, count) in [
        (Distribution::Weibull(Weibull { scale: 1468.88, shape: 1.93 }), 60),
        (Distribution::Weibull(Weibull { scale: 1.07, shape: 17.11 }), 700),
        (Distribution::Gamma(Gamma { shape: 0.6, scale: 30.0 }), 200),
        (Distribution::Lognormal(Lognormal(Normal { mean: -3.0, sd: 1.2 })), 500),
        (Distribution::Normal(Normal { mean: 300.0, sd: 3.0 }), 50),
    ] {
        all.push((0..count).map(|_| draw(&distribution, &mut random)).collect());
    }
    all
}

fn case(at: usize, values: &[f64]) -> Value {
    let sample = Sample::complete(values.to_vec()).unwrap();
    let summary = Summary::of(values).unwrap();
    let places = [0.5, 1.0, summary.median, summary.mean, 2.0 * summary.max];
    let edf = Edf::of(&sample);
    let fits: Vec<Value> =
        Family::ALL.iter().map(|&family| fit(family, &sample, at < WITH_PROBABILITIES)).collect();
    json!({
        "values": values,
        "summary": [summary.mean, summary.sd, summary.median, summary.iqr(), summary.p99],
        "edf": places.map(|x| [x, edf.at(x)]),
        "fits": fits,
    })
}

fn fit(family: Family, sample: &Sample, with_probabilities: bool) -> Value {
    let fitted = family.fit(sample).unwrap();
    let goodness = Goodness::of(&fitted, sample);
    let drawn = with_probabilities.then(|| probabilities(family, sample, 1999, 1).unwrap().unwrap());
    let far = sample.observed()[sample.observed().len() - 1] * 1.5;
    json!({
        "family": family.to_string(),
        "parameters": fitted.parameters().iter().map(|(_, value)| *value).collect::<Vec<f64>>(),
        "ln_likelihood": goodness.ln_likelihood,
        "aic": goodness.aic,
        "ks": goodness.ks,
        "ad": goodness.ad,
        "mean": fitted.mean(),
        "quantile": fitted.quantile(0.9),
        "ln_beyond": [far, fitted.ln_beyond(far)],
        "p": drawn.map(|it| json!([it.ks, it.ad])),
    })
}

/// Python with numpy and scipy, as `cargo xtask setup --peers` installs it.
fn python() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/peers/statistics");
    if !folder.join("built-from").is_file() {
        leave_out("numpy and scipy are not installed (cargo xtask setup --peers)");
        return None;
    }
    Some(folder.join("bin/python"))
}
