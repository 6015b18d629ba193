-- file: message detail hint context objects notices
-- EXECUTE with INTO and USING, format, quoting, commands.
create schema ply;
set search_path = ply, public;
create table t (id int primary key, name text, "odd Name" int);
insert into t values (1, 'one', 10), (2, 'two', 20), (3, 'three', 30);
create function value_of(col text, k int) returns text language plpgsql as $$
declare
  v text;
begin
  execute format('select %I::text from t where id = $1', col) into v using k;
  return v;
end $$;
select value_of('name', 1), value_of('id', 2), value_of('odd Name', 3), value_of('name', 9);
select value_of('nosuch', 1);
create function literals(v text) returns text language plpgsql as $$
declare
  r text;
begin
  execute 'select ' || quote_literal(v) || ' || ' || quote_nullable(null) || 'is null' into r;
  return r;
exception when others then
  return sqlstate;
end $$;
select literals('a');
create function quoting(v text, n text) returns text language plpgsql as $$
declare
  r text;
begin
  execute 'select x.' || quote_ident(n) || ' from (select ' || quote_nullable(v) || '::text as ' || quote_ident(n) || ') x' into r;
  return coalesce(r, 'null');
end $$;
select quoting('it''s', 'select'), quoting(null, 'A"b'), quoting('back\slash', 'simple');
create function formatted(v text, n text, k int) returns text language plpgsql as $$
declare
  r text;
begin
  execute format('select %L || %s || %2$I || %1$L from (select 1 as %2$I) q', v, n, k) into r;
  return r;
exception when others then return sqlerrm;
end $$;
select formatted('x', 'y', 1);
select formatted('x', 'a b', 1);
create function calculated(e text) returns numeric language plpgsql as $$
declare
  r numeric;
begin
  execute 'select ' || e into r;
  return r;
end $$;
select calculated('1 + 2 * 3'), calculated('sqrt(16)'), calculated('null');
select calculated('1 +');
select calculated('1 / 0');
select calculated('''x''');
create function using_many(a int, b text, c date, d numeric) returns text language plpgsql as $$
declare
  r text;
begin
  execute 'select concat_ws(''|'', $1 + 1, $2 || ''!'', $3 + 1, $4 * 2, $1, pg_typeof($4))' into r using a, b, c, d;
  return r;
end $$;
select using_many(1, 'x', '2020-02-28', 1.50), using_many(null, null, null, null);
create function using_expressions(a int) returns int language plpgsql as $$
declare
  r int;
begin
  execute 'select $1 * $2' into r using a + 1, (select max(id) from t);
  return r;
end $$;
select using_expressions(4);
create function using_fails(a int) returns int language plpgsql as $$
declare
  r int;
begin
  execute 'select $1' into r using 10 / a;
  return r;
end $$;
select using_fails(2);
select using_fails(0);
create function using_missing() returns int language plpgsql as $$
declare
  r int;
begin
  execute 'select $1 + $2' into r using 1;
  return r;
end $$;
select using_missing();
create function using_spare() returns int language plpgsql as $$
declare
  r int;
begin
  execute 'select $1' into r using 1, 2, 3;
  return r;
end $$;
select using_spare();
create function using_unknown() returns text language plpgsql as $$
declare
  r text;
begin
  execute 'select $1 || $2' into r using 'a', null;
  return coalesce(r, 'null');
end $$;
select using_unknown();
create function using_text_as_int() returns int language plpgsql as $$
declare
  r int;
begin
  execute 'select id from t where id = $1' into r using '2'::text;
  return r;
end $$;
select using_text_as_int();
create function using_before_into(k int) returns text language plpgsql as $$
declare
  r text;
begin
  execute 'select name from t where id = $1' using k into r;
  return r;
end $$;
select using_before_into(2);
create function using_record(k int) returns text language plpgsql as $$
declare
  r t;
  s text;
begin
  select * into r from t where id = k;
  execute 'select ($1).name || ($1)."odd Name"' into s using r;
  return s;
end $$;
select using_record(2);
create function using_array(a int[]) returns bigint language plpgsql as $$
declare
  n bigint;
begin
  execute 'select count(*) from t where id = any ($1)' into n using a;
  return n;
end $$;
select using_array('{1,3,5}'), using_array('{}');
create function no_variables_inside() returns int language plpgsql as $$
declare
  a int := 1;
  r int;
begin
  execute 'select a' into r;
  return r;
end $$;
select no_variables_inside();
create function into_record(k int) returns text language plpgsql as $$
declare
  r record;
  s t;
begin
  execute 'select * from t where id = ' || k into r;
  execute 'select * from t where id = ' || k into s;
  return concat_ws('|', r.id, r.name, s.name, s."odd Name", r is null);
end $$;
select into_record(1), into_record(9);
create function into_scalars() returns text language plpgsql as $$
declare
  a int; b text; c int := 5;
begin
  execute 'select id, name from t order by id' into a, b, c;
  return concat_ws('|', a, b, coalesce(c, -1));
end $$;
select into_scalars();
create function into_strict(k int) returns text language plpgsql as $$
declare
  r text;
begin
  execute 'select name from t where id >= $1' into strict r using k;
  return r;
end $$;
select into_strict(3);
select into_strict(4);
select into_strict(1);
create function into_strict_params(k int, l text) returns text language plpgsql as $$
#print_strict_params on
declare
  r text;
begin
  execute 'select name from t where id >= $1 and name <> $2' into strict r using k, l;
  return r;
end $$;
select into_strict_params(1, 'x''y');
select into_strict_params(9, null);
create function found_unchanged() returns text language plpgsql as $$
declare
  n int;
  r text;
begin
  perform 1;
  execute 'update t set id = id where false';
  get diagnostics n = row_count;
  r := found || ' ' || n;
  execute 'update t set id = id';
  get diagnostics n = row_count;
  return r || ' ' || found || ' ' || n;
end $$;
select found_unchanged();
create function changes(k int) returns text language plpgsql as $$
declare
  a text;
  n int;
begin
  execute 'insert into t values ($1, $2) returning upper(name)' into a using k, 'n' || k;
  execute 'update t set name = name || $1 where id = $2' using '!', k;
  execute 'delete from t where id = $1 returning id' into n using k;
  return a || n;
end $$;
select changes(50);
select count(*) from t;
create function change_fails() returns void language plpgsql as $$ begin execute 'insert into t values ($1, $2)' using 1, 'again'; end $$;
select change_fails();
create function into_without_rows() returns int language plpgsql as $$
declare
  r int := 1;
begin
  execute 'insert into t values (60)' into r;
  return r;
end $$;
select into_without_rows();
create function execute_null() returns void language plpgsql as $$ begin execute null; end $$;
select execute_null();
create function execute_empty() returns void language plpgsql as $$ begin execute ''; execute '  -- nothing'; end $$;
select execute_empty();
create function execute_syntax() returns void language plpgsql as $$ begin execute 'selec 1'; end $$;
select execute_syntax();
create function execute_several() returns bigint language plpgsql as $$
begin
  execute 'insert into t values (70); insert into t values (71)';
  return (select count(*) from t where id >= 70);
end $$;
select execute_several();
delete from t where id > 3;
create function execute_select_into() returns void language plpgsql as $$ begin execute 'select 1 into made_so'; end $$;
select execute_select_into();
create function execute_begin() returns void language plpgsql as $$ begin execute 'begin'; end $$;
select execute_begin();
create function execute_commit() returns void language plpgsql as $$ begin execute 'commit'; end $$;
select execute_commit();
create function execute_savepoint() returns void language plpgsql as $$ begin execute 'savepoint a'; end $$;
select execute_savepoint();
create function execute_copy() returns void language plpgsql as $$ begin execute 'copy t to stdout'; end $$;
select execute_copy();
create function execute_select_discarded() returns text language plpgsql as $$ begin execute 'select 1'; return 'fine'; end $$;
select execute_select_discarded();
create function execute_concatenated(tbl text, n int) returns bigint language plpgsql as $$
declare
  c bigint;
begin
  execute 'create table ' || quote_ident(tbl) || ' (a int)';
  for i in 1 .. n loop
    execute 'insert into ' || quote_ident(tbl) || ' values (' || i || ')';
  end loop;
  execute 'select sum(a) from ' || quote_ident(tbl) into c;
  execute 'drop table ' || quote_ident(tbl);
  return c;
end $$;
select execute_concatenated('made', 5), execute_concatenated('Made too', 3);
create function execute_do(n int) returns text language plpgsql as $$
begin
  execute 'do $x$ begin raise notice ''within do''; end $x$';
  return n;
end $$;
select execute_do(1);
create function execute_create_function(n int) returns int language plpgsql as $$
declare
  r int;
begin
  execute format('create or replace function made_function(a int) returns int language plpgsql as $f$ begin return a * %s; end $f$', n);
  execute 'select made_function(7)' into r;
  return r;
end $$;
select execute_create_function(2);
select execute_create_function(3);
create function pivot(keys int[]) returns text language plpgsql as $$
declare
  q text := 'select ';
  k int;
  r text;
begin
  foreach k in array keys loop
    q := q || format('max(case when id = %s then name end) || %L || ', k, ',');
  end loop;
  q := q || ''''' from t';
  execute q into r;
  return r;
end $$;
select pivot('{1,2,3}'), pivot('{3,1}');
create function counts() returns table (tbl text, n bigint) language plpgsql as $$
begin
  for tbl in select table_name from information_schema.tables where table_schema = 'ply' order by table_name loop
    execute format('select count(*) from ply.%I', tbl) into n;
    return next;
  end loop;
end $$;
create table u (a int);
insert into u values (1), (2);
select * from counts();
create function dynamic_where(filters text[]) returns bigint language plpgsql as $$
declare
  n bigint;
begin
  execute 'select count(*) from t' || coalesce(' where ' || array_to_string(filters, ' and '), '') into n;
  return n;
end $$;
select dynamic_where(null), dynamic_where(array['id > 1', 'name like ''t%''']), dynamic_where(array['"odd Name" < 25']);
create function context_of_dynamic(q text) returns void language plpgsql as $$
begin
  execute q;
end $$;
select context_of_dynamic('select value_of(''nosuch'', 1)');
select context_of_dynamic('select context_of_dynamic(''select 1 / 0'')');
select context_of_dynamic('insert into t values (1)');
select context_of_dynamic('do $x$ begin raise exception ''deep''; end $x$');
