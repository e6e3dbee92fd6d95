use mcp_bridge_prompt_args::{Declared, complete_at};
use proptest::prelude::*;

#[test]
fn tells_what_is_being_typed() {
    let declared = ["city", "day"].map(Declared::required);
    let cases = [
        // the line up to the cursor, the argument, its value, the start of a name
        ("", Some("city"), "", Some("")),
        ("Ber", Some("city"), "Ber", Some("Ber")),
        ("Berlin ", Some("day"), "", Some("")),
        ("Berlin Mon", Some("day"), "Mon", Some("Mon")),
        ("city=", Some("city"), "", None),
        ("city=Ber", Some("city"), "Ber", None),
        ("city=\"New Y", Some("city"), "New Y", None),
        ("city=New Y", Some("city"), "New Y", Some("Y")),
        ("city=x ", Some("city"), "x", Some("")),
        ("city=x day=it's", Some("day"), "it's", None),
    ];
    for (line, argument, value, name) in cases {
        let typed = complete_at(line, line.len(), &declared).unwrap();
        let got = (
            typed.argument.as_deref(),
            &*typed.value,
            typed.name.as_deref(),
        );
        assert_eq!(got, (argument, value, name), "{line:?}");
    }
    assert_eq!(complete_at("{\"a\":", 5, &declared), None);
}

#[test]
fn gives_the_arguments_before_and_the_place_to_fill() {
    let line = "a=1 b='x y' c=\"par rest";
    let typed = complete_at(line, 18, &[]).unwrap();
    assert_eq!(line.get(typed.value_span.clone()), Some("\"par"));
    assert_eq!(typed.quote, Some('"'));
    assert_eq!(
        (typed.before.get("a"), typed.before.get("b")),
        (Some("1"), Some("x y"))
    );
}

proptest! {
    #[test]
    fn any_cursor_will_do(line in "[a=' \"\\\\\u{e9}{]{0,30}", cursor in 0_usize..80) {
        if let Some(typed) = complete_at(&line, cursor, &[]) {
            prop_assert!(line.get(typed.value_span.clone()).is_some());
        }
    }
}
