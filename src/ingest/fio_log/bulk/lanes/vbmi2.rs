//! AVX-512 with VBMI2, as processors since Ice Lake and Zen 4 have it: it packs the places of many bytes in one step.
//!
//! Goes in: a mask of 64 bytes. Comes out: their notes. The crate `pulp` has no function for this one
//! instruction, which is why this module, and no other, holds `unsafe`: a value of [`Vbmi2`] exists only where
//! the processor was asked for all that it names, and nothing but registers is touched. The tests hold it to the plain way.
#![expect(unsafe_code, reason = "an instruction that no safe function stands for")]

use super::{BLOCK, FEED, LANES, Lanes, SLOTS, Told};
use pulp::x86::V4;
use std::arch::x86_64::{__m512i, _mm512_maskz_compress_epi8};

pulp::simd_type! {
    /// What [`V4`] stands for, and VBMI2.
    pub(in crate::ingest::fio_log::bulk) struct Vbmi2 {
        sse: "sse",
        sse2: "sse2",
        fxsr: "fxsr",
        sse3: "sse3",
        ssse3: "ssse3",
        sse4_1: "sse4.1",
        sse4_2: "sse4.2",
        popcnt: "popcnt",
        avx: "avx",
        avx2: "avx2",
        bmi1: "bmi1",
        bmi2: "bmi2",
        fma: "fma",
        lzcnt: "lzcnt",
        avx512f: "avx512f",
        avx512bw: "avx512bw",
        avx512cd: "avx512cd",
        avx512dq: "avx512dq",
        avx512vl: "avx512vl",
        avx512vbmi2: "avx512vbmi2",
    }
}

impl Vbmi2 {
    /// What it has in common with its elder.
    #[inline(always)]
    fn v4(self) -> V4 {
        let Vbmi2 {
            sse, sse2, fxsr, sse3, ssse3, sse4_1, sse4_2, popcnt, avx, avx2, bmi1, bmi2, fma, ..
        } = self;
        let Vbmi2 { lzcnt, avx512f, avx512bw, avx512cd, avx512dq, avx512vl, .. } = self;
        V4 {
            sse,
            sse2,
            fxsr,
            sse3,
            ssse3,
            sse4_1,
            sse4_2,
            popcnt,
            avx,
            avx2,
            bmi1,
            bmi2,
            fma,
            lzcnt,
            avx512f,
            avx512bw,
            avx512cd,
            avx512dq,
            avx512vl,
        }
    }

    /// The bytes whose bit is set in `mask`, one behind the other; 0 behind them.
    #[inline(always)]
    fn pack(self, mask: u64, bytes: __m512i) -> __m512i {
        // SAFETY: there is a `self` only where the processor has VBMI2, see `Vbmi2::try_new`.
        unsafe { _mm512_maskz_compress_epi8(mask, bytes) }
    }
}

/// The bytes of a block, counted.
const COUNT: [u8; BLOCK] = counted(0);

/// The same as line feeds.
const FEEDS: [u8; BLOCK] = counted(0x80);

const fn counted(flag: u8) -> [u8; BLOCK] {
    let mut bytes = [flag; BLOCK];
    let mut at = 0;
    while at < BLOCK {
        bytes[at] |= at as u8;
        at += 1;
    }
    bytes
}

impl Lanes for Vbmi2 {
    type Before = <V4 as Lanes>::Before;

    #[inline(always)]
    fn start(self) -> Self::Before {
        self.v4().start()
    }

    #[inline(always)]
    fn tell(self, block: &[u8; BLOCK], before: Self::Before) -> (Told, Self::Before) {
        self.v4().tell(block, before)
    }

    #[inline(always)]
    fn equal(self, block: &[u8; BLOCK], byte: u8) -> u64 {
        self.v4().equal(block, byte)
    }

    #[inline(always)]
    fn notes(self, ends: u64, feeds: u64, at: u16, slots: &mut [u16; SLOTS]) -> usize {
        let (all, some) = (self.avx512f, self.avx512bw);
        let places = some._mm512_mask_blend_epi8(feeds, pulp::cast(COUNT), pulp::cast(FEEDS));
        let packed: [[u8; BLOCK / 2]; 2] = pulp::cast(self.pack(ends, places));
        let count = ends.count_ones() as usize;
        // The highest bit of a byte is drawn out to the highest bit of a note.
        let like = all._mm512_set1_epi16((FEED | 0x3f) as i16);
        let at = all._mm512_set1_epi16(at as i16);
        for (slots, packed) in slots.as_chunks_mut::<{ BLOCK / 2 }>().0.iter_mut().zip(packed) {
            let notes = all._mm512_and_si512(some._mm512_cvtepi8_epi16(pulp::cast(packed)), like);
            *slots = pulp::cast(some._mm512_add_epi16(notes, at));
            if count <= BLOCK / 2 {
                break;
            }
        }
        count
    }

    #[inline(always)]
    fn numbers(self, words: &[u64; LANES]) -> ([u64; LANES], [u64; LANES]) {
        self.v4().numbers(words)
    }
}
