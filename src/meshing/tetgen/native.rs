//! TetGen as compiled into this program, and the child process that runs it.
#![allow(unsafe_code)] // TetGen is C++

use std::ffi::{CString, OsString, c_char, c_int};
use std::path::Path;
use std::process::ExitCode;

use super::child::COMMAND;
use super::wire::{self, Cells};

/// TetGen's exit code when memory is short, and ours for files that cannot be read or written.
const OUT_OF_MEMORY: u8 = 1;
const FAILED: u8 = 20;

/// The arrays that the shim returns.
#[repr(C)]
struct Output {
    owner: *mut std::ffi::c_void,
    points: *const f64,
    tets: *const c_int,
    point_count: c_int,
    tet_count: c_int,
}

unsafe extern "C" {
    fn pliant_tetgen(
        switches: *const c_char,
        points: *const f64,
        point_count: c_int,
        triangles: *const c_int,
        triangle_count: c_int,
        output: *mut Output,
    ) -> c_int;
    fn pliant_tetgen_free(output: *mut Output);
}

/// Serves as the child process if the arguments of the program say so; `None` if they do not.
///
/// The arguments are those that [`child`](super::child) gives: switches, a file to read and one to write. The exit
/// code is that of TetGen.
pub(crate) fn serve(mut arguments: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    if arguments.nth(1)? != COMMAND {
        return None;
    }
    let arguments: Vec<OsString> = arguments.collect();
    let code = match &arguments[..] {
        [switches, input, output] => work(&switches.to_string_lossy(), input.as_ref(), output.as_ref()),
        _ => FAILED,
    };
    Some(ExitCode::from(code))
}

fn work(switches: &str, input: &Path, output: &Path) -> u8 {
    let surface = std::fs::read(input).ok().and_then(|bytes| wire::decode::<3>(&bytes));
    let Some((points, triangles)) = surface else { return FAILED };
    match run(switches, &points, &triangles) {
        Ok((points, tets)) => match std::fs::write(output, wire::encode(&points, &tets)) {
            Ok(()) => 0,
            Err(_) => FAILED,
        },
        Err(code) => code,
    }
}

/// Calls TetGen. Two calls at once are not safe, and it may crash, so this needs a process of its own.
/// Corners must be in range.
fn run(switches: &str, points: &[[f64; 3]], triangles: &[[u32; 3]]) -> Result<Cells<4>, u8> {
    let switches = CString::new(switches).map_err(|_| FAILED)?;
    let [Ok(point_count), Ok(triangle_count)] = [points.len(), triangles.len()].map(c_int::try_from) else {
        return Err(OUT_OF_MEMORY);
    };
    let mut output = Output {
        owner: std::ptr::null_mut(),
        points: std::ptr::null(),
        tets: std::ptr::null(),
        point_count: 0,
        tet_count: 0,
    };
    // SAFETY: the counts are those of the arrays, corners are below 2³¹ as the number of points is, and the shim keeps
    // none of the pointers.
    let code = unsafe {
        pliant_tetgen(
            switches.as_ptr(),
            points.as_ptr().cast(),
            point_count,
            triangles.as_ptr().cast(),
            triangle_count,
            &mut output,
        )
    };
    let result = if code == 0 {
        // SAFETY: on success the shim's arrays hold so many points and tets until they are freed.
        unsafe {
            let points = copy(output.points.cast::<[f64; 3]>(), output.point_count);
            let tets = copy(output.tets.cast::<[u32; 4]>(), output.tet_count);
            Ok((points, tets))
        }
    } else {
        Err(u8::try_from(code).unwrap_or(FAILED))
    };
    // SAFETY: the output was filled by the shim and is freed once.
    unsafe { pliant_tetgen_free(&mut output) };
    result
}

/// # Safety
///
/// `from` points to `count` items, or is null, or the count is not positive.
unsafe fn copy<T: Copy>(from: *const T, count: c_int) -> Vec<T> {
    let count = usize::try_from(count).unwrap_or(0);
    if from.is_null() || count == 0 {
        return vec![];
    }
    // SAFETY: the caller guarantees it.
    unsafe { std::slice::from_raw_parts(from, count) }.to_vec()
}
