#include "sql/plpgsql/context_name.h"

#include "sql/plpgsql/tests/tree_fixture.h"

namespace gnomon::sql::plpgsql {
namespace {

using PlpgsqlContextName = TreeTest;

// As PostgreSQL 15 says them when the statement fails.
TEST_F(PlpgsqlContextName, TellsStatementsApart) {
  const auto routine = parsed("create procedure f()", R"(declare
  a integer; r record; c refcursor; d cursor for select 1;
begin
  begin end; a := 1; if true then end if; case when true then end case;
  loop exit; continue; end loop; while true loop end loop; for i in 1..2 loop end loop;
  for r in select 1 loop end loop; for r in execute 'x' loop end loop; for r in d loop end loop;
  foreach a in array '{}' loop end loop; return; raise; assert true; perform 1; call p(); do 'x';
  select 1 into a; execute 'x'; get diagnostics a = row_count; get stacked diagnostics a = message_text;
  open d; fetch d into r; move d; close d; commit; rollback;
end)");
  std::string names;
  for (const Statement& statement : std::get<Block>(routine->main.body).body)
    names += std::string(contextName(statement)) + "\n";
  EXPECT_EQ(names, R"(statement block
assignment
IF
CASE
LOOP
WHILE
FOR with integer loop variable
FOR over SELECT rows
FOR over EXECUTE statement
FOR over cursor
FOREACH over array
RETURN
RAISE
ASSERT
PERFORM
CALL
DO
SQL statement
EXECUTE
GET DIAGNOSTICS
GET STACKED DIAGNOSTICS
OPEN
FETCH
MOVE
CLOSE
COMMIT
ROLLBACK
)");
}

}  // namespace
}  // namespace gnomon::sql::plpgsql
