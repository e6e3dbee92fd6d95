/// Letters and digits in lower case, one `_` for each run of anything else: what differs only in spelling is equal.
pub(crate) fn fold(text: &str) -> String {
    folded(text, |_| false)
}

/// The same for a glob, whose `*` and `?` stay.
pub(crate) fn fold_glob(text: &str) -> String {
    folded(text, |c| matches!(c, '*' | '?'))
}

fn folded(text: &str, keep: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut gap = false;
    for c in text.chars() {
        if keep(c) || c.is_alphanumeric() {
            if gap && !out.is_empty() {
                out.push('_');
            }
            gap = false;
            out.extend(c.to_lowercase());
        } else {
            gap = true;
        }
    }
    out
}

/// Lower case, and `_` for every character outside letters and digits: keeps the `__` of a public name apart.
pub(crate) fn fold_name(name: &str) -> String {
    let fold = |c: char| if c.is_alphanumeric() { c } else { '_' };
    name.chars()
        .map(fold)
        .flat_map(char::to_lowercase)
        .collect()
}

/// Every way to cut `text` in two at `separator` with something on both sides, at most eight.
pub(crate) fn cuts<'a>(
    text: &'a str,
    separator: &'static str,
) -> impl Iterator<Item = (&'a str, &'a str)> {
    text.match_indices(separator)
        .take(8)
        .filter_map(move |(at, _)| {
            let (left, rest) = text.split_at_checked(at)?;
            Some((left, rest.strip_prefix(separator)?))
        })
        .filter(|(left, right)| !left.is_empty() && !right.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_fold_together() {
        let cases = [
            ("Team DB", "team_db"),
            ("drop-database", "drop_database"),
            ("__x__", "x"),
            ("Ünïcode", "ünïcode"),
            ("", ""),
        ];
        for (given, want) in cases {
            assert_eq!(fold(given), want, "given {given:?}");
        }
        assert_eq!(fold_glob("Get-*"), "get_*");
        assert_eq!(fold_name("mcp__A-b"), "mcp__a_b");
    }

    #[test]
    fn a_name_is_cut_at_every_separator() {
        let found: Vec<_> = cuts("a__b__c", "__").collect();
        assert_eq!(found, [("a", "b__c"), ("a__b", "c")]);
        assert_eq!(cuts("__a", "__").count(), 0);
    }
}
