use std::sync::Arc;

use mcp_bridge_tool_schemas::{Limits, SchemaErrorKind, SchemaKey, ValidatorCache};
use serde_json::json;

#[test]
fn equal_schemas_share_one_validator() {
    let cache = ValidatorCache::default();
    let schema = json!({"type": "object"});
    let first = cache.get(&schema).unwrap();
    let again = cache
        .get_keyed(SchemaKey::of(&schema), &schema.clone())
        .unwrap();
    assert!(Arc::ptr_eq(&first, &again));
    assert_eq!(cache.len(), 1);
}

#[test]
fn the_one_unused_longest_makes_room() {
    let cache = ValidatorCache::new(2, Limits::default());
    let [a, b, c] = ["a", "b", "c"].map(|title| json!({"title": title}));
    let first = cache.get(&a).unwrap();
    cache.get(&b).unwrap();
    cache.get(&a).unwrap();
    cache.get(&c).unwrap();
    assert_eq!(cache.len(), 2);
    assert!(Arc::ptr_eq(&first, &cache.get(&a).unwrap()));
}

#[test]
fn a_schema_that_does_not_compile_stays_an_error() {
    let cache = ValidatorCache::default();
    for _ in 0..2 {
        let error = cache.get(&json!({"type": 5})).unwrap_err();
        assert_eq!(error.kind(), SchemaErrorKind::Invalid);
    }
}

#[test]
fn many_threads_get_the_same_validator() {
    let cache = ValidatorCache::default();
    let schema = json!({"type": "object", "required": ["a"]});
    let validators = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| cache.get(&schema).unwrap()))
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect::<Vec<_>>()
    });
    assert!(
        validators
            .windows(2)
            .all(|pair| Arc::ptr_eq(&pair[0], &pair[1]))
    );
}
