#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "sql/plpgsql/parser.h"
#include "sql/plpgsql/tests/corpus.h"
#include "sql/plpgsql/tree_text.h"

namespace gnomon::sql::plpgsql {

/// Parses bodies against what corpus_setup.sql defines.
class TreeTest : public testing::Test {
 protected:
  /// `header`: CREATE FUNCTION without what stands behind its result, or DO.
  std::shared_ptr<const Routine> parsed(std::string_view header, std::string_view body) {
    const std::string text = fmt::format("{} as $$ $$;", header);
    return parseRoutine(std::string(body), readCorpus(text, catalog_).at(0).signature, catalog_.types());
  }
  std::string tree(std::string_view header, std::string_view body) { return "\n" + treeText(*parsed(header, body)); }
  /// Of a function without parameters and result: the tree without FOUND, which all have.
  std::string tree(std::string_view body) {
    const std::string text = treeText(*parsed("create function f() returns void", body));
    return "\n" + text.substr(text.find('\n') + 1);
  }
  /// "SQLSTATE position message", the position counted from 0.
  std::string error(std::string_view header, std::string_view body) {
    try {
      parsed(header, body);
      return "none";
    } catch (const SqlError& found) {
      return fmt::format("{} {} {}", found.state().text(), found.position(), found.message());
    }
  }
  std::string error(std::string_view body) { return error("create function f() returns void", body); }

  TestCatalog catalog_{corpusDefinitions()};
};

}  // namespace gnomon::sql::plpgsql
