//! The example programs as a person runs them.

#[cfg(test)]
mod common;
#[cfg(test)]
mod demo_server;
#[cfg(test)]
mod embed;
#[cfg(test)]
mod host;
