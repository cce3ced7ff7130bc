//! A link without root, and the error if there can be none. The test runs itself again as an ordinary user, with a
//! TUN device (in a separate mount namespace) that everybody, or only root, may open.

use std::process::{Command, Output};

use trunkline_lab::place::link::{Link, LinkSpec, acquire_rights};
use trunkline_testkit::leave_out;

use crate::measure::Pair;

/// The part that this process plays; set in those that the test starts.
const PART: &str = "TRUNKLINE_TEST_LINK_PART";

#[test]
fn an_ordinary_user_gets_a_link_or_the_reason_why_not() {
    match std::env::var(PART).as_deref() {
        Ok("acquire") => return println!("{}", tell(acquire_rights().and_then(|()| link()))),
        Ok("open") => return println!("{}", tell(link())),
        _ => {}
    }
    let _alone = crate::alone();
    if !rustix::process::geteuid().is_root() {
        return leave_out("not root, who alone can become an ordinary user");
    }
    let linked = as_user("acquire", "666");
    assert!(linked.contains("linked as 0 within"), "{linked}");
    let no_device = as_user("acquire", "600");
    assert!(no_device.contains("/dev/net/tun cannot be opened: Permission denied"), "{no_device}");
    assert!(no_device.contains("chmod 666 /dev/net/tun"), "{no_device}");
    let no_namespaces = as_user("open", "666");
    assert!(
        no_namespaces.contains("may not make (unshare failed: Operation not permitted)"),
        "{no_namespaces}"
    );
}

fn link() -> Result<f64, trunkline_lab::place::link::LinkError> {
    let link = Link::open("unlimited,1ms".parse::<LinkSpec>().unwrap(), None)?;
    Ok(Pair::open(&link).unwrap().round_trips(5, 100, std::time::Duration::ZERO).unwrap().median())
}

fn tell(result: Result<f64, trunkline_lab::place::link::LinkError>) -> String {
    let user = rustix::process::geteuid().as_raw();
    match result {
        Ok(median) => format!("linked as {user} within {median} s"),
        Err(error) => format!("{user} is told: {error}"),
    }
}

/// Runs this test as user 65534 with a TUN device of this mode; returns its output.
fn as_user(part: &str, mode: &str) -> String {
    let directory = tempfile::tempdir().unwrap();
    let script = "mount -t tmpfs -o mode=755 none \"$1\" && cp \"$2\" \"$1/test\" && mknod \"$1/tun\" c 10 200 \
        && chmod \"$3\" \"$1/tun\" && mount --bind \"$1/tun\" /dev/net/tun && cd / \
        && exec setpriv --reuid=65534 --regid=65534 --clear-groups \"$1/test\" --nocapture --exact \
        user::an_ordinary_user_gets_a_link_or_the_reason_why_not";
    let Output { status, stdout, stderr } = Command::new("unshare")
        .args(["--mount", "sh", "-c", script, "sh"])
        .args([directory.path(), &std::env::current_exe().unwrap()])
        .arg(mode)
        .env(PART, part)
        .output()
        .unwrap();
    let says = String::from_utf8_lossy(&stdout).into_owned() + &String::from_utf8_lossy(&stderr);
    assert!(status.success(), "{says}");
    says
}
