//! Compiles TetGen and the shim over it, where the feature `tetgen` is on.
//!
//! TetGen's source is not part of this package: it comes with the package `tritet`, of which nothing else is used.
//! That is a dependency for no target, so that cargo fetches it and does not build it.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "tetgen")]
    tetgen::compile();
}

#[cfg(feature = "tetgen")]
mod tetgen {
    use std::path::PathBuf;
    use std::process::Command;

    const SHIM: &str = "src/meshing/tetgen/shim.cpp";

    pub fn compile() {
        println!("cargo::rerun-if-changed={SHIM}");
        println!("cargo::rerun-if-changed=Cargo.lock");
        let source = source().unwrap_or_else(|reason| {
            panic!(
                "TetGen's source was not found: {reason}. Run `cargo fetch` where there is a network, or build \
                 without TetGen: --no-default-features"
            )
        });
        // Its predicates are exact only if no product and sum are fused.
        cc::Build::new()
            .cpp(true)
            .include(&source)
            .file(source.join("tetgen.cxx"))
            .file(source.join("predicates.cxx"))
            .file(SHIM)
            .define("TETLIBRARY", None)
            .define("NDEBUG", None)
            .flag_if_supported("-ffp-contract=off")
            .warnings(false)
            .flag_if_supported("-w")
            .compile("pliant_tetgen");
    }

    /// The directory with TetGen's source: at first without the network, then with it.
    fn source() -> Result<PathBuf, String> {
        find(&["--offline"]).or_else(|_| find(&[]))
    }

    fn find(flags: &[&str]) -> Result<PathBuf, String> {
        let cargo = std::env::var_os("CARGO").ok_or("the variable CARGO is not set")?;
        let arguments = ["metadata", "--format-version", "1", "--locked", "--no-default-features"];
        let output = Command::new(cargo)
            .args(arguments)
            .args(["--features", "tetgen"])
            .args(flags)
            .output()
            .map_err(|error| format!("cargo metadata does not run: {error}"))?;
        if !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned());
        }
        let text = String::from_utf8_lossy(&output.stdout);
        // The package itself; in lists of dependencies the name is followed by other keys.
        let package = text.split_once(r#""name":"tritet","version":"#).ok_or("tritet is no dependency")?.1;
        let path = package.split_once(r#""manifest_path":""#).ok_or("tritet has no manifest")?.1;
        let manifest = PathBuf::from(path.split('"').next().unwrap_or_default().replace(r"\\", r"\"));
        let source = manifest.with_file_name("c_code");
        source.join("tetgen.cxx").is_file().then_some(source).ok_or("tritet has no TetGen".into())
    }
}
