#include "sql/bind/check_definition.h"
#include "sql/catalog/define_alone.h"

#include <gmock/gmock.h>

#include "sql/tests/bind_fixture.h"

namespace gnomon::sql {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class CheckDefinitionTest : public BindTest {
 protected:
  std::vector<std::string> namesOfChecks(const std::vector<CheckEntry>& checks) {
    std::vector<std::string> names;
    for (const CheckEntry& check : checks) names.push_back(check.name + (check.is_valid ? "" : " not valid"));
    return names;
  }
  std::vector<std::string> created(std::string_view text) {
    return namesOfChecks(std::get<CreateTableStatement>(bindText(text).body).checks);
  }
  AlterTableStatement altered(std::string_view text) { return std::get<AlterTableStatement>(bindText(text).body); }
  void alter(std::string_view text) {
    txn::TransactionManager transactions;
    defineAlone(catalog_, transactions, CancelToken(), [&](CatalogTransaction& definitions, const auto& context) {
      definitions.alterTable(altered(text), {}, nullptr, context);
    });
  }
  std::vector<std::string> texts(const std::string& table) {
    std::vector<std::string> result;
    for (const CheckEntry& check : catalog_.find({"public", table})->checks)
      result.push_back(check.name + ": " + check.expression);
    return result;
  }
  std::vector<std::string> tested(std::string_view text) {
    const AlterTableStatement statement = altered(text);
    std::vector<std::string> names;
    if (statement.tested_checks.usual)
      for (const auto& check : statement.tested_checks.usual->checks) names.push_back(check.name);
    return names;
  }
  std::vector<uint32_t> testedBy(std::string_view text) {
    const BoundStatement bound = bindText(text);
    const Operator& root = *std::get<QueryStatement>(bound.body).plan->root;
    return root.kind == Operator::Kind::Insert ? static_cast<const Insert&>(root).checks.tested
                                               : static_cast<const Update&>(root).checks.tested;
  }
};

TEST_F(CheckDefinitionTest, NamesAreChosenByTheColumnsThatAConditionMentions) {
  EXPECT_THAT(created("create table t (a int check (b > 0), b int check (a > 0) check (a + a > 1), check (a < b), "
                      "check (1 < 2), constraint z check (a > 5), check (t.b <> 3))"),
              ElementsAre("t_a_check", "t_a_check1", "t_b_check", "t_b_check1", "t_check", "t_check1", "z"));
}

TEST_F(CheckDefinitionTest, ChosenNamesAreNoOtherConstraintsOfAnyTable) {
  execute("create table other (a int constraint t_a_check check (a > 0), b int constraint t_a_check1 unique)");
  execute("create table t_a_check2 (a int)");
  EXPECT_THAT(created("create table t (a int check (a > 0), constraint t_a_check3 check (a > 1), check (a > 2))"),
              ElementsAre("t_a_check2", "t_a_check3", "t_a_check4"));
}

TEST_F(CheckDefinitionTest, NamesOfDroppedConstraintsAreFree) {
  execute("create table t (a int check (a > 0), constraint k unique (a))");
  EXPECT_THAT(namesOfChecks(altered("alter table t drop constraint t_a_check, add check (a > 1), drop constraint k, "
                                    "add constraint k check (a > 2)")
                                .checks),
              ElementsAre("k", "t_a_check"));
}

TEST_F(CheckDefinitionTest, TextsNameColumnsWithoutTheirTableAndFollowNewNames) {
  execute(
      R"(create table t (a int, "B b" int, c int, check (t.a > public.t."B b"), constraint x check (a is not null)))");
  EXPECT_THAT(texts("t"), ElementsAre(R"(t_check: a > "B b")", "x: a IS NOT NULL"));
  alter(R"(alter table t rename a to "A a")");
  alter(R"(alter table t rename "B b" to b)");
  alter("alter table t rename constraint x to aa");
  EXPECT_THAT(texts("t"), ElementsAre(R"(aa: "A a" IS NOT NULL)", R"(t_check: "A a" > b)"));
  EXPECT_EQ(catalog_.find({"public", "t"})->check_expressions->checks[0].name, "aa");
  alter("alter table t drop b");
  EXPECT_THAT(texts("t"), ElementsAre(R"(aa: "A a" IS NOT NULL)"));
  alter(R"(alter table t drop "A a")");
  EXPECT_THAT(texts("t"), IsEmpty());
  EXPECT_EQ(catalog_.find({"public", "t"})->check_expressions, nullptr);
}

TEST_F(CheckDefinitionTest, ExistingRowsAreTestedInTheOrderOfTheCommands) {
  execute("create table t (a int, b int)");
  EXPECT_THAT(tested("alter table t add constraint z check (a > 0), add constraint n check (a > 1) not valid, "
                     "add c int default 3 constraint m check (c > b), add constraint a check (b > 0)"),
              ElementsAre("m", "z", "a"));
  alter("alter table t add constraint z check (a > 0) not valid, add constraint y check (b > 0) not valid");
  EXPECT_THAT(namesOfChecks(catalog_.find({"public", "t"})->checks), ElementsAre("y not valid", "z not valid"));
  EXPECT_THAT(tested("alter table t validate constraint z, drop constraint y"), ElementsAre("z"));
  EXPECT_THAT(tested("alter table t drop constraint y"), IsEmpty());
  EXPECT_THAT(created("create table u (a int, check (a > 0) not valid)"), ElementsAre("u_a_check"));
}

TEST_F(CheckDefinitionTest, AnUpdateTestsWhatItMayBreak) {
  execute(
      "create table t (a int constraint c1 check (a > 0), b int constraint c2 check (b > 0), c text, "
      "constraint c3 check (a < b), constraint c4 check (c <> current_user), constraint c5 check (true or a > 0))");
  EXPECT_THAT(testedBy("insert into t values (1)"), ElementsAre(0u, 1u, 2u, 3u, 4u));
  EXPECT_THAT(testedBy("update t set a = 1"), ElementsAre(0u, 2u, 3u, 4u));
  EXPECT_THAT(testedBy("update t set b = 1"), ElementsAre(1u, 2u, 3u));
  EXPECT_THAT(testedBy("update t set c = 'x'"), ElementsAre(3u));
  alter("alter table t add constraint c6 check (a > 5) not valid");
  EXPECT_THAT(testedBy("update t set c = 'x'"), ElementsAre(3u, 5u));
}

TEST_F(CheckDefinitionTest, ConditionsAreBoundOnceUnlessTheyDependOnTheStatement) {
  execute("create table t (a int check (a > 0))");
  execute("create table u (a text check (a = current_user))");
  BindContext context{catalog_, {}, false, "alice", "db", "", {}};
  BindState state(context);
  EXPECT_EQ(statementChecks(state, *catalog_.find({"public", "t"})), catalog_.find({"public", "t"})->check_expressions);
  const auto own = statementChecks(state, *catalog_.find({"public", "u"}));
  EXPECT_NE(own, catalog_.find({"public", "u"})->check_expressions);
  EXPECT_THAT(own->checks[0].condition->toString(), ::testing::HasSubstr("alice"));
  context.unlimited_numerics = true;
  EXPECT_NE(statementChecks(state, *catalog_.find({"public", "t"})), catalog_.find({"public", "t"})->check_expressions);
}

TEST_F(CheckDefinitionTest, RefusesWhatPostgresqlRefuses) {
  EXPECT_EQ(errorOf("create table t (a int check (max(a) > 0))"),
            "42803 29 aggregate functions are not allowed in check constraints");
  EXPECT_EQ(errorOf("create table t (a int check ((select 1) > 0))"),
            "0A000 29 cannot use subquery in check constraint");
  EXPECT_EQ(errorOf("create table t (a int check (rank() over () > 0))"),
            "42P20 29 window functions are not allowed in check constraints");
  EXPECT_EQ(errorOf("create table t (a int check (a))"),
            "42804 29 argument of CHECK must be type boolean, not type integer");
  EXPECT_EQ(errorOf("create table t (a int check (b))"), "42703 29 column \"b\" does not exist");
  EXPECT_EQ(errorOf("create table t (a int check (u.b))"), "42P01 29 missing FROM-clause entry for table \"u\"");
  EXPECT_EQ(errorOf("create table t (a int check ($1))"), "42P02 29 there is no parameter $1");
  EXPECT_EQ(errorOf("create table t (a int check (ctid is null))"),
            "42P10 29 system column \"ctid\" reference in check constraint is invalid");
  EXPECT_EQ(errorOf("create table t (a int check (tableoid is not null))").substr(0, 5), "0A000");
  EXPECT_EQ(errorOf("create table t (a int constraint x check (a > 0), constraint x check (a > 0))"),
            "42710 -1 check constraint \"x\" already exists");
  execute("create table t (a int constraint x check (a > 0), constraint k unique (a))");
  EXPECT_EQ(errorOf("alter table t add constraint x check (a > 0)"),
            "42710 -1 constraint \"x\" for relation \"t\" already exists");
  EXPECT_EQ(errorOf("alter table t add constraint k check (a > 0)"),
            "42710 -1 constraint \"k\" for relation \"t\" already exists");
  EXPECT_EQ(errorOf("alter table t add check ((select 1) > 0)"), "0A000 -1 cannot use subquery in check constraint");
}

}  // namespace
}  // namespace gnomon::sql
