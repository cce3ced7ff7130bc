//! Answers that are not sent yet: few large pieces of memory rather than many small ones, since the overhead of
//! each piece is memory too.

use std::collections::VecDeque;

/// Answers in the order in which they are sent.
#[derive(Debug, Default)]
pub(super) struct Output {
    /// None of them is empty; the first may be partly written.
    pieces: VecDeque<Vec<u8>>,
    /// Octets of the first one already written.
    written: usize,
    /// Octets still to write.
    waiting: usize,
    /// Memory of the pieces.
    memory: usize,
}

impl Output {
    pub(super) const fn is_empty(&self) -> bool {
        self.waiting == 0
    }

    /// Octets still to write.
    pub(super) const fn waiting(&self) -> usize {
        self.waiting
    }

    /// Memory that they take.
    pub(super) fn memory(&self) -> usize {
        self.memory + self.pieces.capacity() * size_of::<Vec<u8>>()
    }

    /// The octets to send next.
    pub(super) fn next(&self) -> Option<&[u8]> {
        self.pieces.front().map(|piece| &piece[self.written..])
    }

    /// Adds an answer. A small one that must wait is appended to the one before it.
    pub(super) fn push(&mut self, octets: Vec<u8>) {
        if octets.is_empty() {
            return;
        }
        self.waiting += octets.len();
        match self.pieces.back_mut().filter(|piece| piece.len() + octets.len() <= PIECE) {
            Some(piece) => {
                self.memory -= piece.capacity();
                if piece.capacity() - piece.len() < octets.len() {
                    // As a vector grows on its own, but not beyond a piece.
                    piece.reserve_exact(octets.len().max(piece.len()).min(PIECE - piece.len()));
                }
                piece.extend_from_slice(&octets);
                self.memory += piece.capacity();
            }
            None => {
                self.memory += octets.capacity();
                self.pieces.push_back(octets);
            }
        }
    }

    /// This many of the next octets were written.
    pub(super) fn wrote(&mut self, octets: usize) {
        self.waiting -= octets;
        self.written += octets;
        let is_whole = self.pieces.front().is_some_and(|piece| piece.len() == self.written);
        if is_whole && let Some(piece) = self.pieces.pop_front() {
            self.memory -= piece.capacity();
            self.written = 0;
        }
        if self.pieces.is_empty() && self.pieces.capacity() > FEW {
            self.pieces = VecDeque::new();
        }
    }
}

/// Octets of a piece of small answers.
pub(super) const PIECE: usize = 16 << 10;

/// Capacity for this many pieces is kept while there are none.
const FEW: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_sent_in_order_however_they_are_written() {
        let answers = (0..2_000_usize).map(|number| vec![number as u8; (number * 7_919) % 1_500]);
        let answers: Vec<Vec<u8>> = answers.chain([vec![7; 3 * PIECE], vec![8; PIECE], vec![9]]).collect();
        for step in [1, 100, 5_000, usize::MAX] {
            let (mut output, mut out) = (Output::default(), Vec::new());
            for answer in &answers {
                output.push(answer.clone());
                // The peer accepts less than arrives.
                let octets = output.next().unwrap_or_default();
                let taken = octets[..octets.len().min(step).min(answer.len() / 2)].to_vec();
                output.wrote(taken.len());
                out.extend(taken);
            }
            while let Some(octets) = output.next() {
                let taken = octets[..octets.len().min(step)].to_vec();
                output.wrote(taken.len());
                out.extend(taken);
            }
            assert!(out == answers.concat(), "in steps of {step}");
            assert_eq!((output.waiting, output.memory, output.is_empty()), (0, 0, true));
            assert!(output.pieces.capacity() <= FEW);
        }
    }

    #[test]
    fn small_answers_take_little_more_memory_than_their_octets() {
        let mut output = Output::default();
        for _ in 0..3_000 {
            output.push(vec![0; 110]);
        }
        let (waiting, memory) = (output.waiting(), output.memory());
        assert_eq!(waiting, 330_000);
        assert!(memory < waiting + PIECE + 2_048, "{memory}");
        assert!(output.pieces.len() <= waiting / (PIECE - 110) + 1);
    }
}
