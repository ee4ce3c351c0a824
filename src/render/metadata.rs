//! What a picture says about itself, so that one found somewhere can be made again.
//!
//! In: the version, the source line of a figure and its [`ChartSpec`]. Out: one
//! JSON object, the same for the same chart; no clock, no path, no command
//! line. Read back from the bytes of a picture by [`metadata`].
//!
//! ```json
//! {"plotgen":"0.1.0","source":"Source: fio 3.36, 3 runs · plotgen 0.1.0","spec":{"id":"iops-time",...}}
//! ```
//!
//! It stands in an SVG as the text of the `metadata` element below the root,
//! in a PNG as an iTXt chunk with the keyword `plotgen`, in a PDF as the
//! attached file `plotgen.json`, not compressed. In the spec, what is absent
//! has its default.

use crate::spec::ChartSpec;
use crate::spec::explain;
use png::{Decoder, Limits};
use roxmltree::{Document, ParsingOptions};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::io::Cursor;

/// Keyword of the chunk in a PNG.
pub(super) const KEYWORD: &str = "plotgen";

/// The first bytes of every PNG (PNG specification, 5.2).
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

/// The first bytes of every PDF (ISO 32000-1, 7.5.2).
const PDF: &[u8] = b"%PDF-";

/// How the object begins; [`text`] writes this key first.
const START: &[u8] = br#"{"plotgen":""#;

/// Keys that a chart cannot do without.
const NEEDED: [&str; 4] = ["id", "mark", "x", "y"];

/// Memory that the chunks of a foreign PNG may take.
const CHUNK_LIMIT: usize = 16 << 20;

/// What a picture says about itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Metadata {
    /// Version of the plotgen that drew it.
    pub plotgen: String,
    /// The source line under the picture.
    pub source: String,
    /// The chart; None when this version does not know what that version wrote.
    pub spec: Option<ChartSpec>,
    /// Why it is not known; empty where it is.
    pub fault: String,
}

#[derive(Serialize, Deserialize)]
struct Written {
    plotgen: String,
    #[serde(default)]
    source: String,
    #[serde(default)]
    spec: Value,
}

/// The object for a chart of that source.
pub(super) fn text(source: &str, spec: &ChartSpec) -> String {
    let written = Written {
        plotgen: env!("CARGO_PKG_VERSION").to_owned(),
        source: source.to_owned(),
        spec: short(spec).unwrap_or_default(),
    };
    // Strings and a JSON value cannot fail to be written.
    serde_json::to_string(&written).unwrap_or_default()
}

/// The chart without what has its default anyway.
fn short(spec: &ChartSpec) -> serde_json::Result<Value> {
    let plain = serde_json::to_value(ChartSpec::new(spec.id.as_str(), spec.mark, spec.x.clone(), spec.y))?;
    let Value::Object(all) = serde_json::to_value(spec)? else { return Ok(Value::Null) };
    let told = all.into_iter().filter(|(key, value)| {
        NEEDED.contains(&key.as_str()) || plain.get(key).is_none_or(|default| default != value)
    });
    Ok(Value::Object(told.collect::<Map<String, Value>>()))
}

/// What the SVG, PNG or PDF of these bytes says about itself; None when it is no such picture or says nothing.
#[must_use]
pub fn metadata(picture: &[u8]) -> Option<Metadata> {
    let text = if picture.starts_with(PNG) {
        of_png(picture)?
    } else if picture.starts_with(PDF) {
        of_pdf(picture)?
    } else {
        of_svg(std::str::from_utf8(picture).ok()?)?
    };
    let Written { plotgen, source, spec } = serde_json::from_str(&text).ok()?;
    let (spec, fault) = match serde_json::from_value(spec) {
        Ok(spec) => (Some(spec), String::new()),
        Err(error) => (None, explain(&error.to_string())),
    };
    Some(Metadata { plotgen, source, spec, fault })
}

fn of_png(picture: &[u8]) -> Option<String> {
    let mut decoder = Decoder::new_with_limits(Cursor::new(picture), Limits { bytes: CHUNK_LIMIT });
    let info = decoder.read_header_info().ok()?.clone();
    let found = |info: &png::Info<'_>| {
        let chunk = info.utf8_text.iter().find(|chunk| chunk.keyword == KEYWORD)?;
        chunk.get_text().ok()
    };
    // Chunks behind the header are known once the reader is at the pixels.
    found(&info).or_else(|| found(decoder.read_info().ok()?.info()))
}

fn of_svg(picture: &str) -> Option<String> {
    let options = ParsingOptions { allow_dtd: true, ..ParsingOptions::default() };
    let document = Document::parse_with_options(picture, options).ok()?;
    let elements = document.root_element().children();
    let mut told = elements.filter(|node| node.tag_name().name() == "metadata");
    told.find_map(|node| node.text().filter(|text| text.as_bytes().starts_with(START))).map(str::to_owned)
}

fn of_pdf(picture: &[u8]) -> Option<String> {
    let start = memchr::memmem::find(picture, START)?;
    // The object ends where its braces do; what follows is the PDF's.
    let mut values = serde_json::Deserializer::from_slice(picture.get(start..)?).into_iter::<Value>();
    values.next()?.ok().map(|value| value.to_string())
}
