#include "sql/plpgsql/parser.h"

#include <fmt/format.h>

#include "sql/plpgsql/reader.h"

namespace gnomon::sql::plpgsql {

std::shared_ptr<const Routine> parseRoutine(std::string body, const Signature& signature, RoutineCatalog& catalog,
                                            const ParseOptions& options) {
  checkSignature(signature);
  auto routine = std::make_shared<Routine>();
  routine->body = std::move(body);
  routine->conflict = options.conflict;
  Reader reader(*routine, signature, catalog, options);
  try {
    reader.read();
  } catch (const SqlError& error) {
    if (!options.is_called && (error.position() >= 0 || !error.context().empty())) throw;
    throw SqlError(error).addContext(
        fmt::format("compilation of PL/pgSQL function \"{}\" near line {}", signature.name, reader.latestLine()));
  }
  return routine;
}

}  // namespace gnomon::sql::plpgsql
