-- file: message detail hint context objects notices internal
-- Contexts of errors: nested calls, SQL statements and expressions between, constants that are computed early, lines, signatures.
create schema pkn;
set search_path = pkn, public;
create table t (a int primary key, b int check (b > 0));
insert into t values (1, 1), (2, 2);
create function fails(n int) returns int language plpgsql as $$
begin
  if n = 0 then
    raise exception 'zero';
  end if;
  return n;
end $$;
create function level_one(n int) returns int language plpgsql as $$ begin return fails(n); end $$;
create function level_two(n int) returns int language plpgsql as $$ declare x int; begin x := level_one(n); return x; end $$;
create function level_three(n int) returns int language plpgsql as $$ begin perform level_two(n); return n; end $$;
create function level_four(n int) returns int language plpgsql as $$ declare x int; begin execute 'select level_three($1)' into x using n; return x; end $$;
create function level_five(n int) returns int language plpgsql as $$ declare x int; begin select sum(level_four(g)) into x from generate_series(n, n + 1) g; return x; end $$;
select level_five(1);
select level_five(0);
do $$ begin perform level_two(0); end $$;
select level_two(a - 1) from t order by a;
select * from t where level_one(a - 2) = 0;
create function in_sql(n int) returns int language sql volatile as $$ insert into t values (n + 100, 1); select pkn.fails(n); $$;
select in_sql(0);
create function calls_sql(n int) returns int language plpgsql as $$ begin return in_sql(n); end $$;
select calls_sql(0);
create function constant_folded() returns int language plpgsql as $$ begin return 1 / 0; end $$;
select constant_folded();
create function constant_in_assignment() returns int language plpgsql as $$ declare x int; begin x := 1 / 0; return x; end $$;
select constant_in_assignment();
create function constant_in_default() returns int language plpgsql as $$ declare x int := 1 / 0; begin return x; end $$;
select constant_in_default();
create function constant_in_if() returns int language plpgsql as $$ begin if 1 / 0 = 1 then return 1; end if; return 2; end $$;
select constant_in_if();
create function constant_in_statement() returns int language plpgsql as $$ begin update t set b = 1 / 0; return 1; end $$;
select constant_in_statement();
create function constant_in_perform() returns int language plpgsql as $$ begin perform 1 / 0; return 1; end $$;
select constant_in_perform();
create function constant_text() returns int language plpgsql as $$ begin return 'x'::int; end $$;
select constant_text();
create function query_expression(n int) returns int language plpgsql as $$ begin return (select 1 / n); end $$;
select query_expression(0);
create function query_assignment(n int) returns int language plpgsql as $$ declare x int; begin x := (select 1 / n from t limit 1); return x; end $$;
select query_assignment(0);
create function query_condition(n int) returns int language plpgsql as $$ begin if exists (select from t where a / n = 1) then return 1; end if; return 2; end $$;
select query_condition(0);
create function query_loop_bound(n int) returns int language plpgsql as $$ begin for i in 1 .. (select 1 / n) loop null; end loop; return 2; end $$;
select query_loop_bound(0);
create function recursive(n int) returns int language plpgsql as $$
begin
  if n = 0 then
    return 10 / n;
  end if;
  return recursive(n - 1);
end $$;
select recursive(0);
select recursive(3);
create function mutual_a(n int) returns int language plpgsql as $$ begin return mutual_b(n - 1); end $$;
create function mutual_b(n int) returns int language plpgsql as $$ declare x int; begin if n < 0 then x := 1 / (n - n); end if; x := mutual_a(n); return x; end $$;
select mutual_a(2);
create function caught_and_reported(n int) returns text language plpgsql as $$
declare
  c text;
begin
  perform level_three(n);
  return 'fine';
exception when others then
  get stacked diagnostics c = pg_exception_context;
  return c;
end $$;
select caught_and_reported(1);
select caught_and_reported(0);
create function raised_again(n int) returns text language plpgsql as $$
begin
  perform level_one(n);
  return 'fine';
exception when others then
  raise;
end $$;
select raised_again(0);
create function raised_again_outside(n int) returns text language plpgsql as $$ begin return raised_again(n); end $$;
select raised_again_outside(0);
create function raised_new(n int) returns text language plpgsql as $$
begin
  perform level_one(n);
  return 'fine';
exception when others then
  raise exception 'new: %', sqlerrm;
end $$;
select raised_new(0);
create function multi_line(
  n int,
  m text default 'x'
) returns int
language plpgsql
as $body$

declare

  x int;

begin
  x :=
    n
    / 0;
  return x;
end
$body$;
select multi_line(1);
create function statement_over_lines(n int) returns int language plpgsql as $$
declare
  x int;
begin
  select a
    into x
    from t
   where a / n = 1; -- comment
  insert into t
  values (1,
          n);
  return x;
end $$;
select statement_over_lines(0);
select statement_over_lines(1);
create function same_line() returns int language plpgsql as $$ declare x int; begin x := 1; x := 2; select 3 into x; perform 1 / (x - 3); return x; end $$;
select same_line();
create function starts_on_first_line() returns int language plpgsql as $$begin
perform fails(0); return 1; end$$;
select starts_on_first_line();
create function quoted_body() returns int language plpgsql as '
begin
  perform ''x''::int;
  return 1;
end';
select quoted_body();
create schema pkn_other;
create function pkn_other.outside(n int) returns int language plpgsql as $$ begin return pkn.fails(n); end $$;
select pkn_other.outside(0);
create function "Quoted Name"("A" int) returns int language plpgsql as $$ begin return fails("A"); end $$;
select "Quoted Name"(0);
create function types_in_signature(a int, b numeric, c varchar, d text[], e timestamptz, f t, variadic g float8[]) returns int language plpgsql as $$ begin return fails(0); end $$;
select types_in_signature(1, 1, 'x', '{}', null, null, 1, 2);
create function outs_in_signature(a int, out b int, inout c text, out d date) language plpgsql as $$ begin b := fails(a); end $$;
select outs_in_signature(0, 'x');
create function table_in_signature(a int) returns table (b int, c text) language plpgsql as $$ begin b := fails(a); return next; end $$;
select * from table_in_signature(0);
create function casts_at_return() returns int language plpgsql as $$ begin return 'x'; end $$;
select casts_at_return();
create function casts_variable_at_return(v text) returns int language plpgsql as $$ begin return v; end $$;
select casts_variable_at_return('x');
create domain positive as int check (value > 0);
create function domain_at_return(n int) returns positive language plpgsql as $$ begin return n; end $$;
select domain_at_return(-1);
create function domain_out(n int, out p positive) language plpgsql as $$ begin p := n; end $$;
select domain_out(-1);
create function domain_argument(p positive) returns int language plpgsql as $$ begin return p; end $$;
create function gives_domain(n int) returns int language plpgsql as $$ begin return domain_argument(n); end $$;
select gives_domain(-1);
create function json_error(v text) returns json language plpgsql as $$ declare j json; begin j := v; return j; end $$;
select json_error('{"a": }');
create function trigger_body() returns trigger language plpgsql as $$ begin perform fails(new.b - new.b); return new; end $$;
create trigger tr before insert on t for each row execute function trigger_body();
insert into t values (50, 1);
create function inserts(n int) returns int language plpgsql as $$ begin insert into t values (n, 1); return n; end $$;
select inserts(51);
drop trigger tr on t;
create function stack_at_statement_end() returns int language plpgsql as $$ declare c text; begin get diagnostics c = pg_context; raise notice '%', c; return 1; end $$;
select stack_at_statement_end();
create function notices_inside(n int) returns int language plpgsql as $$ begin raise notice 'n is %', n; return n; end $$;
create function notices_nested(n int) returns int language plpgsql as $$ declare x int; begin x := notices_inside(n); select notices_inside(n + 1) into x; execute 'select notices_inside(100)'; if notices_inside(n) = 1 then null; end if; return notices_inside(x); end $$;
select notices_nested(1);
select notices_inside(a) from t where a < 3 order by a;
