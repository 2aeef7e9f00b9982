//! The state after the last whole frame, on disk.
//!
//! Positions and velocities, the accounts of what bodies should keep, what active terms remember and where pins began are all
//! that a step needs
//! (solvers start every step anew), so a run that resumes from here goes on to the same bytes as one that was never broken.

use std::path::Path;

use crate::error::{Action, Error, Result};
use crate::fs::{read_regular, write_synced};
use crate::model::State;
use crate::simulate::Simulation;
use crate::simulate::conserve::Account;
use crate::simulate::convergence::Record;
use crate::simulate::soundness;
use elements::math::lanes::Vec4;

const MAGIC: &[u8; 8] = b"PLIANTS4";

/// A saved state of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// What the run simulates: a hash of config and model.
    pub fingerprint: [u8; 32],
    /// The last whole frame.
    pub frame: u64,
    /// How many steps were done.
    pub step: u64,
    /// Positions and velocities.
    pub state: State,
    /// Those before the last step, where the integrator needs them.
    pub before: Option<State>,
    /// What bodies should keep; none where nobody asks.
    pub accounts: Vec<Account>,
    /// How well the steps so far converged.
    pub convergence: Record,
    /// Whether the states so far can be believed.
    pub soundness: soundness::Record,
    /// What active terms keep, in their order, then what pins that begin or end keep, if there are such.
    pub kept: Vec<Vec<u8>>,
}

/// Numbers of an account.
const ACCOUNT: usize = 8;

fn account_to_numbers(account: &Account) -> [f64; ACCOUNT] {
    let Account { linear: p, angular: l, energy, stored } = *account;
    [p[0], p[1], p[2], l[0], l[1], l[2], energy, stored]
}

fn account_from_numbers([a, b, c, d, e, f, energy, stored]: [f64; ACCOUNT]) -> Account {
    Account { linear: [a, b, c], angular: [d, e, f], energy, stored }
}

impl Checkpoint {
    /// Writes it; after a loss of power too, there is this one or the one before, and it is whole.
    pub fn write(&self, path: &Path) -> Result<()> {
        let mut bytes = Vec::with_capacity(128 + 48 * self.state.x.len());
        bytes.extend(MAGIC);
        bytes.extend(self.fingerprint);
        let record = &self.convergence;
        let states = 1 + u64::from(self.before.is_some());
        let accounts = self.accounts.len() as u64;
        let numbers = [self.frame, self.step, self.state.x.len() as u64, states, accounts];
        let recorded = [record.worst.to_bits(), record.worst_step, record.worrying, record.steps];
        for number in numbers.into_iter().chain(recorded).chain(self.soundness.to_numbers()) {
            bytes.extend(number.to_le_bytes());
        }
        for state in std::iter::once(&self.state).chain(&self.before) {
            for point in state.x.iter().chain(&state.v) {
                for c in point.xyz() {
                    bytes.extend(c.to_le_bytes());
                }
            }
        }
        for number in self.accounts.iter().flat_map(account_to_numbers) {
            bytes.extend(number.to_le_bytes());
        }
        for kept in &self.kept {
            bytes.extend((kept.len() as u64).to_le_bytes());
            bytes.extend(kept);
        }
        let checksum = blake3::hash(&bytes);
        bytes.extend(checksum.as_bytes());
        write_synced(path, |out| std::io::Write::write_all(out, &bytes))
    }

    /// Why this is no state of a simulation, although it has its fingerprint; `None` if it can be resumed.
    pub fn misfit(&self, simulation: &Simulation, substeps: u64) -> Option<String> {
        let vertices = simulation.model.rest.len();
        let states = || std::iter::once(&self.state).chain(&self.before);
        if let Some(state) = states().find(|state| state.x.len() != vertices || state.v.len() != vertices) {
            return Some(format!("has {} vertices, but the scene has {vertices}", state.x.len()));
        }
        let numbers = states().flat_map(|state| state.x.iter().chain(&state.v)).flat_map(|p| p.xyz());
        let booked = self.accounts.iter().flat_map(account_to_numbers);
        if numbers.chain(booked).any(|x| !x.is_finite()) {
            return Some("has numbers that are not finite".into());
        }
        let (bodies, accounts) = (simulation.ledger.accounts.len(), self.accounts.len());
        if accounts != bodies {
            return Some(format!("has the accounts of {accounts} bodies, but {bodies} are kept"));
        }
        let (kept, wanted) = (self.kept.len(), simulation.save().len());
        if kept != wanted {
            return Some(format!("has {kept} states of contacts and pins, but the scene has {wanted}"));
        }
        let steps = self.frame.checked_mul(substeps);
        (steps != Some(self.step)).then(|| format!("has {} steps for {} frames", self.step, self.frame))
    }

    /// Reads and checks it; `None` if there is none.
    pub fn read(path: &Path) -> Result<Option<Checkpoint>> {
        let bytes = match read_regular(path) {
            Ok(bytes) => bytes,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(Error::io(Action::Read, path, e)),
        };
        Checkpoint::parse(&bytes).map(Some).ok_or_else(|| Error::Run {
            path: path.to_owned(),
            reason: "is damaged or was written by another version".into(),
            hint: "start the run anew with --force".into(),
        })
    }

    fn parse(bytes: &[u8]) -> Option<Checkpoint> {
        let (body, checksum) = bytes.split_at_checked(bytes.len().checked_sub(32)?)?;
        if blake3::hash(body).as_bytes() != checksum || body.get(..8)? != MAGIC {
            return None;
        }
        let number = |at: usize| Some(u64::from_le_bytes(body.get(at..at + 8)?.try_into().ok()?));
        let (frame, step, count) = (number(40)?, number(48)?, usize::try_from(number(56)?).ok()?);
        let states = usize::try_from(number(64)?).ok().filter(|n| [1, 2].contains(n))?;
        let accounts = usize::try_from(number(72)?).ok()?;
        let convergence = Record {
            worst: f64::from_bits(number(80)?),
            worst_step: number(88)?,
            worrying: number(96)?,
            steps: number(104)?,
        };
        let mut sound = [0; soundness::NUMBERS];
        for (k, out) in sound.iter_mut().enumerate() {
            *out = number(112 + 8 * k)?;
        }
        let soundness = soundness::Record::from_numbers(sound);
        let points = count.checked_mul(48)?.checked_mul(states)?;
        let (numbers, rest) = body.get(112 + 8 * soundness::NUMBERS..)?.split_at_checked(points)?;
        let (booked, mut rest) = rest.split_at_checked(accounts.checked_mul(8 * ACCOUNT)?)?;
        let mut blocks = vec![];
        while !rest.is_empty() {
            let (length, behind) = rest.split_at_checked(8)?;
            let length = usize::try_from(u64::from_le_bytes(length.try_into().ok()?)).ok()?;
            let (kept, behind) = behind.split_at_checked(length)?;
            blocks.push(kept.to_vec());
            rest = behind;
        }
        let real = |bytes: &[u8]| f64::from_le_bytes(std::array::from_fn(|i| bytes[i]));
        let account = |bytes: &[u8]| account_from_numbers(std::array::from_fn(|k| real(&bytes[8 * k..])));
        let accounts = booked.chunks_exact(8 * ACCOUNT).map(account).collect();
        let mut points =
            numbers.chunks_exact(24).map(|p| Vec4::new(std::array::from_fn(|k| real(&p[8 * k..]))));
        let mut next =
            || State { x: points.by_ref().take(count).collect(), v: points.by_ref().take(count).collect() };
        let state = next();
        let before = (states == 2).then(next);
        let fingerprint = body[8..40].try_into().ok()?;
        Some(Checkpoint {
            fingerprint,
            frame,
            step,
            state,
            before,
            accounts,
            convergence,
            soundness,
            kept: blocks,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comes_back_to_the_bit_and_damage_is_told() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("checkpoint.bin");
        assert_eq!(Checkpoint::read(&path).unwrap(), None);
        let x = vec![Vec4::new([1.0 / 3.0, -0.0, 1e300]), Vec4::new([2.0, 5e-324, 0.1])];
        let v = vec![Vec4::ZERO, Vec4::new([1.0, 2.0, 3.0])];
        let convergence = Record { worst: 0.25, worst_step: 4, worrying: 1, steps: 9 };
        let state = State { x, v };
        for before in [None, Some(State { x: state.v.clone(), v: state.x.clone() })] {
            let (state, convergence) = (state.clone(), convergence.clone());
            let account = Account { linear: [1.0, 2.0, 0.1], angular: [3.0; 3], energy: 1e9, stored: -0.0 };
            let accounts = if before.is_some() { vec![account; 2] } else { vec![] };
            let kept = if before.is_some() { vec![vec![1, 2, 3], vec![]] } else { vec![] };
            let checkpoint = Checkpoint {
                fingerprint: [7; 32],
                frame: 3,
                step: 9,
                state,
                before,
                accounts,
                convergence,
                soundness: soundness::Record { jumps: 3, energy_jump: 0.1, ..Default::default() },
                kept,
            };
            checkpoint.write(&path).unwrap();
            assert_eq!(Checkpoint::read(&path).unwrap(), Some(checkpoint));
        }
        let whole = std::fs::read(&path).unwrap();
        for length in [0, 7, 31, 64, whole.len() - 1] {
            std::fs::write(&path, &whole[..length]).unwrap();
            assert!(Checkpoint::read(&path).is_err());
        }
    }
}
