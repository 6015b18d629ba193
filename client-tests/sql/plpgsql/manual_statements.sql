-- file: message detail hint context objects notices
-- What the chapter of PostgreSQL's manual on PL/pgSQL shows of basic statements: SQL with and without results, EXECUTE, GET DIAGNOSTICS.
create schema pmb;
set search_path = pmb, public;
create table emp (empname text, salary int, dept text);
create table tab1 (id int primary key, name text, n int default 0);
insert into emp values ('joe', 100, 'a'), ('jim', 200, 'b'), ('jim', 300, 'b');
insert into tab1 values (1, 'one'), (2, 'two'), (3, 'three');
create function perform_some(k int) returns text language plpgsql as $$
begin
  perform * from tab1 where id = k;
  if found then return 'found'; end if;
  return 'none';
end $$;
select perform_some(1), perform_some(9);
create function no_destination() returns int language plpgsql as $$ begin select id from tab1; return 1; end $$;
select no_destination();
create function query_of_with() returns int language plpgsql as $$ begin perform 1; with a as (select 1) select * from a; return 1; end $$;
select query_of_with();
create function get_emp(name text) returns text language plpgsql as $$
declare
  myrec record;
begin
  select * into myrec from emp where empname = name;
  if not found then
    raise exception 'employee % not found', name;
  end if;
  return myrec.salary;
end $$;
select get_emp('joe');
select get_emp('nobody');
create function get_emp_strict(name text) returns text language plpgsql as $$
declare
  myrec record;
begin
  begin
    select * into strict myrec from emp where empname = name;
  exception
    when no_data_found then
      raise exception 'employee % not found', name;
    when too_many_rows then
      raise exception 'employee % not unique', name;
  end;
  return myrec::text;
end $$;
select get_emp_strict('joe');
select get_emp_strict('nobody');
select get_emp_strict('jim');
create function get_userid(username text) returns int as $$
#print_strict_params on
DECLARE
userid int;
BEGIN
    SELECT tab1.id INTO STRICT userid
        FROM tab1 WHERE tab1.name = get_userid.username;
    RETURN userid;
END;
$$ LANGUAGE plpgsql;
select get_userid('two');
select get_userid('o''brien');
create function into_anywhere(k int) returns text language plpgsql as $$
declare
  a int;
  b text;
  r record;
  s tab1%rowtype;
begin
  select into a, b id, name from tab1 where id = k;
  select id, name from tab1 into r where id = k + 1;
  select * from tab1 where id = k + 2 into s;
  return concat_ws('|', a, b, r, s);
end $$;
select into_anywhere(1), into_anywhere(2), into_anywhere(5);
create function returning_into(k int) returns text language plpgsql as $$
declare
  r tab1;
  a int;
  b text;
  result text;
begin
  insert into tab1 values (k, 'new') returning * into r;
  result := r::text;
  update tab1 set n = n + 1, name = name || '!' where id = k returning n, name into strict a, b;
  result := result || a || b;
  delete from tab1 where id = k returning id into a;
  result := result || a || found;
  delete from tab1 where id = k returning id into a;
  return result || coalesce(a::text, 'null') || found;
end $$;
select returning_into(50);
create function returning_many() returns text language plpgsql as $$
declare
  a int;
begin
  update tab1 set n = n + 1 returning id into a;
  return a;
end $$;
select returning_many();
create function returning_none_strict() returns text language plpgsql as $$
declare
  a int;
begin
  update tab1 set n = n + 1 where id = -1 returning id into strict a;
  return a;
end $$;
select returning_none_strict();
create function returning_nowhere() returns text language plpgsql as $$ begin update tab1 set n = n + 1 where id = 1 returning id; return 'x'; end $$;
select returning_nowhere();
create function into_of_command() returns text language plpgsql as $$ declare a int; begin update tab1 set n = 0 into a; return a; end $$;
select into_of_command();
create function counts(tabname text, inserted_by text) returns bigint language plpgsql as $$
declare
  c bigint;
begin
  execute 'select count(*) from tab1 where name <> $1 and id <= $2' into c using inserted_by, 2;
  execute format('select count(*) + $1 from %I', tabname) into c using c;
  return c;
end $$;
select counts('tab1', 'two');
select counts('no such', 'two');
create function dynamic_update(colname text, newvalue text, keyvalue int) returns text language plpgsql as $$
declare
  r record;
  n int;
begin
  execute format('update tab1 set %I = $1 where id = $2', colname) using newvalue, keyvalue;
  get diagnostics n = row_count;
  execute 'select * from tab1 where id = ' || quote_literal(keyvalue) into r;
  execute 'update tab1 set ' || quote_ident(colname) || ' = ' || quote_nullable(null) || ' where id = ' || keyvalue;
  return r::text || n;
end $$;
select dynamic_update('name', 'it''s', 2);
select dynamic_update('nosuch', 'x', 2);
select * from tab1 order by id;
create function dynamic_null() returns int language plpgsql as $$ begin execute null; return 1; end $$;
select dynamic_null();
create function dynamic_strict(k int) returns text language plpgsql as $$
declare
  a text;
begin
  execute 'select empname from emp where salary >= $1' into strict a using k;
  return a;
end $$;
select dynamic_strict(300);
select dynamic_strict(100);
select dynamic_strict(1000);
create function dynamic_several() returns text language plpgsql as $$
declare
  a int;
begin
  execute 'create temp table several (i int); insert into several values (1), (2), (3); select count(*) from several' into a;
  execute 'drop table several';
  return a;
end $$;
select dynamic_several();
create function dynamic_missing_argument() returns int language plpgsql as $$ declare a int; begin execute 'select $1 + $2' into a using 1; return a; end $$;
select dynamic_missing_argument();
create function dynamic_syntax() returns int language plpgsql as $$ begin execute 'selec 1'; return 1; end $$;
select dynamic_syntax();
create function dynamic_into_select() returns int language plpgsql as $$ begin execute 'select 1 into x'; return 1; end $$;
select dynamic_into_select();
create function dynamic_found() returns text language plpgsql as $$
declare
  n int;
begin
  perform 1;
  execute 'update tab1 set n = 1 where id = 99';
  get diagnostics n = row_count;
  return found || ' ' || n;
end $$;
select dynamic_found();
create function diagnostics_all() returns text language plpgsql as $$
declare
  n bigint;
  c text;
  result text := '';
begin
  insert into emp select 'x' || g, g, 'c' from generate_series(1, 7) g;
  get diagnostics n = row_count;
  result := result || n;
  update emp set salary = salary + 1 where dept = 'c' and salary < 4;
  get current diagnostics n := row_count, c = pg_context;
  result := result || n || c;
  delete from emp where dept = 'c';
  get diagnostics n = row_count;
  result := result || n;
  select count(*) into n from emp;
  get diagnostics n = row_count;
  result := result || n;
  perform * from emp;
  get diagnostics n = row_count;
  return result || n;
end $$;
select diagnostics_all();
create function outer_func() returns integer as $$
BEGIN
  RETURN inner_func();
END;
$$ LANGUAGE plpgsql;
create function inner_func() returns integer as $$
DECLARE
  stack text;
BEGIN
  GET DIAGNOSTICS stack = PG_CONTEXT;
  RAISE NOTICE E'--- Call Stack ---\n%', stack;
  RETURN 1;
END;
$$ LANGUAGE plpgsql;
select outer_func();
create function found_after_all() returns text language plpgsql as $$
declare
  r text := '';
  a int;
begin
  r := r || found;
  select 1 into a; r := r || found;
  select id into a from tab1 where id = 77; r := r || found;
  perform 1; r := r || found;
  perform 1 where false; r := r || found;
  insert into emp values ('t', 1); r := r || found;
  update emp set salary = 2 where empname = 't'; r := r || found;
  delete from emp where empname = 'tt'; r := r || found;
  delete from emp where empname = 't'; r := r || found;
  for i in 1 .. 0 loop null; end loop; r := r || found;
  for i in 1 .. 1 loop null; end loop; r := r || found;
  for a in select id from tab1 where false loop null; end loop; r := r || found;
  foreach a in array array[1] loop perform 1 where false; end loop; r := r || found;
  return r;
end $$;
select found_after_all();
create function nothing_done() returns int language plpgsql as $$ begin begin null; exception when division_by_zero then null; end; return 1; end $$;
select nothing_done();
create function statement_of_every_kind() returns text language plpgsql as $$
declare
  n int;
begin
  create table made (a int, b text);
  create index on made (a);
  insert into made values (1, 'a'), (2, 'b');
  alter table made add column c int default 3;
  create view made_view as select a, c from made;
  comment on table made is 'made';
  truncate made;
  insert into made (a) select generate_series(1, 4);
  select sum(a * c) into n from made_view;
  drop view made_view;
  drop table made;
  return n;
end $$;
select statement_of_every_kind();
select statement_of_every_kind();
create function merges(k int) returns text language plpgsql as $$
declare
  n int;
begin
  merge into tab1 t using (select k as id, 'merged' as name) s on t.id = s.id
    when matched then update set name = s.name, n = t.n + 1
    when not matched then insert values (s.id, s.name, 100);
  get diagnostics n = row_count;
  return n || ' ' || (select t::text from tab1 t where id = k) || found;
end $$;
select merges(1), merges(60), merges(60);
create function upserts(k int, v text) returns text language plpgsql as $$
declare
  r tab1;
begin
  insert into tab1 values (k, v) on conflict (id) do update set name = excluded.name, n = tab1.n + 1 returning * into r;
  return r;
end $$;
select upserts(3, 'drei'), upserts(4, 'vier'), upserts(4, 'four');
create function sets_locally(d date) returns text language plpgsql as $$
begin
  set local datestyle = 'German';
  perform set_config('app.x', 'inside', true);
  return d || current_setting('app.x') || current_setting('datestyle');
end $$;
select sets_locally('2020-02-01');
show datestyle;
create function text_of_constants() returns text language plpgsql as $$ begin return date '2020-02-01' || ' ' || interval '1 day 2:00'; end $$;
select text_of_constants();
set datestyle = 'German';
set intervalstyle = 'iso_8601';
select text_of_constants();
reset datestyle;
reset intervalstyle;
select text_of_constants();
create function explains() returns setof text language plpgsql as $$
begin
  return query execute 'explain (costs off) select 1';
end $$;
select count(*) > 0 from explains();
create function shows() returns text language plpgsql as $$ declare a text; begin show search_path into a; return a; end $$;
select shows();
create function positional(int, text) returns text language plpgsql as $$ begin return $1 + 1 || $2; end $$;
select positional(1, 'x');
create function quoting(a text) returns text language plpgsql as $$
begin
  return format('%I %L %s %%', a, a, a) || quote_ident(a) || quote_literal(a) || coalesce(quote_literal(null), 'N') || quote_nullable(null);
end $$;
select quoting('a b''c');
