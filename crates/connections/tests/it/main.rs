//! Tests of the public API.

#[cfg(test)]
mod calls;
#[cfg(test)]
mod eras;
#[cfg(test)]
#[cfg(feature = "http")]
mod http;
#[cfg(test)]
mod lists;
#[cfg(test)]
#[cfg(unix)]
mod processes;
#[cfg(test)]
mod server;
