//! The Huffman codes of a template, and the head of the one block that uses them (RFC 1951 section 3.2.7).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::bits::Bits;

/// So many bits, the lowest first.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::encoding) struct Code {
    pub bits: u32,
    pub len: u32,
}

/// Codes for everything that may come: those of what is expected are short.
#[derive(Clone, Debug)]
pub(in crate::encoding) struct Codes {
    pub literals: [Code; 256],
    pub end: Code,
    /// By length, from [`MIN_MATCH`] on; with the extra bits after the symbol.
    lengths: Vec<Code>,
    distances: [Code; DISTANCES],
    /// The head of the block: whole octets, and the remaining bits.
    pub head: Vec<u8>,
    pub rest: Code,
}

/// How often something is expected.
#[derive(Clone, Debug)]
pub(in crate::encoding) struct Weights {
    symbols: [u32; SYMBOLS],
    distances: [u32; DISTANCES],
}

impl Weights {
    pub fn new() -> Self {
        Weights { symbols: [1; SYMBOLS], distances: [1; DISTANCES] }
    }

    pub fn text(&mut self, octets: &[u8], times: u32) {
        octets.iter().for_each(|octet| self.symbols[usize::from(*octet)] += times);
    }

    pub fn repeated(&mut self, len: usize, times: u32) {
        self.symbols[length_symbol(len.clamp(MIN_MATCH, MAX_MATCH)).0] += times;
    }

    pub fn distance(&mut self, distance: usize, times: u32) {
        self.distances[distance_symbol(distance.clamp(1, WINDOW))] += times;
    }
}

impl Codes {
    pub fn new(weights: &Weights) -> Self {
        let symbol_lengths = lengths_of(&weights.symbols, LIMIT);
        let distance_lengths = lengths_of(&weights.distances, LIMIT);
        let symbols = canonical(&symbol_lengths);
        let mut distances = [Code::default(); DISTANCES];
        distances.copy_from_slice(&canonical(&distance_lengths));
        let mut literals = [Code::default(); 256];
        literals.copy_from_slice(&symbols[..256]);
        let length = |len: usize| {
            let (symbol, extra, base) = length_symbol(len);
            let code = symbols[symbol];
            Code { bits: code.bits | ((len - base) as u32) << code.len, len: code.len + extra }
        };
        let (head, rest) = head(&symbol_lengths, &distance_lengths);
        let lengths = (MIN_MATCH..=MAX_MATCH).map(length).collect();
        Codes { literals, end: symbols[256], lengths, distances, head, rest }
    }

    /// `len` octets that are repeated from `distance` octets before.
    #[inline(always)]
    pub fn repeated(&self, bits: &mut Bits, len: usize, distance: usize) {
        let code = self.lengths[len - MIN_MATCH];
        bits.put(code);
        let symbol = distance_symbol(distance);
        bits.put(self.distances[symbol]);
        let extra = (symbol as u32 / 2).saturating_sub(1);
        // What a symbol stands for begins at a multiple of two to the extra bits, and one more.
        bits.put(Code { bits: (distance as u32 - 1) & ((1 << extra) - 1), len: extra });
        bits.spill();
    }
}

/// The symbol of a length, how many bits follow it, and the least length that it stands for.
const fn length_symbol(len: usize) -> (usize, u32, usize) {
    if len == MAX_MATCH {
        return (285, 0, MAX_MATCH);
    }
    let from = len - MIN_MATCH;
    if from < 8 {
        return (257 + from, 0, len);
    }
    let extra = from.ilog2() - 2;
    let symbol = 257 + 4 * extra as usize + (from >> extra);
    (symbol, extra, ((from >> extra) << extra) + MIN_MATCH)
}

#[inline(always)]
const fn distance_symbol(distance: usize) -> usize {
    let from = distance - 1;
    if from < 4 {
        return from;
    }
    let extra = from.ilog2() - 1;
    2 * extra as usize + (from >> extra)
}

/// The lengths of the codes of an alphabet in which nothing is left out; none is longer than the limit.
fn lengths_of(weights: &[u32], limit: u8) -> Vec<u8> {
    let mut weights = weights.to_vec();
    loop {
        let lengths = huffman(&weights);
        if lengths.iter().all(|len| *len <= limit) {
            return lengths;
        }
        // The nearer they are to each other, the nearer are the lengths.
        weights.iter_mut().filter(|weight| **weight > 0).for_each(|weight| *weight = *weight / 2 + 1);
    }
}

fn huffman(weights: &[u32]) -> Vec<u8> {
    let mut heap: BinaryHeap<Reverse<(u32, usize)>> = weights
        .iter()
        .enumerate()
        .filter(|(_, weight)| **weight > 0)
        .map(|(at, weight)| Reverse((*weight, at)))
        .collect();
    let mut parents = vec![0; weights.len()];
    while let (Some(Reverse((a, left))), Some(Reverse((b, right)))) = (heap.pop(), heap.pop()) {
        parents[left] = parents.len();
        parents[right] = parents.len();
        heap.push(Reverse((a + b, parents.len())));
        parents.push(0);
        if heap.len() == 1 {
            break;
        }
    }
    let mut depths = vec![0u8; parents.len()];
    for at in (0..parents.len().saturating_sub(1)).rev() {
        if parents[at] > 0 {
            depths[at] = depths[parents[at]] + 1;
        }
    }
    depths.truncate(weights.len());
    depths
}

/// RFC 1951 section 3.2.2; the bits are turned round, since the first one is the highest of a code.
fn canonical(lengths: &[u8]) -> Vec<Code> {
    let mut codes = vec![Code::default(); lengths.len()];
    let mut next = 0u32;
    for len in 1..=15u8 {
        for (code, _) in codes.iter_mut().zip(lengths).filter(|(_, of)| **of == len) {
            *code = Code { bits: next.reverse_bits() >> (32 - u32::from(len)), len: u32::from(len) };
            next += 1;
        }
        next <<= 1;
    }
    codes
}

/// The last block, with its own codes: their lengths, which are coded themselves.
fn head(symbols: &[u8], distances: &[u8]) -> (Vec<u8>, Code) {
    let all = [symbols, distances].concat();
    // A length, or 16: the one before again, 3 to 6 times.
    let mut items: Vec<(u8, Code)> = Vec::new();
    for run in all.chunk_by(|a, b| a == b) {
        items.push((run[0], Code::default()));
        let mut left = run.len() - 1;
        while left > 0 {
            let times = if left < 3 { 1 } else { left.min(6) };
            items.push(if times == 1 {
                (run[0], Code::default())
            } else {
                (16, Code { bits: times as u32 - 3, len: 2 })
            });
            left -= times;
        }
    }
    let mut weights = [0u32; 19];
    items.iter().for_each(|(item, _)| weights[usize::from(*item)] += 1);
    let lengths = lengths_of(&weights, 7);
    let codes = canonical(&lengths);
    let mut bits = Bits::new(vec![0; 1024], 0);
    let number = |bits, len| Code { bits, len };
    for code in [number(1, 1), number(2, 2), number(SYMBOLS as u32 - 257, 5), number(DISTANCES as u32 - 1, 5)]
    {
        bits.put(code);
    }
    bits.put(number(ORDER.len() as u32 - 4, 4));
    bits.spill();
    for at in ORDER {
        bits.put(number(u32::from(lengths[at]), 3));
        bits.spill();
    }
    for (item, extra) in items {
        bits.put(codes[usize::from(item)]);
        bits.put(extra);
        bits.spill();
    }
    let (mut octets, at, rest) = bits.into_parts();
    octets.truncate(at);
    (octets, rest)
}

/// The order of the lengths of the lengths' codes.
const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/// The longest code: four of them, and the rest of an octet, are held at the same time.
const LIMIT: u8 = 12;

const SYMBOLS: usize = 286;
const DISTANCES: usize = 30;

pub(super) const MIN_MATCH: usize = 3;
pub(super) const MAX_MATCH: usize = 258;
/// The farthest that a repetition may be away.
pub(super) const WINDOW: usize = 32_768;
