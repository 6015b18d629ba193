-- file: message detail hint context objects notices internal
-- Constructs in one another: what is undone by handlers, cursors across blocks, procedures of procedures, counts of all statements.
create schema pcm;
set search_path = pcm, public;
create table t (id int primary key, v text);
insert into t select g, 'v' || g from generate_series(1, 5) g;
create type pair as (a int, b text);
create sequence s;
create function undone(k int) returns text language plpgsql as $$
declare
  n int;
begin
  begin
    create table made_inside (x int);
    insert into made_inside values (1), (2);
    alter table t add column extra int default 9;
    perform nextval('s');
    set local application_name = 'inside';
    if k = 1 then raise exception 'undo'; end if;
    drop table made_inside;
    alter table t drop column extra;
  exception when raise_exception then
    null;
  end;
  select count(*) into n from pg_class where relname = 'made_inside';
  return n || ' ' || (select count(*) from information_schema.columns where table_schema = 'pcm' and table_name = 't') || ' ' || (current_setting('application_name') = 'inside');
end $$;
select undone(1);
select undone(2);
select nextval('s');
create function cursor_in_handler() returns text language plpgsql as $$
declare
  c cursor for select id from t order by id;
  d refcursor;
  x int;
  result text := '';
begin
  open c;
  fetch c into x;
  begin
    fetch c into x;
    open d for select 100;
    perform 1 / 0;
  exception when division_by_zero then
    result := result || 'handled ' || x || ' ';
  end;
  fetch c into x;
  result := result || x;
  begin
    fetch d into x;
  exception when invalid_cursor_name then
    result := result || ' gone';
  end;
  return result;
end $$;
select cursor_in_handler();
create function loop_in_handler() returns text language plpgsql as $$
declare
  r record;
  result text := '';
begin
  for r in select id from t order by id loop
    begin
      update t set v = v || '!' where id = r.id;
      if r.id % 2 = 0 then raise exception 'even'; end if;
      result := result || r.id;
    exception when others then
      result := result || '-';
      continue;
    end;
    if r.id = 3 then exit; end if;
  end loop;
  return result || ' ' || (select string_agg(v, ',' order by id) from t);
end $$;
select loop_in_handler();
create function return_in_handler(k int) returns int language plpgsql as $$
begin
  begin
    if k = 1 then return 10; end if;
    raise exception 'x';
  exception when others then
    if k = 2 then return 20; end if;
  end;
  return 30;
end $$;
select return_in_handler(1), return_in_handler(2), return_in_handler(3);
create function exit_through_handler() returns text language plpgsql as $$
declare
  result text := '';
begin
  <<l>>
  for i in 1 .. 3 loop
    begin
      begin
        insert into t values (100 + i, 'kept');
        if i = 2 then exit l; end if;
        continue l;
      exception when others then null;
      end;
    exception when others then null;
    end;
    result := result || 'never';
  end loop;
  return result || (select count(*) from t where id > 100);
end $$;
select exit_through_handler();
delete from t where id > 100;
create function set_with_handler() returns setof int language plpgsql as $$
begin
  return next 1;
  begin
    return next 2;
    return query select 3;
    perform 1 / 0;
  exception when others then
    return next 4;
  end;
  return next 5;
end $$;
select * from set_with_handler();
create procedure inner_one(inout p pair, n int) language plpgsql as $$ begin p.a := p.a + n; p.b := p.b || n; end $$;
create procedure outer_one(inout p pair, inout total int default 0) language plpgsql as $$
begin
  for i in 1 .. 3 loop
    call inner_one(p, i);
    total := total + p.a;
  end loop;
end $$;
call outer_one(row(1, 'x'));
do $$ declare p pair := (5, 'y'); n int; begin call outer_one(p, n); raise notice '% %', p, n; n := 1; call outer_one(total => n, p => p); raise notice '% %', p, n; end $$;
do $$ begin call outer_one(row(1, 'x'), 5); end $$;
create procedure gives_cursor(inout c refcursor) language plpgsql as $$ begin open c for select id from t order by id; end $$;
begin;
call gives_cursor('given');
fetch 2 from given;
do $$ declare c refcursor; x int; begin call gives_cursor(c); fetch c into x; raise notice '%', x; end $$;
commit;
create function counts_of_all() returns text language plpgsql as $$
declare
  n int;
  result text := '';
begin
  insert into t select g, 'x' from generate_series(11, 14) g; get diagnostics n = row_count; result := result || n || ' ';
  update t set v = 'y' where id > 11; get diagnostics n = row_count; result := result || n || ' ';
  delete from t where id > 13; get diagnostics n = row_count; result := result || n || ' ';
  execute 'create temp table made as select * from t'; get diagnostics n = row_count; result := result || n || ' ';
  create temp table made_too as select * from t where id < 4; get diagnostics n = row_count; result := result || n || ' ';
  truncate made; get diagnostics n = row_count; result := result || n || ' ';
  execute 'insert into made select * from t where id < 3'; get diagnostics n = row_count; result := result || n || ' ';
  for n in select id from t where id < 4 loop null; end loop; get diagnostics n = row_count; result := result || n || ' ';
  select count(*) into n from t; get diagnostics n = row_count; result := result || n || ' ';
  select id into n from t where false; get diagnostics n = row_count; result := result || n || ' ';
  merge into made m using t on t.id = m.id when matched then delete when not matched then insert values (t.id, t.v); get diagnostics n = row_count; result := result || n || ' ';
  insert into t values (1, 'dup') on conflict do nothing; get diagnostics n = row_count; result := result || n || found || ' ';
  with x as (delete from t where id > 10 returning id) select max(id) into n from x; get diagnostics n = row_count; result := result || n || ' ';
  drop table made, made_too; get diagnostics n = row_count; result := result || n;
  return result;
end $$;
select counts_of_all();
create function view_function(k int) returns table (id int, w text) language plpgsql stable as $$ begin return query select x.id, x.v || k from t x where x.id <= k; end $$;
create view over_function as select f.* from view_function(2) f;
select * from over_function order by id;
select t.id, f.w from t join lateral view_function(t.id) f on f.id = t.id order by t.id limit 2;
select id, view_function(id) from t where id < 3 order by id, 2;
select (select max(w) from view_function(3)), exists (select from view_function(0)), array(select f.id from view_function(2) f order by 1);
select count(*) from t where id in (select f.id from view_function(3) f);
update t set v = (select w from view_function(1)) where id = 1 returning v;
insert into t select 50 + f.id, f.w from view_function(2) f returning id;
delete from t using view_function(60) f where f.id = t.id and f.id > 50 returning t.id;
create function recursive_tree(k int, depth int default 0) returns setof text language plpgsql as $$
begin
  return next repeat(' ', depth) || k;
  if k > 1 then
    return query select * from recursive_tree(k / 2, depth + 1);
    if k % 2 = 1 then return query select * from recursive_tree(1, depth + 1); end if;
  end if;
end $$;
select * from recursive_tree(5);
create function ackermann(m int, n int) returns int language plpgsql as $$
begin
  if m = 0 then return n + 1; end if;
  if n = 0 then return ackermann(m - 1, 1); end if;
  return ackermann(m - 1, ackermann(m, n - 1));
end $$;
select ackermann(2, 3);
create function even(n int) returns boolean language plpgsql as $$ begin if n = 0 then return true; end if; return odd(n - 1); end $$;
create function odd(n int) returns boolean language plpgsql as $$ begin if n = 0 then return false; end if; return even(n - 1); end $$;
select even(10), odd(7), even(3);
create function trigger_chain() returns trigger language plpgsql as $$
begin
  if pg_trigger_depth() < 3 then
    insert into chain values (new.n + 1, pg_trigger_depth());
  end if;
  return new;
end $$;
create table chain (n int, depth int);
create trigger chain after insert on chain for each row execute function trigger_chain();
insert into chain values (1, 0);
select * from chain order by n;
create function trigger_handles() returns trigger language plpgsql as $$
begin
  begin
    insert into chain values (1 / new.a, -1);
  exception when division_by_zero then
    new.b := 'was zero';
  end;
  return new;
end $$;
create table pairs (a int, b text);
create trigger pairs before insert on pairs for each row execute function trigger_handles();
insert into pairs values (1, 'one'), (0, 'zero') returning *;
create function execute_chain(n int) returns int language plpgsql as $$
declare
  x int;
begin
  if n = 0 then return 0; end if;
  execute 'select execute_chain($1) + 1' into x using n - 1;
  return x;
end $$;
select execute_chain(5);
create function defers() returns text language plpgsql as $$
begin
  set constraints all deferred;
  insert into child values (7);
  insert into parent values (7);
  set constraints all immediate;
  return 'fine';
end $$;
create table parent (id int primary key);
create table child (p int references parent deferrable);
select defers();
create function defers_wrong() returns text language plpgsql as $$
begin
  set constraints all deferred;
  insert into child values (8);
  set constraints all immediate;
  return 'not here';
end $$;
select defers_wrong();
create function same_name(a int) returns text language plpgsql as $$ begin return 'int ' || same_name(a::text); end $$;
create function same_name(a text) returns text language plpgsql as $$ begin return 'text ' || a; end $$;
select same_name(5);
create function default_by_function(a int default ackermann(1, 1), b text default upper('x')) returns text language plpgsql as $$ begin return a || b; end $$;
select default_by_function(), default_by_function(b => 'q');
select proname, pg_get_function_arguments(oid) from pg_proc where pronamespace = 'pcm'::regnamespace and proname like 'default%';
