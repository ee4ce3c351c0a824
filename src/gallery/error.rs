//! Why a report could not be made or written.

use std::path::PathBuf;

/// Why a report could not be made or written. Nothing was touched unless the variant says so.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GalleryError {
    /// A template is broken, or asks for something that its page does not have.
    #[error("template {name}{}: {message}", .line.map(|n| format!(":{n}")).unwrap_or_default())]
    Template {
        /// Name of the template, `index.html`.
        name: String,
        /// Line, counted from 1.
        line: Option<usize>,
        /// What is wrong, with the variable's name.
        message: String,
    },
    /// A file among the user's templates overrides nothing.
    #[error(
        "{}: overrides nothing; expected one of {expected}, or a partial whose name starts with `_`", .path.display()
    )]
    UnknownTemplate {
        /// The file.
        path: PathBuf,
        /// The names that would have been understood.
        expected: String,
    },
    /// A name that cannot be a file of a report.
    #[error("`{name}` cannot be the name of a file in a report: {reason}")]
    FileName {
        /// The name.
        name: String,
        /// Why not.
        reason: &'static str,
    },
    /// Two parts of the report want the same file.
    #[error("two parts of the report are named {path}; give each chart an id of its own")]
    Duplicate {
        /// Path below the report.
        path: String,
    },
    /// A table could not be written as CSV.
    #[error("cannot write {path} as CSV")]
    Csv {
        /// Path below the report.
        path: String,
        /// The cause.
        source: csv::Error,
    },
    /// A document could not be written as JSON.
    #[error("cannot write {path} as JSON")]
    Json {
        /// Path below the report.
        path: String,
        /// The cause.
        source: serde_json::Error,
    },
    /// The output folder is not one that plotgen may replace; nothing was touched.
    #[error("will not write a report to {}: {reason}", .out.display())]
    Refused {
        /// The folder as the user named it.
        out: PathBuf,
        /// Why, and what to do.
        reason: Refusal,
    },
    /// The old report cannot make way: it is a mount point, or in use. It is as it was.
    #[error(
        "cannot move {} aside to replace it in one step; if it is a mount point or in use, name a folder inside it",
        .path.display()
    )]
    Pinned {
        /// The folder.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The operating system failed. The report that was there is whole, or is restored at the next start.
    #[error("cannot {action} {}", .path.display())]
    Io {
        /// What was tried: `read`, `create`, `carry over`.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
}

/// Why plotgen will not replace a folder, and what to do instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// A file lies there.
    #[error("a file is there; name a folder that is new or empty")]
    File,
    /// A symbolic link that leads nowhere.
    #[error("it is a symbolic link to something that does not exist; remove the link or create its target")]
    DanglingLink,
    /// It is itself an input.
    #[error("it is one of the inputs; name another folder, for example one inside it")]
    Input,
    /// It holds inputs.
    #[error("it holds the input {}; name a folder that holds no inputs", .0.display())]
    HoldsInput(PathBuf),
    /// It is the working directory, or holds it.
    #[error(
        "it is or holds the current directory, which cannot be replaced from inside; name a sub-folder such as `report`"
    )]
    WorkingDirectory,
    /// It is not empty and plotgen did not write it.
    #[error("it is not empty and no report of plotgen (it has no {manifest}); name a folder that is new or empty, or empty it first", manifest = crate::gallery::MANIFEST)]
    Foreign,
    /// Something of the user's stands where a file or folder of the report has to go.
    #[error("`{0}` in it is not plotgen's and is in the way; move it elsewhere")]
    InTheWay(String),
    /// Another process builds a report there.
    #[error("another plotgen is writing a report there; let it finish, or name another folder")]
    Busy,
    /// The root of a file system, or a path without a name.
    #[error("it has no name of its own; name a folder inside it")]
    Nameless,
}
