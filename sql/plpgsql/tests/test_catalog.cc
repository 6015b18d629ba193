#include "sql/plpgsql/tests/test_catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <variant>

#include "base/sql_error.h"
#include "sql/bind/type_name.h"
#include "sql/parse/parser.h"
#include "sql/plpgsql/tests/corpus.h"

namespace gnomon::sql::plpgsql {
namespace {

constexpr std::array<std::string_view, 10> kPseudoTypes = {"anyelement", "anyarray",     "anynonarray",   "any",
                                                           "void",       "trigger",      "event_trigger", "internal",
                                                           "cstring",    "anycompatible"};

bool isCollatable(const Type& type) {
  const TypeKind kind = isArrayKind(type.kind) ? elementOf(type.kind) : type.kind;
  return kind == TypeKind::Text || kind == TypeKind::Varchar || kind == TypeKind::Char || kind == TypeKind::Name;
}

bool isKnownSchema(std::string_view schema) {
  return schema.empty() || schema == "plpgsql_corpus";
}

}  // namespace

TestCatalog::TestCatalog(std::string_view definitions) {
  for (const ParsedStatement& statement : parse(definitions)) {
    if (statement.rejection) throw SqlError(*statement.rejection);
    if (const auto* table = std::get_if<ast::CreateTable>(&statement.tree->body))
      define(table->relation.name, table->columns);
    if (const auto* type = std::get_if<ast::CreateType>(&statement.tree->body)) {
      if (type->is_enum) {
        VariableType value;
        value.type = Type::enumOf(1);
        value.name = type->name.name;
        domains_[value.name] = value;
      } else {
        define(type->name.name, type->attributes);
      }
    }
    if (const auto* domain = std::get_if<ast::CreateDomain>(&statement.tree->body)) {
      VariableType type = typeOf(domain->value.type);
      type.name = domain->name.name;
      type.domain = static_cast<uint32_t>(domains_.size() + 1);
      domains_[domain->name.name] = std::move(type);
    }
  }
}

void TestCatalog::define(const std::string& name, const std::vector<ast::ColumnDefinition>& columns) {
  Columns& defined = relations_[name];
  for (const ast::ColumnDefinition& column : columns) defined[column.name] = typeOf(column.type);
}

VariableType TestCatalog::typeOf(const ast::TypeName& name) {
  VariableType type;
  type.name = name.name;
  if (std::ranges::find(kPseudoTypes, name.name) != kPseudoTypes.end() && !name.is_array) {
    type.shape = VariableType::Shape::Pseudo;
    return type;
  }
  if (name.name == "refcursor") {
    type.is_cursor = !name.is_array;
    type.is_collatable = true;
    type.type = Type::of(name.is_array ? arrayOf(TypeKind::Text) : TypeKind::Text);
    return type;
  }
  const bool is_record = name.name == "record" || (isKnownSchema(name.schema) && relations_.contains(name.name));
  if (is_record && !name.modifiers.empty())
    throw SqlError(sqlstate::kSyntaxError, fmt::format("type modifier is not allowed for type \"{}\"", name.name));
  if (is_record) {
    type.type = name.is_array ? Type::recordOf(1).array() : Type::recordOf(1);
    if (!name.is_array) type.shape = VariableType::Shape::Record;
    return type;
  }
  if (const auto found = domains_.find(name.name); found != domains_.end() && isKnownSchema(name.schema))
    return found->second;
  const NamedType named = resolveTypeName(name);
  type.type = named.type;
  type.name = named.type.name();
  type.is_collatable = isCollatable(type.type);
  return type;
}

std::optional<VariableType> TestCatalog::columnType(std::string_view schema, std::string_view relation,
                                                    std::string_view column) {
  const auto found = relations_.find(relation);
  if (found == relations_.end() || !isKnownSchema(schema)) return std::nullopt;
  const auto type = found->second.find(column);
  if (type == found->second.end()) return std::nullopt;
  return type->second;
}

VariableType TestCatalog::rowType(std::string_view schema, std::string_view relation) {
  if (!isKnownSchema(schema))
    throw SqlError(sqlstate::kInvalidSchemaName, fmt::format("schema \"{}\" does not exist", schema));
  if (!relations_.contains(relation))
    throw SqlError(sqlstate::kUndefinedTable,
                   fmt::format("relation \"{}{}{}\" does not exist", schema, schema.empty() ? "" : ".", relation));
  VariableType type;
  type.shape = VariableType::Shape::Record;
  type.type = Type::recordOf(1);
  type.name = relation;
  return type;
}

void TestCatalog::requireCollation(std::span<const std::string> names) {
  static constexpr std::array<std::string_view, 4> kCollations = {"C", "POSIX", "default", "ucs_basic"};
  if (std::ranges::find(kCollations, names.back()) == kCollations.end())
    throw SqlError(sqlstate::kUndefinedObject,
                   fmt::format("collation \"{}\" for encoding \"UTF8\" does not exist", names.back()));
}

VariableType TestCatalog::typeOfText(std::string_view text) {
  const std::vector<ParsedStatement> statements = parse(fmt::format("SELECT CAST(NULL AS {})", text));
  return typeOf(std::get<ast::QueryPtr>(statements.at(0).tree->body)->items.at(0).expression->type);
}

std::string corpusDefinitions() {
  return fileText("corpus_setup.sql");
}

}  // namespace gnomon::sql::plpgsql
