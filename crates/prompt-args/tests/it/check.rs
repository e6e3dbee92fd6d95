use mcp_bridge_prompt_args::{Declared, EmptyValue, check_required, parse, unknown_names, usage};

#[test]
fn all_missing_names_come_at_once() {
    let declared = [
        Declared::required("repo"),
        Declared::optional("depth"),
        Declared::required(""),
        Declared::required("branch"),
        Declared::required("repo"),
    ];
    let check = |line: &str, empty| {
        let missing = check_required(&declared, &parse(line).unwrap(), empty);
        missing.map_err(|missing| missing.to_string())
    };
    let both = "missing required arguments: repo, branch".to_owned();
    let one = "missing required argument: branch".to_owned();
    assert_eq!(check("", EmptyValue::Given), Err(both));
    assert_eq!(
        check("repo=x Branch=y", EmptyValue::Given),
        Err(one.clone())
    );
    assert_eq!(check("repo=x branch=", EmptyValue::Missing), Err(one));
    assert_eq!(check("repo=x branch=", EmptyValue::Given), Ok(()));
    assert_eq!(check("repo=x branch=' '", EmptyValue::Missing), Ok(()));
    assert_eq!(usage(&declared), "repo=<value> branch=<value> repo=<value>");
}

#[test]
fn unknown_names_come_with_near_misses() {
    let declared = ["repo", "branch", "region"].map(Declared::required);
    let told = |line: &str| {
        let unknown = unknown_names(&declared, &parse(line).unwrap());
        unknown.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(
        told("repo=x rpeo=1 zzzz=2"),
        [
            "the prompt has no argument \"rpeo\"; did you mean \"repo\"",
            "the prompt has no argument \"zzzz\"",
        ]
    );
    assert_eq!(
        told("REGION=1"),
        ["the prompt has no argument \"REGION\"; did you mean \"region\""]
    );
    let many: String = (0..5000)
        .map(|i| format!("{}{i}=v ", "n".repeat(100)))
        .collect();
    assert_eq!(told(&many).len(), 5000);
}
