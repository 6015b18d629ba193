#include "sql/bind/binder.h"

#include "sql/tests/bind_fixture.h"

namespace gnomon::sql {
namespace {

class BinderTest : public BindTest {
 protected:
  void SetUp() override {
    execute(
        "create table t (a integer not null, b bigint, n numeric(15,2) not null, x text, v varchar(10), c char(5), d "
        "date, ts timestamp, p boolean)");
    execute("create table w (a integer, z text default 'zz', d date)");
  }
};

TEST_F(BinderTest, PutsJoinsAsWritten) {
  EXPECT_EQ(tree("select t.a, z from t left join w on t.a = w.a and w.d is null where z = 'x'"),
            "output a:integer, z:text?\n"
            "  select (z = 'x'::text)\n"
            "    left join ((a = a) AND (d IS NULL))\n"
            "      scan t\n"
            "      scan w\n");
  EXPECT_EQ(tree("select x, w.a from w right join t on t.a = w.a"),
            "output x:text?, a:integer?\n"
            "  left join (a = a)\n"
            "    scan t\n"
            "    scan w\n");
  EXPECT_EQ(tree("select a from t cross join (select z from w) q"),
            "output a:integer\n"
            "  join \n"
            "    scan t\n"
            "    scan w\n");
}

TEST_F(BinderTest, GroupsAndOrders) {
  EXPECT_EQ(tree("select a + 1 as k, count(*), sum(n) from t group by a + 1 having count(*) > 1 order by max(b), k "
                 "desc limit 3 offset 1"),
            "output k:integer, count:bigint, sum:numeric?\n"
            "  limit 3 offset 1\n"
            "    sort max, group desc nulls first\n"
            "      select (count > 1)\n"
            "        group [(a + 1)] [count(*), sum(n), max(b)]\n"
            "          scan t\n");
  EXPECT_EQ(tree("select distinct a, x from t order by x"),
            "output a:integer, x:text?\n"
            "  sort x\n"
            "    group [a, x] []\n"
            "      scan t\n");
}

TEST_F(BinderTest, BindsInsertsToTheColumnsTypes) {
  EXPECT_EQ(tree("insert into w (d, a) values ('2020-01-01', 1), (null, '2')"),
            "insert w (a, 'zz'::text, d)\n"
            "  values ('2020-01-01'::date, 1), (NULL::date, 2)\n");
  EXPECT_EQ(tree("insert into w select b from t"),
            "insert w (b::integer, 'zz'::text, NULL::date)\n"
            "  scan t\n");
  EXPECT_EQ(tree("insert into w default values"),
            "insert w (NULL::integer, 'zz'::text, NULL::date)\n"
            "  values ()\n");
}

TEST_F(BinderTest, NamesResultColumnsAsPostgresDoes) {
  EXPECT_EQ(namesOf("select a, a + 1, 'x', a::text, '1'::int, case when p then a end, case when p then 1 else a end, "
                    "coalesce(a, 1), nullif(a, 1), greatest(a, b), upper(x), count(*) over_all, extract(year from d) "
                    "from t group by a, b, p, x, d"),
            "a,?column?,?column?,a,int4,case,a,coalesce,nullif,greatest,upper,over_all,extract");
  EXPECT_EQ(namesOf("select true, null, 1.5, interval '1 day', current_user, version()"),
            "?column?,?column?,?column?,interval,current_user,version");
  EXPECT_EQ(namesOf("values (1, 2)"), "column1,column2");
  EXPECT_EQ(namesOf("select * from t join w using (a, d)"), "a,d,b,n,x,v,c,ts,p,z");
}

TEST_F(BinderTest, ReportsNamesAsPostgresDoes) {
  EXPECT_EQ(errorOf("select q from t"), "42703 7 column \"q\" does not exist");
  EXPECT_EQ(errorOf("select t.q from t"), "42703 7 column t.q does not exist");
  EXPECT_EQ(errorOf("select a from t, w"), "42702 7 column reference \"a\" is ambiguous");
  EXPECT_EQ(errorOf("select a from nope"), "42P01 14 relation \"nope\" does not exist");
  EXPECT_EQ(errorOf("select w.a from t"), "42P01 7 missing FROM-clause entry for table \"w\"");
  EXPECT_EQ(errorOf("select t.a from t as y"), "42P01 7 invalid reference to FROM-clause entry for table \"t\"");
  // Names of the statement that cannot be used where they stand.
  EXPECT_EQ(errorOf("select 1 from t l, w r join w z on l.a = z.a"),
            "42P01 35 invalid reference to FROM-clause entry for table \"l\"");
  EXPECT_EQ(errorOf("select l.* from (t l cross join w) as j"),
            "42P01 7 invalid reference to FROM-clause entry for table \"l\"");
  EXPECT_EQ(errorOf("select 1 from t, (select t.a) s"),
            "42P01 25 invalid reference to FROM-clause entry for table \"t\"");
  EXPECT_EQ(errorOf("insert into w select w.a"), "42P01 21 invalid reference to FROM-clause entry for table \"w\"");
  EXPECT_EQ(errorOf("select l.a from (select l.a from t l) s"), "42P01 7 missing FROM-clause entry for table \"l\"");
  EXPECT_EQ(errorOf("select 1 from t, t"), "42712 -1 table name \"t\" specified more than once");
  EXPECT_EQ(errorOf("select * from pg_stat_bgwriter"), "0A000 14 system catalog \"pg_stat_bgwriter\" is not supported");
}

TEST_F(BinderTest, ReportsTypesAsPostgresDoes) {
  EXPECT_EQ(errorOf("select a from t where a = x"), "42883 24 operator does not exist: integer = text");
  EXPECT_EQ(errorOf("select '1' + '2'"), "42725 11 operator is not unique: unknown + unknown");
  EXPECT_EQ(errorOf("select a + 'x' from t"), "22P02 11 invalid input syntax for type integer: \"x\"");
  EXPECT_EQ(errorOf("select foo(a) from t"), "42883 7 function foo(integer) does not exist");
  EXPECT_EQ(errorOf("select case when p then a else x end from t"),
            "42804 24 CASE types text and integer cannot be matched");
  EXPECT_EQ(errorOf("select case p when true then 1 when 1 then 2 end from t"),
            "42883 31 operator does not exist: boolean = integer");
  EXPECT_EQ(errorOf("select a::date from t"), "42846 8 cannot cast type integer to date");
  EXPECT_EQ(errorOf("select a from t where a"), "42804 22 argument of WHERE must be type boolean, not type integer");
  EXPECT_EQ(errorOf("insert into w (a) values (true)"),
            "42804 26 column \"a\" is of type integer but expression is of type boolean");
  EXPECT_EQ(errorOf("create table y (q nosuch)"), "42704 18 type \"nosuch\" does not exist");
  EXPECT_EQ(errorOf("create table y (q xml)"), "0A000 18 type \"xml\" is not supported");
  EXPECT_EQ(errorOf("create table y (q bytea)"), "no error");
  EXPECT_EQ(errorOf("select '\\x0'::bytea"), "22023 7 invalid hexadecimal data: odd number of digits");
  EXPECT_EQ(errorOf("select get_bit('1', 1)"), "no error");
  EXPECT_EQ(errorOf("select bit_count('1')"), "42725 7 function bit_count(unknown) is not unique");
  EXPECT_EQ(errorOf("select min('1'::bytea)"), "42883 7 function min(bytea) does not exist");
}

TEST_F(BinderTest, LeavesLiteralsThatDoNotFitTheModifierToTheExecution) {
  EXPECT_EQ(errorOf("select '1x'::numeric(4,2)"), "22P02 7 invalid input syntax for type numeric: \"1x\"");
  EXPECT_EQ(errorOf("select '1234'::numeric(4,2)"), "no error");
  EXPECT_EQ(errorOf("create table y (v varchar(3) default 'abcdef')"), "no error");
  EXPECT_EQ(
      tree("insert into t (a, n, v) values (1, '2.5', 'twelve chars')"),
      "insert t (a, NULL::bigint, n, NULL::text, v, NULL::character, NULL::date, NULL::timestamp without time zone, "
      "NULL::boolean)\n"
      "  values (1, 2.50, ('twelve chars'::character varying)::character varying(10))\n");
}

TEST_F(BinderTest, ReportsGroupingAsPostgresDoes) {
  EXPECT_EQ(errorOf("select b, count(*) from t group by a"),
            "42803 7 column \"t.b\" must appear in the GROUP BY clause or be used in an aggregate function");
  EXPECT_EQ(errorOf("select a from t where count(*) > 1"), "42803 22 aggregate functions are not allowed in WHERE");
  EXPECT_EQ(errorOf("select sum(sum(a)) from t"), "42803 11 aggregate function calls cannot be nested");
  EXPECT_EQ(errorOf("select distinct a from t order by b"),
            "42P10 34 for SELECT DISTINCT, ORDER BY expressions must appear in select list");
  EXPECT_EQ(errorOf("select a from t order by 2"), "42P10 25 ORDER BY position 2 is not in select list");
}

TEST_F(BinderTest, GivesGrowingFieldsRoomForInfinityWhenAsked) {
  EXPECT_EQ(typeOf("extract(year from d)"), "numeric Small(18,0)");
  EXPECT_EQ(typeOf("extract(year from d)", true), "numeric Big");
  EXPECT_EQ(typeOf("extract(month from d)", true), "numeric Small(18,0)");
  EXPECT_EQ(typeOf("extract(year from ts - ts)", true), "numeric Small(18,0)");
}

TEST_F(BinderTest, InfersParameters) {
  const BoundStatement bound = bindText("select a from t where a = $1 and x like $2 and d < $3 limit $4");
  ASSERT_EQ(bound.parameters.size(), 4u);
  EXPECT_EQ(bound.parameters[0].kind, TypeKind::Integer);
  EXPECT_EQ(bound.parameters[1].kind, TypeKind::Text);
  EXPECT_EQ(bound.parameters[2].kind, TypeKind::Date);
  EXPECT_EQ(bound.parameters[3].kind, TypeKind::Bigint);
  EXPECT_EQ(bindText("select $1").parameters[0].kind, TypeKind::Text);
  EXPECT_EQ(bindText("select $1 + 1", {Type::of(TypeKind::Double)}).parameters[0].kind, TypeKind::Double);
  EXPECT_EQ(errorOf("select $2"), "42P18 -1 could not determine data type of parameter $1");
  EXPECT_EQ(errorOf("select $1 is null"), "42P18 -1 could not determine data type of parameter $1");
  EXPECT_EQ(errorOf("select count($1)"), "42P18 -1 could not determine data type of parameter $1");
  EXPECT_EQ(errorOf("select $1 is null, $1 = 1"), "42P08 7 could not determine data type of parameter $1");
  EXPECT_EQ(errorOf("select $1 = 1, $1 is null"), "no error");
  EXPECT_EQ(errorOf("insert into w (a, z) values ($1, $1)"), "42P08 33 inconsistent types deduced for parameter $1");
}

TEST_F(BinderTest, KeepsLimits) {
  std::string many = "select 1";
  for (int i = 0; i < 1664; ++i) many += ",1";
  EXPECT_EQ(errorOf(many), "54011 -1 target lists can have at most 1664 entries");
  std::string between = "select ";
  for (int i = 0; i < 40; ++i) between += '(';
  between += "1 between 1 and 2";
  for (int i = 0; i < 40; ++i) between += ") between false and true";
  EXPECT_EQ(errorOf(between), "54001 -1 statement is too complex");
}

TEST_F(BinderTest, ChecksCopyOptions) {
  EXPECT_EQ(errorOf("copy t from stdin with (format xml)"), "22023 24 COPY format \"xml\" not recognized");
  EXPECT_EQ(errorOf("copy t from stdin with (format binary, header)"), "0A000 -1 cannot specify HEADER in BINARY mode");
  EXPECT_EQ(errorOf("copy t from stdin with (foo)"), "42601 24 option \"foo\" not recognized");
  EXPECT_EQ(errorOf("copy t from stdin with (delimiter 'a')"), "22023 -1 COPY delimiter cannot be \"a\"");
  EXPECT_EQ(errorOf("copy t (a, q) from stdin"), "42703 -1 column \"q\" of relation \"t\" does not exist");
  const BoundStatement bound = bindText("copy w (d, a) from stdin csv header delimiter '|'");
  const auto& copy = std::get<CopyFromStatement>(bound.body);
  EXPECT_EQ(copy.columns, (std::vector<uint32_t>{2, 0}));
  EXPECT_EQ(copy.options.delimiter, '|');
  EXPECT_TRUE(copy.options.header);
  EXPECT_EQ(copy.defaults[1]->toString(), "'zz'::text");
}

TEST_F(BinderTest, BindsSettingsAndExplain) {
  EXPECT_EQ(std::get<SetStatement>(bindText("set time zone 'UTC'").body).name, "timezone");
  EXPECT_EQ(std::get<SetStatement>(bindText("set work_mem = 100").body).value, "100");
  EXPECT_TRUE(std::get<SetStatement>(bindText("reset all").body).reset_all);
  EXPECT_EQ(std::get<ShowStatement>(bindText("show all").body).name, "all");
  EXPECT_EQ(std::get<ExplainStatement>(bindText("explain (ir) select a from t").body).what, ExplainStatement::What::Ir);
  EXPECT_TRUE(std::get<ExplainStatement>(bindText("explain analyze select a from t").body).analyze);
  EXPECT_FALSE(std::get<ExplainStatement>(bindText("explain (analyze off) select a from t").body).analyze);
  EXPECT_EQ(errorOf("explain (analyze, ir) select a from t"), "0A000 -1 EXPLAIN ANALYZE of IR is not supported");
  EXPECT_EQ(errorOf("explain (format html) select a from t"),
            "22023 9 unrecognized value for EXPLAIN option \"format\": \"html\"");
}

}  // namespace
}  // namespace gnomon::sql
