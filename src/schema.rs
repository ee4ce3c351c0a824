//! Published JSON schemas against documents, in tests: a validator of the keywords that ours use.

#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use serde_json::Value;

/// Where a document breaks a schema; empty when it follows it.
pub(crate) fn faults(schema: &str, document: &Value) -> Vec<String> {
    let schema: Value = serde_json::from_str(schema).unwrap();
    let mut faults = Vec::new();
    check(&schema, &schema, document, "", &mut faults);
    faults
}

/// Collects where `value` breaks `schema`; knows the keywords that ours uses and fails on others.
fn check(root: &Value, schema: &Value, value: &Value, at: &str, faults: &mut Vec<String>) {
    for (keyword, rule) in schema.as_object().unwrap() {
        match keyword.as_str() {
            "$ref" => {
                let target = rule.as_str().unwrap().strip_prefix('#').unwrap();
                check(root, root.pointer(target).unwrap(), value, at, faults);
            }
            "type" => {
                let name = match value {
                    Value::Null => "null",
                    Value::Bool(_) => "boolean",
                    Value::String(_) => "string",
                    Value::Array(_) => "array",
                    Value::Object(_) => "object",
                    Value::Number(n) if n.is_u64() || n.is_i64() => "integer",
                    Value::Number(_) => "number",
                };
                let allowed: Vec<&str> = match rule {
                    Value::String(one) => vec![one.as_str()],
                    many => many.as_array().unwrap().iter().map(|t| t.as_str().unwrap()).collect(),
                };
                let fits = allowed.contains(&name) || (name == "integer" && allowed.contains(&"number"));
                if !fits {
                    faults.push(format!("{at}: {name} is none of {allowed:?}"));
                }
            }
            "const" if rule != value => faults.push(format!("{at}: {value} is not {rule}")),
            "enum" if !rule.as_array().unwrap().contains(value) => {
                faults.push(format!("{at}: {value} is none of {rule}"));
            }
            // As the standard has it, what is no object lacks nothing.
            "required" if value.is_object() => {
                for name in rule.as_array().unwrap() {
                    if value.get(name.as_str().unwrap()).is_none() {
                        faults.push(format!("{at}: {name} is missing"));
                    }
                }
            }
            "properties" | "additionalProperties" => {
                let Some(object) = value.as_object() else { continue };
                let known = schema.get("properties").and_then(Value::as_object);
                for (name, inner) in object {
                    let at = format!("{at}/{name}");
                    match (keyword.as_str(), known.and_then(|known| known.get(name))) {
                        ("properties", Some(rule)) => check(root, rule, inner, &at, faults),
                        ("additionalProperties", None) if *rule == Value::Bool(false) => {
                            faults.push(format!("{at} is unknown"));
                        }
                        ("additionalProperties", None) => check(root, rule, inner, &at, faults),
                        _ => {}
                    }
                }
            }
            "items" => {
                for (i, item) in value.as_array().into_iter().flatten().enumerate() {
                    check(root, rule, item, &format!("{at}/{i}"), faults);
                }
            }
            "oneOf" | "anyOf" => {
                let ways = rule.as_array().unwrap();
                let attempts = ways.iter().map(|way| {
                    let mut own = Vec::new();
                    check(root, way, value, at, &mut own);
                    own
                });
                let attempts: Vec<Vec<String>> = attempts.collect();
                let fitting = attempts.iter().filter(|own| own.is_empty()).count();
                if fitting == 0 || (keyword == "oneOf" && fitting > 1) {
                    faults.push(format!("{at}: {value} fits {fitting} of {} ways: {attempts:?}", ways.len()));
                }
            }
            "pattern" => {
                let pattern = regex::Regex::new(rule.as_str().unwrap()).unwrap();
                if value.as_str().is_some_and(|text| !pattern.is_match(text)) {
                    faults.push(format!("{at}: {value} does not match {rule}"));
                }
            }
            "required" | "$schema" | "$id" | "title" | "description" | "$defs" | "const" | "enum"
            | "default" | "format" => {}
            other => panic!("the schema uses `{other}`, which this test does not know"),
        }
    }
}
