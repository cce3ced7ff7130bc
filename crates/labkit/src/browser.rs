//! A browser as the manager's end: Chromium without a window and with a profile that has never been used, driven over
//! the pipes of its DevTools protocol, so that nothing of what drives it is on the network.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::leftovers::temporary_folder;
use crate::subject::{StartError, program_in_path};

/// A running browser with one page. It ends with this value.
#[derive(Debug)]
pub struct Browser {
    child: Child,
    to: ChildStdin,
    from: Receiver<Value>,
    calls: u64,
    page: String,
    /// Its profile, what it keeps elsewhere otherwise, and its standard error.
    profile: tempfile::TempDir,
}

/// Why a browser did not do what it was told.
#[derive(Debug, thiserror::Error)]
pub enum BrowserError {
    /// It could not be started.
    #[error(transparent)]
    Start(#[from] StartError),
    /// It has ended, or closed its pipes.
    #[error("the browser has ended ({status}){}", if last_words.is_empty() { String::new() } else { format!("; it said: {last_words}") })]
    Ended {
        /// Its exit status, or what is known of it.
        status: String,
        /// The end of its standard error.
        last_words: String,
    },
    /// It did not answer in time.
    #[error("the browser did not answer {what} within {} s", WITHIN.as_secs())]
    Silent {
        /// The method, or what a page was to show.
        what: String,
    },
    /// It refused.
    #[error("the browser refused {what}: {reason}")]
    Refused {
        /// The method.
        what: String,
        /// Its words.
        reason: String,
    },
}

impl Browser {
    /// The program.
    ///
    /// # Errors
    /// There is none in `PATH`.
    pub fn find() -> Result<PathBuf, StartError> {
        let found = PROGRAMS.into_iter().find_map(|name| program_in_path(name).ok());
        found.ok_or_else(|| StartError::NotFound { program: PROGRAMS[0].into() })
    }

    /// Starts it with an empty page, in the network namespace of the calling thread and on its processors. It ends with that thread, at the latest.
    ///
    /// # Errors
    /// It cannot be started, or ends at once.
    pub fn start() -> Result<Browser, BrowserError> {
        Browser::start_program(Browser::find()?)
    }

    fn start_program(program: PathBuf) -> Result<Browser, BrowserError> {
        let failed = |source| StartError::Start { program: program.clone(), source };
        let profile = temporary_folder().map_err(failed)?;
        let words = File::create(profile.path().join(WORDS)).map_err(failed)?;
        // The protocol is on the descriptors 3 and 4: a shell puts our pipes there.
        let mut command = crate::subject::ending_with_us("/bin/sh".as_ref());
        command.args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null"]).arg(&program);
        command.args(QUIET).arg(format!("--user-data-dir={}", profile.path().display())).arg("about:blank");
        // What it would leave in the folder for temporary files and in its user's is removed with its profile.
        let own = |name: &str| -> std::io::Result<PathBuf> {
            let path = profile.path().join(name);
            std::fs::create_dir(&path).map(|()| path)
        };
        command.env("TMPDIR", own("t").map_err(failed)?);
        command
            .env("HOME", own("home").map_err(failed)?)
            .env_remove("XDG_CONFIG_HOME")
            .env_remove("XDG_CACHE_HOME");
        let mut child = spawn(&mut command, words).map_err(failed)?;
        let (Some(to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(BrowserError::Ended { status: "without pipes".into(), last_words: String::new() });
        };
        let from = read_messages(from).map_err(failed)?;
        let mut browser = Browser { child, to, from, calls: 0, page: String::new(), profile };
        let targets = browser.call("Target.getTargets", json!({}))?;
        let target = targets["targetInfos"].as_array().into_iter().flatten();
        let target = target.filter(|it| it["type"] == "page").find_map(|it| it["targetId"].as_str());
        let without =
            || BrowserError::Refused { what: "Target.getTargets".into(), reason: "it has no page".into() };
        let target = target.ok_or_else(without)?.to_owned();
        let attached =
            browser.call("Target.attachToTarget", json!({ "targetId": target, "flatten": true }))?;
        browser.page = attached["sessionId"].as_str().unwrap_or_default().to_owned();
        browser.call("Page.enable", json!({}))?;
        Ok(browser)
    }

    /// Gives it a cookie, as if a page had been given it before.
    ///
    /// # Errors
    /// It refuses, or has ended.
    pub fn set_cookie(&mut self, url: &str, name: &str, value: &str) -> Result<(), BrowserError> {
        let cookie = json!({ "url": url, "name": name, "value": value, "httpOnly": true, "sameSite": "Strict",
            "secure": url.starts_with("https:") });
        self.call("Network.setCookie", cookie).map(drop)
    }

    /// The value of a cookie that a page of a URL has given it; `None`: it has none of this name.
    ///
    /// # Errors
    /// It refuses, or has ended.
    pub fn cookie(&mut self, url: &str, name: &str) -> Result<Option<String>, BrowserError> {
        let all = self.call("Network.getCookies", json!({ "urls": [url] }))?;
        let found = all["cookies"].as_array().into_iter().flatten().find(|it| it["name"] == name);
        Ok(found.and_then(|it| it["value"].as_str()).map(str::to_owned))
    }

    /// Accepts any certificate from now on.
    ///
    /// # Errors
    /// It refuses, or has ended.
    pub fn accept_any_certificate(&mut self) -> Result<(), BrowserError> {
        self.call("Security.setIgnoreCertificateErrors", json!({ "ignore": true })).map(drop)
    }

    /// Goes to a page, and does not wait for it.
    ///
    /// # Errors
    /// It refuses, or has ended; the page cannot be reached.
    pub fn go(&mut self, url: &str) -> Result<(), BrowserError> {
        let gone = self.call("Page.navigate", json!({ "url": url }))?;
        match gone["errorText"].as_str() {
            Some(reason) if !reason.is_empty() => {
                Err(BrowserError::Refused { what: url.to_owned(), reason: reason.to_owned() })
            }
            _ => Ok(()),
        }
    }

    /// The value of an expression in the page; of a promise, what it comes to.
    ///
    /// # Errors
    /// It throws; the browser has ended or is silent.
    pub fn evaluate(&mut self, expression: &str) -> Result<Value, BrowserError> {
        let what = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let mut result = self.call("Runtime.evaluate", what)?;
        if let Some(thrown) = result.get("exceptionDetails") {
            let told = thrown["exception"]["description"].as_str().or(thrown["text"].as_str());
            let reason = told.unwrap_or("an exception").lines().next().unwrap_or_default().to_owned();
            return Err(BrowserError::Refused { what: "a script".into(), reason });
        }
        Ok(result["result"]["value"].take())
    }

    /// Waits until an expression is true in the page, whichever it is by then.
    ///
    /// # Errors
    /// It is never true; the browser has ended.
    pub fn wait_until(&mut self, expression: &str) -> Result<(), BrowserError> {
        let begun = Instant::now();
        while begun.elapsed() < WITHIN {
            match self.evaluate(expression) {
                Ok(Value::Bool(true)) => return Ok(()),
                // A page that is left in the meantime takes its scripts with it.
                Ok(_) | Err(BrowserError::Refused { .. }) => std::thread::sleep(LOOK_EVERY),
                Err(error) => return Err(error),
            }
        }
        Err(BrowserError::Silent { what: expression.to_owned() })
    }

    fn call(&mut self, method: &str, parameters: Value) -> Result<Value, BrowserError> {
        self.calls += 1;
        let mut call = json!({ "id": self.calls, "method": method, "params": parameters });
        if !self.page.is_empty() {
            call["sessionId"] = Value::from(&*self.page);
        }
        let mut octets = call.to_string().into_bytes();
        octets.push(0);
        self.to.write_all(&octets).and_then(|()| self.to.flush()).map_err(|_| self.ended())?;
        let until = Instant::now() + WITHIN;
        loop {
            let mut message = match self.from.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(message) => message,
                Err(RecvTimeoutError::Timeout) => {
                    return Err(BrowserError::Silent { what: method.to_owned() });
                }
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended()),
            };
            if message["id"] != self.calls {
                // An event, or the answer to a call that was given up.
                continue;
            }
            if let Some(reason) = message["error"]["message"].as_str() {
                return Err(BrowserError::Refused { what: method.to_owned(), reason: reason.to_owned() });
            }
            return Ok(message["result"].take());
        }
    }

    /// Why it does not answer any more.
    fn ended(&mut self) -> BrowserError {
        let until = Instant::now() + CLOSED_WITHIN;
        let status = loop {
            match self.child.try_wait() {
                Ok(None) if Instant::now() < until => std::thread::sleep(LOOK_EVERY),
                Ok(None) => break "it runs, with its pipes closed".into(),
                Ok(Some(status)) => break status.to_string(),
                Err(error) => break error.to_string(),
            }
        };
        let words = std::fs::read(self.profile.path().join(WORDS)).unwrap_or_default();
        let words = String::from_utf8_lossy(&words).into_owned();
        let mut last: Vec<&str> =
            words.lines().rev().map(str::trim).filter(|it| !it.is_empty()).take(LAST_WORDS).collect();
        last.reverse();
        BrowserError::Ended { status, last_words: last.join(" | ") }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Its other processes end with it.
        let _ = self.call("Browser.close", json!({}));
        let until = Instant::now() + CLOSED_WITHIN;
        while matches!(self.child.try_wait(), Ok(None)) && Instant::now() < until {
            std::thread::sleep(LOOK_EVERY);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn spawn(command: &mut Command, words: File) -> std::io::Result<Child> {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(words).spawn()
}

/// Reads messages, each ended by a zero octet, on a thread that ends with the browser.
fn read_messages(from: ChildStdout) -> std::io::Result<Receiver<Value>> {
    let (to, messages) = channel();
    let reading = move || {
        for octets in BufReader::new(from).split(0) {
            let Ok(message) = octets.map(|octets| serde_json::from_slice(&octets).unwrap_or_default()) else {
                return;
            };
            if to.send(message).is_err() {
                return;
            }
        }
    };
    std::thread::Builder::new().name("lab-browser".into()).spawn(reading)?;
    Ok(messages)
}

/// By the names of Debian and others.
const PROGRAMS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];
/// No window, no sandbox (which root has not), and nothing on the network but what pages ask for.
const QUIET: [&str; 14] = [
    "--headless=new",
    "--no-sandbox",
    "--remote-debugging-pipe",
    "--disable-gpu",
    "--disable-extensions",
    "--disable-sync",
    "--disable-default-apps",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-domain-reliability",
    "--disable-features=OptimizationHints,MediaRouter,AutofillServerCommunication,Translate",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-pings",
];
/// For an answer, or until a page shows something.
const WITHIN: Duration = Duration::from_secs(30);
const CLOSED_WITHIN: Duration = Duration::from_secs(5);
const LOOK_EVERY: Duration = Duration::from_millis(5);
/// The file of its standard error, in its profile.
const WORDS: &str = "stderr";
/// Lines of it that are shown.
const LAST_WORDS: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_that_ends_says_why() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let program = directory.path().join("chromium");
        std::fs::write(&program, "#!/bin/sh\necho boom >&2\nexit 3\n").unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o700)).unwrap();
        let error = Browser::start_program(program).unwrap_err().to_string();
        assert_eq!(error, "the browser has ended (exit status: 3); it said: boom");
    }

    /// Chromium's own folders, wherever they are usually.
    fn of_chromium() -> Vec<PathBuf> {
        let all = std::fs::read_dir(std::env::temp_dir()).into_iter().flatten().flatten();
        all.map(|it| it.path()).filter(|it| it.to_string_lossy().contains("org.chromium")).collect()
    }

    #[test]
    fn what_it_keeps_is_in_its_profile() {
        if Browser::find().is_err() {
            trunkline_testkit::leave_out("no Chromium here");
            return;
        }
        let before = of_chromium();
        let browser = Browser::start().unwrap();
        let inside = browser.profile.path().join("t");
        // One that is killed leaves its folder, where the next run of the laboratory removes it.
        assert!(std::fs::read_dir(&inside).unwrap().count() > 0, "nothing in {}", inside.display());
        assert!(of_chromium().iter().all(|it| before.contains(it)));
    }

    #[test]
    fn a_page_is_asked_and_waited_for() {
        if let Err(error) = Browser::find() {
            trunkline_testkit::leave_out(format_args!("no Chromium here ({error})"));
            return;
        }
        let mut browser = Browser::start().unwrap();
        assert_eq!(browser.evaluate("6 * 7").unwrap(), json!(42));
        assert_eq!(
            browser.evaluate("new Promise(done => setTimeout(() => done('late'), 20))").unwrap(),
            json!("late")
        );
        let thrown = browser.evaluate("nowhere.at.all").unwrap_err().to_string();
        assert!(thrown.contains("nowhere is not defined"), "{thrown}");
        browser.go("data:text/html,<title>there</title>").unwrap();
        browser.wait_until("document.title == 'there'").unwrap();
        let unreachable = browser.go("http://127.0.0.1:9/").unwrap_err().to_string();
        assert!(unreachable.contains("127.0.0.1:9"), "{unreachable}");
        let process = format!("/proc/{}", browser.child.id());
        drop(browser);
        assert!(!std::path::Path::new(&process).exists());
    }
}
