#include "sql/plpgsql/tests/test_catalog.h"

#include <fmt/format.h>

#include <stdexcept>
#include <variant>

#include "sql/bind/binder.h"
#include "sql/bound_statement.h"
#include "sql/parse/ast.h"
#include "sql/parse/ast_statement.h"
#include "sql/parse/parser.h"
#include "sql/plpgsql/tests/corpus.h"
#include "sql/tests/memory_store.h"

namespace gnomon::sql::plpgsql {

TestCatalog::TestCatalog(std::string_view definitions) : catalog_(std::make_unique<MemoryStore>()) {
  for (const ParsedStatement& statement : parse(definitions)) {
    BindContext context{catalog_, {}, false, "alice", "db", "", definitions};
    const BoundStatement bound = bind(statement, context);
    if (const auto* table = std::get_if<CreateTableStatement>(&bound.body)) {
      define(catalog_, *table);
      continue;
    }
    txn::TransactionManager transactions;
    defineAlone(catalog_, transactions, CancelToken(), [&](CatalogTransaction& catalog, const auto& definition) {
      catalog.defineType(std::get<DefineTypeStatement>(bound.body), nullptr, definition);
    });
  }
}

VariableType TestCatalog::typeOfText(std::string_view text) {
  if (text.ends_with("%type")) {
    const size_t dot = text.find('.');
    const auto type = types_.columnType("", text.substr(0, dot), text.substr(dot + 1, text.size() - dot - 6));
    if (!type) throw std::runtime_error(fmt::format("there is no {}", text));
    return *type;
  }
  const std::vector<ParsedStatement> statements = parse(fmt::format("SELECT CAST(NULL AS {})", text));
  const auto& query = std::get<ast::QueryPtr>(statements.at(0).tree->body);
  return types_.typeOf(query->items.at(0).expression->type);
}

std::string corpusDefinitions() {
  return fileText("corpus_setup.sql");
}

}  // namespace gnomon::sql::plpgsql
