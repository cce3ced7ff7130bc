//! Values as JSON: composite data as objects, tables of maps as objects, other tables as arrays of objects.

use serde_json::{Map, Number, Value as Json};
use trunkline_jmx::model::{CompositeData, Notification, Value};

use crate::leaves::{date, elements, key, mapped, text_of};

/// A value. Numbers of any size that JSON's readers may not hold, and what is not a number, are strings.
#[must_use]
pub fn json(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Boolean(value) => (*value).into(),
        Value::Byte(value) => (*value).into(),
        Value::Short(value) => (*value).into(),
        Value::Integer(value) => (*value).into(),
        Value::Long(value) => (*value).into(),
        Value::Float(value) => fraction(f64::from(*value), value.to_string()),
        Value::Double(value) => fraction(*value, value.to_string()),
        Value::Composite(row) => object(row),
        Value::Tabular(table) => {
            let maps: Option<Map<String, Json>> =
                table.rows.iter().map(|row| Some((key(table, row), json(mapped(table, row)?)))).collect();
            match maps.filter(|_| !table.rows.is_empty()) {
                Some(map) => Json::Object(map),
                None => table.rows.iter().map(object).collect(),
            }
        }
        Value::Map(entries) => {
            Json::Object(entries.iter().map(|(key, value)| (text_of(key), json(value))).collect())
        }
        Value::Attributes(attributes) => {
            Json::Object(attributes.iter().map(|one| (one.name.clone(), json(&one.value))).collect())
        }
        Value::Attribute(one) => Json::Object(Map::from_iter([(one.name.clone(), json(&one.value))])),
        Value::Notification(notification) => self::notification(notification),
        other => match elements(other) {
            Some(elements) => elements.iter().map(json).collect(),
            None => text_of(other).into(),
        },
    }
}

/// A notification with what its class adds.
#[must_use]
pub fn notification(notification: &Notification) -> Json {
    use trunkline_jmx::model::Detail;
    let mut fields = Map::new();
    let mut put = |name: &str, value: Json| {
        fields.insert(name.to_owned(), value);
    };
    put("type", notification.kind.as_str().into());
    put("source", text_of(&notification.source).into());
    put("sequence", notification.sequence.into());
    put("time", date(notification.time).into());
    put("message", notification.message.as_deref().into());
    put("user_data", json(&notification.user_data));
    match &notification.detail {
        Detail::None => {}
        Detail::Server { name } => put("of", name.as_ref().map(|name| name.to_text()).into()),
        Detail::AttributeChange { name, class, old, new } => {
            put("attribute", name.as_deref().into());
            put("class", class.as_deref().into());
            put("old", json(old));
            put("new", json(new));
        }
        Detail::Monitor(seen) => {
            put("observed", seen.object.as_ref().map(|name| name.to_text()).into());
            put("attribute", seen.attribute.as_deref().into());
            put("gauge", json(&seen.gauge));
            put("trigger", json(&seen.trigger));
        }
        Detail::Connection { id } => put("connection", id.as_deref().into()),
        Detail::Timer { id } => put("timer", (*id).into()),
    }
    Json::Object(fields)
}

fn object(row: &CompositeData) -> Json {
    let items = row.composite_type.items.iter().zip(&row.values);
    Json::Object(items.map(|(item, value)| (item.name.clone(), json(value))).collect())
}

fn fraction(value: f64, text: String) -> Json {
    Number::from_f64(value).map_or(Json::String(text), Json::Number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leaves::tests::{row, table};
    use serde_json::json as expected;
    use trunkline_jmx::model::Array;

    #[test]
    fn values_have_the_shape_of_their_data() {
        let usage = row("u", &[("max", Value::Long(-1)), ("used", Value::Double(0.5))]);
        assert_eq!(json(&Value::Composite(Box::new(usage.clone()))), expected!({"max": -1, "used": 0.5}));
        let properties = table(&["key"], vec![row("e", &[("key", "a.b".into()), ("value", "x".into())])]);
        assert_eq!(json(&properties), expected!({"a.b": "x"}));
        assert_eq!(json(&table(&["max"], vec![usage])), expected!([{"max": -1, "used": 0.5}]));
        assert_eq!(json(&Value::Array(Array::Longs(vec![1, i64::MAX]))), expected!([1, i64::MAX]));
        assert_eq!(json(&Value::Double(f64::NAN)), expected!("NaN"));
    }
}
