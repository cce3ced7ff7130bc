//! Notification targets and proxies.

use super::{check, imported_from};

#[test]
fn a_mistyped_address_opens_no_other_one_to_the_world() {
    check(&[
        ("agentAddress udp:127.0.0.1:99999", &["listen = [\"udp://127.0.0.1:161\"]"], &["is not a port"]),
        (
            "agentAddress unix:/tmp/x,udp:nosuch.example:161",
            &["listen = [\"udp://127.0.0.1:161\"]"],
            &["unix", "nosuch.example"],
        ),
        ("sysName x", &["listen = [\"udp://0.0.0.0:161\"]"], &[]),
    ]);
}

#[test]
fn notifications() {
    check(&[
        (
            "trapsink nms.example",
            &[
                "[[snmp.target]]\nname = \"trapsink-1\"\naddress = \"udp://nms.example:162\"\nversion = \"v1\"\ncommunity = \"public\"",
            ],
            &[],
        ),
        (
            "trapcommunity secret\ntrap2sink 192.0.2.1\ntrap2sink 192.0.2.2 other 1162",
            &[
                "name = \"trap2sink-1\"\naddress = \"udp://192.0.2.1:162\"\nversion = \"v2c\"\ncommunity = \"secret\"",
                "address = \"udp://192.0.2.2:1162\"\nversion = \"v2c\"\ncommunity = \"other\"",
            ],
            &[],
        ),
        (
            "informsink tcp:192.0.2.1:99 c",
            &[
                "address = \"tcp://192.0.2.1:99\"\nversion = \"v2c\"\ncommunity = \"c\"\nkind = \"inform\"\ntimeout = \"1000ms\"\nretries = 5",
            ],
            &[],
        ),
        (
            "trapsess -v 3 -u ann -l authPriv -a SHA -A maplesyrup -x AES -X otherpass 192.0.2.1",
            &[
                "[[snmp.user]]\nname = \"ann\"\nauth = \"SHA\"\nauth-password = \"maplesyrup\"\npriv = \"AES\"\npriv-password = \"otherpass\"",
                "version = \"v3\"\nuser = \"ann\"\nlevel = \"authPriv\"",
            ],
            &[],
        ),
        (
            "createUser ann SHA maplesyrup AES\ntrapsess -Ci -v 3 -u ann -l authNoPriv -t 2 -r 1 udp6:[::1]:1162",
            &[
                "address = \"udp://[::1]:1162\"\nversion = \"v3\"\nuser = \"ann\"\nlevel = \"authNoPriv\"\nkind = \"inform\"\ntimeout = \"2000ms\"\nretries = 1",
            ],
            &[],
        ),
        ("createUser ann SHA maplesyrup\ntrapsess -v 3 -u ann -l authPriv h", &[], &["more than the keys"]),
        (
            "createUser ann SHA maplesyrup\ntrapsess -v 3 -u ann -l authNoPriv -a SHA -A otherpass h",
            &["auth-password = \"maplesyrup\""],
            &["other keys"],
        ),
        ("trapsess -v 3 -u amy h", &["[[snmp.user]]\nname = \"amy\"\n"], &[]),
        ("trapsess -v 3 h", &[], &["no user"]),
        (
            "trapsess -v 3 -e 0x80001f8801020304 -u amy h\ntrap2sink -s 127.0.0.77 h2 c",
            &["address = \"udp://h:162\"", "address = \"udp://h2:162\""],
            &["-e: traps of SNMPv3", "-s: notifications come from"],
        ),
        (
            "trapsess -T their_identity=a9993e364706816aba3e25717850c26c9cd0d89d tlstcp:h",
            &[
                "address = \"tls://h:10162\"\nfingerprint = \"sha1:a9993e364706816aba3e25717850c26c9cd0d89d\"\n",
            ],
            &[],
        ),
        (
            "proxy -v 2c -c p -T their_hostname=x.example dtlsudp:h .1.3.6.1.4.1.99",
            &[
                "address = \"dtls://h:10161\"\nserver-name = \"x.example\"\nversion = \"v2c\"\ncommunity = \"p\"\n",
            ],
            &[],
        ),
        (
            "trapsess -T their_identity=nobody -T trust_cert=none dtlsudp:h",
            &[],
            &["no certificate \"none\"", "no certificate \"nobody\""],
        ),
        (
            "trapsess -v 2c -c public -n ctx h:99",
            &["address = \"udp://h:99\"\nversion = \"v2c\"\ncommunity = \"public\"\ncontext = \"ctx\""],
            &[],
        ),
        ("trapsess -v 1 -Ci -c p h", &[], &["no informs"]),
        (
            "notificationFilter p .1.3 0x00 included\nnotificationFilter p .1.3.6.1.6.3.1.1.5.1 0x00 excluded\ntrapsink -profile p -name nms 192.0.2.1 c",
            &["name = \"nms\"", "filter = [\"1.3\", \"-1.3.6.1.6.3.1.1.5.1\"]"],
            &[],
        ),
        ("trapsink -profile q h", &["[[snmp.target]]"], &["no notificationFilter"]),
        ("trapsink h c", &["trap-style = \"net-snmp\""], &[]),
        ("authtrapenable 1", &["authentication-traps = true"], &[]),
        ("authtrapenable 2", &["authentication-traps = false"], &[]),
        ("authtrapenable 3", &[], &["expected 1"]),
        ("v1trapaddress 192.0.2.1", &[], &["agent-addr"]),
        ("linkUpDownNotifications yes", &[], &[]),
        ("trapsink h c", &["link-notifications = false"], &[]),
    ]);
    let (imported, plan) = imported_from("linkUpDownNotifications yes\ntrapsink h c");
    assert!(plan.snmp.link_notifications, "{}", imported.toml);
}

#[test]
fn proxies() {
    check(&[
        (
            "proxy -v 2c -c public 192.0.2.1 .1.3.6.1.4.1.99",
            &[
                "[[proxy]]\naddress = \"udp://192.0.2.1:161\"\nversion = \"v2c\"\ncommunity = \"public\"\nsubtree = \"1.3.6.1.4.1.99\"",
            ],
            &[],
        ),
        (
            "proxy -v 1 -c public -t 3 -r 2 tcp:h:1161 .1.3.6.1.4.1.99 .1.3.6.1.4.1.98",
            &[
                "address = \"tcp://h:1161\"\nversion = \"v1\"",
                "subtree = \"1.3.6.1.4.1.99\"\nremote-subtree = \"1.3.6.1.4.1.98\"\ntimeout = \"3000ms\"\nretries = 2",
            ],
            &[],
        ),
        (
            "proxy -Cn lab1 -v 2c -c public 192.0.2.1 .1.3",
            &["community = \"public\"\ncontext = \"lab1\""],
            &[],
        ),
        (
            "proxy -Cn lab1 -v 3 -u ann -l authNoPriv -a SHA -A maplesyrup -n there 192.0.2.1 system",
            &[
                "user = \"ann\"\nlevel = \"authNoPriv\"\nsubtree = \"1.3.6.1.2.1.1\"\ncontext = \"lab1\"\nremote-context = \"there\"",
            ],
            &[],
        ),
        (
            "proxy -v 2c -c a h .1.3.6.1.4.1.99\nproxy -v 2c -c b h .1.3.6.1.4.1.99",
            &["community = \"a\""],
            &["takes precedence"],
        ),
        (
            "load 1\nproxy -v 2c -c a h .1.3.6.1.4.1.2021.10",
            &["subtree = \"1.3.6.1.4.1.2021.10\""],
            &["in snmpd its own take precedence"],
        ),
        ("proxy -v 2c -c a h .1.3.6.1.4.1.20210", &["[[proxy]]"], &[]),
        ("proxy -v 2c -c a h", &[], &["HOST OID"]),
        ("proxy -v 2c h .1.3", &[], &["no community"]),
    ]);
}
