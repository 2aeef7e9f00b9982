//! A value over time: linear between keys, constant before the first and after the last.

/// The value of a track at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Key<const N: usize> {
    /// The time of the key, in s.
    pub time: f64,
    /// The N numbers at that time.
    pub value: [f64; N],
}

/// N numbers as functions of time.
#[derive(Clone, Debug, PartialEq)]
pub struct Track<const N: usize> {
    /// The keys, strictly ascending in time.
    keys: Vec<Key<N>>,
}

impl<const N: usize> Track<N> {
    /// A track with the same value at all times.
    pub fn constant(value: [f64; N]) -> Self {
        Track { keys: vec![Key { time: 0.0, value }] }
    }

    /// A track through keys that are ascending in time; without any keys it is zero.
    pub fn new(keys: Vec<Key<N>>) -> Self {
        Track { keys }
    }

    /// The value at `time` (s).
    pub fn at(&self, time: f64) -> [f64; N] {
        let next = self.keys.partition_point(|key| key.time <= time);
        match (next.checked_sub(1).map(|i| self.keys[i]), self.keys.get(next)) {
            (Some(a), Some(b)) => {
                let part = (time - a.time) / (b.time - a.time);
                std::array::from_fn(|i| a.value[i] + part * (b.value[i] - a.value[i]))
            }
            (Some(key), None) => key.value,
            (None, Some(key)) => key.value,
            (None, None) => [0.0; N],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_linear_between_keys_and_constant_outside() {
        let key = |time, x: f64| Key { time, value: [x, -x] };
        let track = Track::new(vec![key(1.0, 2.0), key(3.0, 6.0), key(3.5, 0.0)]);
        for (time, x) in
            [(-1.0, 2.0), (1.0, 2.0), (2.5, 5.0), (3.0, 6.0), (3.25, 3.0), (3.5, 0.0), (9.0, 0.0)]
        {
            assert_eq!(track.at(time), [x, -x], "at {time} s");
        }
        assert_eq!(Track::constant([7.0]).at(-5.0), [7.0]);
        assert_eq!(Track::<3>::new(vec![]).at(1.0), [0.0; 3]);
    }
}
