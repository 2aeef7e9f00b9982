//! Colours for elements, such that those of one colour share no unknown and may move together.
//!
//! The colouring is greedy: every element, in order, takes the first colour that none of its vertices has. The result
//! depends on the mesh alone and has at most Σ (valence − 1) + 1 colours. Within a colour the order of elements is
//! kept, which is close to the order of memory.

/// How many colours one pass hands out: the bits of a mask.
const PASS: usize = 64;

/// The elements of each colour, ascending. `element(i)` has the vertices of the i-th of `count` elements; those below
/// `free` are unknown. Elements without unknowns have no colour.
pub fn colours<'a>(free: usize, count: usize, element: impl Fn(usize) -> &'a [u32]) -> Vec<Vec<u32>> {
    let unknowns = |i: u32| element(i as usize).iter().map(|v| *v as usize).filter(|v| *v < free);
    let mut left: Vec<u32> = (0..count as u32).filter(|i| unknowns(*i).next().is_some()).collect();
    let mut out = vec![];
    while !left.is_empty() {
        let mut taken = vec![0u64; free];
        let mut classes = vec![vec![]; PASS];
        // An element for which all colours of this pass are taken waits for the next pass.
        left.retain(|i| {
            let colour = unknowns(*i).fold(0, |mask, v| mask | taken[v]).trailing_ones() as usize;
            if colour == PASS {
                return true;
            }
            unknowns(*i).for_each(|v| taken[v] |= 1 << colour);
            classes[colour].push(*i);
            false
        });
        out.extend(classes.into_iter().filter(|class| !class.is_empty()));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(free: usize, elements: &[Vec<u32>]) -> usize {
        let colours = colours(free, elements.len(), |i| &elements[i]);
        let mut seen = vec![0; elements.len()];
        for class in &colours {
            let mut used = vec![None; free];
            assert!(class.is_sorted());
            for i in class {
                seen[*i as usize] += 1;
                for v in elements[*i as usize].iter().filter(|v| (**v as usize) < free) {
                    // An element may name a vertex twice, but two elements of a colour must not share one.
                    assert!(
                        used[*v as usize].is_none_or(|owner| owner == *i),
                        "vertex {v} twice in a colour"
                    );
                    used[*v as usize] = Some(*i);
                }
            }
        }
        for (element, seen) in elements.iter().zip(seen) {
            assert_eq!(seen, i32::from(element.iter().any(|v| (*v as usize) < free)));
        }
        colours.len()
    }

    #[test]
    fn random_elements_are_coloured_properly() {
        let mut r = elements::math::random::signed(3);
        let mut vertex = |n: f64| ((r() * 0.5 + 0.5) * n) as u32;
        for (free, most) in [(50, 60.0), (400, 400.0)] {
            let elements: Vec<Vec<u32>> =
                (0..600).map(|i| (0..1 + i % 6).map(|_| vertex(most)).collect()).collect();
            check(free, &elements);
        }
    }

    #[test]
    fn a_chain_has_two_colours_and_a_fan_one_for_each_blade() {
        let chain: Vec<Vec<u32>> = (0..99).map(|i| vec![i, i + 1]).collect();
        assert_eq!(check(100, &chain), 2);
        let fan: Vec<Vec<u32>> = (1..150).map(|i| vec![0, i]).collect();
        assert_eq!(check(150, &fan), 149);
        // If the fan is held at its centre, its blades have no unknown in common.
        let held: Vec<Vec<u32>> = (0..149).map(|i| vec![149, i]).collect();
        assert_eq!(check(149, &held), 1);
        assert_eq!(check(0, &held), 0);
    }
}
