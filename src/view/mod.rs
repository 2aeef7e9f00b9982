//! Views of finished runs: frames read back, charts, pages and pictures.

pub mod plot;
pub mod preview;
pub mod replay;
