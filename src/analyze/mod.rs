//! From runs as read to figures that can be compared.

pub mod repeat;
