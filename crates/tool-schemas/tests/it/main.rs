//! Tests of the public API.

#[cfg(test)]
mod cache;
#[cfg(test)]
mod model;
#[cfg(test)]
mod validate;
