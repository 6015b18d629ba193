#include "sql/plpgsql/tests/corpus.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "base/sql_error.h"
#include "sql/plpgsql/parser.h"
#include "sql/plpgsql/tokens.h"
#include "sql/plpgsql/tree_text.h"

namespace gnomon::sql::plpgsql {
namespace {

std::vector<CorpusRoutine> allRoutines(TestCatalog& catalog) {
  std::vector<CorpusRoutine> routines;
  for (const std::string& file : corpusFiles())
    for (CorpusRoutine& routine : readCorpus(fileText(file), catalog)) routines.push_back(std::move(routine));
  return routines;
}

/// The error's message; empty: none.
std::string messageOf(const std::string& body, const Signature& signature, TestCatalog& catalog) {
  try {
    const auto routine = parseRoutine(body, signature, catalog.types());
    EXPECT_FALSE(treeText(*routine).empty());
    return "";
  } catch (const SqlError& error) {
    EXPECT_LE(error.position(), static_cast<int32_t>(body.size())) << body;
    EXPECT_FALSE(error.message().empty());
    return error.message();
  }
}

// Whether PostgreSQL says the same is asked by client-tests/test_plpgsql_corpus.py.
TEST(PlpgsqlCorpus, IsTakenAndRefusedAsMarked) {
  TestCatalog catalog(corpusDefinitions());
  const std::vector<CorpusRoutine> routines = allRoutines(catalog);
  EXPECT_GE(routines.size(), 300u);
  for (const CorpusRoutine& routine : routines) {
    const std::string message = messageOf(routine.body, routine.signature, catalog);
    EXPECT_EQ(!message.empty(), routine.must_fail) << routine.signature.name << ": " << message;
  }
}

/// Bodies with tokens cut out, doubled, exchanged, or taken from other bodies.
class Mutation {
 public:
  Mutation(const std::vector<CorpusRoutine>& routines, uint64_t seed) : random_(seed) {
    for (const CorpusRoutine& routine : routines)
      for (const std::string& piece : piecesOf(routine.body)) pool_.push_back(piece);
  }

  std::string of(const std::string& body) {
    std::vector<std::string> pieces = piecesOf(body);
    for (size_t changes = 1 + below(4); changes > 0 && !pieces.empty(); --changes) change(pieces);
    std::string text;
    for (const std::string& piece : pieces) text += piece;
    // Sometimes it ends early.
    if (below(8) == 0) text.resize(below(text.size() + 1));
    while (!text.empty() && (text.back() & 0x80) != 0) text.pop_back();
    return text;
  }

 private:
  static std::vector<std::string> piecesOf(const std::string& body) {
    std::vector<std::string> pieces;
    uint32_t before = 0;
    for (const Token& token : scanTokens(body).tokens) {
      pieces.push_back(body.substr(before, token.begin - before));
      pieces.push_back(body.substr(token.begin, token.end - token.begin));
      before = token.end;
    }
    return pieces;
  }
  size_t below(size_t bound) { return std::uniform_int_distribution<size_t>(0, bound - 1)(random_); }

  void change(std::vector<std::string>& pieces) {
    const size_t at = below(pieces.size());
    const auto place = pieces.begin() + static_cast<ptrdiff_t>(at);
    switch (below(5)) {
      case 0:
        pieces.erase(place, place + static_cast<ptrdiff_t>(1 + below(std::min<size_t>(6, pieces.size() - at))));
        return;
      case 1:
        pieces.insert(place, std::string(*place));
        return;
      case 2:
        std::swap(pieces[at], pieces[below(pieces.size())]);
        return;
      case 3:
        *place = pool_[below(pool_.size())];
        return;
      default:
        pieces.insert(place, " " + pool_[below(pool_.size())] + " ");
    }
  }

  std::mt19937_64 random_;
  std::vector<std::string> pool_;
};

uint64_t numberFrom(const char* name, uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

TEST(PlpgsqlCorpus, BrokenBodiesAreErrorsOrTrees) {
  const uint64_t seed = numberFrom("GNOMON_TEST_SEED", std::random_device()());
  const uint64_t rounds = numberFrom("GNOMON_TEST_BODIES", 20);
  SCOPED_TRACE("GNOMON_TEST_SEED=" + std::to_string(seed));
  TestCatalog catalog(corpusDefinitions());
  const std::vector<CorpusRoutine> routines = allRoutines(catalog);
  Mutation mutation(routines, seed);
  size_t refused = 0;
  for (uint64_t round = 0; round < rounds; ++round)
    for (const CorpusRoutine& routine : routines)
      refused += messageOf(mutation.of(routine.body), routine.signature, catalog).empty() ? 0 : 1;
  EXPECT_GT(refused, rounds * routines.size() / 2);
}

}  // namespace
}  // namespace gnomon::sql::plpgsql
