/// Parses the routines of files of the corpus, one line of JSON for each, so that others can compare what PostgreSQL
/// says of the same statements:
///   {"begin": bytes, "end": bytes, "must_fail": false, "error": null}
///   {..., "error": {"sqlstate": "42601", "message": "...", "position": 12, "hint": "", "context": ""}}
/// Positions are characters of the statement, from 1; 0: none.
///
///   gnomon_plpgsql_check SETUP FILE
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>

#include "base/sql_error.h"
#include "sql/plpgsql/body_place.h"
#include "sql/plpgsql/parser.h"
#include "sql/plpgsql/tests/corpus.h"

namespace gnomon::sql::plpgsql {
namespace {

std::string jsonText(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      result += c;
    }
  }
  return result + '"';
}

size_t characters(std::string_view text) {
  size_t count = 0;
  for (const char c : text)
    if ((static_cast<unsigned char>(c) & 0xc0U) != 0x80U) ++count;
  return count;
}

std::string read(const char* path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(std::string("there is no file ") + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string errorText(const SqlError& error, const CorpusRoutine& routine, std::string_view file) {
  size_t position = 0;
  const std::string_view statement = file.substr(routine.begin, routine.end - routine.begin);
  const int32_t place = placeInStatement(statement, routine.body, error.position());
  if (place >= 0) position = characters(statement.substr(0, static_cast<size_t>(place))) + 1;
  return fmt::format(R"({{"sqlstate": {}, "message": {}, "position": {}, "hint": {}, "context": {}}})",
                     jsonText(error.state().text()), jsonText(error.message()), position, jsonText(error.hint()),
                     jsonText(error.context()));
}

int run(const char* setup, const char* path) {
  TestCatalog catalog(read(setup));
  const std::string file = read(path);
  for (const CorpusRoutine& routine : readCorpus(file, catalog)) {
    std::string error = "null";
    try {
      parseRoutine(routine.body, routine.signature, catalog.types());
    } catch (const SqlError& found) {
      error = errorText(found, routine, file);
    }
    fmt::print(R"({{"begin": {}, "end": {}, "must_fail": {}, "error": {}}})"
               "\n",
               routine.begin, routine.end, routine.must_fail, error);
  }
  return 0;
}

}  // namespace
}  // namespace gnomon::sql::plpgsql

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: gnomon_plpgsql_check SETUP FILE\n";
    return 2;
  }
  try {
    return gnomon::sql::plpgsql::run(argv[1], argv[2]);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
