#pragma once

#include <gtest/gtest.h>

#include <string>

#include "sql/algebra/verify.h"
#include "sql/bind/binder.h"
#include "sql/bound_statement.h"
#include "sql/catalog/catalog.h"
#include "sql/tests/memory_store.h"
#include "sql/tests/tree_text.h"

namespace gnomon::sql {

/// Binds statements against a catalog without storage.
class BindTest : public testing::Test {
 protected:
  BoundStatement bindText(std::string_view text, std::vector<Type> parameters = {}, bool unlimited = false) {
    const std::vector<ParsedStatement> statements = parse(text);
    EXPECT_EQ(statements.size(), 1u);
    BindContext context{catalog_, std::move(parameters), unlimited, "alice", "db", "Version 1", text};
    BoundStatement bound = bind(statements.at(0), context);
    if (const auto* query = std::get_if<QueryStatement>(&bound.body)) {
      EXPECT_EQ(findViolation(*query->plan), "") << text;
    }
    return bound;
  }
  void execute(std::string_view text) { define(catalog_, std::get<CreateTableStatement>(bindText(text).body)); }
  std::string tree(std::string_view text) {
    const BoundStatement bound = bindText(text);
    return treeText(*std::get<QueryStatement>(bound.body).plan);
  }
  /// The single result column's type with its representation: "numeric Wide(25,4)".
  std::string typeOf(std::string_view expression, bool unlimited = false) {
    const BoundStatement bound = bindText("SELECT " + std::string(expression) + " FROM t", {}, unlimited);
    const auto& output = static_cast<const Output&>(*std::get<QueryStatement>(bound.body).plan->root);
    const Type type = output.columns.at(0).iu->type;
    if (type.kind != TypeKind::Numeric) return type.name();
    if (type.isBig()) return type.name() + " Big";
    const char* form = type.form == NumericForm::Small ? "Small" : "Wide";
    return type.name() + " " + form + "(" + std::to_string(type.precision) + "," + std::to_string(type.scale) + ")";
  }
  std::string namesOf(std::string_view text) {
    const BoundStatement bound = bindText(text);
    std::string names;
    for (const auto& column : static_cast<const Output&>(*std::get<QueryStatement>(bound.body).plan->root).columns)
      names += (names.empty() ? "" : ",") + column.name;
    return names;
  }
  /// "SQLSTATE position message", the position counted from 0.
  std::string errorOf(std::string_view text) {
    try {
      bindText(text);
    } catch (const SqlError& error) {
      return std::string(error.state().text()) + " " + std::to_string(error.position()) + " " + error.message();
    }
    return "no error";
  }

  Catalog catalog_{std::make_unique<MemoryStore>()};
};

}  // namespace gnomon::sql
