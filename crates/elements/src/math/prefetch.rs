//! Memory that will be needed soon.
//!
//! Loops over elements read long arrays from one end to the other, with so much arithmetic in between that processors do not
//! see far enough ahead by themselves: where the arrays are in memory and not in a cache, local steps waited for a third of
//! their time. The panels of a factor are read fast enough to do without; there it only costs.
#![allow(unsafe_code)] // core::arch intrinsics

/// How many blocks of elements ahead: the time of a few of them is that of memory.
pub const AHEAD: usize = 4;

/// Bytes of a line of the cache.
const LINE: usize = 64;

/// Asks for as much memory as `items` take, `count` items further on, which need not be part of anything. A hint: results do not
/// depend on it.
#[inline(always)]
pub fn prefetch<T>(items: &[T], count: usize) {
    let start: *const i8 = items.as_ptr().wrapping_add(count).cast();
    let mut line = 0;
    while line < size_of_val(items) {
        // SAFETY: nothing is read or written, whatever the address is.
        #[cfg(target_arch = "x86_64")]
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(start.wrapping_add(line));
        }
        line += LINE;
    }
}
