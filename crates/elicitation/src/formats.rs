use crate::field::Format;

/// A larger pattern, compiled, is not worth its memory.
const MAX_PATTERN_BYTES: usize = 256 * 1024;

pub(crate) fn fits(format: Format, text: &str) -> bool {
    match format {
        Format::Email => is_email(text),
        Format::Uri => {
            !text.contains(|char: char| char.is_whitespace() || char.is_control())
                && url::Url::parse(text).is_ok()
        }
        Format::Date => is_date(text),
        Format::DateTime => is_date_time(text),
    }
}

/// Whether `pattern` matches somewhere in `text`; one that cannot be read matches everything, and is left to the server.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    let pattern = regex_lite::RegexBuilder::new(pattern)
        .size_limit(MAX_PATTERN_BYTES)
        .build();
    pattern.map_or(true, |pattern| pattern.is_match(text))
}

/// The form that browsers accept, [HTML](https://html.spec.whatwg.org/#valid-e-mail-address), and a domain of any script.
fn is_email(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else {
        return false;
    };
    let is_local = |char: char| char.is_alphanumeric() || ".!#$%&'*+/=?^_`{|}~-".contains(char);
    let is_label = |label: &str| {
        !label.is_empty()
            && label.len() <= 63
            && label
                .chars()
                .all(|char| char.is_alphanumeric() || char == '-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    !local.is_empty()
        && text.len() <= 320
        && local.chars().all(is_local)
        && domain.split('.').all(is_label)
}

fn is_date(text: &str) -> bool {
    let [year, month, day] = numbers(text, '-', [4, 2, 2]).unwrap_or_default();
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 => 28 + u32::from(is_leap),
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&day)
}

fn is_date_time(text: &str) -> bool {
    let Some((date, time)) = text
        .split_at_checked(10)
        .and_then(|(date, rest)| Some((date, rest.strip_prefix(['T', 't', ' '])?)))
    else {
        return false;
    };
    let Some((clock, rest)) = time.split_at_checked(8) else {
        return false;
    };
    let [hour, minute, second] = numbers(clock, ':', [2, 2, 2]).unwrap_or([u32::MAX; 3]);
    let zone = match rest.strip_prefix('.') {
        Some(fraction) => {
            let zone = fraction.trim_start_matches(|char: char| char.is_ascii_digit());
            if zone.len() == fraction.len() {
                ""
            } else {
                zone
            }
        }
        None => rest,
    };
    let is_zone = matches!(zone, "Z" | "z")
        || zone
            .strip_prefix(['+', '-'])
            .and_then(|offset| offset.split_once(':'))
            .is_some_and(|(hours, minutes)| {
                two_digits(hours).is_some_and(|hours| hours < 24)
                    && two_digits(minutes).is_some_and(|minutes| minutes < 60)
            });
    // Sixty is a leap second.
    is_date(date) && hour < 24 && minute < 60 && second <= 60 && is_zone
}

fn two_digits(text: &str) -> Option<u32> {
    (text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| text.parse().ok())?
}

fn numbers(text: &str, separator: char, lens: [usize; 3]) -> Option<[u32; 3]> {
    let mut parts = text.split(separator);
    let mut numbers = [0; 3];
    for (number, len) in numbers.iter_mut().zip(lens) {
        let part = parts
            .next()
            .filter(|part| part.len() == len && part.bytes().all(|byte| byte.is_ascii_digit()))?;
        *number = part.parse().ok()?;
    }
    parts.next().is_none().then_some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_read_to_the_letter() {
        let good = [
            (Format::Email, "a@b.co"),
            (Format::Email, "a.b+c@localhost"),
            (Format::Uri, "urn:x:y"),
            (Format::Date, "2024-02-29"),
            (Format::DateTime, "2026-12-31T23:59:60Z"),
            (Format::DateTime, "2026-12-31t00:00:00.123+05:30"),
        ];
        let bad = [
            (Format::Email, "a"),
            (Format::Email, "@b"),
            (Format::Email, "a@b@c d"),
            (Format::Email, "a@-b"),
            (Format::Uri, "no scheme"),
            (Format::Uri, "https://a b"),
            (Format::Date, "2023-02-29"),
            (Format::Date, "2023-2-1"),
            (Format::Date, "+023-02-01"),
            (Format::DateTime, "2026-12-31"),
            (Format::DateTime, "2026-12-31T24:00:00Z"),
            (Format::DateTime, "2026-12-31T23:00:00.Z"),
            (Format::DateTime, "2026-12-31T23:00:00+5:00"),
            (Format::DateTime, "é026-12-31T23:00:00Z"),
        ];
        assert_eq!(
            good.iter()
                .filter(|(format, text)| !fits(*format, text))
                .collect::<Vec<_>>(),
            Vec::<&(Format, &str)>::new()
        );
        assert_eq!(
            bad.iter()
                .filter(|(format, text)| fits(*format, text))
                .collect::<Vec<_>>(),
            Vec::<&(Format, &str)>::new()
        );
    }
}
