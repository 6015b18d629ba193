#include "sql/catalog/virtual_relation.h"

#include "sql/explain/explain.h"
#include "sql/optimise/optimiser.h"
#include "sql/tests/bind_fixture.h"

namespace gnomon::sql {
namespace {

class VirtualRelationTest : public BindTest {
 protected:
  void addView(const std::string& name) {
    VirtualRelation view;
    view.oid = 16000;
    view.name = name;
    view.rows_expected = 40;
    view.columns = {{"id", Type::of(TypeKind::Integer), true, ""}, {"note", Type::of(TypeKind::Text), false, ""}};
    view.rows = [] { return VirtualRows(); };
    catalog_.addVirtual(std::move(view));
  }
};

TEST_F(VirtualRelationTest, IsALeafOfThePlanWithItsColumns) {
  addView("seen");
  EXPECT_EQ(tree("select s.note, id from seen s where id > 3"),
            "output note:text?, id:integer\n"
            "  select (id > 3)\n"
            "    virtual scan s\n");
  const BoundStatement bound = bindText("select note from pg_catalog.seen where id > 3");
  EXPECT_TRUE(bound.tables.empty()) << "there is nothing to lock";
  const auto& output = static_cast<const Output&>(*std::get<QueryStatement>(bound.body).plan->root);
  EXPECT_EQ(output.columns[0].table_oid, 16000u);
  EXPECT_EQ(output.columns[0].attribute, 2);
}

TEST_F(VirtualRelationTest, OptimisedPlanReadsTheColumnsItNeeds) {
  addView("seen");
  const BoundStatement bound = bindText("select a.id from seen a join seen b on a.id = b.id");
  Plan& plan = *std::get<QueryStatement>(bound.body).plan;
  optimise(plan);
  EXPECT_EQ(findViolation(plan), "");
  EXPECT_EQ(explainPlan(plan),
            "Output  (rows=40)\n"
            "  Columns: id\n"
            "  ->  Hash Join  (rows=40)\n"
            "        Hash Cond: (a.id = b.id)\n"
            "        ->  Virtual Scan on seen a  (rows=40)\n"
            "              Columns: id\n"
            "        ->  Hash  (rows=40)\n"
            "              ->  Virtual Scan on seen b  (rows=40)\n"
            "                    Columns: id\n");
}

TEST_F(VirtualRelationTest, IsFoundBeforeATableOfItsNameInAnotherSchema) {
  execute("create table seen (n integer)");
  addView("seen");
  addView("other");
  EXPECT_EQ(namesOf("select * from seen"), "id,note");
  EXPECT_EQ(namesOf("select * from public.seen"), "n");
  EXPECT_EQ(tree("delete from public.seen").substr(0, 11), "delete seen");
  EXPECT_EQ(errorOf("select * from public.other"), "42P01 14 relation \"public.other\" does not exist");
  EXPECT_EQ(errorOf("insert into other values (1)"), "55000 -1 cannot insert into view \"other\"");
  execute("create table other (n integer)");
  EXPECT_EQ(namesOf("select * from other"), "id,note");
  EXPECT_EQ(namesOf("select * from public.other"), "n");
  EXPECT_EQ(errorOf("select * from pg_catalog.pg_stat_bgwriter").substr(0, 5), "0A000");
}

}  // namespace
}  // namespace gnomon::sql
