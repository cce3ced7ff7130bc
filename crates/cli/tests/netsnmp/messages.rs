//! `-d`: the octets of messages, in Net-SNMP's form.

use crate::pair::{Pair, snmpd};

#[test]
fn octets_are_shown_in_the_same_form() {
    let Some(agent) = snmpd("") else { return };
    let pair = Pair::numbers(&agent.address);
    let (theirs, ours) = pair.both("snmpget -v2c -c public -d @ 1.3.6.1.2.1.1.5.0");
    assert_eq!((theirs.out, theirs.status), (ours.out, ours.status));
    // The request-id is another each time (and may need an octet less), and Net-SNMP says which port is ours.
    let shape = |words: &str| {
        let lines = words.lines().map(|line| match line.split_once("->") {
            Some((front, _)) => {
                front.split_whitespace().filter(|word| word.parse::<u32>().is_err()).collect()
            }
            None => line.chars().take(9).collect::<String>(),
        });
        lines.collect::<Vec<_>>()
    };
    assert_eq!(shape(&ours.words), shape(&theirs.words), "{}\n{}", ours.words, theirs.words);
    assert!(ours.words.contains("0000: 30 "), "{}", ours.words);
}
