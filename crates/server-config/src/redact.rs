use url::Url;

/// What stands for a value that is not shown.
pub(crate) const REDACTED: &str = "[REDACTED]";

/// `args` as they may be shown: values of flags that look secret, of secret headers, and passwords in URLs are hidden.
///
/// ```
/// let args = ["--token", "abc", "-v"].map(str::to_owned);
/// assert_eq!(mcp_bridge_server_config::redact_args(&args), ["--token", "[REDACTED]", "-v"]);
/// ```
pub fn redact_args(args: &[String]) -> Vec<String> {
    let mut shown = Vec::with_capacity(args.len());
    let mut previous: Option<&str> = None;
    for arg in args {
        let hidden = match previous.filter(|flag| flag.starts_with('-')) {
            Some("-H" | "--header") => redact_header(arg),
            Some(flag) if !flag.contains('=') && is_secret_name(flag) => REDACTED.to_owned(),
            _ => redact_arg(arg),
        };
        // A value that was hidden is no flag for the next one.
        previous = if hidden == *REDACTED { None } else { Some(arg) };
        shown.push(hidden);
    }
    shown
}

/// `url` as it may be shown: without user, password, query and fragment.
pub fn public_url(url: &str) -> String {
    match Url::parse(url) {
        // `user:password@host` without a scheme reads as one with the scheme `user`.
        Ok(parsed) if parsed.cannot_be_a_base() && url.contains('@') => REDACTED.to_owned(),
        Ok(mut parsed) => {
            let has_user = !parsed.username().is_empty() || parsed.password().is_some();
            if has_user {
                // Fails only for addresses that cannot have a user.
                let _ = parsed.set_password(None);
                let _ = parsed.set_username("");
            }
            parsed.set_query(None);
            parsed.set_fragment(None);
            parsed.into()
        }
        Err(_) => url
            .split(['?', '#', '@'])
            .next()
            .filter(|_| !url.contains('@'))
            .unwrap_or(REDACTED)
            .to_owned(),
    }
}

/// Whether a flag, variable or header of this name usually holds a secret.
pub(crate) fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase().replace('-', "_");
    [
        "authorization",
        "api_key",
        "apikey",
        "accesskeysecret",
        "access_key_secret",
        "client_secret",
        "credential",
        "password",
        "passwd",
        "cookie",
        "private_key",
        "secret",
        "token",
    ]
    .iter()
    .any(|word| name.contains(word))
}

fn redact_header(header: &str) -> String {
    let Some((name, value)) = header.split_once(':') else {
        return header.to_owned();
    };
    if !is_secret_name(name) {
        return header.to_owned();
    }
    let value = value.trim_start();
    let scheme = ["bearer", "basic"].iter().find_map(|scheme| {
        let (first, _) = value.split_once(' ')?;
        first.eq_ignore_ascii_case(scheme).then_some(first)
    });
    match scheme {
        Some(scheme) => format!("{name}: {scheme} {REDACTED}"),
        None => format!("{name}: {REDACTED}"),
    }
}

fn redact_arg(arg: &str) -> String {
    if let Some((flag, _)) = arg.split_once('=')
        && !flag.contains("://")
        && is_secret_name(flag)
    {
        return format!("{flag}={REDACTED}");
    }
    if let Some((scheme, rest)) = arg.split_once("://") {
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        if let Some((_, host)) = authority.rsplit_once('@') {
            return format!("{scheme}://{REDACTED}@{host}{path}");
        }
    }
    arg.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_secret_in_arguments_is_hidden() {
        let cases: [(&[&str], &[&str]); 6] = [
            (&["--token=abc"], &["--token=[REDACTED]"]),
            (&["--token", "--x"], &["--token", "[REDACTED]"]),
            (&["-H", "Cookie: a=b"], &["-H", "Cookie: [REDACTED]"]),
            (
                &["--header", "Authorization: Basic x"],
                &["--header", "Authorization: Basic [REDACTED]"],
            ),
            (&["https://u:p@h/x"], &["https://[REDACTED]@h/x"]),
            (&["token", "abc"], &["token", "abc"]),
        ];
        for (given, want) in cases {
            let given: Vec<String> = given.iter().map(|arg| (*arg).to_owned()).collect();
            assert_eq!(redact_args(&given), want, "given {given:?}");
        }
    }

    #[test]
    fn a_shown_url_has_no_user_and_no_query() {
        let cases = [
            ("https://u:p@h/x?k=v#f", "https://h/x"),
            ("https://h/x", "https://h/x"),
            ("not a url?k=v", "not a url"),
            ("u:p@[", "[REDACTED]"),
        ];
        for (given, want) in cases {
            assert_eq!(public_url(given), want, "given {given:?}");
        }
    }
}
