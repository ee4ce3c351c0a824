//! Entries and stamps.
