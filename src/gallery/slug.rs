//! Names of pages and files: from any text to `[a-z0-9-]`, at most 80 bytes.

use crate::model::text::{hexadecimal, slug};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// Most bytes of a slug.
const MAX: usize = 80;
/// Hexadecimal digits of the hashes that tell slugs apart, shortest first.
const HASHES: [usize; 4] = [8, 16, 32, 64];

/// A distinct slug for each id, in their order.
///
/// A slug depends on its own id alone unless two ids would get the same one;
/// those then end in a short hash of the full id, as do ids that were too long
/// or that left nothing to read. Upper case is folded, since some file systems
/// do not tell it apart.
#[must_use]
pub fn slugs(ids: &[String]) -> Vec<String> {
    let mut seen: BTreeMap<&str, u64> = BTreeMap::new();
    let keys: Vec<String> = ids
        .iter()
        .map(|id| {
            let occurrence = seen.entry(id).or_default();
            let key = fingerprint(id, *occurrence);
            *occurrence += 1;
            key
        })
        .collect();
    let words: Vec<String> = ids.iter().map(|id| slug(id)).collect();
    // Length of the hash behind each slug; 0 for none.
    let mut hashed: Vec<usize> =
        words.iter().map(|w| if w.is_empty() || w.len() > MAX { HASHES[0] } else { 0 }).collect();
    let mut slugs: Vec<String> = Vec::new();
    for _ in 0..=HASHES.len() {
        slugs = (0..ids.len()).map(|i| with_hash(&words[i], &keys[i], hashed[i])).collect();
        let mut count: BTreeMap<&str, usize> = BTreeMap::new();
        for slug in &slugs {
            *count.entry(slug).or_default() += 1;
        }
        let clash: Vec<usize> = (0..ids.len()).filter(|&i| count[slugs[i].as_str()] > 1).collect();
        if clash.is_empty() {
            break;
        }
        for i in clash {
            hashed[i] = HASHES.into_iter().find(|&length| length > hashed[i]).unwrap_or(hashed[i]);
        }
    }
    slugs
}

/// SHA-256 of `bytes`, hexadecimal.
fn sha256(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

/// Hash of an id; a later occurrence of the same id gets another one.
fn fingerprint(id: &str, occurrence: u64) -> String {
    let mut bytes = id.as_bytes().to_vec();
    if occurrence > 0 {
        // No UTF-8 text holds the byte 0xFF, so no other id has this hash.
        bytes.push(0xFF);
        bytes.extend(occurrence.to_be_bytes());
    }
    sha256(&bytes)
}

fn with_hash(words: &str, key: &str, length: usize) -> String {
    if length == 0 {
        return words.to_owned();
    }
    let hash = &key[..length];
    let room = MAX - length - 1;
    let head = words.get(..room).unwrap_or(words).trim_end_matches('-');
    if head.is_empty() { hash.to_owned() } else { format!("{head}-{hash}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(ids: &[&str]) -> Vec<String> {
        slugs(&ids.iter().map(|&id| id.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn plain_paths_read_as_themselves() {
        assert_eq!(of(&["raid10/64k/run_1", "../a b"]), ["raid10-64k-run-1", "a-b"]);
    }

    #[test]
    fn ids_that_would_share_a_slug_end_in_a_hash_of_the_id() {
        // printf 'a/b' | sha256sum, printf 'A-b' | sha256sum
        assert_eq!(of(&["a/b", "c", "A-b"]), ["a-b-c14cddc0", "c", "a-b-b05dd069"]);
    }

    #[test]
    fn ids_without_letters_or_with_too_many_end_in_a_hash_whatever_else_there_is() {
        // printf '🔥' | sha256sum
        assert_eq!(of(&["🔥"]), ["ed8d8305"]);
        let long = "x".repeat(300);
        let slug = &of(&[&long])[0];
        assert_eq!((slug.len(), &slug[..72]), (80, format!("{}-", "x".repeat(71)).as_str()));
    }

    proptest! {
        #[test]
        fn slugs_are_distinct_short_and_plain(ids in proptest::collection::vec("[aA/🔥. -]{0,4}|\\PC{0,120}", 0..40)) {
            let slugs = slugs(&ids);
            prop_assert_eq!(slugs.len(), ids.len());
            for slug in &slugs {
                prop_assert!(!slug.is_empty() && slug.len() <= 80);
                prop_assert!(slug.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'));
            }
            let distinct: std::collections::BTreeSet<_> = slugs.iter().collect();
            prop_assert_eq!(distinct.len(), slugs.len());
        }

        #[test]
        fn a_slug_does_not_depend_on_ids_that_do_not_collide(id in "[a-z/]{1,100}", other in "[0-9]{1,8}") {
            let alone = slugs(std::slice::from_ref(&id));
            let beside = slugs(&[other, id]);
            prop_assert_eq!(&alone[0], &beside[1]);
        }
    }
}
