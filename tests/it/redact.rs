//! `--redact`: no name of a host, user or place is in any file that leaves.

use crate::bad_inputs::files;
use crate::cli::{empty, run};
use std::fs;
use tempfile::TempDir;

const SECRETS: [&str; 6] = ["db-prod", "example.org", "jdoe", "/home", "/srv", "customer"];

/// Results of two hosts in folders of their names, with a broken file among them.
fn inputs() -> TempDir {
    let dir = empty();
    let sample = crate::support::sample("qd-sweep").join("raid10_chunk64k_randread_qd16_run1.json");
    let json: serde_json::Value = serde_json::from_slice(&fs::read(sample).unwrap()).unwrap();
    for host in ["db-prod-7.example.org", "db-prod-12.example.org"] {
        for user in ["jdoe", "other"] {
            let folder = dir.path().join(format!("in/{host}/{user}"));
            fs::create_dir_all(&folder).unwrap();
            let mut json = json.clone();
            let job = &mut json["jobs"][0];
            job["hostname"] = host.into();
            job["jobname"] = format!("{user}@db-prod-7 /srv/customer").into();
            job["job options"]["filename"] = "/home/jdoe/bench/file:/dev/md0".into();
            job["job options"]["directory"] = "/srv/customer data".into();
            job["job options"]["write_bw_log"] = "/home/jdoe/logs/run".into();
            job["job options"]["description"] = format!("of JDOE, on {host} in /srv/customer").into();
            fs::write(folder.join("result.json"), json.to_string()).unwrap();
            let rows: String = (1..40).map(|i| format!("{}, {}, 0, 0, 0\n", i * 500, 1_700 + i)).collect();
            fs::write(folder.join("run_bw.1.log"), rows).unwrap();
            fs::write(folder.join(format!("lost_bw.1.log.{host}")), "nothing\n").unwrap();
        }
    }
    dir
}

#[test]
fn no_name_remains_in_any_file_of_a_report() {
    let dir = inputs();
    let args = ["in", "/home/jdoe/absent.json", "-o", "out", "--format", "svg"];
    let (code, _, err) = run(&dir, &[&args[..], &["--redact"]].concat());
    assert_eq!(code, 1, "{err}");
    let written = files(&dir.path().join("out"));
    assert!(written.iter().any(|(path, _)| path.ends_with("runs/host1-user1-result.html")), "{err}");
    for (path, bytes) in &written {
        let text = format!("{}\n{}", path.display(), String::from_utf8_lossy(bytes)).to_lowercase();
        for secret in SECRETS {
            assert!(!text.contains(secret), "{} holds {secret}", path.display());
        }
    }
    let report = fs::read_to_string(dir.path().join("out/report.json")).unwrap();
    for placeholder in ["host1/user1/result", "host2/other/result"] {
        assert!(report.contains(placeholder), "{placeholder}");
    }
    // Without the flag the names are there: the test looks in the right places.
    let (_, _, err) = run(&dir, &args);
    let written = files(&dir.path().join("out"));
    for secret in SECRETS {
        let there = written.iter().any(|(_, bytes)| String::from_utf8_lossy(bytes).contains(secret));
        assert!(there, "{secret}: {err}");
    }
}

#[test]
fn tables_and_lists_are_redacted_and_where_takes_the_true_name() {
    let dir = inputs();
    for args in [
        &["summary", "in", "--format", "csv"][..],
        &["inspect", "in", "--format", "json"],
        &["summary", "in", "--format", "csv", "--where", "host=db-prod-7.example.org"],
    ] {
        let (code, out, err) = run(&dir, &[args, &["--redact"]].concat());
        assert_eq!(code, 0, "{err}");
        let lower = out.to_lowercase();
        assert!(SECRETS.iter().all(|secret| !lower.contains(secret)), "{args:?}:\n{out}");
        assert!(out.contains("host1"), "{out}");
        assert_eq!(out.contains("host2"), !args.contains(&"--where"), "{out}");
        // Standard error is for the one who typed the names.
        assert!(err.contains("in/db-prod-7.example.org/jdoe/lost_bw.1.log"), "{err}");
    }
    fs::write(dir.path().join("plotgen.toml"), "redact = true\n").unwrap();
    let (_, out, _) = run(&dir, &["summary", "in", "--format", "csv"]);
    assert!(out.contains("host1/user1") && !out.contains("jdoe"), "{out}");
}
