//! Entries: bound, damage, leftovers. Stamps: what they notice.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use super::*;
use std::thread::sleep;

fn key(number: u32) -> Key {
    Key::of(&number).unwrap()
}

fn cache() -> (tempfile::TempDir, Cache) {
    let dir = tempfile::tempdir().unwrap();
    let cache = Cache::at(dir.path().join("deep/cache"));
    (dir, cache)
}

#[test]
fn a_value_comes_back_under_its_kind_and_key_only() {
    let (_dir, cache) = cache();
    cache.put("a", &key(1), &"one");
    assert_eq!(cache.get::<String>("a", &key(1)).as_deref(), Some("one"));
    assert_eq!(cache.get::<String>("b", &key(1)), None);
    assert_eq!(cache.get::<String>("a", &key(2)), None);
    cache.put("a", &key(1), &"two");
    assert_eq!(cache.get::<String>("a", &key(1)).as_deref(), Some("two"));
}

#[test]
fn another_build_of_the_program_has_entries_of_its_own() {
    let (_dir, cache) = cache();
    cache.put("a", &key(1), &"one");
    let upgraded = Cache { program: "99.0.0".to_owned(), ..cache.clone() };
    assert_eq!(upgraded.get::<String>("a", &key(1)), None);
    upgraded.put("a", &key(1), &"new");
    assert_eq!(cache.get::<String>("a", &key(1)).as_deref(), Some("one"));
}

#[test]
fn any_cut_and_any_flipped_bit_make_an_entry_none() {
    let (_dir, cache) = cache();
    cache.put("a", &key(1), &"a value of some length");
    let path = cache.path("a", &key(1));
    let whole = fs::read(&path).unwrap();
    for at in 0..whole.len() {
        fs::write(&path, &whole[..at]).unwrap();
        assert_eq!(cache.get::<String>("a", &key(1)), None, "cut at {at}");
        let mut flipped = whole.clone();
        flipped[at] ^= 0x10;
        fs::write(&path, flipped).unwrap();
        assert_eq!(cache.get::<String>("a", &key(1)), None, "flipped at {at}");
    }
    // An entry of another type is none, too.
    fs::write(&path, whole).unwrap();
    assert_eq!(cache.get::<(u64, Vec<String>)>("a", &key(1)), None);
}

#[test]
fn the_oldest_entries_go_when_the_bound_is_reached() {
    let (_dir, cache) = cache();
    // 1,000 bytes each and some for the head.
    let cache = cache.bounded(3_500);
    let value = "x".repeat(1_000);
    for number in 0..3 {
        cache.put("a", &key(number), &value);
        let used = SystemTime::now() - Duration::from_secs(3600 - u64::from(number));
        File::options().append(true).open(cache.path("a", &key(number))).unwrap().set_modified(used).unwrap();
    }
    cache.put("a", &key(3), &value);
    let there: Vec<bool> = (0..4).map(|n| cache.get::<String>("a", &key(n)).is_some()).collect();
    assert_eq!(there, [false, true, true, true]);
    // What is larger than all that is allowed is not kept, and drives nothing out.
    cache.put("a", &key(4), &"x".repeat(4_000));
    assert!(cache.get::<String>("a", &key(4)).is_none() && cache.get::<String>("a", &key(3)).is_some());
}

#[test]
fn an_entry_that_is_used_after_a_day_counts_as_new() {
    let (_dir, cache) = cache();
    cache.put("a", &key(1), &"one");
    let path = cache.path("a", &key(1));
    let used = SystemTime::now() - Duration::from_secs(2 * 24 * 3600);
    File::options().append(true).open(&path).unwrap().set_modified(used).unwrap();
    cache.get::<String>("a", &key(1)).unwrap();
    assert!(fs::metadata(&path).unwrap().modified().unwrap().elapsed().unwrap() < Duration::from_secs(3600));
}

#[test]
fn what_a_crash_left_is_cleared_up_later() {
    let (_dir, cache) = cache();
    cache.put("a", &key(1), &"one");
    let (young, old) = (cache.folder().join(".new-young"), cache.folder().join(".new-old"));
    for path in [&young, &old] {
        fs::write(path, "half").unwrap();
    }
    let hours_ago = SystemTime::now() - Duration::from_secs(7200);
    File::options().append(true).open(&old).unwrap().set_modified(hours_ago).unwrap();
    // The first entry that a process adds.
    Cache::at(cache.folder().to_owned()).put("a", &key(2), &"two");
    assert!(young.exists() && !old.exists());
}

#[test]
#[cfg(unix)]
fn others_cannot_read_the_folder() {
    use std::os::unix::fs::PermissionsExt;
    let (_dir, cache) = cache();
    cache.put("a", &key(1), &"one");
    assert_eq!(fs::metadata(cache.folder()).unwrap().permissions().mode() & 0o777, 0o700);
}

/// What a look at a file gives.
fn check(stamp: &Stamp, path: &Path, trust: Trust) -> Checked {
    stamp.check(&Folder::of(path.parent().unwrap(), 100), path.file_name().unwrap(), trust)
}

#[test]
fn a_stamp_comes_back_from_its_bytes_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a");
    fs::write(&path, "one").unwrap();
    let young = Stamp::take(&path, Trust::Times).unwrap();
    let own = Stamp::of_own(&path, [7; 32]).unwrap();
    File::options().append(true).open(&path).unwrap().set_modified(SystemTime::UNIX_EPOCH).unwrap();
    for stamp in [young, own, Stamp::of_own(&path, [0; 32]).unwrap()] {
        let bytes = postcard::to_stdvec(&stamp).unwrap();
        assert_eq!(postcard::from_bytes::<Stamp>(&bytes).unwrap(), stamp);
        for cut in 0..bytes.len() {
            assert!(postcard::from_bytes::<Stamp>(&bytes[..cut]).is_err());
        }
    }
}

/// A file that is older than two seconds, by every clock.
fn settled() -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a");
    fs::write(&path, "one").unwrap();
    sleep(Duration::from_millis(2100));
    (dir, path)
}

#[test]
fn a_settled_file_is_known_by_its_times_and_hashed_on_demand_only() {
    let (_dir, path) = settled();
    let stamp = Stamp::take(&path, Trust::Times).unwrap();
    assert_eq!((stamp.sha256(), check(&stamp, &path, Trust::Times)), (None, Checked::Same));
    assert_eq!(check(&stamp, &path, Trust::Content), Checked::Changed, "nothing is known of its content");
    let hashed = Stamp::take(&path, Trust::Content).unwrap();
    assert_eq!(check(&hashed, &path, Trust::Content), Checked::Same);
    // Same size, and the time set back: the time of the inode tells.
    let time = fs::metadata(&path).unwrap().modified().unwrap();
    fs::write(&path, "two").unwrap();
    File::options().append(true).open(&path).unwrap().set_modified(time).unwrap();
    if cfg!(unix) {
        assert_eq!(check(&stamp, &path, Trust::Times), Checked::Changed);
    }
    assert_eq!(check(&hashed, &path, Trust::Content), Checked::Changed);
    fs::write(&path, "one").unwrap();
    assert!(matches!(check(&hashed, &path, Trust::Times), Checked::Touched(_)));
    fs::remove_file(&path).unwrap();
    assert_eq!(check(&hashed, &path, Trust::Times), Checked::Changed);
}

#[test]
fn a_young_file_is_known_by_its_content_whatever_its_times() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a");
    fs::write(&path, "one").unwrap();
    let time = fs::metadata(&path).unwrap().modified().unwrap();
    let stamp = Stamp::take(&path, Trust::Times).unwrap();
    assert!(stamp.sha256().is_some());
    assert_eq!(check(&stamp, &path, Trust::Times), Checked::Same);
    // As if the change had come within one tick of the clock.
    fs::write(&path, "two").unwrap();
    File::options().append(true).open(&path).unwrap().set_modified(time).unwrap();
    assert_eq!(check(&stamp, &path, Trust::Times), Checked::Changed);
    // Once it is old its times are noted, and tell from then on.
    fs::write(&path, "one").unwrap();
    sleep(Duration::from_millis(2100));
    let Checked::Touched(noted) = check(&stamp, &path, Trust::Times) else { panic!("not noted anew") };
    assert_eq!(check(&noted, &path, Trust::Times), Checked::Same);
}

#[test]
#[cfg(unix)]
fn a_link_in_place_of_a_file_of_our_own_is_a_change() {
    let (dir, path) = settled();
    let stamp = Stamp::of_own(&path, Sha256::digest("one").into()).unwrap();
    assert_eq!(
        stamp.check_own(&Folder::of(dir.path(), 100), path.file_name().unwrap(), Trust::Times),
        Checked::Same
    );
    let moved = dir.path().join("b");
    fs::rename(&path, &moved).unwrap();
    std::os::unix::fs::symlink(&moved, &path).unwrap();
    assert_eq!(
        stamp.check_own(&Folder::of(dir.path(), 100), path.file_name().unwrap(), Trust::Times),
        Checked::Changed
    );
}
