#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "sql/types/jsonb_value.h"

namespace gnomon::sql {

/// In quotes, with escapes.
void appendJsonString(std::string_view text, std::string& out);
/// As jsonb shows it: {"a": 1, "b": [1, 2]}.
void appendJsonbText(JsonbView value, std::string& out);
/// On lines of their own, four blanks deeper each time.
void appendJsonbPretty(JsonbView value, std::string& out);

/// Reading a JSON text that has been checked (checkJson), part by part; parts are the text between the blanks around
/// them.
JsonKind jsonKindOf(std::string_view text);
/// The value without the blanks around it.
std::string_view trimmedJson(std::string_view text);
/// Visits the elements of an array until it is told false.
void forEachJsonElement(std::string_view array, const std::function<bool(std::string_view element)>& visit);
/// Visits the pairs of an object, the keys' text as it is meant.
void forEachJsonField(std::string_view object,
                      const std::function<bool(std::string_view key, std::string_view value)>& visit);
/// Of keys that are the same the last one's value.
std::optional<std::string_view> findJsonField(std::string_view object, std::string_view key);
/// A negative index counts from the end.
std::optional<std::string_view> jsonElement(std::string_view array, int64_t index);
/// Fails when the escapes of some string in it mean no text: 22P02, 22P05.
void requireMeaning(std::string_view text);
/// What a string in quotes means. Failure: 22P02, 22P05 when its escapes mean no text.
std::string jsonStringText(std::string_view quoted);
/// The text without any blanks, and without fields that are null if it is said so.
void appendCompactJson(std::string_view text, bool without_nulls, std::string& out);

}  // namespace gnomon::sql
