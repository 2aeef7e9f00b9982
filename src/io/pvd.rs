//! ParaView's `.pvd`: a time series of other files.

use std::io::{self, Write};
use std::path::Path;

use super::vtu_write::escape;
use crate::Result;
use crate::fs::write_atomically;

/// Writes a series of times (in seconds) and files (relative to the `.pvd`, with `/`), whole or not at all.
pub fn write_pvd<S: AsRef<str>>(path: &Path, series: &[(f64, S)]) -> Result<()> {
    write_atomically(path, |out| write_to(out, series))
}

fn write_to<S: AsRef<str>>(out: &mut impl Write, series: &[(f64, S)]) -> io::Result<()> {
    out.write_all(
        b"<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" \
          byte_order=\"LittleEndian\">\n  <Collection>\n",
    )?;
    for (time, file) in series {
        let file = escape(file.as_ref());
        writeln!(out, "    <DataSet timestep=\"{time:?}\" group=\"\" part=\"0\" file=\"{file}\"/>")?;
    }
    out.write_all(b"  </Collection>\n</VTKFile>\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_series_is_well_formed_xml() {
        let mut out = Vec::new();
        write_to(&mut out, &[(0.0, "vtu/a & b_0000.vtu"), (1e-7, "vtu/x.vtu")]).unwrap();
        let text = String::from_utf8(out).unwrap();
        let document = roxmltree::Document::parse(&text).unwrap();
        let sets: Vec<_> = document.descendants().filter(|n| n.has_tag_name("DataSet")).collect();
        assert_eq!(sets[0].attribute("file"), Some("vtu/a & b_0000.vtu"));
        assert_eq!(sets[1].attribute("timestep").unwrap().parse(), Ok(1e-7));
    }
}
