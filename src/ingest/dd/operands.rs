//! What a dd command says about the copy: `dd if=/dev/zero of=/mnt/x bs=1M count=100 oflag=direct`.

use crate::ingest::{labels, transcript};
use crate::model::{Ddir, Dimension, Value};
use std::collections::BTreeMap;

/// Sources that cost nothing and targets that keep nothing.
const NO_DISK: &[&str] =
    &["/dev/zero", "/dev/null", "/dev/random", "/dev/urandom", "/dev/full", "/dev/stdin", "/dev/stdout"];

/// The dd command in a line.
pub(super) fn command(line: &str) -> Option<&str> {
    let operand = |word: &str| {
        ["if=", "of=", "bs=", "ibs=", "obs=", "count=", "status=", "conv=", "iflag=", "oflag="]
            .iter()
            .any(|name| word.starts_with(name))
    };
    transcript::command(line, "dd", operand)
}

/// The operands that matter.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Operands {
    input: Option<String>,
    output: Option<String>,
    /// Block size, bytes.
    pub(super) bs: Option<u64>,
    input_flags: Vec<String>,
    output_flags: Vec<String>,
    conversions: Vec<String>,
}

impl Operands {
    /// Reads a command; the last of equal operands counts, as it does for dd.
    pub(super) fn parse(command: &str) -> Self {
        let mut operands = Operands::default();
        for word in command.split_whitespace() {
            let Some((name, value)) = word.split_once('=') else { continue };
            let value = value.trim_matches(['"', '\'']);
            let list = || value.split(',').filter(|flag| !flag.is_empty()).map(str::to_owned);
            match name {
                "if" => operands.input = Some(value.to_owned()),
                "of" => operands.output = Some(value.to_owned()),
                "bs" | "obs" | "ibs" => operands.bs = size(value),
                "iflag" => operands.input_flags.extend(list()),
                "oflag" => operands.output_flags.extend(list()),
                "conv" => operands.conversions.extend(list()),
                _ => {}
            }
        }
        operands
    }

    fn disk(name: Option<&String>) -> Option<&str> {
        name.map(String::as_str).filter(|name| !NO_DISK.contains(name) && !name.starts_with("/dev/fd/"))
    }

    /// Read or write where one side costs nothing; both sides together are no direction of a disk.
    pub(super) fn ddir(&self) -> Ddir {
        match (Self::disk(self.input.as_ref()), Self::disk(self.output.as_ref())) {
            (Some(_), None) => Ddir::Read,
            (None, Some(_)) => Ddir::Write,
            _ => Ddir::Mixed,
        }
    }

    /// When data counts as written: `fdatasync`, `fsync`, `dsync`, `sync`, or `none` for the cache.
    fn sync(&self) -> &str {
        let all = || self.conversions.iter().chain(&self.output_flags);
        // `conv=sync` pads blocks; only the flag of that name waits for the disk.
        let found = |name: &&&str| match **name {
            "sync" => self.output_flags.iter().any(|flag| flag == "sync"),
            name => all().any(|flag| flag == name),
        };
        ["sync", "dsync", "fsync", "fdatasync"].iter().find(found).copied().unwrap_or("none")
    }

    /// Dimensions that the command states.
    pub(super) fn dimensions(&self) -> BTreeMap<Dimension, Value> {
        let mut dimensions = BTreeMap::new();
        let mut set = |dimension: Dimension, text: &str| {
            let value = Value::canonical(&dimension, text);
            dimensions.insert(dimension, value);
        };
        let ddir = self.ddir();
        let (disk, flags) = match ddir {
            Ddir::Read => (Self::disk(self.input.as_ref()), &self.input_flags),
            _ => (Self::disk(self.output.as_ref()), &self.output_flags),
        };
        let direct = flags.iter().any(|flag| flag == "direct");
        match ddir {
            Ddir::Read | Ddir::Write => {
                set(Dimension::Rw, ddir.as_str());
                set(Dimension::Direct, if direct { "1" } else { "0" });
            }
            // No disk on either side: what this measures must not stand for one.
            _ if disk.is_none() => set(Dimension::Device, self.input.as_deref().unwrap_or("stdin")),
            _ => set(Dimension::Direct, if direct { "1" } else { "0" }),
        }
        if ddir == Ddir::Write {
            set(Dimension::Other("sync".to_owned()), self.sync());
        }
        match disk {
            Some(device) if device.starts_with("/dev/") => set(Dimension::Device, device),
            Some(file) => {
                if let Some((folder, _)) = file.rsplit_once('/').filter(|(folder, _)| folder.starts_with('/'))
                {
                    set(Dimension::Other("folder".to_owned()), folder);
                    for component in folder.split('/').rev() {
                        for (dimension, entry) in labels::from_directory(component).dimensions {
                            dimensions.entry(dimension).or_insert(entry.value);
                        }
                    }
                }
            }
            None => {}
        }
        dimensions
    }

    /// Flags and conversions that no dimension holds and that may change the figure.
    pub(super) fn conditions(&self) -> BTreeMap<String, String> {
        let rest = |flags: &[String]| {
            let known = ["direct", "sync", "dsync", "fsync", "fdatasync", "notrunc"];
            let mut rest: Vec<&str> =
                flags.iter().map(String::as_str).filter(|flag| !known.contains(flag)).collect();
            rest.sort_unstable();
            rest.join(",")
        };
        [("iflag", &self.input_flags), ("oflag", &self.output_flags), ("conv", &self.conversions)]
            .into_iter()
            .map(|(name, flags)| (name.to_owned(), rest(flags)))
            .filter(|(_, flags)| !flags.is_empty())
            .collect()
    }
}

/// Bytes of dd's size: `512`, `1M`, `1MB`, `2x512`, `64k`. Source: coreutils manual, "dd invocation".
fn size(text: &str) -> Option<u64> {
    text.split('x').map(factor).try_fold(1u64, |product, factor| product.checked_mul(factor?))
}

fn factor(text: &str) -> Option<u64> {
    let split = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number: u64 = text[..split].parse().ok()?;
    let unit = match &text[split..] {
        "" | "c" => 1,
        "w" => 2,
        "b" => 512,
        "kB" | "KB" => 1000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        "k" | "K" | "KiB" => 1 << 10,
        "m" | "M" | "MiB" => 1 << 20,
        "g" | "G" | "GiB" => 1 << 30,
        _ => return None,
    };
    number.checked_mul(unit).filter(|bytes| *bytes > 0)
}
