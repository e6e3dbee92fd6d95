/// A pattern: `*` is any run, `?` any one character. In a path, both stop at `/` and `\`, and `**` does not.
#[derive(Clone, Debug)]
pub(crate) struct Glob {
    prefix: String,
    tokens: Vec<Token>,
}

#[derive(Clone, Copy, Debug)]
enum Token {
    Char(char),
    One,
    Run,
    OneInPath,
    RunInPath,
}

impl Glob {
    /// For names: `*` crosses everything.
    pub(crate) fn of_name(pattern: &str) -> Self {
        Self::new(pattern, Token::One, Token::Run)
    }

    /// For strings that may be paths.
    pub(crate) fn of_path(pattern: &str) -> Self {
        Self::new(pattern, Token::OneInPath, Token::RunInPath)
    }

    fn new(pattern: &str, one: Token, run: Token) -> Self {
        let prefix: String = pattern
            .chars()
            .take_while(|c| !matches!(c, '*' | '?'))
            .collect();
        let mut tokens = Vec::new();
        let mut chars = pattern.chars().skip(prefix.chars().count()).peekable();
        while let Some(c) = chars.next() {
            tokens.push(match c {
                '*' if chars.peek() == Some(&'*') => {
                    while chars.next_if_eq(&'*').is_some() {}
                    Token::Run
                }
                '*' => run,
                '?' => one,
                c => Token::Char(c),
            });
        }
        Self { prefix, tokens }
    }

    pub(crate) fn is_any(&self) -> bool {
        self.prefix.is_empty() && matches!(self.tokens.as_slice(), [Token::Run])
    }

    /// Steps: characters of `text` times tokens of the pattern, at most; never exponential.
    pub(crate) fn matches(&self, text: &str) -> bool {
        let Some(rest) = text.strip_prefix(self.prefix.as_str()) else {
            return false;
        };
        match self.tokens.as_slice() {
            [] => return rest.is_empty(),
            [Token::Run] => return true,
            _ => {}
        }
        // `active[i]`: the tokens before `i` have matched what was read so far.
        let mut active = vec![false; self.tokens.len() + 1];
        if let Some(first) = active.first_mut() {
            *first = true;
        }
        self.skip_runs(&mut active);
        let mut next = active.clone();
        for c in rest.chars() {
            next.fill(false);
            let in_segment = !matches!(c, '/' | '\\');
            for (i, (token, _)) in self
                .tokens
                .iter()
                .zip(&active)
                .enumerate()
                .filter(|(_, (_, on))| **on)
            {
                let (stay, advance) = match token {
                    Token::Char(want) => (false, *want == c),
                    Token::One => (false, true),
                    Token::OneInPath => (false, in_segment),
                    Token::Run => (true, false),
                    Token::RunInPath => (in_segment, false),
                };
                if stay && let Some(slot) = next.get_mut(i) {
                    *slot = true;
                }
                if advance && let Some(slot) = next.get_mut(i + 1) {
                    *slot = true;
                }
            }
            self.skip_runs(&mut next);
            std::mem::swap(&mut active, &mut next);
            if !active.contains(&true) {
                return false;
            }
        }
        active.last() == Some(&true)
    }

    fn skip_runs(&self, active: &mut [bool]) {
        for (i, token) in self.tokens.iter().enumerate() {
            if active.get(i) == Some(&true)
                && matches!(token, Token::Run | Token::RunInPath)
                && let Some(slot) = active.get_mut(i + 1)
            {
                *slot = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_paths_differ_at_the_slash() {
        let cases = [
            // pattern, text, as a name, as a path
            ("get_*", "get_x", true, true),
            ("get_*", "set_x", false, false),
            ("*", "", true, true),
            ("a?c", "abc", true, true),
            ("a?c", "a/c", true, false),
            ("/srv/*", "/srv/a/b", true, false),
            ("/srv/**", "/srv/a/b", true, true),
            ("/srv/**/x", "/srv/a/b/x", true, true),
            ("**a*b", "xa/ab", true, true),
            ("abc", "abcd", false, false),
            ("C:\\d\\*", "C:\\d\\e\\f", true, false),
        ];
        for (pattern, text, name, path) in cases {
            let got = (
                Glob::of_name(pattern).matches(text),
                Glob::of_path(pattern).matches(text),
            );
            assert_eq!(got, (name, path), "{pattern:?} on {text:?}");
        }
    }

    #[test]
    fn many_stars_stay_cheap() {
        let glob = Glob::of_path(&"*a".repeat(200));
        assert!(!glob.matches(&"a".repeat(150)));
        assert!(glob.matches(&"a".repeat(2_000)));
    }
}
