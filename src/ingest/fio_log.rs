//! stub
use super::*;
pub struct FioLog;
impl Format for FioLog {
    fn name(&self) -> &'static str {
        "fio-log"
    }
    fn describe(&self) -> &'static str {
        ""
    }
    fn detect(&self, _: &Head<'_>) -> Option<Claim> {
        None
    }
    fn read(&self, _: &mut dyn Read, _: &ReadContext<'_>) -> Result<Parsed, IngestError> {
        Err(IngestError::Content { line: None, message: String::new() })
    }
}
