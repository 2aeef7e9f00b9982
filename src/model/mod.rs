//! From a scene to what is simulated: placement, selections, initial states and motions of bodies.

pub mod deform;
pub mod motion;
pub mod rotation;
pub mod select;
pub mod transform;
