//! The steps of the bulk reader that work on many bytes at once, for each kind of processor.
//!
//! Goes in: 64 bytes of text, or eight words of text. Comes out: which byte is what, or eight
//! numbers. [`Portable`] works everywhere; AVX2 and AVX-512 are chosen at run time. All give the same bits, and
//! the tests compare them. The crate `pulp` proves at run time that the instructions exist, so that there is no `unsafe`
//! here but for [one instruction](vbmi2).

#[cfg(target_arch = "x86_64")]
mod vbmi2;

#[cfg(target_arch = "x86_64")]
pub(super) use vbmi2::Vbmi2;

/// Bytes that are looked at in one step; a bit of a mask for each.
pub(super) const BLOCK: usize = 64;

/// Words that become numbers in one step.
pub(super) const LANES: usize = 8;

/// Room for the notes of a block, and more, so that it can be filled some at a time.
pub(super) const SLOTS: usize = 2 * BLOCK;

/// What marks the note of a line feed.
pub(super) const FEED: u16 = 1 << 15;

/// Which bytes of a block are what: bit `i` for byte `i`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Classes {
    pub(super) digit: u64,
    pub(super) comma: u64,
    pub(super) blank: u64,
    /// Line feeds.
    pub(super) lf: u64,
}

/// What a kind of processor does in one step.
pub(super) trait Lanes: Copy {
    /// Tells the bytes of a block apart.
    fn classes(self, block: &[u8; BLOCK]) -> Classes;

    /// The bytes of a block that are `byte`, as a bit each.
    fn equal(self, block: &[u8; BLOCK], byte: u8) -> u64;

    /// Notes the places of those bytes of a block where numbers `end`: `at` for the first byte of the block, 1 more for each
    /// one after it, and [`FEED`] on top if it is one of the `feeds`. Gives how many there are; what is written behind
    /// them means nothing.
    #[inline(always)]
    fn notes(self, ends: u64, feeds: u64, at: u16, slots: &mut [u16; SLOTS]) -> usize {
        /// Notes that are written without a question.
        const FEW: usize = 4;
        let (mut left, count) = (ends, ends.count_ones() as usize);
        for slots in slots.as_chunks_mut::<FEW>().0.iter_mut().take(BLOCK / FEW) {
            for slot in slots {
                let byte = left.trailing_zeros();
                *slot = (at + byte as u16) | ((feeds >> (byte % 64)) as u16) << 15;
                left &= left.wrapping_sub(1);
            }
            if left == 0 {
                break;
            }
        }
        count
    }

    /// Eight decimal numbers, each the digits at the end of a word of text; the digits of a word
    /// end where a byte without bit 4 is met, which every separator of a row is.
    ///
    /// The second word tells where all eight bytes are digits, so that more may stand before: all
    /// ones there, 0 elsewhere.
    fn numbers(self, words: &[u64; LANES]) -> ([u64; LANES], [u64; LANES]);
}

/// Plain integer arithmetic.
#[derive(Debug, Clone, Copy)]
pub(super) struct Portable;

/// A byte in each byte of a word.
const fn each(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; 8])
}

/// Gathers the lowest bit of each byte.
fn gather(bits: u64) -> u64 {
    bits.wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// Bytes equal to `byte`, as a bit each.
fn equal(word: u64, byte: u8) -> u64 {
    let other = word ^ each(byte);
    // Bit 7 stays clear in bytes that are 0; no carry leaves a byte.
    let some = ((other & each(0x7f)) + each(0x7f)) | other;
    gather(!some >> 7 & each(1))
}

/// Bytes that are digits, as a bit each.
fn digits(word: u64) -> u64 {
    let value = word ^ each(b'0');
    let above = ((value & each(0x7f)) + each(0x7f - 9)) | value;
    gather(!above >> 7 & each(1))
}

impl Lanes for Portable {
    #[inline(always)]
    fn classes(self, block: &[u8; BLOCK]) -> Classes {
        let mut classes = Classes::default();
        for (index, bytes) in block.as_chunks::<8>().0.iter().enumerate() {
            let word = u64::from_le_bytes(*bytes);
            let at = 8 * index;
            classes.digit |= digits(word) << at;
            classes.comma |= equal(word, b',') << at;
            classes.blank |= equal(word, b' ') << at;
            classes.lf |= equal(word, b'\n') << at;
        }
        classes
    }

    #[inline(always)]
    fn equal(self, block: &[u8; BLOCK], byte: u8) -> u64 {
        let words = block.as_chunks().0.iter().enumerate();
        words.fold(0, |found, (index, word)| found | equal(u64::from_le_bytes(*word), byte) << (8 * index))
    }

    #[inline(always)]
    fn numbers(self, words: &[u64; LANES]) -> ([u64; LANES], [u64; LANES]) {
        let (mut numbers, mut full) = ([0; LANES], [0; LANES]);
        for lane in 0..LANES {
            let word = words[lane];
            let other = !word & each(0x10);
            full[lane] = if other == 0 { u64::MAX } else { 0 };
            // Everything up to the last byte that is no digit belongs to something else.
            let kept = if other == 0 { 64 } else { other.leading_zeros() & !7 };
            let digits = word & each(0x0f) & u64::MAX.checked_shl(64 - kept).unwrap_or(0);
            // Two, four and eight digits at a time.
            let pairs = (digits.wrapping_mul(10).wrapping_add(digits >> 8)) & 0x00ff_00ff_00ff_00ff;
            let fours = (pairs.wrapping_mul(100).wrapping_add(pairs >> 16)) & 0x0000_ffff_0000_ffff;
            numbers[lane] = (fours.wrapping_mul(10_000).wrapping_add(fours >> 32)) & 0xffff_ffff;
        }
        (numbers, full)
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{BLOCK, Classes, LANES, Lanes};
    use pulp::x86::V3;
    use std::arch::x86_64::__m256i;

    impl Lanes for V3 {
        #[inline(always)]
        fn classes(self, block: &[u8; BLOCK]) -> Classes {
            let halves = pulp::cast(*block);
            Classes {
                digit: digits(self, halves),
                comma: equal(self, halves, b','),
                blank: equal(self, halves, b' '),
                lf: equal(self, halves, b'\n'),
            }
        }

        #[inline(always)]
        fn equal(self, block: &[u8; BLOCK], byte: u8) -> u64 {
            equal(self, pulp::cast(*block), byte)
        }

        #[inline(always)]
        fn numbers(self, words: &[u64; LANES]) -> ([u64; LANES], [u64; LANES]) {
            let halves: [__m256i; 2] = pulp::cast(*words);
            let (low, high) = (four(self, halves[0]), four(self, halves[1]));
            (pulp::cast([low.0, high.0]), pulp::cast([low.1, high.1]))
        }
    }

    /// The highest bits of the bytes of both halves.
    #[inline(always)]
    fn bits(v3: V3, halves: [__m256i; 2]) -> u64 {
        let [low, high] = halves;
        let low = u64::from(v3.avx2._mm256_movemask_epi8(low) as u32);
        low | u64::from(v3.avx2._mm256_movemask_epi8(high) as u32) << 32
    }

    #[inline(always)]
    fn equal(v3: V3, halves: [__m256i; 2], byte: u8) -> u64 {
        let [low, high] = halves;
        let byte = v3.avx._mm256_set1_epi8(byte as i8);
        bits(v3, [v3.avx2._mm256_cmpeq_epi8(low, byte), v3.avx2._mm256_cmpeq_epi8(high, byte)])
    }

    #[inline(always)]
    fn digits(v3: V3, halves: [__m256i; 2]) -> u64 {
        let [low, high] = halves;
        bits(v3, [is_digit(v3, low), is_digit(v3, high)])
    }

    #[inline(always)]
    fn is_digit(v3: V3, bytes: __m256i) -> __m256i {
        let value = v3.avx2._mm256_sub_epi8(bytes, v3.avx._mm256_set1_epi8(b'0' as i8));
        v3.avx2._mm256_cmpeq_epi8(v3.avx2._mm256_min_epu8(value, v3.avx._mm256_set1_epi8(9)), value)
    }

    /// Four numbers, and where all bytes are digits.
    #[inline(always)]
    fn four(v3: V3, words: __m256i) -> (__m256i, __m256i) {
        let (avx, avx2) = (v3.avx, v3.avx2);
        let other = avx2._mm256_andnot_si256(words, avx._mm256_set1_epi8(0x10));
        let full = avx2._mm256_cmpeq_epi64(other, avx._mm256_setzero_si256());
        // The last byte that is no digit, and all before it.
        let other = avx2._mm256_or_si256(other, avx2._mm256_srli_epi64::<8>(other));
        let other = avx2._mm256_or_si256(other, avx2._mm256_srli_epi64::<16>(other));
        let other = avx2._mm256_or_si256(other, avx2._mm256_srli_epi64::<32>(other));
        let kept = avx2._mm256_cmpeq_epi8(other, avx._mm256_setzero_si256());
        let digits = avx2._mm256_and_si256(words, avx._mm256_set1_epi8(0x0f));
        let digits = avx2._mm256_and_si256(digits, kept);
        let pairs = avx2._mm256_maddubs_epi16(digits, avx._mm256_set1_epi16(0x010a));
        let fours = avx2._mm256_madd_epi16(pairs, avx._mm256_set1_epi32(0x0001_0064));
        let upper = avx2._mm256_mul_epu32(fours, avx._mm256_set1_epi64x(10_000));
        (avx2._mm256_add_epi64(upper, avx2._mm256_srli_epi64::<32>(fours)), full)
    }
}

#[cfg(target_arch = "x86_64")]
mod x86_512 {
    use super::{BLOCK, Classes, FEED, LANES, Lanes, SLOTS};
    use pulp::x86::V4;
    use std::arch::x86_64::__m512i;

    impl Lanes for V4 {
        #[inline(always)]
        fn classes(self, block: &[u8; BLOCK]) -> Classes {
            let bytes: __m512i = pulp::cast(*block);
            let (all, some) = (self.avx512f, self.avx512bw);
            let value = some._mm512_sub_epi8(bytes, all._mm512_set1_epi8(b'0' as i8));
            Classes {
                digit: some._mm512_cmplt_epu8_mask(value, all._mm512_set1_epi8(10)),
                comma: some._mm512_cmpeq_epi8_mask(bytes, all._mm512_set1_epi8(b',' as i8)),
                blank: some._mm512_cmpeq_epi8_mask(bytes, all._mm512_set1_epi8(b' ' as i8)),
                lf: some._mm512_cmpeq_epi8_mask(bytes, all._mm512_set1_epi8(b'\n' as i8)),
            }
        }

        #[inline(always)]
        fn equal(self, block: &[u8; BLOCK], byte: u8) -> u64 {
            self.avx512bw
                ._mm512_cmpeq_epi8_mask(pulp::cast(*block), self.avx512f._mm512_set1_epi8(byte as i8))
        }

        #[inline(always)]
        fn notes(self, ends: u64, feeds: u64, at: u16, slots: &mut [u16; SLOTS]) -> usize {
            const QUARTER: usize = BLOCK / 4;
            let all = self.avx512f;
            let steps = pulp::cast([0u32, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
            let feed = all._mm512_set1_epi32(i32::from(FEED));
            let mut count = 0;
            for from in (0..BLOCK).step_by(QUARTER) {
                let (ends, feeds) = ((ends >> from) as u16, (feeds >> from) as u16);
                let places = all._mm512_add_epi32(steps, all._mm512_set1_epi32(i32::from(at) + from as i32));
                let notes = all._mm512_mask_or_epi32(places, feeds, places, feed);
                let notes = all._mm512_maskz_compress_epi32(ends, notes);
                if let Some(slots) = slots[count % BLOCK..].first_chunk_mut::<QUARTER>() {
                    *slots = pulp::cast(all._mm512_cvtepi32_epi16(notes));
                }
                count += ends.count_ones() as usize;
            }
            count
        }

        #[inline(always)]
        fn numbers(self, words: &[u64; LANES]) -> ([u64; LANES], [u64; LANES]) {
            let words: __m512i = pulp::cast(*words);
            let (all, some, more) = (self.avx512f, self.avx512bw, self.avx512dq);
            let zero = all._mm512_setzero_si512();
            let other = all._mm512_andnot_si512(words, all._mm512_set1_epi8(0x10));
            let full = more._mm512_movm_epi64(all._mm512_cmpeq_epi64_mask(other, zero));
            // The last byte that is no digit, and all before it.
            let other = all._mm512_or_si512(other, all._mm512_srli_epi64::<8>(other));
            let other = all._mm512_or_si512(other, all._mm512_srli_epi64::<16>(other));
            let other = all._mm512_or_si512(other, all._mm512_srli_epi64::<32>(other));
            let kept = some._mm512_cmpeq_epi8_mask(other, zero);
            let digits = all._mm512_and_si512(words, all._mm512_set1_epi8(0x0f));
            let digits = some._mm512_maskz_mov_epi8(kept, digits);
            let pairs = some._mm512_maddubs_epi16(digits, all._mm512_set1_epi16(0x010a));
            let fours = some._mm512_madd_epi16(pairs, all._mm512_set1_epi32(0x0001_0064));
            let upper = all._mm512_mul_epu32(fours, all._mm512_set1_epi64(10_000));
            let numbers = all._mm512_add_epi64(upper, all._mm512_srli_epi64::<32>(fours));
            (pulp::cast(numbers), pulp::cast(full))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Eight bytes of a text as a word.
    fn word(text: &[u8; 8]) -> u64 {
        u64::from_le_bytes(*text)
    }

    #[test]
    fn digits_at_the_end_of_a_word_are_a_number() {
        let words = [
            b"12345678",
            b", 123456",
            b"\n\n\n\n\n\n\n0",
            b"9, 0, 42",
            b"99999999",
            b"1,\r\n, 07",
            b"0000000,",
            b"        ",
        ];
        let (numbers, full) = Portable.numbers(&words.map(word));
        assert_eq!(numbers, [12_345_678, 123_456, 0, 42, 99_999_999, 7, 0, 0]);
        assert_eq!(full.map(|full| full != 0), [true, false, false, false, true, false, false, false]);
    }

    #[test]
    fn places_are_noted_with_those_of_line_feeds_marked() {
        let mut notes = [0; SLOTS];
        let count = Portable.notes(1 << 63 | 0b1001_0010, 0b1000_0000, 1000, &mut notes);
        assert_eq!(notes[..count], [1001, 1004, FEED | 1007, 1063]);
        assert_eq!(Portable.notes(u64::MAX, 0, 0, &mut notes), 64);
        assert!((0..64).eq(notes[..64].iter().copied()));
    }

    #[test]
    fn bytes_are_told_apart() {
        let mut block = [b'x'; BLOCK];
        block[..14].copy_from_slice(b"09/:, \r\n\x00\x80\xb0\xac\x8a\x0b");
        let classes = Portable.classes(&block);
        assert_eq!(classes, Classes { digit: 0b11, comma: 1 << 4, blank: 1 << 5, lf: 1 << 7 });
        assert_eq!(Portable.equal(&block, b'\r'), 1 << 6);
    }

    /// Classes, bytes that are a CR, notes, numbers.
    type Seen = (Classes, u64, Vec<u16>, ([u64; LANES], [u64; LANES]));

    fn seen(lanes: impl Lanes, block: &[u8; BLOCK], words: &[u64; LANES], at: u16) -> Seen {
        let classes = lanes.classes(block);
        let mut notes = [0; SLOTS];
        let count = lanes.notes(!classes.digit, classes.lf, at, &mut notes);
        (classes, lanes.equal(block, b'\r'), notes[..count].to_vec(), lanes.numbers(words))
    }

    proptest! {
        #[test]
        fn every_processor_gives_the_same(
            block in prop::collection::vec(prop_oneof![any::<u8>(), prop::sample::select(b"0123456789, \r\n".to_vec())], BLOCK),
            at in 0u16..FEED - BLOCK as u16,
            words in prop::array::uniform8(prop::array::uniform8(prop::sample::select(b"0123456789, \r\n".to_vec()))),
        ) {
            let mut bytes = [0; BLOCK];
            bytes.copy_from_slice(&block);
            let words = words.map(u64::from_le_bytes);
            let plain = seen(Portable, &bytes, &words, at);
            #[cfg(target_arch = "x86_64")]
            {
                if let Some(v3) = pulp::x86::V3::try_new() {
                    assert_eq!(v3.vectorize(|| seen(v3, &bytes, &words, at)), plain);
                }
                if let Some(v4) = pulp::x86::V4::try_new() {
                    assert_eq!(v4.vectorize(|| seen(v4, &bytes, &words, at)), plain);
                }
                if let Some(vbmi2) = Vbmi2::try_new() {
                    assert_eq!(vbmi2.vectorize(|| seen(vbmi2, &bytes, &words, at)), plain);
                }
            }
            let _ = plain;
        }
    }
}
