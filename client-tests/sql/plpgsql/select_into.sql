-- file: message detail hint context objects notices
-- SELECT INTO, PERFORM, changes with RETURNING INTO, FOUND, ROW_COUNT.
create schema pls;
set search_path = pls, public;
create table people (id int primary key, name text not null, age int, born date);
insert into people values (1, 'Ada', 36, '1815-12-10'), (2, 'Bob', null, null), (3, 'Cy', 20, '2000-01-01'), (4, 'Di', 20, '2001-01-01');
create function name_of(k int) returns text language plpgsql as $$
declare
  n text := 'unchanged';
begin
  select name into n from people where id = k;
  return coalesce(n, 'null') || ' ' || found;
end $$;
select name_of(1), name_of(2), name_of(9), name_of(null);
create function into_before_the_list(k int) returns text language plpgsql as $$
declare
  n text;
  a int;
begin
  select into n, a name, age from people where id = k;
  return n || coalesce(a, -1);
end $$;
select into_before_the_list(1), into_before_the_list(2), into_before_the_list(9);
create function into_at_the_end(k int) returns text language plpgsql as $$
declare
  n text;
  a int;
begin
  select name, age from people where id = k into n, a;
  return n || coalesce(a, -1);
end $$;
select into_at_the_end(1), into_at_the_end(2);
create function first_of_many() returns text language plpgsql as $$
declare
  n text;
begin
  select name into n from people where age = 20 order by id desc;
  return n;
end $$;
select first_of_many();
create function strict_one(k int) returns text language plpgsql as $$
declare
  n text;
begin
  select name into strict n from people where id = k;
  return n;
end $$;
select strict_one(1);
select strict_one(9);
create function strict_by_age(a int) returns text language plpgsql as $$
declare
  n text;
begin
  select name into strict n from people where age = a;
  return n;
end $$;
select strict_by_age(36);
select strict_by_age(20);
select strict_by_age(1);
create function strict_params(a int, b text) returns text language plpgsql as $$
#print_strict_params on
declare
  n text;
begin
  select name into strict n from people where age = a and name <> b;
  return n;
end $$;
select strict_params(20, 'Di');
select strict_params(20, 'Zed');
select strict_params(5, 'it''s');
select strict_params(5, null);
create function strict_no_params() returns text language plpgsql as $$
#print_strict_params on
declare
  n text;
begin
  select name into strict n from people;
  return n;
end $$;
select strict_no_params();
create function strict_params_many(a int, b text, c date, d boolean) returns text language plpgsql as $$
#print_strict_params on
declare
  n text;
  e numeric := 1.50;
  r people%rowtype;
begin
  r.id := 7;
  select name into strict n from people where age = a or name = b or born = c or (d and e > 2) or id = r.id;
  return n;
end $$;
select strict_params_many(1, 'x', '2020-01-01', false);
select strict_params_many(20, null, null, null);
create function strict_handled(a int) returns text language plpgsql as $$
declare
  n text := 'before';
begin
  begin
    select name into strict n from people where age = a;
  exception
    when no_data_found then
      return 'none, ' || coalesce(n, 'null') || ' ' || sqlerrm;
    when too_many_rows then
      return 'many, ' || coalesce(n, 'null') || ' ' || sqlerrm;
  end;
  return n;
end $$;
select strict_handled(36), strict_handled(20), strict_handled(1);
create function into_record(k int) returns text language plpgsql as $$
declare
  r record;
begin
  select id, name, age + 1 as older into r from people where id = k;
  return concat_ws('|', r.id, r.name, r.older, found, r is null);
end $$;
select into_record(1), into_record(2), into_record(9);
create function into_row(k int) returns text language plpgsql as $$
declare
  r people%rowtype;
begin
  select * into r from people where id = k;
  return r::text || found;
end $$;
select into_row(1), into_row(2), into_row(9);
create function into_row_too_few() returns text language plpgsql as $$
declare
  r people%rowtype;
begin
  r.age := 5;
  select id, name into r from people where id = 1;
  return r;
end $$;
select into_row_too_few();
create function into_row_too_many() returns text language plpgsql as $$
declare
  r people%rowtype;
begin
  select *, 'more', 1 into r from people where id = 1;
  return r;
end $$;
select into_row_too_many();
create function into_row_other_types() returns text language plpgsql as $$
declare
  r people%rowtype;
begin
  select '7', 8, '9', '2020-02-03' into r;
  return r;
end $$;
select into_row_other_types();
create function into_row_bad_types() returns text language plpgsql as $$
declare
  r people%rowtype;
begin
  select 'x', 8, '9', '2020-02-03' into r;
  return r;
end $$;
select into_row_bad_types();
create function into_fields(k int) returns text language plpgsql as $$
declare
  r people%rowtype;
  q people;
begin
  select name, id into r.name, q.id from people where id = k;
  return coalesce(r.name, '-') || coalesce(q.id, -1) || coalesce(r.id, -2);
end $$;
select into_fields(1), into_fields(9);
create function too_few_targets() returns text language plpgsql as $$
declare
  i int;
begin
  select id, name into i from people where id = 1;
  return i;
end $$;
select too_few_targets();
create function too_many_targets() returns text language plpgsql as $$
declare
  i int;
  n text := 'x';
begin
  select id into i, n from people where id = 1;
  return i || coalesce(n, 'null');
end $$;
select too_many_targets();
create function into_casts() returns text language plpgsql as $$
declare
  t text;
  n numeric(4,1);
  v varchar(3);
  b bigint;
begin
  select 12, 3.25, 'abc', 7 into t, n, v, b;
  return concat_ws('|', t, n, v, b);
end $$;
select into_casts();
create function into_cast_fails(v text) returns int language plpgsql as $$
declare
  i int;
begin
  select v into i;
  return i;
end $$;
select into_cast_fails('12');
select into_cast_fails('x');
create function into_too_long() returns text language plpgsql as $$
declare
  v varchar(3);
begin
  select name || name into v from people where id = 2;
  return v;
end $$;
select into_too_long();
create function aggregates_into() returns text language plpgsql as $$
declare
  n bigint; s int; m date; a text[];
begin
  select count(*), sum(age), max(born), array_agg(name order by id) into n, s, m, a from people;
  return concat_ws('|', n, s, m, a);
end $$;
select aggregates_into();
create function aggregate_of_none() returns text language plpgsql as $$
declare
  s int := 5;
begin
  select sum(age) into s from people where false;
  return coalesce(s::text, 'null') || found;
end $$;
select aggregate_of_none();
create function into_element() returns text language plpgsql as $$
declare
  a int[];
  b int;
begin
  update people set age = age where id = 1 returning id, age into b, a[1];
  return a;
end $$;
select into_element();
create function uses_all_kinds(k int) returns int language plpgsql as $$
declare
  n int;
begin
  with older as (select * from people where age > k)
  select count(*) into n from older join people p using (id) where exists (select 1 from people q where q.id = p.id);
  return n;
end $$;
select uses_all_kinds(0), uses_all_kinds(20), uses_all_kinds(null);
create function same_name(age int) returns text language plpgsql as $$
declare
  n int;
begin
  select count(*) into n from people where people.age = same_name.age;
  return n;
end $$;
select same_name(20), same_name(36), same_name(null);
create function performs(k int) returns text language plpgsql as $$
declare
  n bigint;
begin
  perform * from people where id > k;
  get diagnostics n = row_count;
  return found || ' ' || n;
end $$;
select performs(0), performs(3), performs(4);
create table log (id serial, what text);
create function note(w text) returns int language plpgsql as $$
begin
  insert into log (what) values (w);
  return 1;
end $$;
create function performs_calls() returns void language plpgsql as $$
begin
  perform note('a'), note('b');
  perform note(name) from people where id < 3 order by id;
  perform;
end $$;
select performs_calls();
select what from log order by id;
create function perform_fails(k int) returns int language plpgsql as $$
begin
  perform 1 / k;
  return k;
end $$;
select perform_fails(1);
select perform_fails(0);
create function select_without_into() returns int language plpgsql as $$
begin
  select 1;
  return 1;
end $$;
select select_without_into();
create function values_without_into() returns int language plpgsql as $$
begin
  values (1);
  return 1;
end $$;
select values_without_into();
create function values_into() returns text language plpgsql as $$
declare
  a int;
  b text;
begin
  values (1, 'x'), (2, 'y') into a, b;
  return a || b;
end $$;
select values_into();
create function inserted(k int, n text) returns text language plpgsql as $$
declare
  i int;
  m text;
  c int;
begin
  insert into people (id, name) values (k, n) returning id, upper(name) into i, m;
  get diagnostics c = row_count;
  return i || m || found || c;
end $$;
select inserted(10, 'jo');
select inserted(10, 'jo');
select inserted(11, null);
create function inserted_record(k int) returns text language plpgsql as $$
declare
  r people;
begin
  insert into people values (k, 'new', k * 2) returning * into r;
  return r;
end $$;
select inserted_record(20);
create function inserted_none() returns text language plpgsql as $$
declare
  i int := 5;
begin
  insert into people select * from people where false returning id into i;
  return coalesce(i::text, 'null') || found;
end $$;
select inserted_none();
create function inserted_two() returns text language plpgsql as $$
declare
  i int;
begin
  insert into people (id, name) values (30, 'x'), (31, 'y') returning id into i;
  return i;
end $$;
select inserted_two();
create function inserted_two_strict() returns text language plpgsql as $$
declare
  i int;
begin
  insert into people (id, name) values (40, 'x'), (41, 'y') returning id into strict i;
  return i;
end $$;
select inserted_two_strict();
create function strict_change_none() returns text language plpgsql as $$
declare
  i int;
begin
  update people set age = 1 where false returning id into strict i;
  return i;
end $$;
select strict_change_none();
create function updated(k int, a int) returns text language plpgsql as $$
declare
  o int;
  n int;
begin
  update people set age = a where id >= k;
  get diagnostics n = row_count;
  update people set age = age + 1 where id = k returning age into o;
  return n || ' ' || coalesce(o, -1) || ' ' || found;
end $$;
select updated(3, 50), updated(20, 9), updated(99, 9);
create function deleted(k int) returns text language plpgsql as $$
declare
  n text;
  c int;
begin
  delete from people where id = k returning name into n;
  get diagnostics c = row_count;
  return coalesce(n, 'null') || c || found;
end $$;
select deleted(20), deleted(20), deleted(10);
create function delete_many() returns text language plpgsql as $$
declare
  n int;
begin
  delete from people where id > 4;
  get diagnostics n := row_count;
  return n || ' ' || found;
end $$;
select delete_many(), delete_many();
select * from people order by id;
create function found_of_each() returns text language plpgsql as $$
declare
  t text := found::text;
begin
  insert into log (what) values ('x');
  t := t || ' insert ' || found;
  update log set what = 'y' where what = 'nosuch';
  t := t || ' update ' || found;
  update log set what = 'y' where what = 'x';
  t := t || ' update ' || found;
  delete from log where what = 'nosuch';
  t := t || ' delete ' || found;
  delete from log;
  t := t || ' delete ' || found;
  execute 'delete from log';
  t := t || ' execute ' || found;
  insert into log (what) select 'x' where false;
  t := t || ' insert ' || found;
  t := t || ' ' || (select found);
  return t;
end $$;
select found_of_each();
create function upserted(k int, n text) returns text language plpgsql as $$
declare
  r record;
begin
  insert into people as p (id, name, age) values (k, n, 1) on conflict (id) do update set name = excluded.name, age = coalesce(p.age, 0) + 1 returning * into r;
  return r;
end $$;
select upserted(50, 'a');
select upserted(50, 'b');
create function do_nothing(k int) returns text language plpgsql as $$
declare
  i int;
  c int;
begin
  insert into people (id, name) values (k, 'z') on conflict do nothing returning id into i;
  get diagnostics c = row_count;
  return coalesce(i, -1) || ' ' || c || ' ' || found;
end $$;
select do_nothing(50), do_nothing(51);
create function change_in_with() returns text language plpgsql as $$
declare
  n int;
begin
  with gone as (delete from people where id >= 50 returning *) select count(*) into n from gone;
  return n;
end $$;
select change_in_with();
create function into_found(k int) returns boolean language plpgsql as $$
begin
  select true into found from people where id = k;
  return found;
end $$;
select into_found(1), into_found(77);
create function last_value_kept() returns text language plpgsql as $$
declare
  a int := 1;
  r record;
begin
  select id into a from people where id = 2;
  select 5 as x, 'y' as z into r;
  select r.x + a into a;
  return a || r.z;
end $$;
select last_value_kept();
create function count_of(tbl regclass) returns bigint language plpgsql as $$
declare
  n bigint;
begin
  execute 'select count(*) from ' || tbl into n;
  return n;
end $$;
select count_of('people'), count_of('pls.log');
