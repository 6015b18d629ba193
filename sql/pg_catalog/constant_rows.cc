#include "sql/pg_catalog/constant_rows.h"

#include <algorithm>
#include <charconv>

#include "base/assert.h"
#include "sql/catalog/role_entry.h"
#include "sql/catalog/schema_entry.h"
#include "sql/pg_catalog/row_maker.h"

namespace gnomon::sql::pg_catalog {
namespace {

Field fieldOf(std::string_view text, Type type) {
  if (text == "$") return nullptr;
  if (type.kind == TypeKind::Boolean) return text == "t";
  if (type.isString()) {
    std::string value(text);
    std::ranges::replace(value, '_', ' ');
    return type.kind == TypeKind::Text ? Field(std::move(value)) : Field(text);
  }
  return cutNumber(text);
}

std::vector<OperatorFacts> readOperators() {
  std::vector<OperatorFacts> operators;
  for (std::string_view rest = operatorConstants().front().rows; !rest.empty();) {
    std::string_view row = cutWord(rest, ';');
    OperatorFacts& facts = operators.emplace_back();
    facts.oid = cutNumber(row);
    facts.name = cutWord(row);
    for (int i = 0; i < 3; ++i) cutWord(row);
    facts.left = cutNumber(row);
    facts.right = cutNumber(row);
    facts.result = cutNumber(row);
  }
  return operators;
}

std::vector<OperatorClassFacts> readOperatorClasses() {
  std::vector<OperatorClassFacts> classes;
  for (std::string_view rest = findConstantRows("pg_opclass")->rows; !rest.empty();) {
    std::string_view row = cutWord(rest, ';');
    OperatorClassFacts& facts = classes.emplace_back();
    facts.oid = cutNumber(row);
    facts.method = cutNumber(row);
    facts.name = cutWord(row);
    facts.family = cutNumber(row);
    facts.type = cutNumber(row);
    facts.is_default = cutWord(row) == "t";
  }
  return classes;
}

}  // namespace

std::string_view cutWord(std::string_view& text, char separator) {
  const size_t end = std::min(text.find(separator), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

uint32_t cutNumber(std::string_view& text) {
  const std::string_view word = cutWord(text);
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  CHECK(error == std::errc() && end == word.data() + word.size(), "the facts have numbers where they should");
  return number;
}

const ConstantRows* findConstantRows(std::string_view relation) {
  for (const auto& all : {operatorConstants(), accessConstants(), aggregateConstants()}) {
    const auto found = std::ranges::find(all, relation, &ConstantRows::relation);
    if (found != all.end()) return &*found;
  }
  return nullptr;
}

VirtualRows constantRows(const ConstantRows& facts, const std::vector<ColumnEntry>& columns) {
  std::vector<std::string_view> names;
  for (std::string_view rest = facts.columns; !rest.empty();) names.push_back(cutWord(rest));
  const size_t given = names.size();
  std::vector<Field> system;
  for (const ColumnEntry& column : columns) {
    const bool is_schema = column.name.ends_with("namespace");
    if (!is_schema && !column.name.ends_with("owner")) continue;
    names.push_back(column.name);
    system.emplace_back(is_schema ? kCatalogSchemaOid : kRoleOid);
  }
  RowMaker rows(columns, names);
  for (std::string_view rest = facts.rows; !rest.empty();) {
    std::string_view row = cutWord(rest, ';');
    std::vector<Field> fields;
    for (size_t i = 0; i < given; ++i)
      fields.push_back(fieldOf(cutWord(row), std::ranges::find(columns, names[i], &ColumnEntry::name)->type));
    fields.insert(fields.end(), system.begin(), system.end());
    rows.add(fields);
  }
  return rows.take();
}

const std::vector<OperatorFacts>& operatorFacts() {
  static const std::vector<OperatorFacts> operators = readOperators();
  return operators;
}

const OperatorFacts* findOperatorFacts(uint32_t oid) {
  const auto& all = operatorFacts();
  const auto found = std::ranges::find(all, oid, &OperatorFacts::oid);
  return found == all.end() ? nullptr : &*found;
}

const std::vector<OperatorClassFacts>& operatorClassFacts() {
  static const std::vector<OperatorClassFacts> classes = readOperatorClasses();
  return classes;
}

const OperatorClassFacts* findOperatorClass(uint32_t method, std::string_view name) {
  const auto& all = operatorClassFacts();
  const auto found = std::ranges::find_if(
      all, [&](const OperatorClassFacts& each) { return each.method == method && each.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace gnomon::sql::pg_catalog
