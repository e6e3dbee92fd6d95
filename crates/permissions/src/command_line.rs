/// Splits what `--allowed-tools` or `--disallowed-tools` was given into rules.
///
/// Rules are separated by commas; a comma inside parentheses or quotes belongs to the rule. Blanks around a rule and
/// empty rules are dropped.
///
/// ```
/// use mcp_bridge_permissions::split_rules;
///
/// assert_eq!(
///     split_rules("mcp__git__log, fs:write(path=/srv/**, mode<=5) ,,"),
///     ["mcp__git__log", "fs:write(path=/srv/**, mode<=5)"]
/// );
/// ```
#[must_use]
pub fn split_rules(text: &str) -> Vec<String> {
    split_outside(text, false).map(str::to_owned).collect()
}

/// The conditions of one rule, from what stands between its parentheses.
pub(crate) fn split_conditions(text: &str) -> impl Iterator<Item = &str> {
    split_outside(text, true)
}

/// The trimmed, non-empty parts between commas that stand outside parentheses, brackets and quotes. A quote outside
/// parentheses is a character of a name, unless `quotes` says that it is one.
fn split_outside(text: &str, quotes: bool) -> impl Iterator<Item = &str> {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    text.split(move |c: char| {
        if quoted {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => quoted = false,
                _ => {}
            }
            return false;
        }
        match c {
            '"' if quotes || depth > 0 => quoted = true,
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' => return depth == 0,
            _ => {}
        }
        false
    })
    .map(str::trim)
    .filter(|part| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_inside_conditions_belong_to_the_rule() {
        let cases: [(&str, &[&str]); 6] = [
            ("a,b", &["a", "b"]),
            (" a , ,b ", &["a", "b"]),
            ("a(x=1,y=2),b", &["a(x=1,y=2)", "b"]),
            (r#"a(x="),(\"",y=2),b"#, &[r#"a(x="),(\"",y=2)"#, "b"]),
            ("a(x=[1,2]),b", &["a(x=[1,2])", "b"]),
            ("a),b", &["a)", "b"]),
        ];
        for (given, want) in cases {
            assert_eq!(split_rules(given), want, "given {given:?}");
        }
    }
}
