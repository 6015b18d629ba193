#include "sql/plpgsql/parser.h"

#include "sql/plpgsql/tests/tree_fixture.h"

namespace gnomon::sql::plpgsql {
namespace {

using PlpgsqlParser = TreeTest;

TEST_F(PlpgsqlParser, ResolvesDeclarationsAndAssignments) {
  EXPECT_EQ(tree("create function f(a integer, inout b text, out c numeric(10, 2)) returns record", R"(
<<main>>
declare
  x integer := a + 1;
  y constant text not null default 'y';
  r record;
  z alias for $2;
  c1 no scroll cursor (low integer, high items.price%type) for
    select * from items where id > low;
begin
  x := 1;
  z := b || y;
  r.field[1].deep := 2;
  main.x := f.c;
end)"),
            R"(
    a#0 integer
    b#1 text
    c#2 numeric
    found#4 boolean
4   x#5 integer := `a + 1`
5   y#6 text constant not null := `'y'`
6   r#7 record
8   low#8 integer
8   high#9 numeric
8   c1#10 refcursor no scroll (low#8, high#9) for `select * from items where id > low`
10  block <<main>> declares x#5 y#6 r#7 low#8 high#9 c1#10
11    x#5 := `1`
12    b#1 := `b || y`
13    r#7.field `[1].deep` := `2`
14    x#5 := `f.c`
)");
}

TEST_F(PlpgsqlParser, ResolvesLabelsToTheLoopOrBlockThatIsLeft) {
  EXPECT_EQ(tree(R"(begin
  loop
    exit when true;
  end loop;
  <<a>>
  while 1 < 2 loop
    for i in reverse 3 .. 1 by 2 loop
      continue a;
      exit;
    end loop;
    exit f;
  end loop a;
end)"),
            R"(
7   i#1 integer
1   block
2     loop
3       exit @3 when `true`
6     while <<a>> `1 < 2`
7       for i#1 in reverse `3` .. `1` by `2`
8         continue a@4
9         exit @5
11      exit f@0
)");
}

TEST_F(PlpgsqlParser, ReadsLoopsOverRowsAndArrays) {
  EXPECT_EQ(tree(R"(declare
  r record; a integer; b text; c cursor (x integer, y integer) for select x; l integer[];
begin
  for r in select * from items loop perform 1 from items; end loop;
  for a, b in execute 'x' using 1, a loop null; end loop;
  for k in c(y := 2, x := 1) loop a := k.x; end loop;
  foreach l slice 1 in array l loop null; end loop;
  foreach a in array l loop null; end loop;
end)"),
            R"(
2   r#1 record
2   a#2 integer
2   b#3 text
2   x#4 integer
2   y#5 integer
2   c#6 refcursor (x#4, y#5) for `select x`
2   l#7 integer[]
6   k#9 record
3   block declares r#1 a#2 b#3 x#4 y#5 c#6 l#7
4     for r#1 in `select * from items`
4       perform ` SELECT 1 from items`
5     for (a#2, b#3) in execute `'x'` using `1`, `a`
6     for k#9 in cursor c#6(`1`, `2`)
6       a#2 := `k.x`
7     foreach l#7 slice 1 in `l`
8     foreach a#2 slice 0 in `l`
)");
}

TEST_F(PlpgsqlParser, ReadsBranchesAndHandlers) {
  EXPECT_EQ(tree(R"(declare
  a integer;
begin
  if a = 1 then null; a := 2;
  elsif a = 2 then a := 3;
  else a := 4;
  end if;
  case a when 1, 2 then a := 5; else end case;
  case when a > 1 then null; end case;
exception
  when division_by_zero or others or sqlstate '22P02' then
    raise;
  when null_value_not_allowed then null;
end)"),
            R"(
2   a#1 integer
10  sqlstate#3 text constant
10  sqlerrm#4 text constant
3   block declares a#1
4     if `a = 1`
4       a#1 := `2`
5     if `a = 2`
5       a#1 := `3`
      else
6       a#1 := `4`
8     case `a`
8     when `1, 2`
8       a#1 := `5`
      else
9     case
9     when `a > 1`
11  when 22012 22P02 others
12    raise again
13  when 22004 39004
)");
}

TEST_F(PlpgsqlParser, ReadsStatementsOfSql) {
  EXPECT_EQ(tree(R"(declare a integer; b text; r items;
begin
  select id,
    name into strict a, b from items;
  update items set id = 1 returning * into r;
  execute 'x' using a, b into a;
  call p(a); do 'x'; commit and chain; rollback;
  get stacked diagnostics b = message_text, r.name = pg_context;
  raise notice 'a % %%', a using hint = b, errcode = '22012';
  raise division_by_zero; raise sqlstate 'U0001';
  assert a > 0, 'm'; PERFORM  a;
end)"),
            R"(
1   a#1 integer
1   b#2 text
1   r#3 items
2   block declares a#1 b#2 r#3
3     sql `select id,     name                  from items` into strict (a#1, b#2)
5     sql `update items set id = 1 returning *` into r#3
6     execute `'x'` using `a`, `b` into (a#1)
7     call `call p(a)`
7     do `do 'x'`
7     commit and chain
7     rollback
8     get stacked diagnostics
        b#2 = MESSAGE_TEXT
        r#3.name = PG_CONTEXT
9     raise NOTICE 'a % %%', `a` HINT = `b` ERRCODE = `'22012'`
10    raise EXCEPTION division_by_zero 22012
10    raise EXCEPTION U0001 U0001
11    assert `a > 0`, `'m'`
11    perform ` SELECT  a`
)");
}

TEST_F(PlpgsqlParser, ReadsCursors) {
  EXPECT_EQ(tree(R"(declare
  c refcursor; d cursor (x integer, y integer) for select 1; r record; n integer;
begin
  open c scroll for select n;
  open c for execute 'x' using n;
  open d(1, 2);
  fetch c into r; fetch absolute n + 1 from c into n; fetch last from c into n;
  move backward all in c; move 5 from c; close c;
end)"),
            R"(
2   c#1 refcursor
2   x#2 integer
2   y#3 integer
2   d#4 refcursor (x#2, y#3) for `select 1`
2   r#5 record
2   n#6 integer
3   block declares c#1 x#2 y#3 d#4 r#5 n#6
4     open c#1 scroll for `select n`
5     open c#1 for execute `'x'` using `n`
6     open d#4(`1`, `2`)
7     fetch forward 1 from c#1 into r#5
7     fetch absolute `n + 1` from c#1 into (n#6)
7     fetch absolute -1 from c#1 into (n#6)
8     move backward all from c#1
8     move forward `5` from c#1
8     close c#1
)");
}

TEST_F(PlpgsqlParser, ReturnsVariablesAsDatumsAndAllElseAsSql) {
  EXPECT_EQ(tree("create function f(n integer) returns setof items", R"(declare r items;
begin
  return next r; return next (1);
  return query select 1; return query execute 'x' using n;
  return;
end)"),
            R"(
    n#0 integer
    found#1 boolean
1   r#2 items
2   block declares r#2
3     return next r#2
3     return next `(1)`
4     return query `select 1`
4     return query execute `'x'` using `n`
5     return
)");
  EXPECT_EQ(tree("create procedure f(inout a integer)", "begin return; end"), R"(
    a#0 integer
    found#2 boolean
1   block
1     return (a#0)
)");
}

TEST_F(PlpgsqlParser, KnowsWhatTriggersAreGiven) {
  const auto routine = parsed("create function f() returns trigger", "begin new.a := old.a || tg_op; return new; end");
  EXPECT_EQ(routine->datum(routine->new_row).name, "new");
  EXPECT_EQ(routine->datum(routine->old_row).name, "old");
  EXPECT_EQ(routine->datums[5].provided, Provided::TriggerOperation);
  EXPECT_EQ(routine->datums[11].provided, Provided::TriggerArguments);
  EXPECT_EQ(std::get<Return>(std::get<Block>(routine->main.body).body.at(1).body).variable, routine->new_row);
}

TEST_F(PlpgsqlParser, GivesFragmentsTheirPlaceAndWhatIsVisibleThere) {
  const auto routine =
      parsed("create function f() returns void",
             "declare\n  a integer;\nbegin\n  declare a text; begin\n    a :=\n  a || 'x'  ; end;\nend");
  const auto& inner = std::get<Block>(std::get<Block>(routine->main.body).body.at(0).body);
  const Fragment& value = std::get<Assignment>(inner.body.at(0).body).value;
  EXPECT_EQ(std::get<Assignment>(inner.body.at(0).body).offset, 55u);
  EXPECT_EQ(routine->textOf(value), "a || 'x'");
  EXPECT_EQ(routine->body.substr(value.offset, value.length), "a || 'x'");
  EXPECT_EQ(value.line, 6u);
  const auto found = routine->scopes.find(value.scope, "a");
  ASSERT_TRUE(found);
  EXPECT_EQ(routine->datum(found->datum).type.name, "text");
}

TEST_F(PlpgsqlParser, TakesOptions) {
  const auto routine = parsed("do", "#option dump\n#print_strict_params off\n#variable_conflict use_column\nbegin end");
  EXPECT_TRUE(routine->is_dumped);
  EXPECT_EQ(routine->prints_strict_parameters, false);
  EXPECT_EQ(routine->conflict, VariableConflict::UseColumn);
}

TEST_F(PlpgsqlParser, ChecksSqlOnlyWhenAsked) {
  Signature signature;
  signature.returns_void = true;
  EXPECT_NO_THROW(parseRoutine("begin perform 1 +; selec 1; end", signature, catalog_.types(), {.checks_sql = false}));
  EXPECT_THROW(parseRoutine("begin perform 1 +; end", signature, catalog_.types()), SqlError);
}

// What else is refused, and how, is compared with PostgreSQL by client-tests/test_plpgsql_corpus.py.
TEST_F(PlpgsqlParser, PlacesErrorsInTheBody) {
  EXPECT_EQ(error("begin\n  x := 1;\nend"), "42601 8 \"x\" is not a known variable");
  EXPECT_EQ(error("begin\n  perform 1 + * 2;\nend"), "42601 20 syntax error at or near \"*\"");
  EXPECT_EQ(error("declare ö text := 'ü' || ä ö ü; begin end"), "42601 33 syntax error at or near \"ü\"");
  EXPECT_EQ(error("begin 'open"), "42601 6 unterminated quoted string at or near \"'open\"");
  EXPECT_EQ(error("begin end; 'open"), "42601 11 unterminated quoted string at or near \"'open\"");
}

TEST_F(PlpgsqlParser, SaysTheLineWhereErrorsHaveNoPlace) {
  try {
    parsed("create function f() returns void", "\nbegin\n  raise\n    'a %';\nend");
    FAIL();
  } catch (const SqlError& found) {
    EXPECT_EQ(found.message(), "too few parameters specified for RAISE");
    EXPECT_EQ(found.position(), -1);
    EXPECT_EQ(found.context(), "compilation of PL/pgSQL function \"f\" near line 3");
  }
}

TEST_F(PlpgsqlParser, RefusesStatementsNestedTooDeeply) {
  const auto nested = [](size_t depth) {
    std::string body = "begin ";
    for (size_t i = 0; i < depth; ++i) body += "loop ";
    for (size_t i = 0; i < depth; ++i) body += "end loop; ";
    return body + "end";
  };
  EXPECT_EQ(error(nested(kStatementDepthMax)), "none");
  EXPECT_EQ(error(nested(kStatementDepthMax + 1)), "54001 -1 stack depth limit exceeded");
  EXPECT_EQ(error(nested(20'000)), "54001 -1 stack depth limit exceeded");
}

}  // namespace
}  // namespace gnomon::sql::plpgsql
