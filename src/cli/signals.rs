//! Signals: requests to stop, and the limit on the size of files.

use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::error::Exit;

/// A flag that Ctrl-C or a termination request sets; a second one ends the process at once.
pub fn stop_on_interrupt() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = stop.clone();
    let installed = ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(Exit::Interrupted as i32);
        }
        let mut out = std::io::stderr();
        if out.is_terminal() {
            // The message is written over the progress bar, which is then drawn again. If nobody reads it, nothing is lost.
            let _ = out.write_all(b"\r\x1b[2K");
        }
        tracing::info!("stopping after this frame (again to stop at once)");
    });
    if let Err(error) = installed {
        tracing::warn!("Ctrl-C will end the run at once: {error}");
    }
    stop
}

/// Lets a write beyond the allowed size of files (`ulimit -f`) fail with an error, instead of ending the process.
pub fn survive_file_size_limit() {
    // If this fails, the signal ends the process, as it does by default.
    #[cfg(unix)]
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
}
