//! Packed and marked files, byte by byte.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use super::*;
use std::io::Write;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}

fn read_all(stored: Vec<u8>) -> (Vec<u8>, Option<String>, Stored) {
    let mut opened = from_reader(Cursor::new(stored), Hashed::Sha256).unwrap();
    let packing = opened.packing().map(str::to_owned);
    let mut content = Vec::new();
    opened.read_to_end(&mut content).unwrap();
    (content, packing, opened.finish().unwrap())
}

#[test]
fn plain_bytes_pass_with_their_hash() {
    let (content, packing, stored) = read_all(b"abc".to_vec());
    assert_eq!((content.as_slice(), packing), (b"abc".as_slice(), None));
    // FIPS 180-2, appendix B.1.
    let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(stored.sha256.as_deref(), Some(known));
    assert_eq!(stored.bytes, 3);
}

#[test]
fn a_long_file_replays_its_head_and_goes_on() {
    let long: Vec<u8> = (0..HEAD as u32 / 2).flat_map(u32::to_le_bytes).collect();
    let opened = from_reader(Cursor::new(long.clone()), Hashed::No).unwrap();
    assert_eq!((opened.head(), opened.whole()), (&long[..HEAD], false));
    assert_eq!(read_all(long.clone()).0, long);
}

#[test]
fn gzip_members_in_a_row_are_one_content() {
    let stored = [gzip(b"0, 1, 0, 4096\n"), gzip(b"5, 2, 0, 4096\n")].concat();
    let (content, packing, hash) = read_all(stored.clone());
    assert_eq!(content, b"0, 1, 0, 4096\n5, 2, 0, 4096\n");
    assert_eq!(packing.as_deref(), Some("gzip"));
    assert_eq!(hash, read_all_stored(&stored));
}

fn read_all_stored(stored: &[u8]) -> Stored {
    let sha256 = Sha256::digest(stored).iter().map(|byte| format!("{byte:02x}")).collect();
    Stored { sha256: Some(sha256), bytes: stored.len() as u64 }
}

#[test]
fn packing_may_be_nested_once() {
    assert_eq!(read_all(zstd(b"x")).0, b"x");
    assert_eq!(read_all(zstd(&gzip(b"x"))).1.as_deref(), Some("gzip in zstd"));
    let thrice = gzip(&gzip(&gzip(b"x")));
    assert_eq!(read_all(thrice).0, gzip(b"x"));
}

#[test]
fn the_hash_covers_the_whole_file_even_when_nothing_was_read() {
    let stored = gzip(&vec![7; 3_000_000]);
    let opened = from_reader(Cursor::new(stored.clone()), Hashed::Sha256).unwrap();
    assert_eq!(opened.finish().unwrap(), read_all_stored(&stored));
}

#[test]
fn what_is_not_to_be_hashed_is_read_all_the_same_and_no_further() {
    let stored = gzip(&vec![7; 3_000_000]);
    let mut opened = from_reader(Cursor::new(stored.clone()), Hashed::No).unwrap();
    let mut content = Vec::new();
    opened.read_to_end(&mut content).unwrap();
    assert_eq!(content, vec![7; 3_000_000]);
    assert_eq!(opened.finish().unwrap(), Stored { sha256: None, bytes: stored.len() as u64 });
    let unread = from_reader(Cursor::new(vec![b'7'; 3_000_000]), Hashed::No).unwrap();
    assert!(unread.finish().unwrap().bytes < 300_000);
}

#[test]
fn a_cut_file_gives_its_beginning_and_then_an_error() {
    let rows: String =
        (0..10_000u32).map(|i| format!("{i}, {}, 0, 4096\n", i.wrapping_mul(2_654_435_761))).collect();
    let mut stored = gzip(rows.as_bytes());
    stored.truncate(stored.len() / 2);
    let mut opened = from_reader(Cursor::new(stored), Hashed::Sha256).unwrap();
    assert!(opened.head().starts_with(b"0, 0, 0, 4096\n1, "));
    let mut content = Vec::new();
    let error = opened.read_to_end(&mut content).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
    assert!(opened.read(&mut [0; 8]).is_err());
}

#[test]
fn what_only_looks_packed_is_an_error_with_advice() {
    let error =
        from_reader(Cursor::new(b"\x1f\x8b\x08nonsense".to_vec()), Hashed::No).unwrap_err().to_string();
    assert!(error.contains("cannot unpack (gzip)") && error.contains("gzip -t"), "{error}");
}

#[test]
fn a_bomb_is_cut() {
    let stored = zstd(&vec![0; 4 << 20]);
    let mut opened = unwrap(Box::new(Cursor::new(stored)), 0, 1 << 20, Hashed::No).unwrap();
    let error = io::copy(&mut opened, &mut io::sink()).unwrap_err();
    assert!(error.to_string().contains("100 times its size"), "{error}");
}

fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut packer = liblzma::write::XzEncoder::new(Vec::new(), 1);
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut packer = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

#[test]
fn xz_and_bzip2_are_told_by_their_content_and_may_follow_one_another() {
    for (packer, name) in [(xz as fn(&[u8]) -> Vec<u8>, "xz"), (bzip2, "bzip2")] {
        let stored = [packer(b"0, 1, 0, 4096\n"), packer(b"5, 2, 0, 4096\n")].concat();
        let (content, packing, hash) = read_all(stored.clone());
        assert_eq!(content, b"0, 1, 0, 4096\n5, 2, 0, 4096\n");
        assert_eq!(packing.as_deref(), Some(name));
        assert_eq!(hash, read_all_stored(&stored));
        assert_eq!(read_all(packer(b"")).0, b"");
        assert_eq!(read_all(gzip(&packer(b"x"))).1.unwrap(), format!("{name} in gzip"));
        let mut cut = packer(
            &(0..20_000u32).flat_map(|i| i.wrapping_mul(2_654_435_761).to_le_bytes()).collect::<Vec<_>>(),
        );
        cut.truncate(cut.len() / 2);
        let ended = from_reader(Cursor::new(cut), Hashed::No)
            .and_then(|mut opened| io::copy(&mut opened, &mut io::sink()).map_err(EnvelopeError::Read));
        assert!(ended.is_err(), "{name}");
    }
    // `BZh1` may begin a text.
    assert_eq!(read_all(b"BZh1 is no log".to_vec()).1, None);
}

#[test]
fn an_xz_file_that_wants_all_memory_is_refused() {
    let mut stored = xz(b"0, 1, 0, 4096\n");
    // The block header behind the 12 bytes of the stream header: size, flags, filter LZMA2, its
    // properties' size, the dictionary's size (40 is 4 GiB - 1), padding, CRC32.
    assert_eq!(&stored[12..16], [2, 0, 0x21, 1]);
    stored[16] = 40;
    let mut crc = flate2::Crc::new();
    crc.update(&stored[12..20]);
    stored[20..24].copy_from_slice(&crc.sum().to_le_bytes());
    let error = from_reader(Cursor::new(stored), Hashed::No).unwrap_err().to_string();
    assert!(error.starts_with("cannot unpack (xz)") && error.contains("memory"), "{error}");
}

fn utf16(text: &str, bytes_of: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(bytes_of).collect()
}

#[test]
fn utf_16_comes_out_as_utf_8_and_marks_do_not_come_out() {
    let text = "\u{feff}500, 10, 0\r\n\u{e4}\u{1f525}";
    let plain = "500, 10, 0\r\n\u{e4}\u{1f525}".as_bytes();
    let (little, big) = (utf16(text, u16::to_le_bytes), utf16(text, u16::to_be_bytes));
    for stored in [little.clone(), big, text.as_bytes().to_vec(), gzip(&little)] {
        let (content, _, hash) = read_all(stored.clone());
        assert_eq!(content, plain);
        assert_eq!(hash, read_all_stored(&stored));
    }
    assert_eq!(read_all(b"\xff\xfea\0b".to_vec()).0, b"a", "an odd byte at the end is no character");
    assert_eq!(read_all(b"\xff\xfe\x00\xd8a\0".to_vec()).0, "\u{fffd}a".as_bytes());
    assert_eq!(read_all(b"\xff\xfe\x00\xd8".to_vec()).0, "\u{fffd}".as_bytes());
    assert_eq!(read_all(b"\xff\xfe".to_vec()).0, b"");
    let utf32 = b"\xff\xfe\0\0a\0\0\0".to_vec();
    assert_eq!(read_all(utf32.clone()).0, utf32);
}

#[test]
fn characters_of_utf_16_may_lie_across_any_boundary() {
    for shift in 0..3 {
        let text = format!("{}{}", "x".repeat(shift), "\u{1f525}".repeat(100_000));
        let stored = utf16(&format!("\u{feff}{text}"), u16::to_le_bytes);
        let content = read_all(stored).0;
        assert!(content == text.as_bytes(), "shift {shift}");
    }
}
