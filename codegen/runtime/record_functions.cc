/// Functions of records and enums.
#include <fmt/format.h>

#include <algorithm>

#include "base/assert.h"
#include "base/sql_error.h"
#include "codegen/runtime/array_caller.h"
#include "sql/catalog/user_types.h"
#include "sql/types/record_value.h"

namespace gnomon::codegen {

using sql::ArrayBuilder;
using sql::FunctionId;
using sql::Type;

/// As records hold it: the binder has made numerics Big.
void ArrayCaller::makeRecord() {
  const StringValue names = isNull(0) ? StringValue() : string(0);
  sql::RecordBuilder builder(call_.result.definition(), names.view());
  for (size_t i = 1; i < count(); ++i)
    isNull(i) ? builder.addNull(call_.arguments[i]) : builder.add(call_.arguments[i], value(i));
  giveString(builder.finish());
}

void ArrayCaller::recordField() {
  if (isNull(0)) return giveNull();
  const sql::RecordView view(string(0));
  const auto field = static_cast<size_t>(integer(1));
  if (field >= view.size() || view.isNull(field)) return giveNull();
  if (!view.type(field).isSameAs(call_.result))
    throw SqlError(sqlstate::kDatatypeMismatch, "a field of the row has another type than was expected");
  give(view.at(field));
}

/// A NULL becomes a record whose other fields are NULL.
void ArrayCaller::recordAssign() {
  const std::vector<sql::RecordField> fields = sql::recordFields(call_.result.definition());
  const auto assigned = static_cast<size_t>(integer(1));
  sql::RecordBuilder builder(call_.result.definition());
  const std::string nothing = sql::RecordBuilder(0).finish();
  const sql::RecordView view(isNull(0) ? rt::transient(nothing) : string(0));
  for (size_t i = 0; i < fields.size(); ++i) {
    if (i == assigned)
      isNull(2) ? builder.addNull(fields[i].type) : builder.add(fields[i].type, value(2));
    else if (i >= view.size() || view.isNull(i))
      builder.addNull(fields[i].type);
    else
      builder.add(view.type(i), view.at(i));
  }
  giveString(builder.finish());
}

void ArrayCaller::recordTest(bool wants_null) {
  if (isNull(0)) return giveInteger(wants_null ? 1 : 0);
  const sql::RecordView view(string(0));
  for (size_t i = 0; i < view.size(); ++i)
    if (view.isNull(i) != wants_null) return giveInteger(0);
  giveInteger(1);
}

void ArrayCaller::retypeRecord() {
  if (isNull(0)) return giveNull();
  const sql::RecordView view(string(0));
  sql::RecordBuilder builder(call_.result.definition());
  const auto add = [&](size_t field) {
    view.isNull(field) ? builder.addNull(view.type(field)) : builder.add(view.type(field), view.at(field));
  };
  if (call_.result.definition() == 0) {
    for (size_t i = 0; i < view.size(); ++i) add(i);
  } else {
    const std::vector<std::string> names = view.names();
    for (const sql::RecordField& field : sql::recordFields(call_.result.definition())) {
      const auto found = std::ranges::find(names, field.name);
      CHECK(found < names.begin() + static_cast<ptrdiff_t>(view.size()), "a partition has the columns of its table");
      add(static_cast<size_t>(found - names.begin()));
    }
  }
  giveString(builder.finish());
}

namespace {

/// Another session may have dropped it since the statement began. Failure: 42704.
sql::TablePtr enumEntry(Type type) {
  sql::TablePtr entry = sql::findTypeEntry(type.definition());
  if (!entry)
    throw SqlError(sqlstate::kUndefinedObject, fmt::format("type with OID {} does not exist", type.definition()));
  return entry;
}

}  // namespace

void ArrayCaller::enumBound() {
  const sql::TablePtr entry = enumEntry(call_.result);
  const auto& labels = entry->type->labels;
  if (labels.empty())
    throw SqlError(sqlstate::kObjectNotInPrerequisiteState,
                   fmt::format("enum {} contains no values", call_.result.baseName()));
  const sql::TypeEntry::Label& label = call_.function == FunctionId::EnumFirst ? labels.front() : labels.back();
  sql::requireUsable(call_.result.definition(), label);
  giveInteger(label.key);
}

void ArrayCaller::enumRange() {
  const Type element = call_.result.element();
  const sql::TablePtr entry = enumEntry(element);
  ArrayBuilder builder(element);
  for (const sql::TypeEntry::Label& label : entry->type->labels) {
    const bool is_before = count() == 2 && !isNull(0) && label.key < static_cast<int64_t>(value(0).lo);
    const bool is_behind = count() == 2 && !isNull(1) && label.key > static_cast<int64_t>(value(1).lo);
    if (is_before || is_behind) continue;
    sql::requireUsable(element.definition(), label);
    builder.add(static_cast<uint64_t>(label.key), 0);
  }
  giveString(builder.finish());
}

}  // namespace gnomon::codegen
