//! Other clients: JConsole's without its windows, jmxterm, Prometheus' jmx_exporter as a process of its own, and Jolokia as a proxy.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use crate::java;
use crate::reading::OPEN;
use crate::support::{Agent, PATIENCE};

/// A jar of `cargo xtask setup --peers`; without it the test is left out.
fn jar(name: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/peers/jmx/lib");
    let jar = folder.join(name);
    if !jar.exists() {
        trunkline_testkit::leave_out(format!("{name} (cargo xtask setup --peers)"));
        return None;
    }
    Some(jar)
}

fn agent() -> Agent {
    Agent::start(&format!("[snmp]\nlisten = []\n{OPEN}"))
}

#[test]
fn jconsole_has_its_tree() {
    for home in java::homes() {
        let modules = Command::new(home.join("bin/java")).arg("--list-modules").output().unwrap();
        if !String::from_utf8_lossy(&modules.stdout).contains("jdk.jconsole") {
            continue;
        }
        let agent = agent();
        let output = Command::new(home.join("bin/java"))
            .args(["--add-opens", "jdk.jconsole/sun.tools.jconsole=ALL-UNNAMED"])
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../peers/jmx/Console.java"))
            .arg(agent.address("tcp").port().to_string())
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        let lines: Vec<&str> = text.lines().collect();
        let expected = [
            "connected true",
            "platform false",
            "domains JMImplementation trunkline",
            "attributes 22",
            "values [ifDescr = lo, ifMtu = 65536]",
            "notifies true",
            "listens true",
        ];
        assert_eq!(lines, expected, "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn jmxterm_reads_the_agent() {
    let Some(jar) = jar("jmxterm-uber.jar") else { return };
    for home in java::homes() {
        let agent = agent();
        let port = agent.address("tcp").port();
        let url = format!("service:jmx:rmi:///jndi/rmi://127.0.0.1:{port}/jmxrmi");
        let mut child = Command::new(home.join("bin/java"))
            .arg("-jar")
            .arg(&jar)
            .args(["-l", &url, "-n", "-v", "silent"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let commands = "domains\nget -s -b trunkline:type=ifEntry,ifIndex=1 ifDescr\n\
                        beans -d JMImplementation\ninfo -b trunkline:type=ifTable\nquit\n";
        child.stdin.take().unwrap().write_all(commands.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        for words in
            ["trunkline\n", "lo\n", "JMImplementation:type=MBeanServerDelegate", "rows(int from,int count"]
        {
            assert!(text.contains(words), "{words} is not in {text}");
        }
    }
}

/// Ends with the test.
struct Program(Child);

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The answer to a request of HTTP; `None`: nobody listens there.
fn page(address: impl ToSocketAddrs, request: &str) -> Option<String> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(request.as_bytes()).ok()?;
    let mut text = Vec::new();
    stream.read_to_end(&mut text).ok()?;
    Some(String::from_utf8_lossy(&text).into_owned())
}

#[test]
fn an_exporter_of_prometheus_has_the_counters() {
    let Some(jar) = jar("jmx_prometheus_httpserver.jar") else { return };
    for home in java::homes() {
        let agent = agent();
        let file = agent.folder.path().join("exporter.yaml");
        let port = agent.address("tcp").port();
        let config = format!(
            "hostPort: 127.0.0.1:{port}\nincludeObjectNames: [\"trunkline:type=ifEntry,*\"]\nrules:\n- pattern: \".*\"\n"
        );
        std::fs::write(&file, config).unwrap();
        let own = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let child = Command::new(home.join("bin/java"))
            .arg("-jar")
            .arg(&jar)
            .args([own.to_string(), file.to_str().unwrap().to_owned()])
            .spawn()
            .unwrap();
        let _exporter = Program(child);
        let begin = Instant::now();
        let text = loop {
            match page(own, "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n") {
                Some(text) => break text,
                None => assert!(begin.elapsed() < PATIENCE, "no exporter"),
            }
        };
        let mtu =
            text.lines().find(|line| line.starts_with("trunkline_ifEntry_ifMtu{") && line.contains("\"1\""));
        assert!(mtu.is_some_and(|line| line.contains("65536")), "{text}");
        assert!(text.contains("jmx_scrape_error 0"), "{text}");
    }
}

#[test]
fn jolokia_is_a_proxy_for_the_agent() {
    let Some(jar) = jar("jolokia-agent-jvm-javaagent.jar") else { return };
    for home in java::homes() {
        let agent = agent();
        let mut child = Command::new(home.join("bin/java"))
            .arg(format!("-javaagent:{}=port=0,host=127.0.0.1,discoveryEnabled=false", jar.display()))
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../peers/jmx/Server.java"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let _proxy = Program(child);
        let url = lines.map_while(Result::ok).find_map(|line| {
            let (_, url) = line.split_once("http://")?;
            Some(url.trim_end_matches("/jolokia/").to_owned())
        });
        let port = agent.address("tcp").port();
        let target =
            format!("\"target\":{{\"url\":\"service:jmx:rmi:///jndi/rmi://127.0.0.1:{port}/jmxrmi\"}}");
        let body = format!(
            "[{{\"type\":\"read\",\"mbean\":\"trunkline:type=ifEntry,ifIndex=1\",\"attribute\":[\"ifDescr\",\"ifMtu\"],{target}}},\
             {{\"type\":\"search\",\"mbean\":\"trunkline:type=ifEntry,*\",{target}}},\
             {{\"type\":\"exec\",\"mbean\":\"trunkline:type=ifTable\",\"operation\":\"rows\",\
             \"arguments\":[0,1,[\"ifDescr\",\"ifMtu\"],null],{target}}}]"
        );
        let request = format!(
            "POST /jolokia/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let text = page(url.unwrap(), &request).unwrap();
        for words in [
            "\"ifMtu\":65536",
            "\"ifDescr\":\"lo\"",
            "trunkline:ifIndex=1,type=ifEntry",
            "[[\"lo\"],[65536]]",
        ] {
            assert!(text.contains(words), "{words} is not in {text}");
        }
    }
}
