#include "sql/tests/tpch_plans.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "sql/bind/binder.h"
#include "sql/bound_statement.h"
#include "sql/explain/explain.h"
#include "sql/optimise/optimiser.h"
#include "sql/parse/parser.h"
#include "sql/tests/memory_store.h"

namespace gnomon::sql::test {
namespace {

std::string fileText(const std::string& name) {
  const std::filesystem::path root = GNOMON_SOURCE_FOLDER;
  std::ifstream file(root / "benchmarks/tpch" / name);
  return {std::istreambuf_iterator<char>(file), {}};
}

BoundStatement bound(const ParsedStatement& statement, const Catalog& catalog, std::string_view text) {
  BindContext context{catalog, {}, false, "", "", "", text};
  return sql::bind(statement, context);
}

}  // namespace

TpchPlans::TpchPlans() : catalog_(std::make_unique<Catalog>(std::make_unique<MemoryStore>())) {
  const std::string schema = fileText("schema.sql");
  for (const ParsedStatement& statement : parse(schema)) {
    const BoundStatement result = bound(statement, *catalog_, schema);
    if (const auto* create = std::get_if<CreateTableStatement>(&result.body)) define(*catalog_, *create);
  }
  statistics_.rows = {{"lineitem", 6001215}, {"orders", 1500000}, {"partsupp", 800000}, {"part", 200000},
                      {"customer", 150000},  {"supplier", 10000}, {"nation", 25},       {"region", 5}};
}

std::shared_ptr<Plan> TpchPlans::bind(std::string_view sql) const {
  return std::get<QueryStatement>(bound(parse(sql).at(0), *catalog_, sql).body).plan;
}

std::string TpchPlans::queryText(int number) {
  const std::string digits = std::to_string(number);
  return fileText("queries/" + (digits.size() == 1 ? "0" + digits : digits) + ".sql");
}

std::string TpchPlans::explain(std::string_view sql) const {
  const std::shared_ptr<Plan> plan = bind(sql);
  optimise(*plan, statistics_);
  return explainPlan(*plan);
}

}  // namespace gnomon::sql::test
