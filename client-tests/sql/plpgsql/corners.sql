-- file: message detail hint context objects notices internal
-- Corners of PL/pgSQL: what each construct does with the unusual, and how errors are told.
create schema pco;
set search_path = pco, public;
create table t (id int primary key, v text, n numeric(8, 2) default 1.5);
insert into t (id, v) values (1, 'one'), (2, 'two'), (3, 'three');
create type pair as (a int, b text);
create type deep as (p pair, q pair[], n int);
create function query_changes(k int) returns setof t language plpgsql as $$
begin
  return query update t set v = v || '!' where id >= k returning *;
  return query with d as (delete from t where id = k returning *) select * from d;
  return query insert into t (id, v) values (k, 'again') returning id, v, n;
end $$;
select * from query_changes(3);
create function loop_dynamic_changes() returns text language plpgsql as $$
declare
  r record;
  s text := '';
begin
  for r in execute 'update t set n = n * $1 where id < 3 returning id, n' using 2 loop
    s := s || r.id || ':' || r.n || ' ';
  end loop;
  return s;
end $$;
select loop_dynamic_changes();
create function deep_assignments() returns text language plpgsql as $$
declare
  d deep;
  ds deep[];
begin
  d.n := 1;
  d.p.a := 2;
  d.p.b := 'x';
  d.q[1].a := 3;
  d.q[2] := row(4, 'four');
  d.q[2].b := d.q[2].b || '!';
  ds[1] := d;
  ds[1].q[1].b := 'deep';
  ds[2].p.a := 77;
  return d::text || ds::text || ds[1].q[2].a || (ds[1].p).b;
end $$;
select deep_assignments();
create function deep_errors(k int) returns text language plpgsql as $$
declare
  d deep;
  i int;
  r record;
begin
  if k = 1 then d.p.c := 1; end if;
  if k = 2 then d.n.x := 1; end if;
  if k = 3 then d.p.a := 'x'; end if;
  if k = 4 then d.nosuch := 1; end if;
  if k = 5 then d.q['x'] := null; end if;
  if k = 6 then d.q[1].c := 5; end if;
  if k = 7 then d.n[1] := 5; end if;
  if k = 8 then r.x := 5; end if;
  if k = 9 then d.p := 5; end if;
  if k = 10 then d := row(1, 2); end if;
  if k = 11 then d.p := row(1); end if;
  if k = 12 then i := d; end if;
  return d;
end $$;
select deep_errors(1);
select deep_errors(2);
select deep_errors(3);
select deep_errors(4);
select deep_errors(5);
select deep_errors(6);
select deep_errors(7);
select deep_errors(8);
select deep_errors(9);
select deep_errors(10);
select deep_errors(11);
select deep_errors(12);
create function null_rows() returns text language plpgsql as $$
declare
  p pair;
  q pair := null;
  r record := null;
  s pair := row(null, null);
begin
  return concat_ws(',', p is null, q is null, r is null, s is null, p is not distinct from null, s::text, coalesce(p::text, 'none'));
end $$;
select null_rows();
create function subscript_errors(k int) returns text language plpgsql as $$
declare
  a int[];
  s text := 'abc';
begin
  if k = 1 then a[null] := 1; end if;
  if k = 2 then a := '{1,2,3}'; a[2:3] := '{5}'; end if;
  if k = 3 then a[1][2] := 1; a[1] := 2; end if;
  if k = 4 then s[1] := 'x'; end if;
  if k = 5 then a[1:2] := null; end if;
  if k = 6 then a := '{{1,2},{3,4}}'; a[1][1] := 9; return a[2][1] || a::text || coalesce(a[1]::text, 'null'); end if;
  if k = 7 then a['x'] := 1; end if;
  if k = 8 then a := '[0:1]={1,2}'; a[-1] := 0; a[3] := 3; end if;
  return a;
end $$;
select subscript_errors(1);
select subscript_errors(2);
select subscript_errors(3);
select subscript_errors(4);
select subscript_errors(5);
select subscript_errors(6);
select subscript_errors(7);
select subscript_errors(8);
create function jsonb_subscripts() returns jsonb language plpgsql as $$
declare
  j jsonb := '{"a": 1}';
begin
  j['b'] := '[1, 2]';
  j['b'][3] := '"x"';
  j['c']['d'] := to_jsonb(now() is not null);
  return j;
end $$;
select jsonb_subscripts();
create function context_in_sql(a int) returns int language sql as $$ select 10 / a $$;
create function context_of_sql(a int) returns int language plpgsql as $$ begin return context_in_sql(a) + 1; end $$;
create function context_twice(a int) returns int language sql volatile as $$ select context_of_sql(a) from t limit 1 $$;
select context_of_sql(0);
select context_twice(0);
create function perform_nested(a int) returns void language plpgsql as $$ begin perform context_of_sql(a) from t; end $$;
select perform_nested(0);
create function dynamic_nested(a int) returns void language plpgsql as $$ begin execute 'select perform_nested($1)' using a; end $$;
select dynamic_nested(0);
create function do_nested() returns void language plpgsql as $$ begin execute $q$do $d$ begin raise exception 'in a block'; end $d$$q$; end $$;
select do_nested();
create function do_inside() returns void language plpgsql as $$ begin do $d$ begin raise notice 'in a block'; end $d$; end $$;
select do_inside();
create function for_nested(a int) returns void language plpgsql as $$ declare r record; begin for r in select context_of_sql(a) loop null; end loop; end $$;
select for_nested(0);
create function assign_nested(a int) returns int language plpgsql as $$ declare x int; begin x := (select max(context_of_sql(a)) from t); return x; end $$;
select assign_nested(0);
create function if_nested(a int) returns int language plpgsql as $$ begin if context_of_sql(a) > 1 then return 1; end if; return 2; end $$;
select if_nested(0);
create function case_nested(a int) returns int language plpgsql as $$ begin case context_of_sql(a) when 1 then return 1; else return 2; end case; end $$;
select case_nested(0);
create function while_nested(a int) returns int language plpgsql as $$ begin while context_of_sql(a) > 0 loop exit; end loop; return 2; end $$;
select while_nested(0);
create function range_nested(a int) returns int language plpgsql as $$ begin for i in 1 .. context_of_sql(a) loop exit; end loop; return 2; end $$;
select range_nested(0);
create function raise_nested(a int) returns int language plpgsql as $$ begin raise notice 'x %', context_of_sql(a); return 2; end $$;
select raise_nested(0);
create function assert_nested(a int) returns int language plpgsql as $$ begin assert context_of_sql(a) > 0; return 2; end $$;
select assert_nested(0);
create function exit_nested(a int) returns int language plpgsql as $$ begin loop exit when context_of_sql(a) > 0; end loop; return 2; end $$;
select exit_nested(0);
create function open_nested(a int) returns int language plpgsql as $$ declare c cursor (x int) for select x; begin open c(context_of_sql(a)); return 2; end $$;
select open_nested(0);
create function fetch_nested(a int) returns int language plpgsql as $$ declare c cursor for select context_of_sql(a); x int; begin open c; fetch c into x; return x; end $$;
select fetch_nested(0);
create function next_nested(a int) returns setof int language plpgsql as $$ begin return next context_of_sql(a); end $$;
select next_nested(0);
create function query_nested(a int) returns setof int language plpgsql as $$ begin return query select context_of_sql(a); end $$;
select query_nested(0);
create function declare_nested(a int) returns int language plpgsql as $$ declare x int := context_of_sql(a); begin return x; end $$;
select declare_nested(0);
create function using_nested(a int) returns int language plpgsql as $$ declare x int; begin execute 'select $1' into x using context_of_sql(a); return x; end $$;
select using_nested(0);
create function diagnostics_nested(a int) returns text language plpgsql as $$
declare
  c text;
begin
  perform context_of_sql(a);
  return 'no';
exception when others then
  get stacked diagnostics c = pg_exception_context;
  return c;
end $$;
select diagnostics_nested(0);
create function statement_errors(k int) returns int language plpgsql as $$
declare
  r record;
  i int;
begin
  if k = 1 then insert into t values (1, 'dup'); end if;
  if k = 2 then insert into t (nosuch) values (1); end if;
  if k = 3 then update t set n = 'x'; end if;
  if k = 4 then select * into r from nosuch; end if;
  if k = 5 then perform nosuch(); end if;
  if k = 6 then i := (select v from t where id = 1); end if;
  if k = 7 then i := (select id from t); end if;
  if k = 8 then select id into strict i from t; end if;
  if k = 9 then insert into t values (9, 'x', 12345678); end if;
  if k = 10 then i := 1 + 'x'; end if;
  if k = 11 then i := nosuch.x; end if;
  if k = 12 then i := id from t where nosuch = 1; end if;
  if k = 13 then execute 'select 1/0'; end if;
  if k = 14 then execute 'select nosuch from t'; end if;
  if k = 15 then create table t (x int); end if;
  if k = 16 then drop table nosuch; end if;
  if k = 17 then i := generate_series(1, 2); end if;
  if k = 18 then if 'x' then null; end if; end if;
  if k = 19 then if null then i := 1; else i := 2; end if; return i; end if;
  if k = 20 then for r in select 1 / 0 loop null; end loop; end if;
  if k = 21 then select 1, 2 into i; return i; end if;
  if k = 22 then i := count(*) from t; return i; end if;
  if k = 23 then select into i; return coalesce(i, -1); end if;
  if k = 24 then while 'nope' loop null; end loop; end if;
  return 0;
end $$;
select statement_errors(1);
select statement_errors(2);
select statement_errors(3);
select statement_errors(4);
select statement_errors(5);
select statement_errors(6);
select statement_errors(7);
select statement_errors(8);
select statement_errors(9);
select statement_errors(10);
select statement_errors(11);
select statement_errors(12);
select statement_errors(13);
select statement_errors(14);
select statement_errors(15);
select statement_errors(16);
select statement_errors(17);
select statement_errors(18);
select statement_errors(19);
select statement_errors(20);
select statement_errors(21);
select statement_errors(22);
select statement_errors(23);
select statement_errors(24);
create function copy_inside() returns int language plpgsql as $$ begin copy t to stdout; return 1; end $$;
select copy_inside();
create function vacuum_inside() returns int language plpgsql as $$ begin vacuum t; return 1; end $$;
select vacuum_inside();
create function begin_inside() returns int language plpgsql as $$ begin begin; return 1; end $$;
create function listen_inside() returns int language plpgsql as $$ begin listen x; notify x, 'y'; unlisten x; return 1; end $$;
select listen_inside();
create function prepare_inside() returns int language plpgsql as $$ begin prepare pp as select 1; deallocate pp; return 1; end $$;
select prepare_inside();
create function set_inside() returns text language plpgsql as $$ begin set application_name = 'inside'; return current_setting('application_name'); end $$;
select set_inside();
reset application_name;
create function analyze_inside() returns int language plpgsql as $$ begin analyze t; lock table t in share mode; return 1; end $$;
select analyze_inside();
create function grants_inside() returns int language plpgsql as $$ begin grant select on t to public; revoke select on t from public; return 1; end $$;
select grants_inside();
create function stable_writes() returns int language plpgsql stable as $$ begin insert into t values (50, 'x'); return 1; end $$;
select stable_writes();
create function immutable_creates() returns int language plpgsql immutable as $$ begin create table x (a int); return 1; end $$;
select immutable_creates();
create function strict_one(a int, b text) returns text language plpgsql strict as $$ begin return a || b; end $$;
select strict_one(1, null), strict_one(null, 'x'), strict_one(1, 'x');
create function infinite(n int) returns int language plpgsql as $$ begin return infinite(n + 1); end $$;
create function polymorphic_array(a anyarray) returns anyelement language plpgsql as $$ declare e a%type; r text; begin e := a; return e[1]; end $$;
select polymorphic_array(array[5, 6]), polymorphic_array(array['x', 'y']), pg_typeof(polymorphic_array(array[1.5]));
create function polymorphic_make(a anyelement, n int) returns anyarray language plpgsql as $$ begin return array_fill(a, array[n]); end $$;
select polymorphic_make('z'::text, 2), polymorphic_make(true, 1), polymorphic_make(row(1, 'x')::pair, 2);
create function labels_and_shadows() returns text language plpgsql as $$
<<outer_block>>
declare
  i int := 100;
  s text := '';
begin
  <<l>>
  for i in 1 .. 2 loop
    s := s || i || outer_block.i || l.i || ' ';
    declare
      i int := 7;
    begin
      s := s || i || l.i || ' ';
    end;
  end loop;
  return s || i;
end $$;
select labels_and_shadows();
create function found_is_a_variable() returns text language plpgsql as $$ declare found text := 'mine'; begin perform 1; return found; end $$;
select found_is_a_variable();
create function reserved_as_variables() returns text language plpgsql as $$
declare
  type int := 1; name text := 'n'; value int := 2; alias int := 3; error int := 4; query text := 'q'; "end" int := 5; row_count int := 6; message text := 'm';
begin
  type := type + value + alias + error + row_count;
  get diagnostics row_count = row_count;
  return type || name || query || "end" || row_count || message;
end $$;
select reserved_as_variables();
create function numeric_variable() returns text language plpgsql as $$
declare
  a numeric := 1;
  b numeric(5, 2) := 1;
begin
  for i in 1 .. 30 loop a := a * 7; end loop;
  b := 99.999 / 3;
  a := a / 3;
  begin b := 1000; exception when numeric_value_out_of_range then a := -a; end;
  return a || ' ' || b;
end $$;
select numeric_variable();
create function text_building(n int) returns int language plpgsql as $$ declare s text := ''; begin for i in 1 .. n loop s := s || chr(65 + i % 26); end loop; return length(s); end $$;
select text_building(10000);
create function quick_null() returns int language plpgsql as $$ declare a int; begin if a = null or a <> 1 then return 1; elsif a is null then return 2; end if; return 3; end $$;
select quick_null();
create function out_and_variable(a int, out b int, out c text) language plpgsql as $$ begin select id, v into b, c from t where id = a; if not found then c := 'none'; end if; end $$;
select * from out_and_variable(1);
select (out_and_variable(9)).*;
create function inout_only(inout a int, inout b text) language plpgsql as $$ begin a := a + 1; b := b || a; end $$;
select * from inout_only(1, 'x');
create function table_and_alias() returns table (id int, v text) language plpgsql as $$ begin return query select t.id, t.v from t order by t.id; end $$;
select * from table_and_alias();
create function table_ambiguous() returns table (id int) language plpgsql as $$ begin return query select id from t; end $$;
select * from table_ambiguous();
create function exit_of_function() returns int language plpgsql as $$ begin exit exit_of_function; end $$;
select exit_of_function();
create function unreached() returns int language plpgsql as $$ begin return 1; raise exception 'never'; end $$;
select unreached();
