//! The letters of an SVG of ours as shapes.
//!
//! In: an SVG whose texts are numbered. Out: path data by number. An emoji is
//! a picture and has no outline.

use super::RenderError;
use super::svg::{UNITS, number, separate};
use super::tree::{BOX, parse};
use resvg::usvg::tiny_skia_path::{PathSegment, Point};
use resvg::usvg::{Group, Node};
use std::collections::BTreeMap;

/// Characters that fonts hold as pictures, which have no outline (Unicode 16, the pictographic blocks).
const EMOJI: fn(char) -> bool = |c| ('\u{1f000}'..='\u{1faff}').contains(&c);

/// Path data of the texts of a numbered SVG, by number. A text that is not all shapes (emoji are pictures) is left out.
pub(super) fn outlines(svg: &str) -> Result<BTreeMap<usize, String>, RenderError> {
    let tree = parse(svg)?;
    let mut found = BTreeMap::new();
    let mut groups = vec![tree.root()];
    while let Some(group) = groups.pop() {
        for node in group.children() {
            match node {
                Node::Group(inner) => groups.push(inner),
                Node::Text(text) => {
                    let id = text.id().strip_prefix('t').and_then(|id| id.parse().ok());
                    // What no font here has is left to the reader's.
                    let shapeless = |c: char| c == BOX || EMOJI(c);
                    let pictures = text.chunks().iter().any(|chunk| chunk.text().contains(shapeless));
                    if let (Some(id), false, Some(data)) = (id, pictures, outline(text.flattened())) {
                        found.insert(id, data);
                    }
                }
                Node::Path(_) | Node::Image(_) => {}
            }
        }
    }
    Ok(found)
}

/// The shapes of a text as one path; None when it has none, or has pictures.
fn outline(group: &Group) -> Option<String> {
    let mut data = String::new();
    for node in group.children() {
        match node {
            Node::Group(inner) => data.push_str(&outline(inner)?),
            Node::Path(path) if path.fill().is_some() => {
                let shape = path.data().clone().transform(path.abs_transform())?;
                shape.segments().for_each(|segment| append(&mut data, segment));
            }
            Node::Path(_) => {}
            Node::Image(_) | Node::Text(_) => return None,
        }
    }
    (!data.is_empty()).then_some(data)
}

fn append(data: &mut String, segment: PathSegment) {
    let mut command = |letter: char, points: &[Point]| {
        data.push(letter);
        for (i, value) in points.iter().flat_map(|p| [p.x, p.y]).enumerate() {
            let hundredths = (f64::from(value) * UNITS).round() as i64;
            if i == 0 { number(data, hundredths) } else { separate(data, hundredths) }
        }
    };
    match segment {
        PathSegment::MoveTo(p) => command('M', &[p]),
        PathSegment::LineTo(p) => command('L', &[p]),
        PathSegment::QuadTo(a, p) => command('Q', &[a, p]),
        PathSegment::CubicTo(a, b, p) => command('C', &[a, b, p]),
        PathSegment::Close => command('Z', &[]),
    }
}
