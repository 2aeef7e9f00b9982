//! How much memory a simulation takes, and how much there is: what does not fit is refused before it starts.

/// Bytes per cell: block, elements, sums of chunks and places in them of a term, output arrays.
const PER_CELL: u64 = 400;
/// Bytes per vertex: positions, gradients, L-BFGS pairs, frames in the writer's queue.
const PER_VERTEX: u64 = 1500;

/// A rough lower bound in bytes, without the factor of the system matrix.
pub fn of_simulation(vertices: usize, cells: usize) -> u64 {
    PER_CELL * cells as u64 + PER_VERTEX * vertices as u64
}

/// Bytes that the system can give away now, where it tells.
pub fn available() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("MemAvailable:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(1024 * kilobytes)
}
