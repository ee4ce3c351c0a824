//! From runs as read to figures that can be compared.

pub mod repeat;
mod summary;

pub use summary::{SummaryRow, summary_rows};
