#include "sql/parse/parser.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <functional>

#include "sql/parse/ast.h"
#include "sql/parse/ast_statement.h"
#include "sql/parse/nesting.h"

namespace gnomon::sql {
namespace {

std::string errorOf(std::string_view text) {
  try {
    const auto statements = parse(text);
    for (const ParsedStatement& statement : statements)
      if (statement.rejection) throw SqlError(*statement.rejection);
  } catch (const SqlError& error) {
    return std::string(error.state().text()) + " " + std::to_string(error.position()) + " " + error.message();
  }
  return "no error";
}

std::string repeated(std::string_view part, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += part;
  return text;
}

TEST(Parser, ReportsSyntaxErrorsAsPostgresDoes) {
  EXPECT_EQ(errorOf("selec 1"), "42601 0 syntax error at or near \"selec\"");
  EXPECT_EQ(errorOf("select 1 +"), "42601 10 syntax error at end of input");
  EXPECT_EQ(errorOf("select 'abc"), "42601 7 unterminated quoted string at or near \"'abc\"");
  EXPECT_EQ(errorOf("select a,, b from t"), "42601 9 syntax error at or near \",\"");
}

TEST(Parser, GivesTheErrorsOfEscapesTheirState) {
  EXPECT_EQ(errorOf("select E'\\x00'"), "22021 -1 invalid byte sequence for encoding \"UTF8\": 0x00");
  EXPECT_EQ(errorOf("select E'\\u00'"), "22025 9 invalid Unicode escape");
  EXPECT_EQ(errorOf("select U&'\\00xx'"), "42601 10 invalid Unicode escape");
}

TEST(Parser, RefusesColumnsThatAreAndAreNotNullable) {
  const std::string message = "conflicting NULL/NOT NULL declarations for column \"a\" of table \"t\"";
  EXPECT_EQ(errorOf("create table t (a integer null not null)"), "42601 31 " + message);
  EXPECT_EQ(errorOf("create table t (a integer not null null)"), "42601 35 " + message);
  EXPECT_EQ(errorOf("create table t (a integer not null not null)"), "no error");
}

TEST(Parser, CountsPositionsInBytesBehindOtherCharacters) {
  EXPECT_EQ(errorOf("select 'é', ,"), "42601 13 syntax error at or near \",\"");
}

TEST(Parser, SplitsStatementsAndKeepsTheirRanges) {
  const std::string text = " select 1 ; -- one\n select 2;; ";
  const auto statements = parse(text);
  ASSERT_EQ(statements.size(), 2u);
  EXPECT_EQ(text.substr(statements[0].offset, statements[0].length), "select 1 ");
  EXPECT_EQ(text.substr(statements[1].offset, statements[1].length), "select 2");
  EXPECT_TRUE(parse("").empty());
  EXPECT_TRUE(parse(" -- nothing").empty());
}

TEST(Parser, RejectsOnlyTheStatementThatIsNotSupported) {
  const auto statements = parse("select 1; create table t (a int) inherits (u)");
  ASSERT_EQ(statements.size(), 2u);
  EXPECT_FALSE(statements[0].rejection);
  ASSERT_TRUE(statements[1].rejection);
  EXPECT_EQ(statements[1].rejection->message(), "INHERITS is not supported");
  EXPECT_EQ(statements[1].rejection->position(), 10);
}

TEST(Parser, NamesWhatIsNotSupported) {
  EXPECT_EQ(errorOf("prepare transaction 'a'"), "0A000 0 two-phase commit is not supported");
  EXPECT_EQ(errorOf("alter aggregate f(integer) rename to g"),
            "0A000 0 ALTER ... RENAME of something else than a schema, table, its column or constraint, index, view or "
            "sequence is not supported");
  EXPECT_EQ(errorOf("copy t from program 'cat'"), "0A000 0 COPY ... PROGRAM is not supported");
}

TEST(Parser, KeepsDefaultsAsText) {
  const auto statements = parse("create table t (a int default 1 + 2 * 3, b text default 'it''s')");
  const auto& create = std::get<ast::CreateTable>(statements.at(0).tree->body);
  EXPECT_EQ(create.columns[0].default_text, "1 + (2 * 3)");
  EXPECT_EQ(create.columns[1].default_text, "'it''s'");
}

/// Runs the body with the stack that session threads have.
void runOnSessionStack(std::function<void()> body) {
  static constexpr size_t kSessionStackBytes = size_t{64} << 20;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kSessionStackBytes);
  pthread_t thread;
  const auto start = [](void* argument) -> void* {
    (*static_cast<std::function<void()>*>(argument))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, start, &body), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

void checkDeepNesting() {
  for (const size_t depth : {size_t{5'000}, size_t{100'000}}) {
    const std::string texts[] = {
        "select " + repeated("(", depth) + "1" + repeated(")", depth),
        "select 1" + repeated("+1", depth),
        "select " + repeated("not ", depth) + "true",
        "select " + repeated("abs(", depth) + "1" + repeated(")", depth),
        repeated("select * from (", depth) + "select 1" + repeated(") x", depth),
        "select 1" + repeated(" union select 1", depth),
        "select 1 from t" + repeated(" cross join t", depth),
        "select 1, 2" + repeated(" union select 1, 2 where true and true", depth),
        "select 1 from t" + repeated(" join t on true and true", depth),
        "select 1" + repeated("+ case when true then 1 else 2 end", depth),
        "select 1" + repeated("::int", depth),
        "select 1" + repeated(" is null", depth),
    };
    for (const std::string& text : texts) {
      const std::string error = errorOf(text);
      const std::string state = error.substr(0, 5);
      EXPECT_TRUE(error == "no error" || state == "54001" || state == "42601" || state == "0A000")
          << text.substr(0, 40) << ": " << error;
    }
  }
  EXPECT_EQ(errorOf("select 1" + repeated("+1", 100'000)), "54001 -1 stack depth limit exceeded");
  EXPECT_EQ(errorOf("select true" + repeated(" and true", 100'000)), "no error");
  EXPECT_EQ(errorOf("select case" + repeated(" when 1 + 1 = 2 then 1 * 2", 20'000) + " end"), "no error");
}

TEST(Parser, SurvivesDeepNesting) {
  runOnSessionStack(checkDeepNesting);
}

TEST(Nesting, SkipsStringsCommentsAndNames) {
  EXPECT_EQ(nestingBound("select '((((' -- ((((\n /* (( /* (( */ (( */ , \"((((\", $$((((($$, E'\\'(('"), 0u);
  EXPECT_EQ(nestingBound("((("), 3u);
  EXPECT_EQ(nestingBound("(1),(2),(3)"), 1u);
}

}  // namespace
}  // namespace gnomon::sql
