//! Several stores, and files beside them, as the files of one campaign.
//!
//! In: contents whose paths lie below different roots. Out: one list of files under the root that all of
//! them share, each file once, in the order in which a search would have found them. A file in two stores
//! is one file. Where stores hold different content under one path, they come from machines that each
//! have such a path, and every store's files go below the place of the store.

use crate::discover::{Role, SourceFile, order_remarks, path_order, printable_bytes};
use crate::ingest::hints::Told;
use crate::ingest::join::{LogFile, OutputFile};
use crate::ingest::pipeline::Contents;
use crate::ingest::reports::blank_report;
use crate::model::FileState;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

/// A file of one of the parts: which part, which of its files, and where it lies for all.
struct Item {
    part: usize,
    index: usize,
    place: String,
    /// The file, or the archive that holds it.
    outer: String,
    rank: (bool, bool, bool),
}

/// Puts the contents of stores beside those that were read directly, and says where each of the direct
/// sources went.
pub(in crate::ingest) fn merge(
    direct: Contents,
    stores: Vec<(SourceFile, Contents)>,
) -> (Contents, Vec<usize>) {
    let mut folders = vec![String::new()];
    folders.extend(stores.iter().map(|(source, _)| folder_of(&source.path)));
    let mut shown = vec![String::new()];
    shown.extend(stores.iter().map(|(source, _)| shown_folder(&source.shown)));
    let mut parts = vec![direct];
    parts.extend(stores.into_iter().map(|(_, contents)| contents));

    if disagree(&parts) {
        for (part, folder) in parts.iter_mut().zip(&folders).skip(1) {
            part.root.clone_from(folder);
        }
    }
    let named = |part: &&Contents| part.sources.iter().any(|source| source.role == Role::Named);
    let roots: Vec<&str> = parts.iter().filter(named).map(|part| part.root.as_str()).collect();
    let root = shared_root(&roots).unwrap_or_else(|| parts[0].root.clone());

    let mut items: Vec<Item> = Vec::new();
    for (number, part) in parts.iter().enumerate() {
        let told: HashMap<usize, Told> = part.logs.iter().map(|log| (log.source, log.told)).collect();
        for (index, source) in part.sources.iter().enumerate() {
            let outer = part.archives.get(index).copied().flatten().and_then(|at| part.sources.get(at));
            let untold = told.get(&index).is_some_and(|told| *told == Told::default());
            items.push(Item {
                part: number,
                index,
                place: place(part, source),
                outer: place(part, outer.unwrap_or(source)),
                rank: (number > 0, source.role == Role::Sibling, untold),
            });
        }
    }
    // The same file twice: read directly rather than from a store, named rather than found, read with
    // all that lies beside it rather than alone.
    items.sort_by(|a, b| a.place.cmp(&b.place).then(a.rank.cmp(&b.rank)));
    let mut kept: Vec<Item> = Vec::with_capacity(items.len());
    let mut doubles: Vec<(usize, usize, String)> = Vec::new();
    for item in items {
        match kept.last().filter(|last| last.place == item.place) {
            Some(_) => doubles.push((item.part, item.index, item.place)),
            None => kept.push(item),
        }
    }
    let relative = |place: &str| below(place, &root).to_owned();
    kept.sort_by(|a, b| {
        let source = |item: &Item| &parts[item.part].sources[item.index];
        let whole = |item: &Item| (source(item).stdin, item.outer != item.place);
        let (x, y) = (whole(a), whole(b));
        (x.0.cmp(&y.0))
            .then_with(|| path_order(&relative(&a.outer), &relative(&b.outer)))
            .then_with(|| x.1.cmp(&y.1))
            .then_with(|| if a.part == b.part { a.index.cmp(&b.index) } else { Ordering::Equal })
            .then_with(|| a.place.cmp(&b.place))
    });
    let mut index_of: HashMap<&str, usize> = HashMap::new();
    for (index, item) in kept.iter().enumerate() {
        index_of.insert(&item.place, index);
    }
    let mut placed: Vec<Vec<Option<usize>>> =
        parts.iter().map(|part| vec![None; part.sources.len()]).collect();
    let mut owned: BTreeSet<(usize, usize)> = BTreeSet::new();
    for item in &kept {
        placed[item.part][item.index] = index_of.get(item.place.as_str()).copied();
        owned.insert((item.part, item.index));
    }
    for (part, index, place) in &doubles {
        placed[*part][*index] = index_of.get(place.as_str()).copied();
    }

    let mut contents = Contents { root: root.clone(), ..Contents::default() };
    for item in &kept {
        let part = &mut parts[item.part];
        let mut source = part.sources[item.index].clone();
        if item.part > 0 {
            source.shown = joined(&shown[item.part], &source.relative);
        }
        source.relative = relative(&item.place);
        let mut report = std::mem::replace(&mut part.files[item.index], blank_report(&source));
        report.path.clone_from(&source.relative);
        for remark in &mut report.diagnostics {
            remark.path.clone_from(&source.relative);
        }
        let archive = part.archives.get(item.index).copied().flatten();
        contents.archives.push(archive.and_then(|archive| placed[item.part][archive]));
        contents.said.push(part.said.get(item.index).cloned().flatten());
        contents.shown.insert(source.relative.clone(), source.shown.clone());
        contents.sources.push(source);
        contents.files.push(report);
    }
    for (number, part) in parts.iter_mut().enumerate() {
        for mut remark in std::mem::take(&mut part.found) {
            if let Some(typed) = part.shown.get(&remark.path) {
                let typed = if number > 0 { joined(&shown[number], typed) } else { typed.clone() };
                remark.path = relative(&joined(&part.root, &remark.path));
                contents.shown.entry(remark.path.clone()).or_insert(typed);
            }
            contents.found.push(remark);
        }
        let place = |source: usize| {
            let place = placed[number].get(source).copied().flatten();
            place.filter(|_| owned.contains(&(number, source)))
        };
        for output in std::mem::take(&mut part.outputs) {
            contents.outputs.extend(place(output.source).map(|source| OutputFile { source, ..output }));
        }
        for log in std::mem::take(&mut part.logs) {
            contents.logs.extend(place(log.source).map(|source| LogFile { source, ..log }));
        }
    }
    order_remarks(&mut contents.found);
    contents.outputs.sort_by_key(|output| output.source);
    contents.logs.sort_by_key(|log| log.source);
    contents.stores = parts.iter_mut().flat_map(|part| std::mem::take(&mut part.stores)).collect();
    let places = placed.swap_remove(0).into_iter().map(|place| place.unwrap_or(0)).collect();
    (contents, places)
}

/// True when two stores hold different content under one path.
fn disagree(parts: &[Contents]) -> bool {
    let mut known: BTreeMap<String, (FileState, &str)> = BTreeMap::new();
    for part in parts.iter().skip(1) {
        for (source, report) in part.sources.iter().zip(&part.files) {
            // What was found beside a log has not always been read.
            let content = report.sha256.as_deref().unwrap_or(&report.reason);
            let state = if report.sha256.is_some() { FileState::Read } else { report.status };
            let (state, text) = known.entry(place(part, source)).or_insert((state, content));
            if (*state, *text) != (*state, content) {
                return true;
            }
        }
    }
    false
}

/// Where a file lies for all machines that see it.
fn place(part: &Contents, source: &SourceFile) -> String {
    if source.stdin || source.role == Role::Store {
        return source.relative.clone();
    }
    joined(&part.root, &source.relative)
}

fn joined(folder: &str, path: &str) -> String {
    format!("{}/{path}", folder.trim_end_matches('/'))
}

/// A place below a root; what does not lie there stays as it is.
fn below<'a>(place: &'a str, root: &str) -> &'a str {
    let rest = place.strip_prefix(root.trim_end_matches('/'));
    rest.and_then(|rest| rest.strip_prefix('/')).unwrap_or(place)
}

/// The deepest directory that holds all roots.
fn shared_root(roots: &[&str]) -> Option<String> {
    let (first, rest) = roots.split_first()?;
    let mut shared: Vec<&str> = first.split('/').collect();
    for root in rest {
        let same = shared.iter().zip(root.split('/')).take_while(|(a, b)| **a == *b).count();
        shared.truncate(same);
    }
    Some(shared.join("/"))
}

fn folder_of(manifest: &Path) -> String {
    let folder = manifest.parent().unwrap_or(Path::new(""));
    printable_bytes(folder.as_os_str().as_encoded_bytes())
}

/// The folder of a store as the user would write it.
pub(in crate::ingest) fn shown_folder(manifest: &str) -> String {
    manifest.rsplit_once('/').map_or(".", |(folder, _)| folder).to_owned()
}
