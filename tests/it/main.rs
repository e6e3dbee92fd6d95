//! End to end: a bridge, scripted servers, and everything that may go wrong between them.

#[cfg(test)]
mod bad_input;
#[cfg(test)]
mod common;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod main_job;
#[cfg(test)]
mod reading;
