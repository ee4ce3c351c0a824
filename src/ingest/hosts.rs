//! Logs of several hosts in a folder for each, below the output of the client that drove them.
//!
//! In: where outputs and logs lie, and the hosts that outputs name. Out: which output's
//! directory a log belongs to, and the host that its folder stands for: `clients/node1/fio_bw.1.log`
//! below a report with a job on `node1.example.org`. Two folders for one host belong to nobody.

use super::join::OutputFile;
use crate::discover::SourceFile;
use std::collections::{BTreeMap, BTreeSet};

/// The folders that stand for hosts.
#[derive(Debug, Default)]
pub(super) struct HostFolders {
    /// By folder: directory of the output, and the host as the output names it.
    homes: BTreeMap<String, (String, String)>,
}

impl HostFolders {
    /// Looks through the folders of all sources.
    pub(super) fn new(sources: &[SourceFile], outputs: &[OutputFile]) -> Self {
        let mut hosts: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for output in outputs {
            let named = output.parts.iter().flat_map(|part| &part.jobs).filter_map(|job| job.host.as_deref());
            hosts.entry(sources[output.source].directory()).or_default().extend(named);
        }
        let folders: BTreeSet<&str> = sources.iter().map(SourceFile::directory).collect();
        let mut found: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
        for folder in folders {
            if let Some(home) = home(folder, &hosts) {
                found.entry(home).or_default().push(folder);
            }
        }
        let homes = found.into_iter().filter_map(|((home, host), folders)| match folders.as_slice() {
            [folder] => Some(((*folder).to_owned(), (home.to_owned(), host.to_owned()))),
            _ => None,
        });
        HostFolders { homes: homes.collect() }
    }

    /// The directory to which a log belongs, and its host where the folder tells it.
    pub(super) fn home<'a>(&'a self, source: &'a SourceFile) -> (&'a str, Option<&'a str>) {
        let own = source.directory();
        self.homes.get(own).map_or((own, None), |(home, host)| (home.as_str(), Some(host.as_str())))
    }
}

/// The nearest directory above `folder` with an output that names its last component as a host.
fn home<'a>(folder: &str, hosts: &BTreeMap<&'a str, BTreeSet<&'a str>>) -> Option<(&'a str, &'a str)> {
    let (mut above, name) = folder.rsplit_once('/').unwrap_or(("", folder));
    if name.is_empty() || hosts.get(folder).is_some_and(|hosts| !hosts.is_empty()) {
        return None;
    }
    let short = |name: &str| name.split('.').next().map(str::to_owned);
    let is_same = |host: &str| {
        // Addresses have no short form.
        let address = host.bytes().all(|c| c.is_ascii_digit() || matches!(c, b'.' | b':'));
        host == name
            || (!address && short(host).as_deref() == Some(name))
            || short(name).as_deref() == Some(host)
    };
    loop {
        if let Some((&home, named)) = hosts.get_key_value(above) {
            let mut same = named.iter().filter(|host| is_same(host));
            match (same.next(), same.next()) {
                (Some(host), None) => return Some((home, host)),
                (Some(_), Some(_)) => return None,
                (None, _) => {}
            }
        }
        if above.is_empty() {
            return None;
        }
        above = above.rsplit_once('/').map_or("", |(above, _)| above);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_stands_for_the_host_that_an_output_above_it_names() {
        let hosts = BTreeMap::from([
            ("run", BTreeSet::from(["node1.example.org", "node2", "10.0.0.1"])),
            ("other", BTreeSet::from(["node1"])),
        ]);
        let at = |folder| home(folder, &hosts);
        assert_eq!(at("run/clients/node1"), Some(("run", "node1.example.org")));
        assert_eq!(at("run/node2.example.org"), Some(("run", "node2")));
        assert_eq!(at("run/10.0.0.1"), Some(("run", "10.0.0.1")));
        assert_eq!(at("run/clients/10"), None);
        assert_eq!(at("run/clients/node3"), None);
        assert_eq!(at("node1"), None);
    }
}
