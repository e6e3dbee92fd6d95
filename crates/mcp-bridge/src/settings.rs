//! The numbers of a bridge.

use std::time::Duration;

use crate::instructions::InstructionLimits;

/// The numbers of a bridge; every default is fit to ship.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// Calls running at once, over all servers. Default: 64.
    pub calls: usize,
    /// Calls running at once on one server. Default: 32.
    pub calls_per_server: usize,
    /// The longest tool description shown to a model, in characters. Default: 4,000.
    pub description_chars: usize,
    /// How long a `list_changed` waits for others of its kind. Default: 250 ms.
    pub refresh_quiet: Duration,
    /// How late a refresh may come while changes keep coming. Default: 2 s.
    pub refresh_late: Duration,
    /// Skills read per server at start-up. Default: 100.
    pub skills_per_server: usize,
    /// Skills of one server read at once. Default: 8.
    pub skill_reads: usize,
    /// How long the reading of one server's skills may take in all. Default: 20 s.
    pub skill_time: Duration,
    /// How much of the servers' instructions is kept and shown.
    pub instructions: InstructionLimits,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            calls: 64,
            calls_per_server: 32,
            description_chars: 4_000,
            refresh_quiet: Duration::from_millis(250),
            refresh_late: Duration::from_secs(2),
            skills_per_server: 100,
            skill_reads: 8,
            skill_time: Duration::from_secs(20),
            instructions: InstructionLimits::default(),
        }
    }
}

macro_rules! setters {
    ($($field:ident, $with:ident: $type:ty;)*) => {
        impl Limits {
            $(
                #[doc = concat!("Sets [`", stringify!($field), "`](Self::", stringify!($field), ").")]
                #[must_use]
                pub fn $with(mut self, value: $type) -> Self {
                    self.$field = value;
                    self
                }
            )*
        }
    };
}

setters! {
    calls, with_calls: usize;
    calls_per_server, with_calls_per_server: usize;
    description_chars, with_description_chars: usize;
    refresh_quiet, with_refresh_quiet: Duration;
    refresh_late, with_refresh_late: Duration;
    skills_per_server, with_skills_per_server: usize;
    skill_reads, with_skill_reads: usize;
    skill_time, with_skill_time: Duration;
    instructions, with_instructions: InstructionLimits;
}
