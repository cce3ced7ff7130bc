//! Sessions with JVMs: of every JDK that is installed, as a user starts them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that fails panics")]

use std::path::Path;
use std::time::Duration;

use trunkline_jmxclient::jmx::model::{Attribute, ObjectName, Operand, Query, Relation, Value};
use trunkline_jmxclient::leaves::leaves;
use trunkline_jmxclient::{Error, Follow, Heard, JmxOptions, JmxSession, JmxTarget};
use trunkline_testkit::jvm::{Jvm, OPEN, homes};

async fn session(port: u16) -> JmxSession {
    let target = JmxTarget::parse(&format!("jmx://127.0.0.1:{port}")).unwrap();
    JmxSession::open(&target, patient()).await.unwrap()
}

/// For machines on which all is slow.
fn patient() -> JmxOptions {
    JmxOptions::default().with_timeout(Duration::from_secs(60))
}

fn name(text: &str) -> ObjectName {
    text.parse().unwrap()
}

fn program(name: &str) -> String {
    format!("{}/../../peers/jmx/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// The JDKs, each with a JVM that is open to all.
fn jvms() -> impl Iterator<Item = Jvm> {
    homes().into_iter().map(|home| Jvm::open(&home))
}

#[tokio::test]
async fn attributes_are_read() {
    for jvm in jvms() {
        let session = session(jvm.port).await;
        let usage = session.get_attribute(&name("java.lang:type=Memory"), "HeapMemoryUsage").await.unwrap();
        let ways: Vec<String> = leaves(&usage).into_iter().map(|leaf| leaf.way).collect();
        assert_eq!(ways, [".committed", ".init", ".max", ".used"]);
        let read = session
            .get_attributes(&name("toy:type=Row,index=1"), &["Value".to_owned(), "No".to_owned()])
            .await
            .unwrap();
        assert_eq!(read, [Attribute { name: "Value".to_owned(), value: Value::Long(10) }]);
        let missing = session.get_attribute(&name("a:b=c"), "X").await.unwrap_err();
        assert!(missing.is_no_mbean(), "{missing}");
        let missing = session.get_attribute(&name("toy:type=Row,index=1"), "No").await.unwrap_err();
        assert!(missing.to_string().contains("AttributeNotFoundException"), "{missing}");
        session.close().await;
    }
}

#[tokio::test]
async fn every_mbean_of_a_jvm_is_read() {
    for jvm in jvms() {
        let session = session(jvm.port).await;
        let names = session.query_names(None, None).await.unwrap();
        assert!(names.len() > 15, "{names:?}");
        let mut read = 0;
        for name in &names {
            let info = session.info(name).await.unwrap();
            let attributes = info.attributes.iter().filter(|attribute| attribute.readable);
            let attributes: Vec<String> =
                attributes.filter_map(|attribute| attribute.feature.name.clone()).collect();
            read += session.get_attributes(name, &attributes).await.unwrap().len();
        }
        assert!(read > 100, "{read}");
        session.close().await;
    }
}

#[tokio::test]
async fn queries_select_at_the_server() {
    for jvm in jvms() {
        let session = session(jvm.port).await;
        let more =
            Query::Relation(Relation::Greater, Operand::Attribute("Value".to_owned()), Operand::Whole(15));
        let found = session.query_mbeans(Some(&name("toy:*")), Some(more)).await.unwrap();
        let found: Vec<String> = found.iter().map(|instance| instance.name.to_text()).collect();
        assert_eq!(found, ["toy:type=Row,index=2", "toy:type=Row,index=3"]);
        session.close().await;
    }
}

#[tokio::test]
async fn attributes_are_set_and_operations_called() {
    for jvm in jvms() {
        let session = session(jvm.port).await;
        let memory = name("java.lang:type=Memory");
        let verbose = |value| Attribute { name: "Verbose".to_owned(), value: Value::Boolean(value) };
        session.set_attribute(&memory, verbose(true)).await.unwrap();
        assert_eq!(session.get_attribute(&memory, "Verbose").await.unwrap(), Value::Boolean(true));
        session.set_attributes(&memory, vec![verbose(false)]).await.unwrap();
        assert_eq!(session.get_attribute(&memory, "Verbose").await.unwrap(), Value::Boolean(false));
        assert_eq!(session.invoke(&memory, "gc", Vec::new(), Vec::new()).await.unwrap(), Value::Null);
        let (parameters, signature) =
            (vec![Value::Boolean(false), Value::Boolean(false)], vec!["boolean".to_owned(); 2]);
        let threading = name("java.lang:type=Threading");
        let dump = session.invoke(&threading, "dumpAllThreads", parameters, signature).await.unwrap();
        assert!(leaves(&dump).iter().any(|leaf| leaf.way.ends_with(".threadName") && leaf.text == "main"));
        session.close().await;
    }
}

#[tokio::test]
async fn calls_are_made_at_the_same_time() {
    for jvm in jvms() {
        let session = session(jvm.port).await;
        let runtime = name("java.lang:type=Runtime");
        let calls = (0..20).map(|_| session.get_attribute(&runtime, "Uptime"));
        for called in futures(calls).await {
            assert!(matches!(called.unwrap(), Value::Long(_)));
        }
        session.close().await;
    }
}

/// All of them, at the same time.
async fn futures<F: Future>(futures: impl Iterator<Item = F>) -> Vec<F::Output> {
    let mut waiting: Vec<_> = futures.map(|future| (Box::pin(future), None)).collect();
    std::future::poll_fn(|context| {
        let mut is_ready = true;
        for (future, output) in &mut waiting {
            if output.is_none() {
                match future.as_mut().poll(context) {
                    std::task::Poll::Ready(ready) => *output = Some(ready),
                    std::task::Poll::Pending => is_ready = false,
                }
            }
        }
        if is_ready { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
    waiting.into_iter().filter_map(|(_, output)| output).collect()
}

#[tokio::test]
async fn notifications_arrive() {
    for jvm in jvms() {
        let session = session(jvm.port).await;
        let row = name("toy:type=Row,index=2");
        let gc = session.query_names(Some(&name("java.lang:type=GarbageCollector,*")), None).await.unwrap();
        let mut names = gc.clone();
        names.push(row.clone());
        let mut heard = session.subscribe(&names, &[]).await.unwrap();
        session.invoke(&row, "fire", Vec::new(), Vec::new()).await.unwrap();
        session.invoke(&name("java.lang:type=Memory"), "gc", Vec::new(), Vec::new()).await.unwrap();
        let (mut fired, mut collected) = (false, false);
        while !(fired && collected) {
            match heard.next().await.unwrap() {
                Heard::Notification(of, notification) if of == row => {
                    assert_eq!((notification.kind.as_str(), notification.sequence), ("toy.fired", 1));
                    assert_eq!(notification.user_data, Value::Long(20));
                    fired = true;
                }
                Heard::Notification(of, notification) => {
                    assert!(gc.contains(&of), "{of:?}");
                    assert_eq!(notification.kind, "com.sun.management.gc.notification");
                    assert!(matches!(notification.user_data, Value::Composite(_)), "{notification:?}");
                    collected = true;
                }
                other => panic!("{other:?}"),
            }
        }
        heard.end().await.unwrap();
        session.close().await;
    }
}

/// Among those of others, some have values of classes that are not read, and some of classes that are not serializable.
#[tokio::test]
async fn notifications_that_cannot_be_read_are_left_out() {
    for home in homes() {
        let jvm = Jvm::start(&home, OPEN, &[program("Odd.java")]);
        let session = session(jvm.port).await;
        let throws = name("odd:type=Throws");
        let mut heard = session.subscribe(std::slice::from_ref(&throws), &[]).await.unwrap();
        session.invoke(&throws, "fire", Vec::new(), Vec::new()).await.unwrap();
        let mut found = Vec::new();
        for _ in 0..6 {
            found.push(match heard.next().await.unwrap() {
                Heard::Notification(_, notification) => notification.user_data,
                Heard::Unreadable(_) => Value::Null,
                Heard::Lost(lost) => panic!("{lost} are lost"),
            });
        }
        let of = |number| [Value::Null, Value::Integer(number)];
        assert_eq!(found, [of(1), of(2), of(3)].concat());
        heard.end().await.unwrap();
        session.close().await;
    }
}

#[tokio::test]
async fn models_are_described() {
    for home in homes() {
        let jvm = Jvm::start(&home, OPEN, &[program("Odd.java")]);
        let session = session(jvm.port).await;
        let info = session.info(&name("odd:type=Model")).await.unwrap();
        assert_eq!(info.attributes[0].feature.name.as_deref(), Some("Count"));
        let descriptor = &info.attributes[0].feature.descriptor;
        assert!(descriptor.contains(&("metricType".to_owned(), "COUNTER".into())), "{descriptor:?}");
        session.close().await;
    }
}

#[tokio::test]
async fn types_of_notifications_are_filtered() {
    for jvm in jvms() {
        let session = session(jvm.port).await;
        let row = name("toy:type=Row,index=2");
        let mut all = session.subscribe(std::slice::from_ref(&row), &["toy.".to_owned()]).await.unwrap();
        let mut others = session.subscribe(std::slice::from_ref(&row), &["other.".to_owned()]).await.unwrap();
        session.invoke(&row, "fire", Vec::new(), Vec::new()).await.unwrap();
        assert!(matches!(all.next().await.unwrap(), Heard::Notification(..)));
        let waited = tokio::time::timeout(Duration::from_millis(300), others.next()).await;
        assert!(waited.is_err(), "{waited:?}");
        let missing = session.subscribe(&[name("a:b=c")], &[]).await.err().unwrap();
        assert!(missing.is_no_mbean(), "{missing}");
    }
}

#[tokio::test]
async fn a_stub_that_leads_nowhere_is_explained_and_need_not_be_followed() {
    for home in homes() {
        // An address of this machine on which its connector does not listen.
        let options: Vec<&str> = OPEN
            .iter()
            .map(|option| match *option {
                "-Djava.rmi.server.hostname=127.0.0.1" => "-Djava.rmi.server.hostname=127.0.0.77",
                other => other,
            })
            .collect();
        let jvm = Jvm::start(&home, &options, &[]);
        let target = JmxTarget::parse(&format!("jmx://127.0.0.1:{}", jvm.port)).unwrap();
        let error = JmxSession::open(&target, patient()).await.err().unwrap();
        let Error::StubUnreachable { named, asked, .. } = &error else { panic!("{error}") };
        assert_eq!((named.as_str(), asked.as_str()), (&*format!("127.0.0.77:{}", jvm.port), "127.0.0.1"));
        assert!(error.to_string().contains("--jmx-stay"), "{error}");
        let session = JmxSession::open(&target, patient().with_follow(Follow::Asked)).await.unwrap();
        assert!(session.is_registered(&name("java.lang:type=Memory")).await.unwrap());
        session.close().await;
    }
}

#[tokio::test]
async fn a_port_of_its_own_for_the_connector_is_followed() {
    for home in homes() {
        let options: Vec<&str> = OPEN.iter().copied().filter(|option| !option.contains("rmi.port")).collect();
        let jvm = Jvm::start(&home, &options, &[]);
        let url = format!("service:jmx:rmi:///jndi/rmi://127.0.0.1:{}/jmxrmi", jvm.port);
        let target = JmxTarget::parse(&url).unwrap();
        let session = JmxSession::open(&target, patient()).await.unwrap();
        assert_ne!(session.connector(), format!("127.0.0.1:{}", jvm.port));
        assert!(session.is_registered(&name("java.lang:type=Memory")).await.unwrap());
        session.close().await;
        let url = url.replace("/jmxrmi", "/other");
        let error = JmxSession::open(&JmxTarget::parse(&url).unwrap(), patient()).await.err().unwrap();
        assert!(error.to_string().contains("has no \"other\"; it has \"jmxrmi\""), "{error}");
    }
}

/// A session that is idle for longer than its lease is kept: without the lease the JVM's collector takes the connection away.
#[tokio::test]
async fn leases_are_renewed() {
    for home in homes() {
        let mut options = OPEN.to_vec();
        options.extend([
            "-Djava.rmi.dgc.leaseValue=2000",
            "-Dsun.rmi.dgc.checkInterval=500",
            "-Dsun.rmi.dgc.ackTimeout=500",
        ]);
        let jvm = Jvm::start(&home, &options, &[]);
        let session = session(jvm.port).await;
        let memory = name("java.lang:type=Memory");
        let mut ticks = tokio::time::interval(Duration::from_millis(500));
        for _ in 0..10 {
            ticks.tick().await;
            session.invoke(&memory, "gc", Vec::new(), Vec::new()).await.unwrap();
        }
        session.close().await;
    }
}

mod protected {
    use std::os::unix::fs::PermissionsExt;
    use std::path::PathBuf;
    use std::sync::Arc;

    use super::*;
    use trunkline_jmxclient::{JmxLogin, Tls};
    use trunkline_testkit::jvm::{keystore, protected};
    use trunkline_transport::tls::{TlsClient, TlsClientConfig, Trust};

    /// A folder with a keystore, its certificate, and files of users.
    fn folder(home: &Path) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let certificate = keystore(home, folder.path());
        let at = |name: &str| folder.path().join(name);
        for (name, text) in
            [("users", "ann geheim\nwes offen\n"), ("access", "ann readwrite\nwes readonly\n")]
        {
            std::fs::write(at(name), text).unwrap();
            std::fs::set_permissions(at(name), std::fs::Permissions::from_mode(0o600)).unwrap();
        }
        (folder, certificate)
    }

    fn tls(certificate: &Path) -> Tls {
        let trust = Trust::builder().authorities_file(certificate).unwrap().build();
        let client = TlsClient::new(&TlsClientConfig::new(None, Arc::new(trust))).unwrap();
        Tls { client: Arc::new(client), server: None }
    }

    fn login(user: &str, password: &str) -> Option<JmxLogin> {
        Some(JmxLogin { user: user.to_owned(), password: password.to_owned().into() })
    }

    #[tokio::test]
    async fn sessions_have_tls_and_passwords() {
        for home in homes() {
            let (folder, certificate) = folder(&home);
            for registry in [false, true] {
                let options = protected(folder.path(), registry);
                let options: Vec<&str> = options.iter().map(String::as_str).collect();
                let jvm = Jvm::start(&home, &options, &[]);
                let scheme = if registry { "jmx+tls" } else { "jmx" };
                let target = JmxTarget::parse(&format!("{scheme}://127.0.0.1:{}", jvm.port)).unwrap();
                let with_tls = target.clone().with_tls(Some(tls(&certificate)));
                users(&with_tls).await;
                let error = JmxSession::open(&target, patient()).await.err().unwrap();
                assert!(matches!(error, Error::NoTrust { .. }), "{error}");
                if registry {
                    let open = JmxTarget { secure: false, ..with_tls };
                    let error = JmxSession::open(&open, patient()).await.err().unwrap();
                    assert!(matches!(error, Error::TlsNeeded { .. } | Error::NoAnswer { .. }), "{error}");
                }
            }
        }
    }

    async fn users(target: &JmxTarget) {
        let ann = target.clone().with_login(login("ann", "geheim"));
        let session = JmxSession::open(&ann, patient()).await.unwrap();
        let memory = name("java.lang:type=Memory");
        let verbose = || Attribute { name: "Verbose".to_owned(), value: Value::Boolean(false) };
        session.set_attribute(&memory, verbose()).await.unwrap();
        session.close().await;

        let wes = target.clone().with_login(login("wes", "offen"));
        let session = JmxSession::open(&wes, patient()).await.unwrap();
        let error = session.set_attribute(&memory, verbose()).await.unwrap_err();
        assert!(error.to_string().contains("Access denied"), "{error}");
        assert!(session.is_registered(&memory).await.unwrap());
        session.close().await;

        for (login, anonymous) in [(login("ann", "falsch"), false), (None, true)] {
            let error = JmxSession::open(&target.clone().with_login(login), patient()).await.err().unwrap();
            let Error::Denied { is_anonymous, .. } = &error else { panic!("{error}") };
            assert_eq!(*is_anonymous, anonymous);
            assert!(!error.to_string().contains("falsch"), "{error}");
        }
    }

    #[tokio::test]
    async fn an_open_server_is_not_taken_for_a_protected_one() {
        for home in homes().into_iter().take(1) {
            let (_folder, certificate) = folder(&home);
            let jvm = Jvm::open(&home);
            let target = JmxTarget::parse(&format!("jmx+tls://127.0.0.1:{}", jvm.port)).unwrap();
            let target = target.with_tls(Some(tls(&certificate)));
            let error = JmxSession::open(&target, patient()).await.err().unwrap();
            assert!(matches!(error, Error::Transport(_)), "{error}");
        }
    }
}
