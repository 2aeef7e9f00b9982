//! Requests memory that will be needed soon.
//!
//! Loops over elements read long arrays from one end to the other. There is so much arithmetic in between that
//! processors do not look far enough ahead by themselves: with arrays that were in memory and not in a cache, local
//! steps waited for a third of their time. The panels of a factor are read fast enough without requests, which would
//! only cost time there.
#![allow(unsafe_code)] // core::arch intrinsics

/// How many blocks of elements to look ahead. The work on a few blocks takes as long as memory needs to answer.
pub const AHEAD: usize = 4;

/// The size of a cache line in bytes.
const LINE: usize = 64;

/// Requests as many bytes as `items` has, at the address `count` items further on. That address need not belong to any
/// array. This is only a hint, and results do not depend on it.
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
