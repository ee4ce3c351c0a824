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

/// Which bytes of a block matter: bit `i` for byte `i`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Told {
    /// Those that stand where no row as fio writes it has them.
    pub(super) marks: u64,
    /// Commas and line feeds, where numbers end.
    pub(super) ends: u64,
    /// Line feeds.
    pub(super) feeds: u64,
    /// CRs.
    pub(super) cr: u64,
}

/// What a kind of processor does in one step.
pub(super) trait Lanes: Copy {
    /// What is to be known of the blocks before one.
    type Before: Copy;

    /// What there is to know before the first, which begins a line.
    fn start(self) -> Self::Before;

    /// Tells the bytes of a block apart, and those that stand where they should: a digit anywhere but behind a CR or a byte
    /// of another kind, a comma and a CR behind a digit, a blank behind a comma, a line feed behind a digit or a
    /// CR. Behind a byte of another kind, which stands wrong itself, a line feed may stand. Gives as well what the next
    /// block is to know.
    fn tell(self, block: &[u8; BLOCK], before: Self::Before) -> (Told, Self::Before);

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

/// What [`Portable`] knows of the blocks before: 1 when the last byte is a digit, a comma, a CR or of another kind.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Last {
    digit: u64,
    comma: u64,
    rest: u64,
}

impl Lanes for Portable {
    type Before = Last;

    #[inline(always)]
    fn start(self) -> Last {
        Last::default()
    }

    #[inline(always)]
    fn tell(self, block: &[u8; BLOCK], before: Last) -> (Told, Last) {
        let [mut digit, mut comma, mut blank, mut lf] = [0; 4];
        for (index, bytes) in block.as_chunks::<8>().0.iter().enumerate() {
            let word = u64::from_le_bytes(*bytes);
            let at = 8 * index;
            digit |= digits(word) << at;
            comma |= equal(word, b',') << at;
            blank |= equal(word, b' ') << at;
            lf |= equal(word, b'\n') << at;
        }
        let rest = !(digit | comma | blank | lf);
        let after_digit = digit << 1 | before.digit;
        let after_comma = comma << 1 | before.comma;
        let after_rest = rest << 1 | before.rest;
        let cr = if rest == 0 { 0 } else { self.equal(block, b'\r') };
        let last = BLOCK - 1;
        let wrong = (digit & after_rest)
            | ((comma | cr) & !after_digit)
            | (blank & !after_comma)
            | (lf & !(after_digit | after_rest));
        let told = Told { marks: wrong | (rest & !cr), ends: comma | lf, feeds: lf, cr };
        (told, Last { digit: digit >> last, comma: comma >> last, rest: rest >> last })
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

/// Kinds of bytes as bits, for processors that look up sixteen bytes at once: what a byte is, and behind which bytes
/// it may stand.
///
/// `LOW`, by the low half of a byte, and `HIGH`, by the high half, have in common what the byte is. `AFTER`, by the low
/// half of that, is what may follow it. The lookups give 0 where the highest bit of an index is set.
#[cfg(target_arch = "x86_64")]
mod kinds {
    const DIGIT: u8 = 1;
    pub(super) const COMMA: u8 = 1 << 1;
    const BLANK: u8 = 1 << 2;
    /// A line feed has both of these: it may stand behind a digit, and behind a CR.
    pub(super) const FEED: u8 = 1 << 3;
    const FEED_BEHIND_CR: u8 = 1 << 4;
    pub(super) const CR: u8 = 1 << 5;

    const fn table<const KINDS: usize>(kinds: [(u8, u8); KINDS]) -> [u8; 16] {
        let mut table = [0; 16];
        let mut index = 0;
        while index < KINDS {
            let (at, kind) = kinds[index];
            table[at as usize] |= kind;
            index += 1;
        }
        table
    }

    pub(super) const LOW: [u8; 16] = {
        let mut low = table([
            (b' ' & 0xf, BLANK),
            (b',' & 0xf, COMMA),
            (b'\n' & 0xf, FEED | FEED_BEHIND_CR),
            (b'\r' & 0xf, CR),
        ]);
        let mut digit = 0;
        while digit < 10 {
            low[digit] |= DIGIT;
            digit += 1;
        }
        low
    };
    pub(super) const HIGH: [u8; 16] =
        table([(b'\n' >> 4, FEED | FEED_BEHIND_CR | CR), (b' ' >> 4, BLANK | COMMA), (b'0' >> 4, DIGIT)]);
    pub(super) const AFTER: [u8; 16] = table([
        (DIGIT, DIGIT | COMMA | FEED | CR),
        (COMMA, DIGIT | BLANK),
        (BLANK, DIGIT),
        (FEED, DIGIT),
        // A CR, and bytes of another kind.
        (0, FEED_BEHIND_CR),
    ]);
    /// What may follow the line feed before the first line.
    pub(super) const FIRST: u8 = DIGIT;
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{BLOCK, LANES, Lanes, Told, kinds};
    use pulp::x86::V3;
    use std::arch::x86_64::__m256i;

    impl Lanes for V3 {
        /// What may follow the bytes of the half block before.
        type Before = __m256i;

        #[inline(always)]
        fn start(self) -> __m256i {
            self.avx._mm256_set1_epi8(kinds::FIRST as i8)
        }

        #[inline(always)]
        fn tell(self, block: &[u8; BLOCK], mut before: __m256i) -> (Told, __m256i) {
            let (avx, avx2) = (self.avx, self.avx2);
            let halves: [__m256i; 2] = pulp::cast(*block);
            let lookup = |table: [u8; 16], index| {
                avx2._mm256_shuffle_epi8(avx2._mm256_broadcastsi128_si256(pulp::cast(table)), index)
            };
            let zero = avx._mm256_setzero_si256();
            let bits = |bytes| u64::from(avx2._mm256_movemask_epi8(bytes) as u32);
            let mut told = Told::default();
            for (half, at) in halves.into_iter().zip([0, BLOCK / 2]) {
                let high = avx2._mm256_srli_epi16::<4>(half);
                let high = avx2._mm256_and_si256(high, avx._mm256_set1_epi8(0x0f));
                let is = avx2._mm256_and_si256(lookup(kinds::LOW, half), lookup(kinds::HIGH, high));
                let after = lookup(kinds::AFTER, is);
                // Moved on by a byte.
                let behind = avx2._mm256_permute2x128_si256::<0x21>(before, after);
                let behind = avx2._mm256_alignr_epi8::<15>(after, behind);
                let fits = avx2._mm256_and_si256(behind, is);
                let of = |kind: u8| {
                    let kind = avx2._mm256_and_si256(is, avx._mm256_set1_epi8(kind as i8));
                    bits(avx2._mm256_cmpgt_epi8(kind, zero))
                };
                told.marks |= bits(avx2._mm256_cmpeq_epi8(fits, zero)) << at;
                told.ends |= of(kinds::COMMA | kinds::FEED) << at;
                told.feeds |= of(kinds::FEED) << at;
                told.cr |= of(kinds::CR) << at;
                before = after;
            }
            (told, before)
        }

        #[inline(always)]
        fn equal(self, block: &[u8; BLOCK], byte: u8) -> u64 {
            let byte = self.avx._mm256_set1_epi8(byte as i8);
            let [low, high]: [__m256i; 2] = pulp::cast(*block);
            let bits = |half| {
                let equal = self.avx2._mm256_cmpeq_epi8(half, byte);
                u64::from(self.avx2._mm256_movemask_epi8(equal) as u32)
            };
            bits(low) | bits(high) << (BLOCK / 2)
        }

        #[inline(always)]
        fn numbers(self, words: &[u64; LANES]) -> ([u64; LANES], [u64; LANES]) {
            let halves: [__m256i; 2] = pulp::cast(*words);
            let (low, high) = (four(self, halves[0]), four(self, halves[1]));
            (pulp::cast([low.0, high.0]), pulp::cast([low.1, high.1]))
        }
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
    use super::{BLOCK, FEED, LANES, Lanes, SLOTS, Told, kinds};
    use pulp::x86::V4;
    use std::arch::x86_64::__m512i;

    impl Lanes for V4 {
        /// What may follow the bytes of the block before.
        type Before = __m512i;

        #[inline(always)]
        fn start(self) -> __m512i {
            self.avx512f._mm512_set1_epi8(kinds::FIRST as i8)
        }

        #[inline(always)]
        fn tell(self, block: &[u8; BLOCK], before: __m512i) -> (Told, __m512i) {
            let (all, some) = (self.avx512f, self.avx512bw);
            let bytes: __m512i = pulp::cast(*block);
            let lookup = |table: [u8; 16], index| {
                some._mm512_shuffle_epi8(all._mm512_broadcast_i32x4(pulp::cast(table)), index)
            };
            let high = some._mm512_srli_epi16::<4>(bytes);
            let high = all._mm512_and_si512(high, all._mm512_set1_epi8(0x0f));
            let is = all._mm512_and_si512(lookup(kinds::LOW, bytes), lookup(kinds::HIGH, high));
            let after = lookup(kinds::AFTER, is);
            // Moved on by a byte.
            let behind = all._mm512_alignr_epi64::<6>(after, before);
            let behind = some._mm512_alignr_epi8::<15>(after, behind);
            let of = |kind: u8| some._mm512_test_epi8_mask(is, all._mm512_set1_epi8(kind as i8));
            let told = Told {
                marks: some._mm512_testn_epi8_mask(behind, is),
                ends: of(kinds::COMMA | kinds::FEED),
                feeds: of(kinds::FEED),
                cr: of(kinds::CR),
            };
            (told, after)
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
            // How many digits the word ends with, in bits; everything up to the last byte that is no digit goes.
            let leading = self.avx512cd._mm512_lzcnt_epi64(other);
            let gone = all._mm512_sub_epi64(all._mm512_set1_epi64(64 + 7), leading);
            let gone = all._mm512_and_si512(gone, all._mm512_set1_epi64(!7));
            let kept = all._mm512_sllv_epi64(all._mm512_set1_epi64(-1), gone);
            let digits = all._mm512_and_si512(words, all._mm512_set1_epi8(0x0f));
            let digits = all._mm512_and_si512(digits, kept);
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

    /// The bytes of a text that are marked, the ends of its numbers, its line feeds, and its CRs.
    fn told(text: &str) -> [String; 4] {
        let mut block = [b'0'; BLOCK];
        block[..text.len()].copy_from_slice(text.as_bytes());
        let (Told { marks, ends, feeds, cr }, _) = Portable.tell(&block, Portable.start());
        let row = |bits: u64| {
            (0..text.len()).map(|at| if bits >> at & 1 == 1 { '^' } else { ' ' }).collect::<String>()
        };
        [marks, ends, feeds, cr].map(row)
    }

    #[test]
    fn bytes_are_told_apart_and_marked_where_they_should_not_stand() {
        let row = |text: &str, marks, ends, feeds, cr| {
            let like = [marks, ends, feeds, cr].map(|row: &str| format!("{row:<width$}", width = text.len()));
            assert_eq!(told(text), like, "{text:?}");
        };
        row("1, 2,34\n5\n", "", " ^  ^  ^ ^", "       ^ ^", "");
        row("1, 2\r\n3\r\n", "", " ^   ^  ^", "     ^  ^", "    ^  ^");
        // Blanks where none are, empty columns, empty lines.
        row(" 1 ,2,  3,,4,\n\n", "^ ^^   ^  ^  ^^", "   ^ ^   ^^ ^^^", "             ^^", "");
        // A CR within a line, one after another, and at the beginning of a line.
        row("1\r2\r\r\n\r\n", "  ^ ^ ^", "     ^ ^", "     ^ ^", " ^ ^^ ^");
        // Other bytes, and digits behind them.
        row("-1, 0x8, 4:\n9/", "^^   ^^   ^  ^", "  ^    ^   ^", "           ^", "");
        row(";<\t\0*", "^^^^^", "", "", "");
    }

    /// What two blocks hold, the bytes of one that are a CR, notes, numbers.
    type Seen = ([Told; 2], u64, Vec<u16>, ([u64; LANES], [u64; LANES]));

    fn seen(lanes: impl Lanes, blocks: &[[u8; BLOCK]; 2], words: &[u64; LANES], at: u16) -> Seen {
        let (first, before) = lanes.tell(&blocks[0], lanes.start());
        let told = [first, lanes.tell(&blocks[1], before).0];
        let mut notes = [0; SLOTS];
        let count = lanes.notes(told[0].ends, told[0].feeds, at, &mut notes);
        let cr = lanes.equal(&blocks[1], b'\r');
        (told, cr, notes[..count].to_vec(), lanes.numbers(words))
    }

    proptest! {
        #[test]
        fn every_processor_gives_the_same(
            text in prop::collection::vec(
                prop_oneof![1 => any::<u8>(), 12 => prop::sample::select(b"0123456789,, \r\n".to_vec())],
                2 * BLOCK,
            ),
            at in 0u16..FEED - BLOCK as u16,
            words in prop::array::uniform8(prop::array::uniform8(prop::sample::select(b"0123456789, \r\n".to_vec()))),
        ) {
            let mut blocks = [[0; BLOCK]; 2];
            blocks.as_flattened_mut().copy_from_slice(&text);
            let words = words.map(u64::from_le_bytes);
            let plain = seen(Portable, &blocks, &words, at);
            #[cfg(target_arch = "x86_64")]
            {
                if let Some(v3) = pulp::x86::V3::try_new() {
                    assert_eq!(v3.vectorize(|| seen(v3, &blocks, &words, at)), plain);
                }
                if let Some(v4) = pulp::x86::V4::try_new() {
                    assert_eq!(v4.vectorize(|| seen(v4, &blocks, &words, at)), plain);
                }
                if let Some(vbmi2) = Vbmi2::try_new() {
                    assert_eq!(vbmi2.vectorize(|| seen(vbmi2, &blocks, &words, at)), plain);
                }
            }
            let _ = plain;
        }
    }
}
