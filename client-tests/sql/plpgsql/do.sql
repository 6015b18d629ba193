-- file: message detail hint context objects notices
-- DO.
create schema pld;
set search_path = pld, public;
do $$ begin end $$;
do $$ begin raise notice 'hello'; end $$;
do 'begin raise notice ''quoted''; end';
do language plpgsql $$ begin raise notice 'with language'; end $$;
do $$ begin raise notice 'language after'; end $$ language plpgsql;
do $$ begin raise notice 'quoted language'; end $$ language 'plpgsql';
do $$
declare
  i int := 5;
  t text;
begin
  while i > 0 loop
    t := concat(t, i);
    i := i - 1;
  end loop;
  raise notice '%', t;
end $$;
create table t (id int primary key, v text);
do $$
begin
  for i in 1 .. 5 loop
    insert into t values (i, repeat('x', i));
  end loop;
end $$;
select * from t order by id;
do $$
declare
  r record;
begin
  for r in select * from t where id > 3 order by id loop
    raise notice '% %', r.id, r.v;
  end loop;
end $$;
do $$ begin raise exception 'failed'; end $$;
do $$
begin
  insert into t values (6, 'six');
  insert into t values (1, 'again');
end $$;
select count(*) from t;
do $$
begin
  insert into t values (1, 'again');
exception when unique_violation then
  raise notice 'caught %', sqlerrm;
end $$;
do $$ begin return; end $$;
do $$ begin return 1; end $$;
do $$ begin raise notice 'a'; return; raise notice 'b'; end $$;
do $$ begin nosuch; end $$;
do $$ begin perform nosuch(1); end $$;
do $$ begin select 1; end $$;
do $$ declare a int := 1 / 0; begin end $$;
do $$
<<outermost>>
declare
  a int := 1;
begin
  declare
    a int := 2;
  begin
    raise notice '% %', outermost.a, a;
  end;
end $$;
do $$ begin if found then raise notice 'found'; else raise notice 'not found'; end if; end $$;
do $$
begin
  create table made (a int);
  insert into made values (1);
  insert into made select a + 1 from made;
  raise notice '%', (select sum(a) from made);
  drop table made;
end $$;
do $$
begin
  execute 'create temp table dynamic_made as select g from generate_series(1, 3) g';
  raise notice '%', (select count(*) from dynamic_made);
  drop table dynamic_made;
end $$;
do $$ begin insert into t values (50, 'committed'); commit; insert into t values (51, 'rolled back'); rollback; insert into t values (52, 'last'); end $$;
select id from t where id >= 50 order by id;
begin;
do $$ begin insert into t values (60, 'x'); commit; end $$;
rollback;
begin;
do $$ begin insert into t values (61, 'in transaction'); end $$;
select count(*) from t where id = 61;
rollback;
select count(*) from t where id = 61;
do $$
declare
  c int;
begin
  get diagnostics c = row_count;
  raise notice '%', c;
  delete from t where id > 3;
  get diagnostics c = row_count;
  raise notice '%', c;
end $$;
do $$
declare
  c text;
begin
  get diagnostics c = pg_context;
  raise notice '%', c;
end $$;
do $$
#variable_conflict use_column
declare
  id int := 99;
  n int;
begin
  select count(*) into n from t where id = 1;
  raise notice '%', n;
end $$;
do $$ declare id int := 1; n int; begin select count(*) into n from t where id = 1; end $$;
do language nosuch $$ begin end $$;
do language sql $$ select 1 $$;
do $$ begin assert (select count(*) from t) = 3, 'three'; assert false, 'not so'; end $$;
do $$
declare
  a int[];
begin
  for i in 1 .. 10 loop
    a[i] := i * i;
  end loop;
  raise notice '% %', a, a[3:5];
end $$;
do $$
begin
  begin
    raise exception 'one';
  exception when others then
    raise notice 'caught %', sqlerrm;
    raise exception 'two';
  end;
exception when others then
  raise notice 'caught %', sqlerrm;
  raise exception 'three' using errcode = '33333';
end $$;
