//! Versions 4.0 and 4.1 of MSH: nodes and elements in blocks, one for each entity of the geometry.
//!
//! 4.1 has entities by dimension and number, and first all numbers of a block's nodes, then all coordinates. 4.0 has
//! number and dimension, and each node's number with its coordinates. Numbers of nodes and elements have eight bytes
//! in 4.1 and four in 4.0.

use super::super::Parsed;
use super::source::Source;
use super::{Contents, kind};

/// Reads bounding boxes and groups of points, curves, surfaces and volumes; only the groups are kept.
pub(super) fn entities(source: &mut Source, version: f64, contents: &mut Contents) -> Parsed<()> {
    source.begin_binary();
    let mut counts = [0; 4];
    for count in &mut counts {
        *count = source.long("a number of entities")?;
    }
    for (dimension, count) in counts.into_iter().enumerate() {
        let numbers = if dimension == 0 && version >= 4.1 { 3 } else { 6 };
        for _ in 0..source.check_count(count, 12 + 8 * numbers, 2 + numbers)? {
            let tag = source.int("the number of an entity")?;
            for _ in 0..numbers {
                source.double("a bound of an entity")?;
            }
            let groups = source.long("the number of physical groups")?;
            for i in 0..source.check_count(groups, 4, 1)? {
                let group = source.int("a physical group")?;
                if i == 0 {
                    contents.entities.insert((dimension as i64, tag), group);
                }
            }
            if dimension > 0 {
                let parts = source.long("the number of bounding entities")?;
                for _ in 0..source.check_count(parts, 4, 1)? {
                    source.int("a bounding entity")?;
                }
            }
        }
    }
    Ok(())
}

/// Reads the head of a block: the entity's dimension and number, and a third number.
fn block(source: &mut Source, version: f64) -> Parsed<(i64, i64, i64)> {
    let a = source.int("the dimension of an entity")?;
    let b = source.int("the number of an entity")?;
    let third = source.int("a number about the block")?;
    Ok(if version >= 4.1 { (a, b, third) } else { (b, a, third) })
}

fn number(source: &mut Source, version: f64, what: &str) -> Parsed<i64> {
    if version >= 4.1 { source.long(what) } else { source.int(what) }
}

/// Reads the head of a section: the number of blocks. 4.1 also has the least and the largest number.
fn head(source: &mut Source, version: f64) -> Parsed<usize> {
    source.begin_binary();
    let blocks = source.long("the number of blocks")?;
    for _ in 0..if version >= 4.1 { 3 } else { 1 } {
        source.long("a number about the section")?;
    }
    source.check_count(blocks, 20, 4)
}

pub(super) fn nodes(source: &mut Source, version: f64, contents: &mut Contents) -> Parsed<()> {
    for _ in 0..head(source, version)? {
        let (dimension, _, parametric) = block(source, version)?;
        let count = source.long("the number of nodes of a block")?;
        let count = source.check_count(count, 28, 4)?;
        let parameters = if parametric == 0 { 0 } else { dimension.clamp(0, 3) };
        let mut numbers = vec![];
        if version >= 4.1 {
            numbers =
                (0..count).map(|_| source.long("the number of a node")).collect::<Parsed<Vec<i64>>>()?;
        }
        for i in 0..count {
            let number = match numbers.get(i) {
                Some(number) => *number,
                None => source.int("the number of a node")?,
            };
            let point = source.point()?;
            for _ in 0..parameters {
                source.double("a parameter of a node")?;
            }
            contents.push_node(number, point);
        }
    }
    Ok(())
}

pub(super) fn elements(source: &mut Source, version: f64, contents: &mut Contents) -> Parsed<()> {
    for _ in 0..head(source, version)? {
        let (dimension, entity, gmsh_kind) = block(source, version)?;
        let (kind, node_count) = kind(gmsh_kind, source)?;
        let count = source.long("the number of elements of a block")?;
        let physical = contents.entities.get(&(dimension, entity)).copied().unwrap_or(0);
        for _ in 0..source.check_count(count, 4 * (1 + node_count), 1 + node_count)? {
            let tag = number(source, version, "the number of an element")?;
            let nodes = (0..node_count).map(|_| number(source, version, "the number of a node"));
            let nodes = nodes.collect::<Parsed<Vec<i64>>>()?;
            contents.push_element(tag, kind, &nodes, [physical, entity])?;
        }
    }
    Ok(())
}
