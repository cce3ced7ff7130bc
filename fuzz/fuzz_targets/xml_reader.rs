//! Documents from strangers: parsed, or refused with a location in them, within every limit; a parsed one can be
//! encoded, and is parsed back equal.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trunkline_xml::{Event, Limits, Reader, Writer, XmlError};

/// Small enough to be reached.
const LIMITS: Limits = Limits { octets: 4000, depth: 12, attributes: 6, name: 40, text: 200, namespaces: 8 };

/// Large enough for the encoded document, in which every name declares its namespace.
const WIDE: Limits =
    Limits { octets: 1 << 20, depth: 13, attributes: 16, name: 60, text: 3000, namespaces: 200 };

/// A start tag with its attributes, each name after its namespace; an end tag; a text.
#[derive(Debug, PartialEq)]
enum Said {
    Start([String; 2], Vec<[String; 3]>),
    End(String),
    Text(String),
}

fn read(octets: &[u8], limits: Limits) -> Result<Vec<Said>, XmlError> {
    let mut reader = Reader::new(octets, limits);
    let mut said = Vec::new();
    loop {
        assert!(reader.depth() <= limits.depth);
        said.push(match reader.next()? {
            Event::Start(name) => {
                let attributes = reader
                    .attributes()
                    .iter()
                    .map(|known| [known.name.namespace, known.name.local, &*known.value].map(str::to_owned));
                Said::Start([name.namespace, name.local].map(str::to_owned), attributes.collect())
            }
            Event::End(name) => Said::End(name.local.to_owned()),
            Event::Text(text) => Said::Text(text.into_owned()),
            Event::Eof => return Ok(said),
        });
    }
}

fn write(said: &[Said]) -> Vec<u8> {
    let mut buffer = Vec::new();
    let mut writer = Writer::new(&mut buffer);
    for event in said {
        match event {
            Said::Start([namespace, local], attributes) => {
                writer.start(local).attribute("xmlns", namespace);
                for (index, [namespace, local, value]) in attributes.iter().enumerate() {
                    match namespace.as_str() {
                        "" => writer.attribute(local, value),
                        XML => writer.attribute(&format!("xml:{local}"), value),
                        _ => writer
                            .attribute(&format!("xmlns:n{index}"), namespace)
                            .attribute(&format!("n{index}:{local}"), value),
                    };
                }
            }
            Said::End(local) => {
                writer.end(local);
            }
            Said::Text(text) => {
                writer.text(text);
            }
        }
    }
    buffer
}

fuzz_target!(|octets: &[u8]| {
    match read(octets, LIMITS) {
        Ok(said) => {
            // no reader accepts the namespace of xml under another prefix
            if said.iter().any(|event| matches!(event, Said::Start([namespace, _], _) if namespace == XML)) {
                return;
            }
            // the reader refuses characters in a namespace's name that would have to be escaped
            let strange = |namespace: &String| namespace.contains(['>', '"']);
            let strange = |event: &Said| match event {
                Said::Start([namespace, _], attributes) => {
                    strange(namespace) || attributes.iter().any(|[namespace, ..]| strange(namespace))
                }
                _ => false,
            };
            if said.iter().any(strange) {
                return;
            }
            let written = write(&said);
            let again = read(&written, WIDE);
            assert_eq!(again.as_ref(), Ok(&said), "{}", String::from_utf8_lossy(&written));
        }
        Err(error) => {
            assert!(error.position.offset <= octets.len());
            assert!(error.to_string().len() < 1500);
        }
    }
});

const XML: &str = "http://www.w3.org/XML/1998/namespace";
