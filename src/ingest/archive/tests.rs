//! Archives as tar leaves them, and as people break them.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use super::*;
use crate::discover::Role;
use crate::envelope;
use std::path::Path;

/// A tar archive of these members; `-> x` is a link to x.
fn tar_of(members: &[(&str, &str)]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (path, content) in members {
        let mut header = tar::Header::new_gnu();
        header.set_mode(0o644);
        // As written: the crate refuses to write paths that lead out.
        header.as_old_mut().name[..path.len()].copy_from_slice(path.as_bytes());
        match content.strip_prefix("-> ") {
            Some(target) => {
                header.set_entry_type(tar::EntryType::Symlink);
                header.set_link_name(target).unwrap();
                header.set_size(0);
            }
            None => header.set_size(content.len() as u64),
        }
        header.set_cksum();
        builder
            .append(&header, if header.entry_type().is_file() { content.as_bytes() } else { b"" })
            .unwrap();
    }
    builder.into_inner().unwrap()
}

fn source(path: &Path) -> SourceFile {
    let name = path.file_name().unwrap().to_str().unwrap().to_owned();
    SourceFile {
        path: path.to_owned(),
        shown: format!("typed/{name}"),
        relative: name,
        role: Role::Named,
        stdin: false,
    }
}

/// Unpacks an archive from a file of this name.
fn unpacked(name: &str, bytes: &[u8], exclude: &[&str]) -> (Unpacked, Vec<(String, String)>) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    let exclude: Vec<Glob> = exclude.iter().map(|glob| Glob::new(glob).unwrap()).collect();
    let mut spool = Spool::new();
    let unpacked = unpack(
        &source(&path),
        envelope::open(&path, envelope::Hashed::Sha256).unwrap(),
        &mut spool,
        &exclude,
    );
    let spool = spool.share();
    let content = |member: &Member| match &member.content {
        Err(reason) => (*reason).to_owned(),
        Ok(held) => {
            let mut text = String::new();
            held.open(&spool).unwrap().read_to_string(&mut text).unwrap();
            text
        }
    };
    let members = unpacked.members.iter().map(|m| (m.source.relative.clone(), content(m))).collect();
    (unpacked, members)
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}

fn pairs(members: &[(String, String)]) -> Vec<(&str, &str)> {
    members.iter().map(|(name, content)| (name.as_str(), content.as_str())).collect()
}

#[test]
fn members_have_the_archive_in_their_names_and_stand_in_natural_order() {
    let tar =
        tar_of(&[("./run10/a.log", "ten"), ("run2//a.log", "two"), ("/b.log", ""), ("run2/c.log", "three")]);
    assert!(is_archive(&tar));
    for bytes in [tar.clone(), zstd(&tar)] {
        let (unpacked, members) = unpacked("r.tar", &bytes, &[]);
        let expected = [
            ("r.tar/b.log", ""),
            ("r.tar/run2/a.log", "two"),
            ("r.tar/run2/c.log", "three"),
            ("r.tar/run10/a.log", "ten"),
        ];
        assert_eq!(pairs(&members), expected);
        assert_eq!(unpacked.members[0].source.shown, "typed/r.tar/b.log");
        assert_eq!((unpacked.error, unpacked.passed_over), (None, 0));
    }
}

#[test]
fn links_and_paths_that_lead_out_are_named_and_not_followed() {
    let tar = tar_of(&[
        ("a.log", "-> /etc/passwd"),
        ("../b.log", "out"),
        ("c/../../d.log", "out"),
        ("e.log", "in"),
    ]);
    let (unpacked, members) = unpacked("r.tar", &tar, &[]);
    let link = "a link inside of an archive; not followed";
    let out = "its path leads out of the archive; not read";
    let expected =
        [("r.tar/../b.log", out), ("r.tar/a.log", link), ("r.tar/c/../../d.log", out), ("r.tar/e.log", "in")];
    assert_eq!(pairs(&members), expected);
    assert_eq!(unpacked.passed_over, 3);
}

#[test]
fn what_is_left_out_of_folders_is_left_out_of_archives() {
    let manifest = format!("report/{MANIFEST}");
    let tar = tar_of(&[
        (".git/a.log", "x"),
        ("old/b.log", "x"),
        ("report/data/c.csv", "x"),
        (&manifest, "{}"),
        ("d.log", "x"),
    ]);
    let (unpacked, members) = unpacked("r.tar", &tar, &["old"]);
    assert_eq!(pairs(&members), [("r.tar/d.log", "x")]);
    assert_eq!(unpacked.notes, ["`report/` in it is an earlier report of plotgen; skipped"]);
}

#[test]
fn a_later_member_replaces_an_earlier_one() {
    let (unpacked, members) = unpacked("r.tar", &tar_of(&[("a", "old"), ("b", "x"), ("a", "new")]), &[]);
    assert_eq!(pairs(&members), [("r.tar/a", "new"), ("r.tar/b", "x")]);
    assert_eq!(unpacked.notes, ["1 members are there twice; the last of each counts"]);
}

#[test]
fn a_cut_archive_gives_what_is_there_and_an_error() {
    let tar = tar_of(&[("a", "whole"), ("b", &"y".repeat(2_000)), ("c", "lost")]);
    // Headers and contents fill blocks of 512 bytes: this is in the middle of b.
    for bytes in [tar[..2_000].to_vec(), zstd(&tar[..2_000])] {
        let (unpacked, members) = unpacked("r.tar", &bytes, &[]);
        assert_eq!(pairs(&members), [("r.tar/a", "whole"), ("r.tar/b", &"y".repeat(2_000 - 1_536))]);
        assert_eq!(unpacked.error.as_deref(), Some("the archive ends inside of a member; copy it again"));
    }
    let mut broken = tar.clone();
    broken[1_024..1_100].fill(b'!');
    let (unpacked, members) = unpacked("r.tar", &broken, &[]);
    assert_eq!(pairs(&members), [("r.tar/a", "whole")]);
    let error = unpacked.error.unwrap();
    assert!(error.starts_with("the archive is broken behind the members listed here: "), "{error}");
}

#[test]
fn nothing_but_an_archive_is_one() {
    let tar = tar_of(&[("a", "x")]);
    assert!(!is_archive(&tar[..511]) && !is_archive(&[0; 1_024]) && !is_archive(&[b'0'; 1_024]));
    let rows: String = (0..200).map(|i| format!("{i}, 1, 0, 4096\n")).collect();
    assert!(!is_archive(rows.as_bytes()));
    let mut old = tar;
    // Archives older than POSIX have no magic.
    old[257..265].fill(0);
    let sum: u64 = old[..512]
        .iter()
        .enumerate()
        .map(|(at, &b)| if CHECKSUM.contains(&at) { 32 } else { u64::from(b) })
        .sum();
    old[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    assert!(is_archive(&old));
}

/// Makes the checksum of the header that starts at `at` right.
fn fix_checksum(tar: &mut [u8], at: usize) {
    let header = &mut tar[at..at + HEADER];
    header[CHECKSUM].fill(b' ');
    let sum: u64 = header.iter().map(|&byte| u64::from(byte)).sum();
    header[CHECKSUM].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
}

proptest::proptest! {
    #[test]
    fn no_header_makes_it_panic(
        changes in proptest::collection::vec((0..HEADER, proptest::num::u8::ANY), 0..8),
        kind in "[0-9xgLKSV]",
        size in proptest::sample::select(vec!["", "77777777777", "00000000777", "\u{80}\u{7f}"]),
        which in 0..2usize,
    ) {
        let mut tar = tar_of(&[("a", "whole"), ("b", &"12 path=x\n".repeat(100)), ("c", "lost")]);
        let at = which * 1_024;
        tar[at + 156] = kind.as_bytes()[0];
        tar[at + 124..at + 124 + size.len()].copy_from_slice(size.as_bytes());
        if size.len() == 3 {
            // The largest number in base 256.
            tar[at + 124..at + 136].fill(0xff);
            tar[at + 124] = 0x80;
        }
        for (offset, byte) in changes {
            tar[at + offset] = byte;
        }
        fix_checksum(&mut tar, at);
        for bytes in [tar.clone(), zstd(&tar)] {
            drop(unpacked("r.tar", &bytes, &[]));
        }
    }
}
