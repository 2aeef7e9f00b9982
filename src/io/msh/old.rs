//! Versions 1 and 2 of MSH.

use super::super::Parsed;
use super::source::Source;
use super::{Contents, kind};

/// Reads `$NOD` or `$Nodes`: a count, then the number and the coordinates of each node.
pub(super) fn nodes(source: &mut Source, contents: &mut Contents) -> Parsed<()> {
    let count = source.scanner.integer("the number of nodes")?;
    source.begin_binary();
    for _ in 0..source.check_count(count, 28, 4)? {
        let number = source.int("the number of a node")?;
        let point = source.point()?;
        contents.push_node(number, point);
    }
    Ok(())
}

/// Reads `$ELM` of version 1: number, type, physical group, entity, the number of nodes, and the nodes.
pub(super) fn first_elements(source: &mut Source, contents: &mut Contents) -> Parsed<()> {
    for _ in 0..source.scanner.count("the number of elements", 6)? {
        let number = source.int("the number of an element")?;
        let (kind, expected) = kind(source.int("the type of an element")?, source)?;
        let tags = [source.int("a physical group")?, source.int("an entity")?];
        let given = source.int("the number of nodes of an element")?;
        if given != expected as i64 {
            return Err(
                source.fault(format!("element {number} has {given} nodes where {expected} should be"))
            );
        }
        let nodes = nodes_of(source, expected)?;
        contents.push_element(number, kind, &nodes, tags)?;
    }
    Ok(())
}

/// Reads `$Elements` of version 2: number, type, tags, and the nodes; binary files have blocks of one type.
pub(super) fn elements(source: &mut Source, contents: &mut Contents) -> Parsed<()> {
    let count = source.scanner.integer("the number of elements")?;
    source.begin_binary();
    let count = source.check_count(count, 8, 4)?;
    if !source.is_binary() {
        for _ in 0..count {
            let number = source.int("the number of an element")?;
            let (kind, nodes) = kind(source.int("the type of an element")?, source)?;
            let tag_count = source.int("the number of tags")?;
            element(source, contents, number, (kind, nodes), tag_count)?;
        }
        return Ok(());
    }
    let mut done = 0;
    while done < count {
        let (kind, nodes) = kind(source.int("the type of elements")?, source)?;
        let block = source.int("the number of elements of a block")?;
        let tag_count = source.int("the number of tags")?;
        for _ in 0..source.check_count(block, 4 * (1 + nodes), 1)?.max(1) {
            let number = source.int("the number of an element")?;
            element(source, contents, number, (kind, nodes), tag_count)?;
            done += 1;
        }
    }
    Ok(())
}

fn element(
    source: &mut Source,
    contents: &mut Contents,
    number: i64,
    (kind, nodes): (i64, usize),
    tag_count: i64,
) -> Parsed<()> {
    let mut tags = [0; 2];
    for i in 0..source.check_count(tag_count, 4, 1)? {
        let tag = source.int("a tag")?;
        if let Some(slot) = tags.get_mut(i) {
            *slot = tag;
        }
    }
    let nodes = nodes_of(source, nodes)?;
    contents.push_element(number, kind, &nodes, tags)
}

fn nodes_of(source: &mut Source, count: usize) -> Parsed<Vec<i64>> {
    (0..count).map(|_| source.int("the number of a node")).collect()
}
