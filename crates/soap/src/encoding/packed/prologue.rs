//! The octets before the rows: the same for all requests of one kind, so that they are packed once and then
//! copied. Repetitions are searched for here.

use std::ops::Range;
use std::sync::OnceLock;

use super::bits::Bits;
use super::codes::{Code, Codes, MAX_MATCH};
use super::{WORTH, common, literals, room_for};

/// The beginning of an answer, packed.
#[derive(Clone, Debug)]
pub(in crate::encoding) struct Prologue {
    plain: Vec<u8>,
    /// The head of the block, and all of it.
    pub octets: Vec<u8>,
    pub rest: Code,
    /// The positions of the names of its start tags.
    names: Vec<usize>,
}

/// Those of a template, as they come: the operations that it answers, in each version of SOAP.
pub(in crate::encoding) type Prologues = [OnceLock<Box<Prologue>>; 8];

impl Prologue {
    pub fn new(codes: &Codes, plain: &[u8]) -> Self {
        let mut bits = Bits::new(codes.head.clone(), codes.head.len());
        bits.reserve(room_for(plain.len()));
        bits.put(codes.rest);
        bits.spill();
        let mut found = [usize::MAX; SLOTS];
        let (mut at, mut written) = (0, 0);
        while let Some(octets) = plain.get(at..at + 4) {
            let hash = octets.iter().fold(0, |hash: usize, octet| hash * 31 + usize::from(*octet)) % SLOTS;
            let twin = std::mem::replace(&mut found[hash], at);
            let same = if twin < at { common(&plain[twin..], &plain[at..]).min(MAX_MATCH) } else { 0 };
            if same < WORTH {
                at += 1;
                continue;
            }
            literals(&mut bits, codes, &plain[written..at]);
            codes.repeated(&mut bits, same, at - twin);
            at += same;
            written = at;
        }
        literals(&mut bits, codes, &plain[written..]);
        let (mut octets, end, rest) = bits.into_parts();
        octets.truncate(end);
        let begins = plain.windows(2).enumerate().filter(|(_, two)| two[0] == b'<' && two[1] != b'/');
        let names = begins.map(|(at, _)| at + 1).collect();
        Prologue { plain: plain.to_vec(), octets, rest, names }
    }

    /// The one of this answer: known, kept from now on, or, where too many are known, made for it alone.
    pub fn of<'k>(
        known: &'k Prologues,
        codes: &Codes,
        plain: &[u8],
        own: &'k mut Option<Box<Prologue>>,
    ) -> &'k Prologue {
        for place in known {
            let kept = place.get_or_init(|| Box::new(Prologue::new(codes, plain)));
            if kept.plain == plain {
                return kept;
            }
        }
        own.insert(Box::new(Prologue::new(codes, plain)))
    }

    /// The one that such an answer began with.
    pub fn known<'k>(
        known: &'k Prologues,
        own: &'k Option<Box<Prologue>>,
        plain: &[u8],
    ) -> Option<&'k Prologue> {
        let mut all = own.iter().chain(known.iter().filter_map(OnceLock::get));
        all.find(|prologue| plain.starts_with(&prologue.plain)).map(|prologue| &**prologue)
    }

    /// For each end tag within this range, the position of its name and of the same name in a start tag.
    pub fn twins(&self, plain: &[u8], range: Range<usize>) -> impl Iterator<Item = (usize, usize)> {
        let tags = range.clone().filter(move |at| plain[*at..range.end].starts_with(b"</"));
        tags.filter_map(move |at| {
            let same = |name: &&usize| common(&plain[**name..], &plain[at + 2..]);
            self.names.iter().max_by_key(same).map(|name| (at + 2, *name))
        })
    }
}

const SLOTS: usize = 1024;
