//! What touches what: contact of bodies with obstacles, with each other and with themselves.

use crate::error::suggest::suggestion;

/// Contact in a scene; without it, everything passes through everything.
#[derive(Clone, Debug, PartialEq)]
pub struct Contact {
    /// The gap in m below which surfaces repel each other, > 0; `None`: a part of the scene's size.
    pub distance: Option<f64>,
    /// How hard they repel each other, in Pa, > 0; `None`: as the bodies in contact are.
    pub stiffness: Option<f64>,
    /// Coefficient of friction, ≥ 0, where neither body, obstacle nor pair has its own.
    pub friction: f64,
    /// Bodies touch themselves, unless they say otherwise.
    pub own: bool,
    /// Bodies touch each other.
    pub bodies: bool,
    /// What becomes of a start in which surfaces intersect.
    pub start: ContactStart,
    /// What keeps surfaces apart.
    pub response: ContactResponse,
    /// What differs for some pairs; no two of them are about the same two names.
    pub pairs: Vec<ContactPair>,
}

impl Default for Contact {
    /// Everything touches, without friction.
    fn default() -> Self {
        Contact {
            distance: None,
            stiffness: None,
            friction: 0.0,
            own: true,
            bodies: true,
            start: ContactStart::Refuse,
            response: ContactResponse::Barrier,
            pairs: vec![],
        }
    }
}

/// What becomes of a start in which surfaces intersect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ContactStart {
    /// The scene is refused.
    #[default]
    Refuse,
    /// What intersects does not touch until it is apart.
    Exclude,
}

/// What keeps surfaces apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ContactResponse {
    /// A barrier and a filter for all motions: nothing ever intersects.
    #[default]
    Barrier,
    /// What the solver's paper does, without a guarantee.
    Published,
}

/// Two bodies, or a body and an obstacle, or twice the same body, whose contact is special.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactPair {
    /// Their names; one of them at least is a body's.
    pub between: [String; 2],
    /// Whether they touch.
    pub contact: bool,
    /// Coefficient of friction between them, ≥ 0; `None`: as elsewhere.
    pub friction: Option<f64>,
}

/// What a body says of its contact.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BodyContact {
    /// Thickness in m of its surface where it touches, ≥ 0; `None`: that of a sheet or a line, and 0 of a solid.
    pub thickness: Option<f64>,
    /// Coefficient of friction, ≥ 0; `None`: that of the scene.
    pub friction: Option<f64>,
    /// Whether it touches itself; `None`: as the scene says.
    pub own: Option<bool>,
}

/// A reason why a value is refused, by its key below the table that was checked.
pub(crate) type Refusal = (&'static str, &'static str);

/// Refusals for numbers, in the words of configs.
const POSITIVE: &str = "must be above 0";
const NOT_NEGATIVE: &str = "must not be negative";

/// True for numbers above 0.
pub(super) fn is_positive(x: f64) -> bool {
    x > 0.0 && x.is_finite()
}

fn is_not_negative(x: f64) -> bool {
    x >= 0.0 && x.is_finite()
}

/// The refusals of the checks that do not hold.
pub(super) fn failed<const N: usize>(checks: [(bool, &'static str, &'static str); N]) -> Vec<Refusal> {
    checks.into_iter().filter(|(holds, ..)| !holds).map(|(_, key, reason)| (key, reason)).collect()
}

impl Contact {
    /// What is out of range in the table itself; [`ContactPair::refusals`] tells of its pairs.
    pub(crate) fn refusals(&self) -> Vec<Refusal> {
        failed([
            (self.distance.is_none_or(is_positive), "distance", POSITIVE),
            (self.stiffness.is_none_or(is_positive), "stiffness", POSITIVE),
            (is_not_negative(self.friction), "friction", NOT_NEGATIVE),
        ])
    }

    /// Why a pair cannot be between the two that it names: the key below the pair, the reason and a hint.
    pub(crate) fn pair_refusal(
        &self,
        number: usize,
        bodies: &[&str],
        obstacles: &[&str],
    ) -> Option<(String, String, String)> {
        let pair = &self.pairs[number];
        let is_of = |names: &[&str], name: &String| names.contains(&name.as_str());
        let is_strange = |name: &String| !is_of(bodies, name) && !is_of(obstacles, name);
        if let Some(place) = pair.between.iter().position(is_strange) {
            let name = &pair.between[place];
            let hint = suggestion(name, "names", &[bodies, obstacles].concat());
            return Some((format!("between.{place}"), format!("no body or obstacle '{name}'"), hint));
        }
        if pair.between.iter().all(|name| is_of(obstacles, name)) {
            let hint = "obstacles do not touch each other: name a body".to_owned();
            return Some(("between".into(), "names two obstacles".into(), hint));
        }
        let first = self.pairs[..number].iter().position(|other| pair.is_twin_of(other))?;
        let hint = "put all that is said of two into one pair".to_owned();
        Some(("between".into(), format!("pairs.{first} is about the same two already"), hint))
    }
}

impl ContactPair {
    /// What is out of range.
    pub(crate) fn refusals(&self) -> Vec<Refusal> {
        friction_refusals(self.friction)
    }

    /// True if it is about the same two names, in either order.
    fn is_twin_of(&self, other: &ContactPair) -> bool {
        let [a, b] = &self.between;
        other.between.each_ref() == [a, b] || other.between.each_ref() == [b, a]
    }
}

impl BodyContact {
    /// What is out of range.
    pub(crate) fn refusals(&self) -> Vec<Refusal> {
        let mut refusals = failed([(self.thickness.is_none_or(is_not_negative), "thickness", NOT_NEGATIVE)]);
        refusals.extend(friction_refusals(self.friction));
        refusals
    }
}

/// What is out of range in a coefficient of friction.
pub(super) fn friction_refusals(friction: Option<f64>) -> Vec<Refusal> {
    failed([(friction.is_none_or(is_not_negative), "friction", NOT_NEGATIVE)])
}
