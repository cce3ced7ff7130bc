//! The agent as docs/monitoring configures it: a user of SNMPv3, and a community for what knows no user.

use crate::support::Agent;

/// Of both the authentication and the privacy; without spaces, since it is an argument of many programs.
pub const PASSWORD: &str = "atleasteight";

const CONFIG: &str = r#"
[system]
contact = "operations"
location = "rack 12"
[snmp]
listen = ["udp://127.0.0.1:0"]
[[snmp.community]]
name = "public"
access = "read"
[[role]]
name = "monitor"
read = ["1.3.6.1"]
level = "authPriv"
[[snmp.user]]
name = "nms"
auth = "SHA"
priv = "AES"
password = "atleasteight"
role = "monitor"
[[extend]]
name = "distro"
command = ["/bin/echo", "Debian 12"]
"#;

pub fn agent() -> Agent {
    Agent::start(CONFIG)
}
