//! The only file that imports rayon: chunked loops and sums that give the same bits for any thread count.
//!
//! The layout of work depends on the data only: callers fix the chunk length, every chunk writes its own
//! slots, and partial sums fold serially in chunk order.

use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

/// Runs `f(chunk index, chunk)` over consecutive chunks of `length` items, the last one shorter.
pub fn chunks_mut<T: Send>(data: &mut [T], length: usize, f: impl Fn(usize, &mut [T]) + Send + Sync) {
    if threads() == 1 || data.len() <= length {
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
    if threads() == 1 || data.len() <= length {
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
    if threads() == 1 || a.len() <= length {
        let chunks = a.chunks_mut(length).zip(b.chunks_mut(length));
        chunks.enumerate().for_each(|(i, (a, b))| f(i, a, b));
    } else {
        let chunks = a.par_chunks_mut(length).zip(b.par_chunks_mut(length));
        chunks.enumerate().for_each(|(i, (a, b))| f(i, a, b));
    }
}

/// Like [`pairs_mut`], with one result slot per chunk; the caller folds `results` serially.
pub fn pairs_mut_with<A: Send, B: Send, R: Send>(
    a: &mut [A],
    b: &mut [B],
    length: usize,
    results: &mut [R],
    f: impl Fn(usize, &mut [A], &mut [B]) -> R + Send + Sync,
) {
    assert_eq!(a.len(), b.len(), "slices of the same length");
    assert_eq!(results.len(), a.len().div_ceil(length), "one result per chunk");
    if threads() == 1 || a.len() <= length {
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
    if threads() == 1 || data.len() <= length {
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
    if threads() == 1 || count <= 1 {
        (0..count).map(f).collect()
    } else {
        (0..count).into_par_iter().map(f).collect()
    }
}

/// How many partial sums [`fold`] computes side by side.
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

/// Runs both functions, at the same time if a thread is free.
pub fn both(a: impl FnOnce() + Send, b: impl FnOnce() + Send) {
    if threads() == 1 {
        a();
        b();
    } else {
        rayon::join(a, b);
    }
}

/// With fewer elements than this, waking other threads takes longer than the loops over the elements do. (With two
/// threads, iterations on 1,000 tets took 1.4 times as long as with one.)
pub const WORTH_WAKING: usize = 4096;

/// Runs `f`, which consists of many short loops over so many elements. If the elements are few, this thread
/// does all the work alone. Otherwise all threads stay awake until `f` ends, because waking one takes as long
/// as many of these loops.
pub fn session<R: Send>(elements: usize, f: impl FnOnce() -> R + Send) -> R {
    if elements < WORTH_WAKING { alone(f) } else { awake(f) }
}

thread_local! {
    /// True on a thread that works alone.
    static ALONE: Cell<bool> = const { Cell::new(false) };
}

fn alone<R>(f: impl FnOnce() -> R) -> R {
    let before = ALONE.replace(true);
    let _end = Finally(|| ALONE.set(before));
    f()
}

/// Runs `f` while all other threads look for work. With more threads than cores it just calls `f`.
fn awake<R: Send>(f: impl FnOnce() -> R + Send) -> R {
    // The number of cores is asked for once, because the system takes a while to answer.
    static CORES: OnceLock<usize> = OnceLock::new();
    let cores = CORES.get_or_init(|| std::thread::available_parallelism().map_or(1, |cores| cores.get()));
    if threads() == 1 || threads() > *cores {
        return f();
    }
    let done = &AtomicBool::new(false);
    rayon::scope(|scope| {
        let own = rayon::current_thread_index();
        scope.spawn_broadcast(move |_, context| {
            if Some(context.index()) != own {
                work_until(done);
            }
        });
        let _end = Finally(|| done.store(true, Ordering::Release));
        f()
    })
}

/// How often a thread looks for work in vain before it offers its core to other processes.
const LOOKS: u32 = 100;

/// Takes part in the work of other threads until `done` is set.
fn work_until(done: &AtomicBool) {
    let mut idle = 0;
    while !done.load(Ordering::Acquire) {
        if rayon::yield_now() == Some(rayon::Yield::Executed) {
            idle = 0;
        } else if idle < LOOKS {
            idle += 1;
            std::hint::spin_loop();
        } else {
            std::thread::yield_now();
        }
    }
}

/// Calls its function when it is dropped, also while a panic unwinds.
struct Finally<F: FnMut()>(F);

impl<F: FnMut()> Drop for Finally<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// How many threads the functions above use: one, if the system gives no more.
pub fn threads() -> usize {
    let has_others = !ALONE.get() && (rayon::current_thread_index().is_some() || has_pool(None));
    if has_others { rayon::current_num_threads() } else { 1 }
}

/// Makes the process's threads on the first call: `count`, or one per core. Returns false if the system gave none.
fn has_pool(count: Option<usize>) -> bool {
    static POOL: OnceLock<bool> = OnceLock::new();
    *POOL.get_or_init(|| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(count.unwrap_or(0)).stack_size(STACK);
        // An error without a cause says that the pool exists already, which is as good.
        pool.build_global().err().is_none_or(|error| std::error::Error::source(&error).is_none())
    })
}

/// Runs `f` as one of the process's threads. The first call fixes their number: `count`, or one per core.
///
/// The functions above work on any thread. But a thread from outside the pool has to wake one of the pool's threads on
/// each call, and to be woken by it at the end.
pub fn enter<R: Send>(count: Option<usize>, f: impl FnOnce() -> R + Send) -> R {
    if has_pool(count) { rayon::scope(|_| f()) } else { f() }
}

/// The stack of each thread in bytes: as large as that of the main thread of a process.
const STACK: usize = 8 << 20;

/// Runs `f` with exactly `count` threads, for tests of determinism.
pub fn with_threads<R: Send>(count: usize, f: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(count).build().expect("a thread pool").install(f)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::time::Duration;

    use super::*;

    #[test]
    fn sessions_of_few_elements_have_one_thread_and_others_all() {
        with_threads(2, || {
            assert_eq!(session(WORTH_WAKING - 1, || (threads(), map(1000, |i| i))), (1, (0..1000).collect()));
            assert_eq!(session(WORTH_WAKING, || (threads(), map(1000, |i| i))), (2, (0..1000).collect()));
            assert_eq!(threads(), 2);
        });
    }

    /// A worker that is not told of the end of a session would wait for ever.
    #[test]
    fn sessions_end_and_leave_nothing_behind_where_a_panic_goes_through() {
        for elements in [0, WORTH_WAKING] {
            let (tell, told) = channel();
            std::thread::spawn(move || {
                let left = with_threads(2, || {
                    let ended = std::panic::catch_unwind(|| session(elements, || panic!("on purpose")));
                    (ended.is_err(), threads())
                });
                tell.send(left).unwrap();
            });
            assert_eq!(told.recv_timeout(Duration::from_secs(20)), Ok((true, 2)));
        }
    }
}
