//! The program: everything is in the library's `cli`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(plotgen::cli::main(std::env::args_os()))
}
