//! Each mistake of a configuration, where it is found.

use super::*;

/// Each mistake: what is replaced with what, the position of the error, and a part of the message.
#[test]
fn each_mistake_is_found_where_it_is() {
    for (old, new, marked, word) in [
        ("0x80001f888001020304", "0x80001f88", "\"0x80001f88\"", "5 to 32"),
        ("0x80001f888001020304", "80001f888001020304", "\"80001f888001020304\"", "0x"),
        ("0x80001f888001020304", "0x0000000000", "\"0x0000000000\"", "00"),
        ("\"1.3.6.1.2.1.1\", \"-", "\"1.3.x\", \"-", "\"1.3.x\"", "subtree"),
        ("1.3.6.1.2.1.1.6", "1.3.6.1.2.1.1", "\"-1.3.6.1.2.1.1\"", "same subtree"),
        (
            "[[role]]\nname = \"monitor\"",
            "[[view]]\nname = \"system\"\nrules = []\n[[role]]\nname = \"monitor\"",
            "\"system\"",
            "twice",
        ),
        ("read = \"system\"\nnotify", "read = \"sytem\"\nnotify", "\"sytem\"", "system"),
        ("view = \"system\"", "view = \"none\"", "\"none\"", "no view"),
        ("inherits = [\"monitor\"]", "inherits = [\"montior\"]", "\"montior\"", "operator"),
        (
            "name = \"monitor\"\n",
            "name = \"monitor\"\ninherits = [\"operator\"]\n",
            "\"monitor\"",
            "inherits from itself",
        ),
        ("name = \"operator\"", "name = \"monitor\"", "\"monitor\"", "twice"),
        (
            "name = \"operator\"",
            "name = \"operator-operator-operator-operat\"",
            "\"operator-operator-operator-operat\"",
            "1 to 32",
        ),
        ("level = \"authPriv\"", "level = \"secret\"", "\"secret\"", "authNoPriv"),
        ("model = \"usm\"", "model = \"tls\"", "\"tls\"", "tsm"),
        (
            "context = \"lab*\"\nmodel = \"usm\"\nlevel = \"authNoPriv\"",
            "level = \"authPriv\"",
            "\"operator\"",
            "two rules",
        ),
        ("read = \"system\"\nnotify = [\"1\"]", "model = \"usm\"", "\"usm\"", "has no effect"),
        ("role = \"monitor\"\ncontext", "role = \"nobody\"\ncontext", "\"nobody\"", "no role"),
        (
            "role = \"monitor\"\ncontext",
            "role = \"monitor\"\naccess = \"read\"\ncontext",
            "\"read\"",
            "either",
        ),
        ("role = \"monitor\"\ncontext", "role = \"monitor\"\nview = []\ncontext", "[]", "role determines"),
        (
            "role = \"monitor\"\ncontext",
            "role = \"operator\"\ncontext",
            "\"operator\"\ncontext",
            "noAuthNoPriv",
        ),
        ("access = \"write\"\nview = \"system\"", "", "\"private\"", "access"),
        ("\"!10.0.0.1\"", "\"!10.0.0.256\"", "\"!10.0.0.256\"", "not an address"),
        ("\"SHA-256\"", "\"SHA-3\"", "\"SHA-3\"", "SHA-512"),
        ("\"AES\"", "\"3DES\"", "\"3DES\"", "AES-256"),
        ("auth = \"SHA-256\"\npriv = \"AES\"", "priv = \"AES\"", "\"AES\"", "needs authentication"),
        ("auth = \"SHA-256\"\npriv = \"AES\"", "", "\"maplesyrup\"", "without a protocol"),
        ("\"maplesyrup\"", "\"maple\"", "\"maple\"", "at least 8"),
        ("password = \"maplesyrup\"\n", "", "\"SHA-256\"", "auth-password"),
        (
            "password = \"maplesyrup\"",
            "password = \"maplesyrup\"\npassword-file = \"/nowhere\"",
            "\"/nowhere\"",
            "cannot read",
        ),
        ("password = \"maplesyrup\"", "auth-password = \"maplesyrup\"", "\"AES\"", "priv-password"),
        (
            "auth-key = \"0x01",
            "auth-key = \"0x",
            "\"0x02030405060708090a0b0c0d0e0f1011121314\"",
            "expected 20",
        ),
        (
            "auth-key = \"0x01",
            "auth-master-key = \"0x",
            "\"0x02030405060708090a0b0c0d0e0f1011121314\"",
            "expected 20",
        ),
        ("auth-key = \"0x", "auth-key = \"", "\"0102030405060708090a0b0c0d0e0f1011121314\"", "hexadecimal"),
        (
            "auth-key = ",
            "auth-password = \"longenough\"\nauth-key = ",
            "\"0x0102030405060708090a0b0c0d0e0f1011121314\"",
            "second secret",
        ),
        ("name = \"bob\"", "name = \"ann\"", "\"ann\"", "twice"),
        (
            "role = \"monitor\"\n\n[[snmp.user]]\nname = \"noone\"",
            "role = \"operators\"\n[[snmp.user]]\nname = \"noone\"",
            "\"operators\"",
            "no role",
        ),
        ("udp://nms.example.net", "nms.example.net", "\"nms.example.net\"", "scheme"),
        ("user = \"ann\"\nkind", "user = \"amy\"\nkind", "\"amy\"", "no user"),
        ("user = \"ann\"\nkind", "user = \"bob\"\nkind", "\"bob\"", "engine alone"),
        (
            "user = \"ann\"\nkind = \"inform\"",
            "user = \"bob\"\nlevel = \"authPriv\"",
            "\"authPriv\"",
            "more than the keys",
        ),
        ("kind = \"inform\"", "kind = \"informs\"", "\"informs\"", "trap"),
        (
            "community = \"trapword\"",
            "community = \"trapword\"\nkind = \"inform\"",
            "\"inform\"",
            "no informs",
        ),
        ("community = \"trapword\"", "community = \"trapword\"\nuser = \"ann\"", "\"ann\"", "only version"),
        (
            "version = \"v1\"\ncommunity = \"trapword\"",
            "version = \"v2c\"",
            "\"v2c\"",
            "expected a community",
        ),
        ("version = \"v1\"\ncommunity = \"trapword\"", "version = \"v3\"", "\"v3\"", "needs a user"),
        (
            "version = \"v1\"\ncommunity = \"trapword\"",
            "version = \"v3\"\nuser = \"ann\"\ncommunity = \"x\"",
            "\"x\"",
            "no community",
        ),
        ("version = \"v1\"", "version = \"2c\"", "\"2c\"", "v2c"),
        ("name = \"old\"", "name = \"nms\"", "\"nms\"", "twice"),
        ("timeout = \"2s\"", "timeout = \"2\"", "\"2\"", "not a time"),
        ("retries = 5", "retries = 256", "256", "255"),
        ("5.1 / 100", "5.1 // 100", "/ 100", "found '/'"),
        ("every = \"10s\"", "every = \"10ms\"", "\"10ms\"", "100ms"),
        ("above = 4", "above = 4\nbelow = 2", "2\nclear", "either"),
        ("above = 4\n", "", "\"load\"", "limit"),
        ("above = 4\n", "above = inf\n", "inf", "finite"),
        ("clear = 3.5", "clear = 4.5", "4.5", "at most 4"),
        ("above = 4", "below = 4", "3.5", "at least 4"),
        ("\"/bin/date\"", "\"date\"", "\"date\"", "full path"),
        ("[\"/bin/date\", \"-u\"]", "[]", "[]", "full path"),
        ("[\"who | wc -l\"]", "[\" \"]", "[\" \"]", "shell"),
        ("\"0s\"", "\"never\"", "\"never\"", "0s to"),
        ("priority = 10", "priority = 256", "256", "0 to 255"),
        (
            "\n[[process]]",
            "\n[[pass]]\noid = \"1.3.6.1.4.1.8072.9999.2\"\ncommand = [\"/x\"]\npriority = 10\n[[process]]",
            "\"1.3.6.1.4.1.8072.9999.2\"\ncommand = [\"/x\"]",
            "second program",
        ),
        ("path = \"/\"", "path = \"var\"", "\"var\"", "full path"),
        ("\"10%\"", "\"110%\"", "\"110%\"", "100%"),
        ("minimum = 5000", "minimum = -1", "-1", "kilobytes"),
        ("max-1 = 12", "max-1 = -1", "-1", "out of range"),
        ("subtree = \"1.3.6.1.4.1.99\"\n", "", "\"1.3.6.1.4.1.98\"", "together with"),
        (
            "level = \"authNoPriv\"\ncontext = \"lab1\"",
            "level = \"authNoPriv\"",
            "\"tcp://192.0.2.3:1161\"",
            "expected a subtree",
        ),
        (
            "level = \"authNoPriv\"\ncontext = \"lab1\"",
            "subtree = \"1.3.6.1.4.1.99\"",
            "\"tcp://192.0.2.3:1161\"",
            "second proxy",
        ),
        ("max-5 = 8.5", "max-10 = 8.5", "max-10", "unknown field"),
    ] {
        assert!(EVERYTHING.contains(old), "{old}");
        let text = EVERYTHING.replacen(old, new, 1);
        let error = check(&text).expect_err(new);
        assert!(error.message.contains(word), "{new:?} gave {:?}", error.message);
        let at =
            text.lines().take(error.line - 1).map(|line| line.len() + 1).sum::<usize>() + error.column - 1;
        assert!(
            text[at..].starts_with(marked),
            "{new:?} is marked at {:?}: {error}",
            text[at..].lines().next()
        );
    }
}
