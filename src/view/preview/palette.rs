//! The 256 colours of a GIF: median cut (Heckbert 1982) over sample pictures.
//!
//! Colours are counted in cells of 64³. The box of cells with the largest product of share and spread is cut at the
//! median of its longest side, until there are enough boxes. A box's colour is the mean of its pixels. The most
//! frequent colour (the background) has an entry of its own, so that it is exact. Ordered dither (Bayer, 4×4) hides
//! the steps: its pattern does not move, unlike that of error diffusion, and leaves still parts of a picture the
//! same from frame to frame.

use crate::view::plot::theme::Colour;

const BITS: u32 = 6;
const CELLS: usize = 1 << (3 * BITS);
/// How far the dither moves a colour to either side, on the scale of 255.
const DITHER: i32 = 3;
const BAYER: [[i32; 4]; 4] = [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]];
const UNKNOWN: u16 = u16::MAX;

/// The counted colours of pictures.
pub struct Census {
    counts: Vec<u64>,
    sums: Vec<[u64; 3]>,
}

/// A list of colours, with a table of the nearest entries.
pub struct Palette {
    /// The colours, at most as many as were asked for.
    pub colours: Vec<Colour>,
    /// The entry of each cell, or [`UNKNOWN`].
    nearest: Vec<u16>,
    background: Colour,
}

/// A box of cells that hold pixels.
struct Cluster {
    cells: Vec<u32>,
    count: u64,
    spread: [u8; 3],
}

fn cell([r, g, b]: Colour) -> usize {
    let part = |x: u8| usize::from(x >> (8 - BITS));
    (part(r) << (2 * BITS)) | (part(g) << BITS) | part(b)
}

fn side(cell: u32, k: usize) -> u8 {
    (cell >> (BITS * (2 - k as u32))) as u8 & ((1 << BITS) - 1)
}

impl Census {
    /// A census of no pictures.
    pub fn new() -> Census {
        Census { counts: vec![0; CELLS], sums: vec![[0; 3]; CELLS] }
    }

    /// Counts the colours of a picture.
    pub fn add(&mut self, pixels: &[Colour]) {
        for pixel in pixels {
            let i = cell(*pixel);
            self.counts[i] += 1;
            (0..3).for_each(|k| self.sums[i][k] += u64::from(pixel[k]));
        }
    }

    fn cluster(&self, cells: Vec<u32>) -> Cluster {
        let spread = std::array::from_fn(|k| {
            let sides = || cells.iter().map(|c| side(*c, k));
            sides().max().unwrap_or(0) - sides().min().unwrap_or(0)
        });
        Cluster { count: cells.iter().map(|c| self.counts[*c as usize]).sum(), cells, spread }
    }

    /// Cuts a box along its longest side into two parts of about the same number of pixels.
    fn cut(&self, cluster: Cluster) -> [Cluster; 2] {
        let longest = (0..3).max_by_key(|k| cluster.spread[*k]).unwrap_or(0);
        let mut cells = cluster.cells;
        cells.sort_unstable_by_key(|c| (side(*c, longest), *c));
        let mut sum = 0;
        let half = cells.iter().position(|c| {
            sum += self.counts[*c as usize];
            2 * sum > cluster.count
        });
        let at = half.unwrap_or(0).clamp(1, cells.len() - 1);
        let rest = cells.split_off(at);
        [self.cluster(cells), self.cluster(rest)]
    }

    /// A palette of at most `most` colours, of which the first is `background`.
    pub fn palette(&self, background: Colour, most: usize) -> Palette {
        let full: Vec<u32> = (0..CELLS as u32)
            .filter(|c| self.counts[*c as usize] > 0 && *c as usize != cell(background))
            .collect();
        let mut clusters = if full.is_empty() { vec![] } else { vec![self.cluster(full)] };
        while clusters.len() + 1 < most {
            let weight = |c: &Cluster| {
                let spread = u64::from(c.spread.into_iter().max().unwrap_or(0));
                // The square root of the share lets small bright parts have colours too.
                (c.count.isqrt() + 1) * spread * spread
            };
            let Some(i) = (0..clusters.len())
                .filter(|i| clusters[*i].cells.len() > 1)
                .max_by_key(|i| weight(&clusters[*i]))
            else {
                break;
            };
            let parts = self.cut(clusters.swap_remove(i));
            clusters.extend(parts);
        }
        let mean = |c: &Cluster| -> Colour {
            std::array::from_fn(|k| {
                let sum: u64 = c.cells.iter().map(|i| self.sums[*i as usize][k]).sum();
                ((sum + c.count / 2) / c.count.max(1)) as u8
            })
        };
        let colours = std::iter::once(background).chain(clusters.iter().map(mean)).collect();
        Palette { colours, nearest: vec![UNKNOWN; CELLS], background }
    }
}

impl Default for Census {
    fn default() -> Self {
        Census::new()
    }
}

impl Palette {
    /// The palette entries of a picture's pixels.
    pub fn map(&mut self, width: usize, pixels: &[Colour]) -> Vec<u8> {
        let mut out = Vec::with_capacity(pixels.len());
        for (i, pixel) in pixels.iter().enumerate() {
            if *pixel == self.background {
                out.push(0);
                continue;
            }
            let shift = (2 * BAYER[i / width % 4][i % width % 4] - 15) * DITHER / 15;
            let moved = pixel.map(|x| (i32::from(x) + shift).clamp(0, 255) as u8);
            let cell = cell(moved);
            if self.nearest[cell] == UNKNOWN {
                self.nearest[cell] = self.search(moved);
            }
            out.push(self.nearest[cell] as u8);
        }
        out
    }

    fn search(&self, [r, g, b]: Colour) -> u16 {
        let distance = |c: &Colour| {
            let d = |x: u8, y: u8| (i32::from(x) - i32::from(y)).pow(2);
            3 * d(r, c[0]) + 4 * d(g, c[1]) + 2 * d(b, c[2])
        };
        (0..self.colours.len()).min_by_key(|i| distance(&self.colours[*i])).unwrap_or(0) as u16
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_colours_come_out_exactly_and_many_nearly() {
        let flags: Vec<Colour> = (0..100).map(|i| [[250; 3], [200, 30, 40], [20, 90, 180]][i % 3]).collect();
        let mut census = Census::new();
        census.add(&flags);
        let mut palette = census.palette([250; 3], 255);
        assert_eq!(palette.colours.len(), 3);
        let mapped = palette.map(10, &flags);
        assert!(flags.iter().zip(&mapped).all(|(c, i)| palette.colours[usize::from(*i)] == *c));

        let ramp: Vec<Colour> = (0..65536u32).map(|i| [(i % 256) as u8, (i / 256) as u8, 128]).collect();
        let mut census = Census::new();
        census.add(&ramp);
        let mut palette = census.palette([255; 3], 255);
        assert_eq!(palette.colours.len(), 255);
        let mapped = palette.map(256, &ramp);
        let error = ramp.iter().zip(&mapped).map(|(c, i)| {
            let got = palette.colours[usize::from(*i)];
            (0..3).map(|k| c[k].abs_diff(got[k])).max().unwrap()
        });
        assert!(error.max().unwrap() <= 20);
    }
}
