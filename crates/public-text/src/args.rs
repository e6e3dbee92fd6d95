use crate::REDACTED;
use crate::cleaner::Cleaner;
use crate::names::is_secret_name;
use crate::secrets::header_name;

/// The arguments of a command line as a status may show them: values of secret flags masked, the flags themselves kept.
///
/// A flag whose name tells of a secret hides the argument after it, whatever that is; after `-H` and `--header` a header
/// of such a name keeps its name and its scheme. Everything else is cleaned as [`Cleaner::for_model`] cleans it.
///
/// ```
/// let shown = mcp_bridge_public_text::mask_args(["--api-key", "abc", "-H", "Authorization: Bearer abc", "--port=80"]);
/// assert_eq!(shown, ["--api-key", "[REDACTED]", "-H", "Authorization: Bearer [REDACTED]", "--port=80"]);
/// ```
#[must_use]
pub fn mask_args<I>(args: I) -> Vec<String>
where
    I: IntoIterator,
    I::Item: AsRef<str>,
{
    let cleaner = Cleaner::for_model();
    let mut after = After::Plain;
    let mut shown = Vec::new();
    for arg in args {
        let arg = arg.as_ref();
        let (text, next) = match after {
            After::SecretFlag => (REDACTED.to_owned(), After::Plain),
            After::HeaderFlag => (header(arg, &cleaner), After::Plain),
            After::Plain => (cleaner.clean(arg).into_owned(), After::flag(arg)),
        };
        shown.push(text);
        after = next;
    }
    shown
}

#[derive(Clone, Copy)]
enum After {
    Plain,
    SecretFlag,
    HeaderFlag,
}

impl After {
    fn flag(arg: &str) -> Self {
        match arg {
            "-H" | "--header" => Self::HeaderFlag,
            arg if arg.starts_with('-')
                && !arg.contains(['=', ':', ' '])
                && is_secret_name(arg) =>
            {
                Self::SecretFlag
            }
            _ => Self::Plain,
        }
    }
}

fn header(arg: &str, cleaner: &Cleaner) -> String {
    let Some((name, value)) = arg.split_once(':') else {
        return cleaner.clean(arg).into_owned();
    };
    if !is_secret_name(name) && !header_name(name) {
        return cleaner.clean(arg).into_owned();
    }
    let scheme = value
        .trim()
        .split_once(' ')
        .map(|(scheme, _)| scheme)
        .filter(|scheme| {
            ["basic", "bearer", "digest", "token"]
                .iter()
                .any(|known| scheme.eq_ignore_ascii_case(known))
        });
    let name = cleaner.clean(name);
    match scheme {
        Some(scheme) => format!("{name}: {scheme} {REDACTED}"),
        None => format!("{name}: {REDACTED}"),
    }
}
