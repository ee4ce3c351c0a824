//! Names as people give them, and what each says.

use super::*;

/// What a name says, as `key=value` words in the order of dimensions, then the leftover.
fn said(name: &str) -> (String, String) {
    let labels = from_file_stem(name);
    let words: Vec<_> = labels.dimensions.iter().map(|(d, entry)| format!("{d}={}", entry.value)).collect();
    (words.join(" "), labels.leftover)
}

#[track_caller]
fn says(name: &str, words: &str, leftover: &str) {
    assert_eq!(said(name), (words.to_owned(), leftover.to_owned()), "{name}");
}

#[test]
fn campaign_names_say_all_their_dimensions() {
    says("raid10_chunk64k_randread_qd4_run1", "raid=10 chunk=64k rw=randread iodepth=4 repeat=1", "");
    says("raid5_chunk1024k_randwrite_qd4_run3", "raid=5 chunk=1m rw=randwrite iodepth=4 repeat=3", "");
    says(
        "raid10_chunk64k_randrw75_qd4_jobs4_run1",
        "raid=10 chunk=64k rw=randrw iodepth=4 numjobs=4 repeat=1 rwmixread=75",
        "",
    );
    says(
        "raid5_chunk64k_randwrite_qd4_cached_run1",
        "raid=5 chunk=64k rw=randwrite iodepth=4 repeat=1",
        "cached",
    );
    says("raid0_full_chunk64k_randread_qd4_run1", "raid=0 chunk=64k rw=randread iodepth=4 repeat=1", "full");
    says("single_randread_qd4_run2", "rw=randread iodepth=4 repeat=2", "single");
}

#[test]
fn raid_levels_have_many_spellings() {
    for (name, level) in [
        ("raid0", "0"),
        ("RAID-5", "5"),
        ("raid_10", "10"),
        ("Raid6", "6"),
        ("raidz2", "raidz2"),
        ("raid-z1", "raidz1"),
        ("raid=raid5", "5"),
        ("raidlevel=10", "10"),
        ("raid_level_6", "6"),
        ("raid=z3", "raidz3"),
    ] {
        says(name, &format!("raid={level}"), "");
    }
    says("r10", "", "r10");
    says("raid", "", "raid");
    says("raid7x", "", "raid7x");
}

#[test]
fn chunks_keep_their_sizes_from_being_block_sizes() {
    for name in [
        "chunk64k",
        "chunk-64K",
        "chunk=64k",
        "64k_chunk",
        "64KiB-chunk",
        "chunk_size_64k",
        "chunk_64",
        "64kchunk",
    ] {
        says(name, "chunk=64k", "");
    }
    says("chunk_64k_4k", "chunk=64k bs=4k", "");
    says("chunk_64k_bs_4k", "chunk=64k bs=4k", "");
    says("64k_chunk_4k_bs", "chunk=64k bs=4k", "");
    // Either size could be the chunk.
    says("4k_chunk_64k", "", "4k-chunk-64k");
}

#[test]
fn file_systems_are_words() {
    for fs in ["xfs", "ext4", "ext3", "ext2", "btrfs", "zfs", "f2fs", "ntfs", "bcachefs", "jfs", "reiserfs"] {
        says(fs, &format!("fs={fs}"), "");
        says(&format!("fs={fs}"), &format!("fs={fs}"), "");
    }
    says("fs_XFS", "fs=xfs", "");
    says("xfsprogs", "", "xfsprogs");
}

#[test]
fn block_sizes_have_many_spellings() {
    for name in [
        "4k",
        "bs4k",
        "4k_bs",
        "bs=4k",
        "bs_4k",
        "4K",
        "bs-4096",
        "4kbs",
        "block_size=4k",
        "blocksize=4k",
        "4KiB",
    ] {
        says(name, "bs=4k", "");
    }
    says("16k_bs", "bs=16k", "");
    says("1M", "bs=1m", "");
}

#[test]
fn other_sizes_are_no_block_sizes() {
    says("10k_sas", "", "10k-sas");
    says("size_4M", "", "size-4M");
    says("100g", "", "100g");
    says("stripe-64k", "", "stripe-64k");
    // Two sizes without names: either could be it.
    says("64k_4k", "", "64k-4k");
    says("bs4", "", "bs4");
}

#[test]
fn queue_depths_have_many_spellings() {
    for name in [
        "qd4",
        "iodepth-4",
        "iodepth=4",
        "iodepth_4",
        "4qd",
        "depth-4",
        "qd_4",
        "IODEPTH4",
        "qd=4",
        "4_qd",
        "queue_depth-4",
    ] {
        says(name, "iodepth=4", "");
    }
    says("512qd", "iodepth=512", "");
    says("random-read-depth-16", "rw=randread iodepth=16", "");
    says("qd04", "iodepth=4", "");
}

#[test]
fn job_counts_have_many_spellings() {
    for name in [
        "numjobs-4",
        "4j",
        "jobs4",
        "4jobs",
        "numjobs=4",
        "jobs=4",
        "numjobs_4",
        "4_fiojob",
        "fiojobs4",
        "jobs_4",
    ] {
        says(name, "numjobs=4", "");
    }
    says("16j", "numjobs=16", "");
    says("16_fiojob", "numjobs=16", "");
    says("2k_bs-16_fiojob", "bs=2k numjobs=16", "");
    // The number in front of the word counts.
    says("16_fiojob_2", "numjobs=16", "2");
    // The fourth job is no four jobs.
    says("job_4", "", "job-4");
}

#[test]
fn workloads_have_many_spellings() {
    for (name, rw) in [
        ("read", "read"),
        ("write", "write"),
        ("randread", "randread"),
        ("randwrite", "randwrite"),
        ("randrw", "randrw"),
        ("rw", "rw"),
        ("readwrite", "rw"),
        ("trim", "trim"),
        ("randtrim", "randtrim"),
        ("rand-read", "randread"),
        ("random-read", "randread"),
        ("Random_Write", "randwrite"),
        ("seqread", "read"),
        ("seq-read", "read"),
        ("sequential_write", "write"),
        ("RandRead", "randread"),
        ("rw=randread", "randread"),
        ("rw=rand-read", "randread"),
        ("rw_randwrite", "randwrite"),
    ] {
        says(name, &format!("rw={rw}"), "");
    }
    says("randrw75", "rw=randrw rwmixread=75", "");
    says("random-rw70", "rw=randrw rwmixread=70", "");
    says("rw=randrw30", "rw=randrw rwmixread=30", "");
    says("write-cache-off", "", "write-cache-off");
    says("thread-spread", "", "thread-spread");
    // One run cannot be both.
    says("read_write", "", "read-write");
}

#[test]
fn repeats_follow_their_word() {
    for name in ["run3", "run_3", "run-3", "rep3", "repeat3", "iter3", "run=3", "RUN-03"] {
        says(name, "repeat=3", "");
    }
    says("r1", "", "r1");
    says("run", "", "run");
}

#[test]
fn directness_is_stated_by_its_words_alone() {
    says("direct", "direct=1", "");
    says("buffered", "direct=0", "");
    says("cached", "", "cached");
    says("DIRECT1", "direct=1", "");
    says("direct_0", "direct=0", "");
    says("direct=1", "direct=1", "");
}

#[test]
fn drives_are_counted_not_numbered() {
    for name in ["6drives", "6disks", "drives=6", "6_drives", "6-disks", "drives6"] {
        says(name, "drives=6", "");
    }
    says("disk2", "", "disk2");
    says("drive_2", "", "drive-2");
}

#[test]
fn pairs_take_any_key() {
    says("iodepth=16", "iodepth=16", "");
    says("ioengine=libaio", "engine=libaio", "");
    says("ioengine=io_uring", "engine=io_uring", "");
    says("tuning=on_qd4", "iodepth=4 tuning=on", "");
    says("kernel=6.1.0-57", "kernel=6.1.0-57", "");
    says("host=node-a,bs=4k", "bs=4k host=node-a", "");
    says("run=2", "repeat=2", "");
    // The pair is plainer than the bare size.
    says("bs=4k_64k", "bs=4k", "64k");
    says("bs=", "", "");
}

#[test]
fn names_with_underscores_as_pairs_read_the_same() {
    says("bs4k_fdatasync32_run2", "bs=4k repeat=2 fdatasync=32", "");
    says("fsync1-ext4", "fs=ext4 fsync=1", "");
    says("fsync", "", "fsync");
    says("ioengine_psync.bs_8k.iodepth_32.rw_randread", "rw=randread bs=8k iodepth=32 engine=psync", "");
    says("03-bs8k-2j-128qd-randread", "rw=randread bs=8k iodepth=128 numjobs=2", "03");
    says("NIGHT_IODEPTH_8_DIRECT1", "iodepth=8 direct=1", "NIGHT");
    says("3_RUN", "", "3-RUN");
    says("qd_4_jobs_8", "iodepth=4 numjobs=8", "");
    says("4_qd_8_jobs", "iodepth=4 numjobs=8", "");
}

#[test]
fn glued_words_are_taken_apart() {
    says("raid10chunk64kqd4", "raid=10 chunk=64k iodepth=4", "");
    says("Raid5Chunk64kRandRead", "raid=5 chunk=64k rw=randread", "");
    says("randread4k", "rw=randread bs=4k", "");
    says("4kread", "rw=read bs=4k", "");
    says("randreadx", "", "randreadx");
}

#[test]
fn a_position_never_decides() {
    says("randread-8-32", "rw=randread", "8-32");
    says("randwrite-iodepth-16-numjobs-4", "rw=randwrite iodepth=16 numjobs=4", "");
}

#[test]
fn stamps_ids_and_serials_are_no_words() {
    says("20260102-030405_qd4", "iodepth=4", "");
    says("2025-11-30_08-15-59", "", "");
    says("2025-11-30T08-15_xfs", "fs=xfs", "");
    says("20260102-030405_00000017", "", "");
    says("job_8800123_fiojob_12", "numjobs=12", "");
    says("rig-250714-101500-box-9ab3c4de", "", "rig-box");
    says("123e4567-e89b-12d3-a456-426614174000_4k", "bs=4k", "");
    says("wwn-0x5000c500a1b2c3d4", "", "");
    says("S3Z9NB0K123456_randread", "rw=randread", "");
    says("date=20260102", "", "");
    says("bs=1048576", "bs=1m", "");
    // Models are no serials.
    says("ACME860PRO", "", "ACME860PRO");
}

#[test]
fn directories_say_the_same_with_their_own_origin() {
    let labels = from_directory("iodepth=16");
    let entry = labels.dimensions.get(&Dimension::Iodepth);
    assert_eq!(entry.map(|e| (e.value.as_str(), e.from)), Some(("16", DimensionOrigin::Directory)));
    let file = from_file_stem("qd16").dimensions;
    assert_eq!(file.get(&Dimension::Iodepth).map(|e| e.from), Some(DimensionOrigin::FileName));
}

fn options(pairs: &[(&str, &str)]) -> Vec<String> {
    let options = pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
    from_options(&options).iter().map(|(d, v)| format!("{d}={v}")).collect()
}

#[test]
fn options_become_dimensions() {
    assert_eq!(
        options(&[
            ("rw", "randread"),
            ("bs", "4096"),
            ("iodepth", "4"),
            ("numjobs", "2"),
            ("ioengine", "libaio"),
            ("direct", "1"),
            ("filename", "/dev/md0"),
        ]),
        ["rw=randread", "bs=4k", "iodepth=4", "numjobs=2", "device=/dev/md0", "engine=libaio", "direct=1"]
    );
    assert_eq!(options(&[("readwrite", "readwrite"), ("rwmixread", "70")]), ["rw=rw", "rwmixread=70"]);
    assert_eq!(options(&[("rw", "randrw"), ("rwmixwrite", "30")]), ["rw=randrw", "rwmixread=70"]);
    assert_eq!(options(&[("rw", "randread"), ("rwmixread", "70")]), ["rw=randread"]);
    assert_eq!(options(&[("fsync", "8"), ("fdatasync", "0")]), ["fsync=8"]);
    assert_eq!(options(&[("fdatasync", " 1 ")]), ["fdatasync=1"]);
    assert_eq!(options(&[("rw", "randread:8")]), ["rw=randread:8"]);
    assert_eq!(options(&[("direct", "")]), ["direct=1"]);
    assert_eq!(options(&[("buffered", "1")]), ["direct=0"]);
    assert_eq!(options(&[("buffered", "0")]), ["direct=1"]);
    assert_eq!(options(&[("bsrange", "4k-16k"), ("filename", "/mnt/f")]), ["bs=4k-16k"]);
    assert!(options(&[]).is_empty());
}

#[test]
fn a_leftover_goes_without_the_places_that_something_else_explains() {
    let without = |name: &str, places: &[(usize, usize)]| {
        let places: Vec<_> = places.iter().map(|&(start, end)| start..end).collect();
        from_file_stem(name).leftover_without(&places)
    };
    assert_eq!(without("out-rand-50rw32k.fio-0", &[]), "out-rand-50rw32k-fio-0");
    assert_eq!(without("out-rand-50rw32k.fio-0", &[(21, 22)]), "out-rand-50rw32k-fio");
    assert_eq!(without("out-rand-50rw32k.fio-0", &[(9, 11), (13, 16), (21, 22)]), "out-rand-rw-fio");
    assert_eq!(without("out", &[(0, 3)]), "");
    // The stamp of 19 bytes is no word, so that `y` is byte 2 + 19 + 2; `qd4` is a property.
    assert_eq!(without("x-2024-01-31_12-30-00-xy_qd4_z", &[(23, 24)]), "x-x-z");
    assert_eq!(without("größe-größe", &[(0, 7)]), "größe");
}

#[test]
#[expect(clippy::unwrap_used, reason = "tests fail by panicking")]
fn patterns_name_dimensions() {
    let pattern = Pattern::new(r"raid(?<raid>\d+)_c(?<chunk>\d+)/(?<qd>\d+)_(?<vendor>[a-z]+)?").unwrap();
    let found: Vec<_> =
        pattern.captures("x/raid10_c64/04_.log").iter().map(|(d, v)| format!("{d}={v}")).collect();
    assert_eq!(found, ["raid=10", "chunk=64k", "iodepth=4"]);
    assert!(pattern.captures("elsewhere").is_empty());
    let first = Pattern::new(r"(?<disk>sd[a-z])").unwrap();
    assert_eq!(
        first.captures("sda/sdb").get(&Dimension::Other("disk".into())).map(|v| v.as_str().to_owned()),
        Some("sda".into())
    );
}

#[test]
fn patterns_that_cannot_work_are_refused() {
    let syntax = Pattern::new(r"raid(?<raid>\d+").map(|_| ()).map_err(|error| error.to_string());
    assert!(syntax.is_err_and(|message| message.contains("unclosed group") && message.contains('^')));
    let nameless = Pattern::new(r"raid(\d+)").map(|_| ()).map_err(|error| error.to_string());
    assert!(nameless.is_err_and(|message| message.contains("no named group")));
}

#[test]
fn differing_path_parts_become_dimensions() {
    let leftovers: Vec<Vec<String>> = [["lab", "vendor-a", "new", ""], ["lab", "vendor-b", "new", "x"]]
        .iter()
        .map(|run| run.iter().map(|part| (*part).to_owned()).collect())
        .collect();
    let found: Vec<Vec<String>> = path_dimensions(&leftovers)
        .iter()
        .map(|run| run.iter().map(|(d, v)| format!("{d}={v}")).collect())
        .collect();
    assert_eq!(found, [vec!["path1=vendor-a"], vec!["path1=vendor-b", "path2=x"]]);
    let uneven = path_dimensions(&[vec![], vec!["a".to_owned()]]);
    assert!(uneven[0].is_empty());
    assert_eq!(uneven[1].len(), 1);
    assert!(path_dimensions(&[]).is_empty());
}

proptest::proptest! {
    #[test]
    fn no_name_makes_the_reader_panic(name in "\\PC{0,60}") {
        drop(from_file_stem(&name));
    }

    #[test]
    fn no_mixture_of_known_words_makes_the_reader_panic(
        name in "((raid|chunk|bs|qd|iodepth|jobs|4k|64k|8|10|=|_|-|\\.|run|rand|read|rw|20260102|é|µ)){0,14}"
    ) {
        drop(from_directory(&name));
    }
}
