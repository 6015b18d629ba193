#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sql/plpgsql/tests/test_catalog.h"

/// The routines of tests/corpus: texts of CREATE FUNCTION, CREATE PROCEDURE and DO, as PostgreSQL takes them.
namespace gnomon::sql::plpgsql {

struct CorpusRoutine {
  uint32_t begin = 0;  ///< bytes of the file: the statement
  uint32_t end = 0;
  std::string body;
  Signature signature;
  bool must_fail = false;  ///< a comment "-- fails" stands before it
};

/// The routines of a file. A parameter is written [mode] name type [= value], or [mode] type.
std::vector<CorpusRoutine> readCorpus(std::string_view text, TestCatalog& catalog);

/// Names of the files, in order.
std::vector<std::string> corpusFiles();
/// A file of tests/.
std::string fileText(const std::string& name);

}  // namespace gnomon::sql::plpgsql
