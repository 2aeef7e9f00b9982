//! Sweeps on other machines: an array job of Slurm, a workflow of Snakemake. Both call plain `pliant simulate` for each case,
//! with `--resume`, so that a case that was killed and queued again goes on where it was.

use std::io::Write;
use std::path::{Path, PathBuf};

use super::Sweep;
use crate::error::Result;
use crate::fs::write_atomically;

/// What a job is given.
#[derive(Clone, Debug, PartialEq)]
pub struct Needs {
    /// The program, as the other machines find it.
    pub program: String,
    /// Its global flags.
    pub flags: Vec<String>,
    /// Cases that a task runs one after the other.
    pub chunk: usize,
    /// Cores of a task.
    pub threads: usize,
    /// Minutes of a task.
    pub minutes: u64,
    /// Megabytes of a task.
    pub megabytes: u64,
    /// Tasks at a time; all if it is not given.
    pub at_a_time: Option<usize>,
}

/// The command of a case for a shell.
fn command(sweep: &Sweep, needs: &Needs, case: &super::Case) -> String {
    let threads = ["--threads".to_owned(), needs.threads.to_string()];
    let words = std::iter::once(needs.program.clone()).chain(needs.flags.iter().cloned());
    let words = words.chain(sweep.arguments(case)).chain(threads);
    words.map(|word| quoted(&word)).collect::<Vec<_>>().join(" ")
}

/// A word for a shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=+:,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Writes the script of an array job and the commands that its tasks run; returns the path of the script.
pub fn slurm(sweep: &Sweep, needs: &Needs) -> Result<PathBuf> {
    let commands: String = sweep.cases.iter().map(|case| command(sweep, needs, case) + "\n").collect();
    let lines = sweep.directory.join("cases.sh");
    write(&lines, &commands)?;
    let tasks = sweep.cases.len().div_ceil(needs.chunk);
    let limit = needs.at_a_time.map_or_else(String::new, |most| format!("%{most}"));
    let text = format!(
        "#!/bin/bash\n\
         # Runs the sweep '{name}': each task {chunk} of the {count} lines of cases.sh. A task that is queued again goes on\n\
         # where it was killed.\n\
         #SBATCH --job-name={name}\n\
         #SBATCH --array=1-{tasks}{limit}\n\
         #SBATCH --cpus-per-task={threads}\n\
         #SBATCH --time={minutes}\n\
         #SBATCH --mem={megabytes}M\n\
         #SBATCH --requeue\n\
         #SBATCH --open-mode=append\n\
         #SBATCH --output={logs}/slurm-%A_%a.log\n\
         failed=0\n\
         first=$(( (SLURM_ARRAY_TASK_ID - 1) * {chunk} + 1 ))\n\
         for line in $(seq \"$first\" $(( first + {chunk} - 1 ))); do\n\
         \x20   command=$(sed -n \"${{line}}p\" {lines})\n\
         \x20   if [ -n \"$command\" ]; then\n\
         \x20       eval \"$command\" || failed=1\n\
         \x20   fi\n\
         done\n\
         exit $failed\n",
        name = sweep.name,
        chunk = needs.chunk,
        count = sweep.cases.len(),
        threads = needs.threads,
        minutes = needs.minutes,
        megabytes = needs.megabytes,
        logs = sweep.directory.join("logs").display(),
        lines = quoted(&lines.to_string_lossy()),
    );
    let script = sweep.directory.join("sweep.sbatch");
    write(&script, &text)?;
    Ok(script)
}

/// Writes a workflow with a job for each case; returns its path.
pub fn snakemake(sweep: &Sweep, needs: &Needs) -> Result<PathBuf> {
    let python = |text: &str| serde_json::Value::String(text.to_owned()).to_string();
    let entry = |case: &super::Case| {
        format!("    {}: {},\n", python(&case.name), python(&command(sweep, needs, case)))
    };
    let entries: String = sweep.cases.iter().map(entry).collect();
    let text = format!(
        "# Runs the sweep '{name}': snakemake --snakefile Snakefile --cores N\n\
         DIRECTORY = {directory}\n\
         COMMANDS = {{\n{entries}}}\n\n\
         rule all:\n    input:\n        [DIRECTORY + \"/\" + case + \"/summary.json\" for case in COMMANDS],\n\n\
         rule simulate:\n    output:\n        DIRECTORY + \"/{{case}}/summary.json\",\n    threads: {threads}\n    resources:\n        \
         mem_mb={megabytes},\n        runtime={minutes},\n    params:\n        command=lambda wildcards: \
         COMMANDS[wildcards.case],\n    shell:\n        \"{{params.command}}\"\n",
        name = sweep.name,
        directory = python(&sweep.directory.to_string_lossy()),
        threads = needs.threads,
        megabytes = needs.megabytes,
        minutes = needs.minutes,
    );
    let path = sweep.directory.join("Snakefile");
    write(&path, &text)?;
    Ok(path)
}

fn write(path: &Path, text: &str) -> Result<()> {
    write_atomically(path, |out| out.write_all(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_through_a_shell() {
        for word in ["a b", "it's", "$HOME", "x=\"y\"", "", "world.gravity=[0, -9.81, 0]"] {
            let out = std::process::Command::new("sh")
                .args(["-c", &format!("printf %s {}", quoted(word))])
                .output();
            assert_eq!(String::from_utf8_lossy(&out.unwrap().stdout), word);
        }
    }
}
