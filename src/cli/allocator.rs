//! The program's memory: that of the system, with a clear end where there is no more.
#![allow(unsafe_code)] // it wraps malloc

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;

/// The memory of the system. When that has no more, the program says so and ends with code 1 instead of aborting.
pub struct Allocator;

// SAFETY: every call is handed to the system's allocator as it is, whose answer is returned unless it is null.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract, which is that of the system's allocator.
        given(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        given(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        given(unsafe { System.realloc(memory, layout, size) }, size)
    }
}

/// Memory that the system gave; ends the program if it gave none.
#[inline]
fn given(memory: *mut u8, size: usize) -> *mut u8 {
    if memory.is_null() {
        end(size);
    }
    memory
}

/// Says that there is no more memory, without taking any, and ends the program.
#[cold]
fn end(size: usize) -> ! {
    let mut text = [0; 256];
    let mut rest = &mut text[..];
    // The text is shorter than its buffer, and there is nobody else to tell if it cannot be written.
    let _ = writeln!(
        rest,
        "error: the system has no memory for {size} more bytes\n  help: use a smaller mesh or fewer threads, or raise the \
         limit (ulimit -v)"
    );
    let left = rest.len();
    let length = text.len() - left;
    let _ = std::io::stderr().write_all(&text[..length]);
    std::process::exit(1)
}
