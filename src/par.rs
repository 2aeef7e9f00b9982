//! The only file that imports rayon: chunked loops and sums that give the same bits for any thread count.
//!
//! The layout of work depends on the data only: callers fix the chunk length, every chunk writes its own
//! slots, and partial sums fold serially in chunk order.

use rayon::prelude::*;

/// Runs `f(chunk index, chunk)` over consecutive chunks of `length` items, the last one shorter.
pub fn chunks_mut<T: Send>(data: &mut [T], length: usize, f: impl Fn(usize, &mut [T]) + Send + Sync) {
    if rayon::current_num_threads() == 1 || data.len() <= length {
        data.chunks_mut(length).enumerate().for_each(|(i, chunk)| f(i, chunk));
    } else {
        data.par_chunks_mut(length).enumerate().for_each(|(i, chunk)| f(i, chunk));
    }
}

/// Like [`chunks_mut`], with one result slot per chunk; the caller folds `results` serially.
///
/// `results` must have one entry per chunk.
pub fn chunks_mut_with<T: Send, R: Send>(
    data: &mut [T],
    length: usize,
    results: &mut [R],
    f: impl Fn(usize, &mut [T]) -> R + Send + Sync,
) {
    assert_eq!(results.len(), data.len().div_ceil(length), "one result per chunk");
    if rayon::current_num_threads() == 1 || data.len() <= length {
        for (i, (chunk, result)) in data.chunks_mut(length).zip(results).enumerate() {
            *result = f(i, chunk);
        }
    } else {
        data.par_chunks_mut(length)
            .zip(results.par_iter_mut())
            .enumerate()
            .for_each(|(i, (chunk, result))| *result = f(i, chunk));
    }
}

/// Runs `f` with the number of the chunk over consecutive chunks of `length` items of two slices of the same length.
pub fn pairs_mut<A: Send, B: Send>(
    a: &mut [A],
    b: &mut [B],
    length: usize,
    f: impl Fn(usize, &mut [A], &mut [B]) + Send + Sync,
) {
    assert_eq!(a.len(), b.len(), "slices of the same length");
    if rayon::current_num_threads() == 1 || a.len() <= length {
        let chunks = a.chunks_mut(length).zip(b.chunks_mut(length));
        chunks.enumerate().for_each(|(i, (a, b))| f(i, a, b));
    } else {
        let chunks = a.par_chunks_mut(length).zip(b.par_chunks_mut(length));
        chunks.enumerate().for_each(|(i, (a, b))| f(i, a, b));
    }
}

/// Runs `f` with the number of the chunk over consecutive chunks of `length` items of two slices of the same length; the
/// caller folds `results`, one per chunk, serially.
pub fn pairs_mut_with<A: Send, B: Send, R: Send>(
    a: &mut [A],
    b: &mut [B],
    length: usize,
    results: &mut [R],
    f: impl Fn(usize, &mut [A], &mut [B]) -> R + Send + Sync,
) {
    assert_eq!(a.len(), b.len(), "slices of the same length");
    assert_eq!(results.len(), a.len().div_ceil(length), "one result per chunk");
    if rayon::current_num_threads() == 1 || a.len() <= length {
        let chunks = a.chunks_mut(length).zip(b.chunks_mut(length));
        for (i, ((a, b), result)) in chunks.zip(results).enumerate() {
            *result = f(i, a, b);
        }
    } else {
        let chunks = a.par_chunks_mut(length).zip(b.par_chunks_mut(length));
        chunks.zip(results.par_iter_mut()).enumerate().for_each(|(i, ((a, b), result))| *result = f(i, a, b));
    }
}

/// Like [`chunks_mut`], with the chunk's own entry of `states`, which must have one per chunk.
pub fn chunks_mut_and<T: Send, S: Send>(
    data: &mut [T],
    length: usize,
    states: &mut [S],
    f: impl Fn(usize, &mut [T], &mut S) + Send + Sync,
) {
    assert_eq!(states.len(), data.len().div_ceil(length), "one state per chunk");
    if rayon::current_num_threads() == 1 || data.len() <= length {
        for (i, (chunk, state)) in data.chunks_mut(length).zip(states).enumerate() {
            f(i, chunk, state);
        }
    } else {
        data.par_chunks_mut(length)
            .zip(states.par_iter_mut())
            .enumerate()
            .for_each(|(i, (chunk, state))| f(i, chunk, state));
    }
}

/// `f(0), f(1), …, f(count − 1)` in order, computed in parallel.
pub fn map<R: Send>(count: usize, f: impl Fn(usize) -> R + Send + Sync) -> Vec<R> {
    if rayon::current_num_threads() == 1 || count <= 1 {
        (0..count).map(f).collect()
    } else {
        (0..count).into_par_iter().map(f).collect()
    }
}

/// Sums of this many runs of parts stand side by side.
const SLOTS: usize = 64;

/// `f(0), f(1), …, f(count − 1)`, computed in parallel and added up in an order that depends on `count` alone.
pub fn fold<R: Copy + Default + Send>(
    count: usize,
    f: impl Fn(usize) -> R + Send + Sync,
    add: impl Fn(R, R) -> R + Send + Sync,
) -> R {
    let mut slots = [R::default(); SLOTS];
    let each = count.div_ceil(SLOTS).max(1);
    let slots = &mut slots[..count.div_ceil(each)];
    chunks_mut(slots, 1, |slot, out| {
        let own = slot * each..count.min((slot + 1) * each);
        out[0] = own.map(&f).fold(R::default(), &add);
    });
    slots.iter().copied().fold(R::default(), add)
}

/// Runs both, at once where a thread is free.
pub fn both(a: impl FnOnce() + Send, b: impl FnOnce() + Send) {
    if rayon::current_num_threads() == 1 {
        a();
        b();
    } else {
        rayon::join(a, b);
    }
}

/// Threads that the functions above use.
pub fn threads() -> usize {
    rayon::current_num_threads()
}

/// Runs `f` as one of the process's threads, of which there are `count` from the first call on, or one per core.
///
/// The functions above work on any thread, but one from outside has to wake one of these each time, and to be woken.
pub fn enter<R: Send>(count: Option<usize>, f: impl FnOnce() -> R + Send) -> R {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(count.unwrap_or(0)).stack_size(STACK);
    // This only fails because the pool already stands, which is what it asks for.
    let _ = pool.build_global();
    rayon::scope(|_| f())
}

/// Bytes of a thread's stack: as many as the first thread of a process has.
const STACK: usize = 8 << 20;

/// Runs `f` with exactly `count` threads, for tests of determinism.
pub fn with_threads<R: Send>(count: usize, f: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(count).build().expect("a thread pool").install(f)
}
