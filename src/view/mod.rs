//! Finished runs, looked at: frames read back, charts, pages and pictures.

pub mod plot;
pub mod preview;
pub mod replay;
