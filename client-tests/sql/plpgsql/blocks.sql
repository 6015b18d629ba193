-- file: message detail hint context objects notices
-- Blocks, nested blocks, labels, declarations.
create schema plb;
set search_path = plb, public;
create function nothing() returns void language plpgsql as $$ begin end $$;
select nothing();
select nothing() is null, pg_typeof(nothing());
select * from nothing();
create function null_statement() returns void language plpgsql as $$
begin
  null;
  null;
end $$;
select null_statement();
create function answer() returns int language plpgsql as 'begin return 42; end';
select answer();
select answer() + answer(), answer()::text || '!';
select * from answer();
select * from answer() as a (b);
create function declared() returns text language plpgsql as $$
declare
  a int;
  b int := 1;
  c int = 2;
  d int default 3;
  e text := 'x' || b;
  f numeric(5,2) := 1.005;
  g varchar(3) := 'abc';
  h boolean not null := true;
  i constant date := date '2020-02-29';
begin
  return concat_ws('|', coalesce(a::text, 'null'), b, c, d, e, f, g, h, i);
end $$;
select declared();
create function defaults_see_earlier(n int) returns int language plpgsql as $$
declare
  a int := n + 1;
  b int := a * 2;
  c int := a + b + n;
begin
  return c;
end $$;
select defaults_see_earlier(1), defaults_see_earlier(-5), defaults_see_earlier(null);
create function default_is_evaluated_each_time() returns int language plpgsql as $$
declare
  total int := 0;
begin
  for i in 1 .. 3 loop
    declare
      square int := i * i;
      unset int;
    begin
      total := total + square + coalesce(unset, 0);
      unset := 1000;
    end;
  end loop;
  return total;
end $$;
select default_is_evaluated_each_time();
create function constant_assigned() returns int language plpgsql as $$
declare
  c constant int := 1;
begin
  c := 2;
  return c;
end $$;
create function constant_null() returns int language plpgsql as $$
declare
  c constant int;
begin
  return c;
end $$;
select constant_null();
create function not_null_without_default() returns int language plpgsql as $$
declare
  c int not null;
begin
  return c;
end $$;
create function not_null_default_null(a int) returns int language plpgsql as $$
declare
  c int not null := a;
begin
  return c;
end $$;
select not_null_default_null(1);
select not_null_default_null(null);
create function not_null_assigned(a int) returns int language plpgsql as $$
declare
  c int not null := 0;
begin
  c := c + 1;
  c := a;
  return c;
end $$;
select not_null_assigned(5);
select not_null_assigned(null);
create function not_null_into(a int) returns int language plpgsql as $$
declare
  c int not null := 0;
begin
  select a into c;
  return c;
end $$;
select not_null_into(5);
select not_null_into(null);
create function constant_not_null(a text) returns text language plpgsql as $$
declare
  c constant text not null default a || '!';
begin
  return c;
end $$;
select constant_not_null('a');
select constant_not_null(null);
create function default_fails(a int) returns int language plpgsql as $$
declare
  x int := 1;
  y int := 10 / a;
begin
  return y;
end $$;
select default_fails(5);
select default_fails(0);
create function default_has_wrong_type() returns int language plpgsql as $$
declare
  x int := 'abc';
begin
  return x;
end $$;
select default_has_wrong_type();
create function shadowed(a int) returns text language plpgsql as $$
declare
  b int := a;
begin
  declare
    b int := a * 10;
    c int := b;
  begin
    declare
      b int := b + 1;
    begin
      c := c + b;
      return format('%s %s %s', a, b, c);
    end;
  end;
end $$;
select shadowed(1), shadowed(2);
create function labelled(a int) returns text language plpgsql as $$
<<outermost>>
declare
  v int := a;
begin
  <<middle>>
  declare
    v int := a * 10;
  begin
    <<innermost>>
    declare
      v int := a * 100;
    begin
      outermost.v := outermost.v + 1;
      middle.v := middle.v + innermost.v;
      labelled.a := labelled.a + 1;
      return concat_ws(' ', outermost.v, middle.v, innermost.v, v, a, labelled.a);
    end innermost;
  end middle;
end outermost $$;
select labelled(1), labelled(7);
create function after_the_block() returns int language plpgsql as $$
declare
  a int := 1;
begin
  declare
    a int := 2;
  begin
    a := 3;
  end;
  return a;
end $$;
select after_the_block();
create function exit_block(n int) returns text language plpgsql as $$
declare
  trail text := '';
begin
  <<first>>
  begin
    trail := trail || 'a';
    exit first when n = 1;
    trail := trail || 'b';
    begin
      trail := trail || 'c';
      exit first when n = 2;
      trail := trail || 'd';
    end;
    trail := trail || 'e';
  end first;
  return trail || 'z';
end $$;
select exit_block(1), exit_block(2), exit_block(3), exit_block(null);
create function parameters_assigned(a int, b text) returns text language plpgsql as $$
begin
  a := a + 1;
  b := b || a;
  return b;
end $$;
select parameters_assigned(1, 'x'), parameters_assigned(2, null), parameters_assigned(null, 'x');
create function by_number(int, text) returns text language plpgsql as $$
begin
  return $2 || $1;
end $$;
select by_number(1, 'a'), by_number(2, 'b');
create function number_and_name(a int, int) returns int language plpgsql as $$
begin
  $2 := $2 * 2;
  return a + $1 * $2;
end $$;
select number_and_name(1, 2), number_and_name(3, 4);
create function aliases(int, b text) returns text language plpgsql as $$
declare
  first alias for $1;
  second alias for b;
  third alias for second;
begin
  first := first + 1;
  third := third || '.';
  return b || second || $1 || first;
end $$;
select aliases(1, 'x'), aliases(2, 'y');
create function alias_of_variable() returns int language plpgsql as $$
declare
  a int := 1;
  b alias for a;
begin
  b := b + 1;
  a := a * 10;
  return b;
end $$;
select alias_of_variable();
create table things (id int, name varchar(5), price numeric(6,2), at date);
insert into things values (1, 'one', 1.5, '2020-01-01'), (2, 'two', 2.25, '2020-01-02'), (3, null, null, null);
create function percent_type(k int) returns text language plpgsql as $$
declare
  n things.name%type;
  p things.price%type := 0;
  q p%type := 1.239;
  k2 k%type := k + 1;
begin
  select name, price into n, p from things where id = k;
  return concat_ws('/', n, p, q, k2, pg_typeof(n), pg_typeof(q));
end $$;
select percent_type(1), percent_type(2), percent_type(3), percent_type(4);
create function percent_type_length() returns text language plpgsql as $$
declare
  n things.name%type;
begin
  n := 'too long';
  return n;
end $$;
select percent_type_length();
create function percent_type_schema() returns text language plpgsql as $$
declare
  n plb.things.price%type := 1.005;
begin
  return n;
end $$;
select percent_type_schema();
create function percent_rowtype(k int) returns text language plpgsql as $$
declare
  t things%rowtype;
  u plb.things;
begin
  select * into t from things where id = k;
  u := t;
  u.name := upper(u.name);
  return t.id || coalesce(t.name, '-') || coalesce(u.name, '-') || coalesce(u.price::text, '-');
end $$;
select percent_rowtype(1), percent_rowtype(2), percent_rowtype(3), percent_rowtype(4);
create function type_of_no_column() returns int language plpgsql as $$ declare a things.nosuch%type; begin return a; end $$;
create function type_of_no_table() returns int language plpgsql as $$ declare a nosuch%rowtype; begin return a; end $$;
create function quoted_names("A b" int, "select" int) returns int language plpgsql as $$
declare
  "Üx" int := "A b" * "select";
  "from" int := 1;
begin
  "from" := "from" + "Üx";
  return "from";
end $$;
select quoted_names(2, 3);
CREATE FUNCTION Upper_Case(A INTEGER) RETURNS INTEGER LANGUAGE PLPGSQL AS $$
DECLARE
  B INTEGER := A;
  "B" INTEGER;
BEGIN
  IF B > 0 THEN
    RETURN b;
  END IF;
  "B" := 1;
  RETURN "B" + UPPER_CASE.a;
END $$;
select upper_case(5), UPPER_CASE(-5);
create function comments() returns int language plpgsql as $$
-- before it
/* and /* nested */ too */
declare -- here
  a integer /* there */ := /* everywhere */ 1; -- ;
begin
  a := a /* ; */ + 1; -- a := 5;
  /* a := 7; */
  return a; -- done
end -- end
$$;
select comments();
create function collated() returns boolean language plpgsql as $$
declare
  a text collate "C" := 'b';
begin
  return a < 'a';
end $$;
select collated();
create function found_begins_false() returns boolean language plpgsql as $$ begin return found; end $$;
select found_begins_false();
create function void_returned() returns void language plpgsql as $$ begin return; end $$;
select void_returned();
create function void_returns_value() returns void language plpgsql as $$ begin return 1; end $$;
create function nested_deep(n int) returns int language plpgsql as $$
declare r int := n;
begin begin begin begin begin begin begin begin begin begin
  r := r + 1;
  if r > 5 then return r; end if;
end; r := r * 2; end; end; end; end; end; end; end; end;
  return r;
end $$;
select nested_deep(1), nested_deep(5);
create function all_types() returns text language plpgsql as $$
declare
  a smallint := 1; b bigint := 9000000000; c real := 1.5; d double precision := 2.5; e numeric := 1.50; f char(4) := 'ab';
  g bytea := '\x0102'; h date := '2020-01-01'; i time := '10:00'; j timestamp := '2020-01-01 10:00'; k interval := '1 day 2 hours';
  l uuid := '00000000-0000-0000-0000-000000000001'; m json := '{"a": 1}'; n jsonb := '{"b":  2}'; o int[] := '{1,2}'; p "char" := 'x'; q name := 'n';
begin
  return concat_ws(';', a, b, c, d, e, f || '.', g, h, i, j, k, l, m, n, o, p, q);
end $$;
select all_types();
create or replace function answer() returns int language plpgsql as 'begin return 43; end';
select answer();
create or replace function answer() returns text language plpgsql as $$ begin return 'x'; end $$;
drop function answer();
select answer();
