#include "server/verify.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/sql_error.h"
#include "codegen/executor/key_evaluator.h"
#include "server/memory_limit.h"
#include "sql/catalog/catalog.h"
#include "txn/database_storage.h"

namespace gnomon::server {

namespace {

ExitCode verifyChecked(const std::string& data_directory) {
  // Opening would make an empty folder a data directory.
  if (!std::filesystem::exists(std::filesystem::path(data_directory) / "gnomon.control"))
    throw storage::DirectoryError(storage::DirectoryError::Reason::NotOurs,
                                  fmt::format("\"{}\" is not a data directory of Gnomon", data_directory));
  // As large as a server's by default: a value that was stored there can be read here.
  const auto storage = txn::DatabaseStorage::openReadOnly(data_directory, {.pool_bytes = usableMemoryBytes() / 2});
  storage::Findings findings;
  std::unique_ptr<sql::Catalog> catalog;
  try {
    catalog = sql::Catalog::open(*storage, codegen::compileKeyExpressions);
  } catch (const SqlError& error) {
    findings.problems.push_back("the catalog cannot be read: " + error.message());
  }
  storage->check(findings);
  for (const std::string& problem : findings.problems) fmt::print("{}\n", problem);
  fmt::print("{} pages checked, {} problems\n", findings.pages.size(), findings.problems.size());
  return findings.problems.empty() ? ExitCode::Clean : ExitCode::DirectoryDamaged;
}

}  // namespace

ExitCode verify(const std::string& data_directory) {
  return runCommand([&] { return verifyChecked(data_directory); });
}

}  // namespace gnomon::server
