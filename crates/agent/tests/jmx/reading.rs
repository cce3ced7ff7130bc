//! Names, values and descriptions, as Java's client gets them.

use crate::java::{self, Login, Reader};
use crate::support::{Agent, net_snmp};

/// Everybody on this machine reads.
pub const OPEN: &str = "[freshness]\ndefault = \"1h\"\n[jmx]\nlisten = [\"tcp://127.0.0.1:0\"]\ncommunity = \"public\"\n\
    [system]\nname = \"here\"\n[[snmp.community]]\nname = \"public\"\nrole = \"all\"\nsources = [\"127.0.0.0/8\"]\n\
    [[role]]\nname = \"all\"\nread = [\"1\"]\nnotify = [\"1\"]\n";

#[test]
fn a_client_of_java_reads_the_agent() {
    for home in java::homes() {
        let agent = Agent::start(&format!("[snmp]\nlisten = []\n{OPEN}"));
        let mut reader = Reader::start(&home, agent.address("tcp"), Login::default());
        assert_eq!(reader.login, "connected rmi://127.0.0.1 community1 1");
        let row = "trunkline:type=ifEntry,ifIndex=1";
        reader.check(&[
            ("domains|", "trunkline JMImplementation trunkline"),
            ("get|trunkline:type=system|sysName", "here"),
            (&format!("get|{row}|ifDescr"), "lo"),
            (
                &format!("attributes|{row}|ifMtu|nothing|ifIndex|ifType"),
                "[ifMtu=65536, ifIndex=1, ifType=24]",
            ),
            (&format!("registered|{row}"), "true"),
            ("registered|trunkline:type=ifEntry,ifIndex=999999", "false"),
            ("registered|other:type=ifEntry,ifIndex=1", "false"),
            (&format!("instance|{row}|trunkline.ifEntry"), "trunkline.ifEntry true"),
            (&format!("instance|{row}|java.util.List"), "trunkline.ifEntry false"),
            (&format!("names|{row}"), &format!("[{row}]")),
            ("names|trunkline:type=ifEntry,ifIndex=0", "[]"),
            ("names|trunkline:type=ifEntry,*|ifDescr|match|l?", &format!("[{row}]")),
            ("names|trunkline:type=ifEntry,*|ifIndex|<|0", "[]"),
            (&format!("instances|{row}"), &format!("[trunkline.ifEntry {row}]")),
            ("get|JMImplementation:type=MBeanServerDelegate|ImplementationName", "trunklined"),
            (
                &format!("get|{row}|ifNumber"),
                "! javax.management.AttributeNotFoundException: No such attribute: ifNumber",
            ),
            (
                "get|trunkline:type=ifEntry,ifIndex=999999|ifDescr",
                "! javax.management.InstanceNotFoundException: trunkline:type=ifEntry,ifIndex=999999",
            ),
            ("info|other:a=b", "! javax.management.InstanceNotFoundException: other:a=b"),
            (
                &format!("invoke|{row}|fire"),
                "! javax.management.ReflectionException: trunkline:type=ifEntry,ifIndex=1 has no operations \
                 java.lang.NoSuchMethodException: trunkline:type=ifEntry,ifIndex=1 has no operations",
            ),
        ]);
        let info = reader.ask(&format!("info|{row}"));
        assert!(info.starts_with("trunkline.ifEntry ifIndex:java.lang.Integer"), "{info}");
        assert!(info.contains(" ifInOctets:java.lang.Long:octets ") && !info.contains(":w"), "{info}");
        let everything = reader.ask("all");
        let count: usize =
            everything.split(' ').next().unwrap().parse().unwrap_or_else(|_| panic!("{everything}"));
        assert!(count > 50, "{everything}");
        let counts = reader.ask("count");
        let (count, names) = counts.split_once(' ').unwrap();
        // Processes may have come or gone.
        let (count, names): (i64, i64) = (count.parse().unwrap(), names.parse().unwrap());
        assert!((count - names).abs() < 20, "{counts}");
    }
}

#[test]
fn a_table_is_read_by_columns_and_rows() {
    for home in java::homes() {
        let agent = Agent::start(&format!("[snmp]\nlisten = []\n{OPEN}"));
        let mut reader = Reader::start(&home, agent.address("tcp"), Login::default());
        let table = "trunkline:type=ifTable";
        let count: usize = reader.ask(&format!("get|{table}|RowCount")).parse().unwrap();
        let mtus = reader.ask(&format!("get|{table}|ifMtu"));
        assert!(mtus.starts_with("[65536") && mtus.split(',').count() == count, "{mtus}");
        reader.check(&[
            (&format!("rows|{table}|0|1|ifIndex,ifDescr,ifMtu"), "[[1], [lo], [65536]]"),
            (&format!("rows|{table}|{count}|5|ifIndex"), "[[]]"),
            (&format!("rows|{table}|0|-1|ifDescr|ifMtu|=|65536"), "[[lo]]"),
            (&format!("rows|{table}|0|-1|ifIndex|ifDescr|match|lo"), "[[1]]"),
            (&format!("rows|{table}|0|-1|ifIndex|ifDescr|match|none*"), "[[]]"),
        ]);
        // A row is there whatever columns are wanted of it, those that it has not.
        let sparse = "trunkline:type=ipIfStatsTable";
        let count: usize = reader.ask(&format!("get|{sparse}|RowCount")).parse().unwrap();
        let alone = reader.ask(&format!("get|{sparse}|ipIfStatsInBcastPkts"));
        assert_eq!(alone.split(',').count(), count, "{alone}");
        let beside = reader.ask(&format!("rows|{sparse}|0|-1|ipIfStatsInBcastPkts,ipIfStatsInReceives"));
        assert!(beside.starts_with(&format!("[{alone}, ")), "{beside} {alone}");
        let all = reader.ask(&format!("rows|{table}|0|-1|"));
        assert_eq!(all.matches("], [").count() + 1, 22, "{all}");
        let wrong = reader.ask(&format!("rows|{table}|0|-1|ifNumber"));
        assert!(
            wrong.contains("java.lang.IllegalArgumentException: rows of ifTable have no attribute"),
            "{wrong}"
        );
    }
}

#[test]
fn notifications_arrive_at_listeners() {
    for home in java::homes() {
        let config = format!("[snmp]\nlisten = [\"udp://127.0.0.1:0\"]\nauthentication-traps = true\n{OPEN}");
        let agent = Agent::start(&config);
        let mut reader = Reader::start(&home, agent.address("tcp"), Login::default());
        let at = "trunkline:type=notifications";
        reader.check(&[
            (&format!("listen|{at}|trunkline.authenticationFailure"), "listening"),
            ("listen|JMImplementation:type=MBeanServerDelegate|JMX.mbean", "listening"),
        ]);
        let refused = reader.ask("listen|trunkline:type=ifTable|trunkline");
        assert!(refused.contains("sends no notifications"), "{refused}");
        let target = format!("udp:{}", agent.udp());
        if net_snmp("snmpget", &["-v2c", "-c", "wrong", "-t", "1", &target, "1.3.6.1.2.1.1.3.0"]).is_none() {
            return;
        }
        let expected = format!("trunkline.authenticationFailure {at} ");
        let received = reader.ask("next");
        assert!(received.starts_with(&expected), "{received}");
    }
}

#[test]
fn a_limit_that_is_crossed_is_a_monitors_notification_and_a_reload_ends_no_connection() {
    for home in java::homes() {
        let config = format!("[snmp]\nlisten = []\n{OPEN}");
        let agent = Agent::start(&config);
        let mut reader = Reader::start(&home, agent.address("tcp"), Login::default());
        let at = "trunkline:type=notifications";
        reader.check(&[(&format!("listen|{at}|jmx.monitor"), "listening")]);
        // It fires at once.
        let monitor =
            "[[monitor]]\nname = \"m\"\nexpression = \"1.3.6.1.2.1.1.7.0\"\nevery = \"1h\"\nabove = 5\n";
        agent.rewrite(&format!("{config}{monitor}"));
        agent.signal("HUP");
        let received = reader.ask("next");
        let expected = format!("jmx.monitor.gauge.high monitorValue=76>5 {at} [monitorName=m, ");
        assert!(received.starts_with(&expected), "{received}");
    }
}

#[test]
fn references_have_the_host_of_the_configuration() {
    for home in java::homes() {
        let start = |host: &str| {
            let config = OPEN.replace("[jmx]\n", &format!("[jmx]\nhost = \"{host}\"\n"));
            let agent = Agent::start(&format!("[snmp]\nlisten = []\n{config}"));
            Reader::start(&home, agent.address("tcp"), Login::default()).login.clone()
        };
        assert_eq!(start("localhost"), "connected rmi://127.0.0.1 community1 1");
        // The agent does not listen there.
        let refused = start("127.0.0.2");
        assert!(refused.contains("Connection refused to host: 127.0.0.2"), "{refused}");
    }
}
