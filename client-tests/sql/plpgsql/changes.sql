-- file: message detail hint context objects notices
-- INSERT, UPDATE, DELETE and MERGE in functions, with variables in all of their clauses.
create schema pch;
set search_path = pch, public;
create table t (id int primary key, v text, n numeric(6,2) default 1.5, at date default '2020-01-01', tags text[], check (n < 1000));
create table u (id int, t_id int references t on delete restrict, w text unique);
create function inserts(k int, w text) returns text language plpgsql as $$
declare
  c int;
  r text := '';
begin
  insert into t values (k, w);
  get diagnostics c = row_count; r := r || c;
  insert into t (v, id) values (w || '2', k + 1), (upper(w), k + 2);
  get diagnostics c = row_count; r := r || c;
  insert into t (id, v, n, at) values (k + 3, default, default, date '2020-02-02' + k);
  insert into t (id, tags[1], tags[2]) values (k + 4, w, 'x');
  insert into t select g, w || g from generate_series(k + 10, k + 12) g;
  get diagnostics c = row_count; r := r || c;
  with s as (select max(id) as m from t) insert into t (id, v) select m + 1, w from s;
  get diagnostics c = row_count; r := r || c;
  return r;
end $$;
select inserts(1, 'a');
select * from t order by id;
select inserts(1, 'a');
select inserts(100, null);
select count(*) from t;
create function inserts_returning(k int) returns text language plpgsql as $$
declare
  i int;
  r record;
  x t;
  a numeric;
begin
  insert into t (id) values (k) returning id, n * 2 into i, a;
  insert into t (id, v) values (k + 1, 'r') returning *, id * 10 as ten into r;
  insert into t (id, v) values (k + 2, 'x') returning * into x;
  return concat_ws(' ', i, a, r.ten, r.v, x.id, x.at);
end $$;
select inserts_returning(200);
create function updates(k int, w text, low int, high int) returns text language plpgsql as $$
declare
  c int;
  r record;
  s text := '';
begin
  update t set v = w where id = k;
  s := s || found;
  update t set v = v || w, n = n + k, at = at + k where id between low and high;
  get diagnostics c = row_count; s := s || ' ' || c;
  update t set (v, n) = (w, k) where id = low;
  update t set (v, n) = (select max(x.v), count(*) from t x where x.id < high) where id = high;
  update t as y set v = z.v from t as z where y.id = low and z.id = high and z.id <> k;
  get diagnostics c = row_count; s := s || ' ' || c;
  update t set n = n + 1 where id = k returning id, n into r;
  return s || ' ' || coalesce(r::text, 'none');
end $$;
select updates(1, 'up', 2, 4);
select updates(999, 'up', 900, 901);
select * from t where id < 10 order by id;
select updates(1, 'x', 1, 100000);
update t set n = 995 where id = 1;
select updates(8, 'x', 1, 1);
create function deletes(k int, list int[]) returns text language plpgsql as $$
declare
  c int;
  r text := '';
  i int;
begin
  delete from t where id = k;
  r := r || found;
  delete from t where id = any (list);
  get diagnostics c = row_count; r := r || ' ' || c;
  delete from t using generate_series(1, 3) g where t.id = k + g;
  get diagnostics c = row_count; r := r || ' ' || c;
  delete from t where id = 100 + k returning id into i;
  return r || ' ' || coalesce(i, -1);
end $$;
select deletes(1, '{2,3,77}');
select deletes(1, '{}');
select deletes(2, '{200,201,202}');
select deletes(1, null);
select id from t order by id;
create function refers(k int, target int) returns text language plpgsql as $$
begin
  insert into u values (k, target, 'w' || k);
  return 'fine';
end $$;
select refers(1, 11);
select refers(2, 12345);
select refers(1, 11);
select refers(3, null);
create function deletes_referred(k int) returns text language plpgsql as $$
begin
  delete from t where id = k;
  return 'gone';
exception when foreign_key_violation then
  return 'referred: ' || sqlerrm;
end $$;
select deletes_referred(11), deletes_referred(12), deletes_referred(777);
create function upserts(k int, w text) returns text language plpgsql as $$
declare
  r record;
  c int;
begin
  insert into t (id, v) values (k, w)
    on conflict (id) do update set v = t.v || '/' || excluded.v, n = t.n + 1 where t.v is distinct from w
    returning id, v, n into r;
  get diagnostics c = row_count;
  return coalesce(r::text, 'none') || found || c;
end $$;
select upserts(300, 'a'), 1;
select upserts(300, 'b');
select upserts(300, 'a/b');
create function upsert_by_constraint(k int, w text) returns text language plpgsql as $$
begin
  insert into u values (k, null, w) on conflict on constraint u_w_key do nothing;
  return found;
end $$;
select upsert_by_constraint(1, 'new'), upsert_by_constraint(2, 'w1');
create function upserts_twice() returns text language plpgsql as $$ begin insert into t (id, v) values (400, 'a'), (400, 'b') on conflict (id) do update set v = excluded.v; return 'x'; end $$;
select upserts_twice();
create function with_changes(k int) returns text language plpgsql as $$
declare
  moved int;
  names text;
begin
  with gone as (delete from t where id >= k returning *), kept as (insert into archive select id, v from gone returning *)
  select count(*), string_agg(v, ',' order by id) into moved, names from kept;
  return moved || ' ' || coalesce(names, '-');
end $$;
create table archive (id int, v text);
select with_changes(300), with_changes(300);
select * from archive order by id;
create function merges(k int, w text) returns text language plpgsql as $$
declare
  c int;
begin
  merge into archive a using (values (k, w), (k + 1, w || '!')) as s (id, v) on a.id = s.id
    when matched and s.v = 'gone' then delete
    when matched then update set v = a.v || s.v
    when not matched then insert values (s.id, s.v);
  get diagnostics c = row_count;
  return c || ' ' || found;
end $$;
select merges(300, 'm');
select merges(301, 'n');
select merges(300, 'gone');
select * from archive order by id;
create function changes_in_loop(n int) returns text language plpgsql as $$
declare
  r archive;
  total int := 0;
begin
  for i in 1 .. n loop
    insert into archive values (1000 + i, repeat('x', i % 5));
  end loop;
  for r in select * from archive where id > 1000 order by id loop
    if length(r.v) = 0 then
      delete from archive where id = r.id;
    elsif r.id % 2 = 0 then
      update archive set v = v || r.id where id = r.id;
    end if;
    total := total + 1;
  end loop;
  return total || ' ' || (select count(*) from archive where id > 1000);
end $$;
select changes_in_loop(20);
select * from archive where id > 1000 order by id limit 6;
create function sees_own_changes() returns text language plpgsql as $$
declare
  a bigint; b bigint; c bigint;
begin
  select count(*) into a from archive;
  insert into archive values (5000, 'own');
  select count(*) into b from archive;
  delete from archive where id = 5000;
  c := (select count(*) from archive);
  return (b - a) || ' ' || (c - a);
end $$;
select sees_own_changes();
create function by_variables(tbl_v text, vals int[], d date, flag boolean) returns bigint language plpgsql as $$
declare
  c bigint;
begin
  insert into t (id, v, at, tags) select x, case when flag then tbl_v else lower(tbl_v) end, d + x, array[tbl_v, x::text] from unnest(vals) x;
  select count(*) into c from t where id = any (vals) and at between d and d + 10000 and tags @> array[tbl_v] and (flag or v = lower(tbl_v));
  return c;
end $$;
select by_variables('Q', '{601,602,603}', '2021-01-01', true), by_variables('R', '{604}', '2021-01-01', false);
select id, v, at, tags from t where id > 600 order by id;
create function constraint_names(k int) returns text language plpgsql as $$
declare
  c text;
begin
  case k
    when 1 then insert into t (id) values (601);
    when 2 then insert into t (id, n) values (700, 5000);
    when 3 then insert into u values (1, 999999, 'zz');
    when 4 then insert into u values (1, null, 'w1');
    when 5 then insert into t (id) values (null);
    when 6 then insert into t (id, n) values (700, 50000);
    else return 'none';
  end case;
  return 'no error';
exception
  when integrity_constraint_violation or numeric_value_out_of_range then
    get stacked diagnostics c = constraint_name;
    return sqlstate || ' ' || c;
end $$;
select k, constraint_names(k) from generate_series(1, 7) k order by k;
create table g (a int, b int generated always as (a * 2) stored, id int generated always as identity);
create function generated(k int) returns text language plpgsql as $$
declare
  r g;
begin
  insert into g (a) values (k) returning * into r;
  update g set a = k + 1 where g.id = r.id returning * into r;
  return r;
end $$;
select generated(5);
create function generated_written() returns text language plpgsql as $$ begin insert into g (a, b) values (1, 2); return 'x'; end $$;
select generated_written();
create function for_update(k int) returns text language plpgsql as $$
declare
  r t;
begin
  select * into r from t where id = k for update;
  if not found then return 'none'; end if;
  select * into r from t where id = k for share nowait;
  update t set n = r.n + 1 where id = r.id;
  return (select n from t where id = k);
end $$;
select for_update(601), for_update(9999);
create table parted (k int, v text) partition by list (k);
create table parted_one partition of parted for values in (1);
create table parted_rest partition of parted default;
create function into_parts(a int, w text) returns text language plpgsql as $$
declare
  r parted;
begin
  insert into parted values (a, w) returning * into r;
  update parted set k = k + 1 where k = a and v = w returning * into r;
  return r::text || (select count(*) from parted_one) || (select count(*) from parted_rest);
end $$;
select into_parts(1, 'a'), into_parts(0, 'b');
create view updatable as select id, v from t where id > 600;
create function through_view(k int) returns text language plpgsql as $$
declare
  r updatable;
begin
  insert into updatable values (k, 'view') returning * into r;
  update updatable set v = 'changed' where id = k returning v into r.v;
  delete from updatable where id = k;
  return r;
end $$;
select through_view(800);
create schema pch_stable;
set search_path = pch_stable, public;
create table kept (a int);
insert into kept values (1);
create function loops_over_changes() returns int language plpgsql stable as $$ declare r record; begin for r in update kept set a = a + 1 returning a loop null; end loop; return 1; end $$;
select loops_over_changes();
create function calls_from_stable() returns int language plpgsql stable as $$ begin call nothing_to_do(); return 1; end $$;
create procedure nothing_to_do() language plpgsql as $$ begin null; end $$;
select calls_from_stable();
create function queries_without_rows() returns setof int language plpgsql as $$ begin return query execute 'insert into kept values (2)'; end $$;
select * from queries_without_rows();
select * from kept order by a;
drop procedure nothing_to_do();
drop function loops_over_changes(), calls_from_stable(), queries_without_rows();
drop table kept;
reset search_path;
drop schema pch_stable;
