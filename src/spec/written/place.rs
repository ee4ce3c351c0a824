//! Where in a text a value stands.
//!
//! In: TOML or JSON and the keys that lead to a value. Out: its line. The text has been read before: what cannot be
//! found here has the line of what it is missing in, never an error of its own.

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// Keys and numbers of list elements, outermost first.
pub(crate) type Path = Vec<String>;

/// The line (from 1) of the value at `path`, or of `below`, a key somewhere inside it; of the nearest value around it
/// where there is none.
pub(crate) fn line_of(text: &str, path: &[String], below: Option<&str>) -> usize {
    let first = 1 + text.len() - text.trim_start().len();
    let first = text.get(..first).map_or(1, |before| 1 + before.matches('\n').count());
    let deepest = below.into_iter().filter_map(|key| found(text, Reach { path, below: Some(key) })).next();
    let around = (1..=path.len()).rev();
    let of_part = |keys: usize| found(text, Reach { path: path.get(..keys)?, below: None });
    deepest.or_else(|| around.map(of_part).find(Option::is_some).flatten()).unwrap_or(first)
}

/// The line at which reading stops when it has reached what is looked for.
fn found(text: &str, reach: Reach<'_>) -> Option<usize> {
    if let Ok(document) = toml::Deserializer::parse(text) {
        let span = reach.deserialize(document).err()?.span()?;
        return Some(1 + text.get(..span.start)?.matches('\n').count());
    }
    let start = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    let skipped = text.get(..text.len() - start.len())?.matches('\n').count();
    let error = reach.deserialize(&mut serde_json::Deserializer::from_str(start)).err()?;
    (error.line() > 0).then(|| skipped + error.line())
}

/// Reads up to a value and stops there with an error: errors know their place, values do not.
#[derive(Clone, Copy)]
struct Reach<'p> {
    path: &'p [String],
    below: Option<&'p str>,
}

impl Reach<'_> {
    /// The end of the way, when nothing is looked for inside.
    fn stop<E: Error>(self) -> Result<(), E> {
        if self.path.is_empty() && self.below.is_none() { Err(E::custom("here")) } else { Ok(()) }
    }
}

impl<'de> DeserializeSeed<'de> for Reach<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reach<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        self.stop()
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
        self.stop()
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<(), E> {
        self.stop()
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        self.stop()
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<(), E> {
        self.stop()
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.stop()
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        self.stop()?;
        while let Some(key) = map.next_key::<String>()? {
            match self.path.split_first() {
                Some((first, rest)) if *first == key => {
                    map.next_value_seed(Reach { path: rest, ..self })?;
                }
                Some(_) => drop(map.next_value::<IgnoredAny>()?),
                None if self.below == Some(&key) => map.next_value_seed(Reach { below: None, ..self })?,
                None => map.next_value_seed(self)?,
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        self.stop()?;
        let wanted = self.path.split_first().map(|(first, rest)| (first.parse::<usize>().ok(), rest));
        for index in 0.. {
            let more = match wanted {
                Some((at, rest)) if at == Some(index) => {
                    list.next_element_seed(Reach { path: rest, ..self })?.is_some()
                }
                Some(_) => list.next_element::<IgnoredAny>()?.is_some(),
                None => list.next_element_seed(self)?.is_some(),
            };
            if !more {
                break;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str, path: &[&str], below: Option<&str>) -> usize {
        line_of(text, &path.iter().map(|&key| key.to_owned()).collect::<Path>(), below)
    }

    #[test]
    fn a_value_is_found_by_its_keys_in_toml() {
        let text = "\ntitle = 'x'\n[[chart]]\nid = 'a'\n\n[[chart]]\nid = 'b'\nreferences = [\n  { value = 1 },\n  \
            { value = 2, lable = 'x' },\n]\n[chart.x]\ndimension = 'raid'\n";
        assert_eq!(line(text, &["chart", "0", "id"], None), 4);
        assert_eq!(line(text, &["chart", "1", "id"], None), 7);
        assert_eq!(line(text, &["chart", "1", "references", "1", "value"], None), 10);
        assert_eq!(line(text, &["chart", "1", "references"], Some("lable")), 10);
        assert_eq!(line(text, &["chart", "1", "x", "dimension"], None), 13);
        // What is not there has the line of the chart that lacks it.
        assert_eq!(line(text, &["chart", "1", "mark"], None), 6);
        assert_eq!(line(text, &["mark"], None), 2);
    }

    #[test]
    fn a_value_is_found_by_its_keys_in_json() {
        let text = "\n{\"chart\": [\n {\"id\": \"a\"},\n {\"id\": \"b\",\n  \"y_max\": true,\n  \"transforms\": [\n   \
            {\"smooth\": null}]}\n]}\n";
        assert_eq!(line(text, &["chart", "0", "id"], None), 3);
        assert_eq!(line(text, &["chart", "1", "y_max"], None), 5);
        assert_eq!(line(text, &["chart", "1"], Some("smooth")), 7);
        assert_eq!(line(text, &["chart", "1", "mark"], None), 4);
        assert_eq!(line("[\n {\"id\": 3}]", &["0", "id"], None), 2);
    }
}
