/// Whether a key, parameter or header of this name holds a secret as a rule: `apiKey`, `X-Auth-Token`, `db_password`.
///
/// The name is read word by word, at `_`, `-`, `.`, spaces and capitals, so that `author`, `tokenizer` and `keyboard`
/// are not taken for what they begin with.
///
/// ```
/// use mcp_bridge_public_text::is_secret_name;
///
/// assert!(is_secret_name("accessKeySecret") && is_secret_name("Authorization") && is_secret_name("pgpassword"));
/// assert!(!is_secret_name("author") && !is_secret_name("max_tokens") && !is_secret_name("key"));
/// ```
#[must_use]
pub fn is_secret_name(name: &str) -> bool {
    let words = words(name);
    let single = words.iter().any(|word| {
        WORDS.contains(&word.as_str())
            || ENDINGS.iter().any(|ending| word.ends_with(ending))
            || word.starts_with("accesskey")
    });
    let pair = words.windows(2).any(|pair| match pair {
        [first, second] => second == "key" && KEY_KINDS.contains(&first.as_str()),
        _ => false,
    });
    single || pair
}

const WORDS: &[&str] = &[
    "auth",
    "authorization",
    "cookie",
    "cookies",
    "credential",
    "credentials",
    "jwt",
    "pass",
    "passphrase",
    "passwd",
    "password",
    "passwords",
    "pwd",
    "secret",
    "secrets",
    "session",
    "sessionid",
    "sid",
    "signature",
    "token",
];

/// Ends of words written together, as in `pgpassword` or `refreshtoken`.
const ENDINGS: &[&str] = &[
    "accesskey",
    "accesskeyid",
    "apikey",
    "authtoken",
    "accesstoken",
    "refreshtoken",
    "clientsecret",
    "cookie",
    "credential",
    "credentials",
    "passphrase",
    "passwd",
    "password",
    "privatekey",
    "secret",
    "secretkey",
    "sessionid",
    "sessiontoken",
];

const KEY_KINDS: &[&str] = &[
    "access",
    "account",
    "api",
    "auth",
    "encryption",
    "master",
    "private",
    "secret",
    "shared",
    "signing",
];

/// A longer name is read by its end, where the telling word stands.
const MAX_NAME_CHARS: usize = 128;

fn words(name: &str) -> Vec<String> {
    let mut chars: Vec<char> = name.chars().rev().take(MAX_NAME_CHARS).collect();
    chars.reverse();
    let mut words = vec![String::new()];
    let mut before_lower = false;
    for (index, &char) in chars.iter().enumerate() {
        let next_lower = chars.get(index + 1).is_some_and(|next| next.is_lowercase());
        let starts = char.is_uppercase() && (before_lower || next_lower);
        if (!char.is_alphanumeric() || starts) && words.last().is_some_and(|word| !word.is_empty())
        {
            words.push(String::new());
        }
        if let (true, Some(word)) = (char.is_alphanumeric(), words.last_mut()) {
            word.extend(char.to_lowercase());
        }
        before_lower = char.is_lowercase() || char.is_numeric();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_word_by_word() {
        let secret = [
            "token",
            "API-KEY",
            "apiKey",
            "APIKey",
            "access-token",
            "refreshToken",
            "client_secret",
            "clientSecret",
            "pwd",
            "private_key",
            "sessionid",
            "AccessKeyId",
            "accessKeySecret",
            "auth",
            "x-auth-token",
            "credential-file",
            "password hint",
            "PGPASSWORD",
            "X-Amz-Signature",
            "Cookie",
            "herrorpassword",
            "db.secret",
        ];
        let plain = [
            "author",
            "authority",
            "tokenizer",
            "max_tokens",
            "tokens",
            "key",
            "monkey",
            "secretary",
            "sessions",
            "",
            "é",
        ];
        assert_eq!(
            secret
                .iter()
                .filter(|name| !is_secret_name(name))
                .collect::<Vec<_>>(),
            Vec::<&&str>::new()
        );
        assert_eq!(
            plain
                .iter()
                .filter(|name| is_secret_name(name))
                .collect::<Vec<_>>(),
            Vec::<&&str>::new()
        );
    }
}
