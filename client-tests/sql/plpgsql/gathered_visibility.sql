-- file: message detail hint context objects notices
-- Rows that loops insert are there for whoever looks: expressions, queries, functions, triggers, views, definitions. Each routine is called
-- twice, as its statements are known the second time.
create schema pgv;
set search_path = pgv, public;
create table t (k int primary key, v int, at timestamp);
create table u (id int primary key, n int default 0);
create table log (id serial, what text);
insert into u select g from generate_series(1, 20) g;
create view seen as select count(*)::int as n, coalesce(max(k), 0) as top from t;
create function counted() returns int language sql as 'select count(*)::int from t';
create function counted_stable() returns int stable language sql as 'select count(*)::int from t';
create function counted_plpgsql() returns int language plpgsql as $$ begin return (select count(*) from t); end $$;
create function counted_stable_plpgsql() returns int stable language plpgsql as $$ begin return (select count(*) from t); end $$;
create function told(n int) returns int language plpgsql as $$ begin raise notice 'told % of %', n, (select count(*) from t); return n; end $$;
-- Each way to look, in each round of a loop.
create function looks(how text, from_k int, rounds int) returns int[] language plpgsql as $$
declare
  n int;
  r record;
  c refcursor;
  result int[] := '{}';
begin
  for i in from_k .. from_k + rounds - 1 loop
    insert into t values (i, i * 10);
    case how
      when 'assignment' then n := (select count(*) from t);
      when 'query assigned' then n := count(*) from t;
      when 'into' then select count(*) into n from t;
      when 'strict' then select v into strict n from t where k = i;
      when 'if' then n := -1; if exists (select from t where k = i and v = i * 10) then n := i; end if;
      when 'case' then n := case when i in (select k from t) then 1 else 0 end;
      when 'perform' then perform from t where k = i; n := found::int;
      when 'execute' then execute 'select count(*) from t' into n;
      when 'execute using' then execute 'select v from t where k = $1' into n using i;
      when 'view' then select s.n + s.top into n from seen s;
      when 'sql' then n := counted();
      when 'stable sql' then n := counted_stable();
      when 'stable sql in a query' then select counted_stable() into n from u where id = 1;
      when 'plpgsql' then n := counted_plpgsql();
      when 'stable plpgsql' then n := counted_stable_plpgsql();
      when 'loop' then n := 0; for r in select * from t loop n := n + 1; end loop;
      when 'dynamic loop' then n := 0; for r in execute 'select * from t' loop n := n + 1; end loop;
      when 'cursor' then open c for select count(*) from t; fetch c into n; close c;
      when 'dynamic cursor' then open c for execute 'select count(*) from t'; fetch c into n; close c;
      when 'update' then update t set v = v + 1 where k = i; get diagnostics n = row_count;
      when 'delete' then delete from t where k = i - 1; get diagnostics n = row_count;
      when 'update returning' then update t set v = v + 1 where k = i returning v into n;
      when 'update of another' then update u set n = (select count(*) from t) where id = 1 returning u.n into n;
      when 'update from' then update u set n = t.v from t where t.k = i and u.id = 1; select u.n into n from u where id = 1;
      when 'delete using' then delete from t using u where t.k = i and u.id = 1; get diagnostics n = row_count;
      when 'merge' then merge into t using (values (i)) s (k) on t.k = s.k when matched then update set v = -1 when not matched then do nothing; get diagnostics n = row_count;
      when 'conflict' then insert into t values (i, 0) on conflict do nothing; get diagnostics n = row_count;
      when 'conflict update' then insert into t values (i, 0) on conflict (k) do update set v = t.v + 1 returning v into n;
      when 'insert select' then insert into u select k + 1000, v from t where k = i; get diagnostics n = row_count;
      when 'array' then n := cardinality(array(select k from t));
      when 'lock' then lock table t; select max(k) into n from t;
      when 'for update' then select v into n from t where k = i for update;
      when 'with' then with gone as (delete from t where k = i returning v) select v into n from gone;
      when 'values' then values ((select count(*) from t)) into n;
      when 'exists in an update' then update u set n = 1 where exists (select from t where k = i) and id = 2; get diagnostics n = row_count;
      when 'transaction' then n := (pg_current_xact_id_if_assigned() is not null)::int;
      when 'transaction into' then select (pg_current_xact_id_if_assigned() is not null)::int into n;
      when 'found' then n := found::int;
      when 'row count' then get diagnostics n = row_count;
      when 'raise' then raise notice 'noticed % %', i, (select count(*) from t); n := 0;
    end case;
    result := result || n;
  end loop;
  return result;
end $$;
create table ways (way text);
insert into ways values ('assignment'), ('query assigned'), ('into'), ('strict'), ('if'), ('case'), ('perform'), ('execute'), ('execute using'), ('view'), ('sql'), ('stable sql'),
  ('stable sql in a query'), ('plpgsql'), ('stable plpgsql'), ('loop'), ('dynamic loop'), ('cursor'), ('dynamic cursor'), ('update'), ('delete'), ('update returning'),
  ('update of another'), ('update from'), ('delete using'), ('merge'), ('conflict'), ('conflict update'), ('insert select'), ('array'), ('lock'), ('for update'), ('with'),
  ('values'), ('exists in an update'), ('transaction'), ('transaction into'), ('found'), ('row count'), ('raise');
create function looked(times int) returns setof text language plpgsql as $$
declare
  w text;
begin
  for w in select way from ways order by way loop
    for i in 1 .. times loop
      delete from t;
      return next w || ': ' || looks(w, i * 10, 7)::text;
    end loop;
    delete from u where id > 20;
  end loop;
end $$;
select * from looked(1);
select * from looked(2);
begin isolation level repeatable read;
select * from looked(2);
commit;
select count(*), sum(k) from t;
-- The same loop, in which every look comes after several rows.
create function looks_seldom(how text, from_k int, rounds int) returns int[] language plpgsql as $$
declare
  n int;
  c refcursor;
  result int[] := '{}';
begin
  if how = 'cursor before' then open c for select count(*) from t; elsif how = 'cursor over rows' then open c for select k from t order by k; end if;
  for i in from_k .. from_k + rounds - 1 loop
    insert into t (v, k) values (i * 10, i);
    continue when i % 4 <> 0 and how <> 'leave';
    n := null;
    case how
      when 'assignment' then n := (select count(*) from t);
      when 'into' then select sum(v) into n from t;
      when 'view' then n := top from seen;
      when 'view into' then select top into n from seen;
      when 'function' then n := counted_stable() + counted_plpgsql();
      when 'function in a query' then select sum(counted_plpgsql()) into n from u where id < 4;
      when 'update' then update t set v = v + 1 where k > from_k; get diagnostics n = row_count;
      when 'update of another' then update u set n = u.n + 1 where id = 1 returning u.n into n;
      when 'insert into another' then insert into u values (i + 5000) returning id into n;
      when 'delete' then delete from t; get diagnostics n = row_count;
      when 'truncate' then truncate t; n := counted();
      when 'cursor before' then fetch c into n; 
      when 'cursor over rows' then fetch c into n; 
      when 'cursor' then open c for select count(*) from t; fetch c into n; close c;
      when 'other cursor' then open c for select count(*) from u; fetch c into n; close c; n := n * 0 + (select count(*) from t);
      when 'alter' then alter table t alter v set default 5; n := (select v from t where k = i);
      when 'index' then execute 'create index on t (v, k)'; n := (select count(*) from t where v > 0); execute 'drop index t_v_k_idx';
      when 'unique index' then execute 'create unique index on t ((v + ' || i || '))'; n := (select count(*) from t where v > 0); execute 'drop index t_expr_idx';
      when 'add and drop' then alter table t add w int default 7; n := (select sum(w) from t); alter table t drop w;
      when 'rename' then alter table t rename to t2; select count(*) into n from pgv.t2; alter table t2 rename to t;
      when 'other table' then create temp table passing (k int); insert into passing select k from t; n := (select count(*) from passing); drop table passing;
      when 'block' then begin n := (select count(*) from t); exception when others then n := -1; end;
      when 'undone block' then begin delete from t; n := 1 / 0; exception when others then n := (select count(*) from t); end;
      when 'leave' then n := 1; exit when i % 5 = 0;
      when 'analyze' then analyze t; n := counted();
      when 'set' then set local work_mem = '1MB'; n := counted();
      when 'constraint' then alter table t add constraint top check (k < 1000); alter table t drop constraint top; n := counted();
      when 'nested' then n := looks('into', i + 100000, 2);
    end case;
    result := result || n;
  end loop;
  if how like 'cursor %' then close c; end if;
  return result || counted();
end $$;
truncate ways;
insert into ways values ('assignment'), ('into'), ('view'), ('view into'), ('function'), ('function in a query'), ('update'), ('update of another'), ('insert into another'), ('delete'),
  ('truncate'), ('cursor before'), ('cursor over rows'), ('cursor'), ('other cursor'), ('alter'), ('index'), ('unique index'), ('add and drop'), ('rename'), ('other table'), ('block'), ('undone block'), ('leave'),
  ('set'), ('constraint');
create function looked_seldom(times int) returns setof text language plpgsql as $$
declare
  w text;
begin
  for w in select way from ways order by way loop
    for i in 1 .. times loop
      delete from t;
      return next w || ': ' || looks_seldom(w, i * 100 + 1, 13)::text;
    end loop;
    delete from u where id > 20;
  end loop;
end $$;
select * from looked_seldom(2);
begin isolation level repeatable read;
select * from looked_seldom(2);
commit;
select count(*), sum(k), sum(v) from t;
select * from looks_seldom('nested', 1, 2);
-- A loop over the table that it fills.
create function doubles(add int) returns int language plpgsql as $$
declare
  r record;
  n int := 0;
begin
  for r in select * from t order by k loop
    n := n + 1;
    insert into t values (r.k + add, n);
  end loop;
  return n;
end $$;
truncate t;
insert into t select g from generate_series(1, 3) g;
select doubles(10);
select doubles(100);
select doubles(1000);
select doubles(1000);
select count(*), sum(k), sum(v) from t;
create function fills_while(top int) returns int language plpgsql as $$
declare
  n int := 0;
begin
  while (select count(*) from t) < top loop
    n := n + 1;
    insert into t values (n);
  end loop;
  loop
    n := n + 1;
    insert into t values (n);
    exit when exists (select from t where k = top + 5);
  end loop;
  for i in 1 .. (select count(*) from t) loop
    insert into t values (i + 1000);
    insert into t values (i + 2000);
  end loop;
  return n + count(*) from t;
end $$;
truncate t;
select fills_while(10);
truncate t;
select fills_while(600);
-- Functions within the row that is inserted: they look at the rows before it.
create function row_of_functions(from_k int, rounds int, which text) returns void language plpgsql as $$
begin
  for i in from_k .. from_k + rounds - 1 loop
    case which
      when 'query' then insert into t values (i, (select count(*) from t));
      when 'sql' then insert into t values (i, counted());
      when 'stable sql' then insert into t values (i, counted_stable());
      when 'plpgsql' then insert into t values (i, counted_plpgsql());
      when 'stable plpgsql' then insert into t values (i, counted_stable_plpgsql());
      when 'notice' then insert into t values (told(i), i);
      when 'late' then insert into t values (i, case when i % 4 = 0 then counted_plpgsql() else i end);
      when 'late notice' then insert into t values (i, case when i % 3 = 0 then told(i) end);
    end case;
  end loop;
end $$;
truncate t;
select row_of_functions(100, 4, 'query');
select row_of_functions(110, 4, 'query');
select row_of_functions(200, 4, 'sql');
select row_of_functions(210, 4, 'sql');
select row_of_functions(300, 4, 'stable sql');
select row_of_functions(310, 4, 'stable sql');
select row_of_functions(400, 4, 'plpgsql');
select row_of_functions(410, 4, 'plpgsql');
select row_of_functions(500, 4, 'stable plpgsql');
select row_of_functions(510, 4, 'stable plpgsql');
select row_of_functions(600, 4, 'notice');
select row_of_functions(610, 4, 'notice');
select row_of_functions(700, 10, 'late');
select row_of_functions(710, 10, 'late');
select row_of_functions(800, 10, 'late notice');
select row_of_functions(810, 10, 'late notice');
select k, v from t order by k;
-- Triggers of another table look.
create function looks_at_t() returns trigger language plpgsql as $$
begin
  new.n := (select count(*) from t);
  return new;
end $$;
create table watched (id int primary key, n int);
create trigger watched_looks before insert or update on watched for each row execute function looks_at_t();
create function watches(from_k int, rounds int) returns int language plpgsql as $$
declare
  n int := 0;
begin
  for i in from_k .. from_k + rounds - 1 loop
    insert into t values (i);
    continue when i % 3 = 1;
    insert into watched values (i);
    update watched set id = -id where id = i and i % 2 = 0;
  end loop;
  select sum(w.n) into n from watched w;
  return n;
end $$;
truncate t;
select watches(1, 12);
select watches(101, 12);
select * from watched order by id;
-- A trigger gathers itself, and its statement looks at what it did.
create function spreads() returns trigger language plpgsql as $$
begin
  for i in 1 .. new.n loop
    insert into t values (new.id * 100 + i);
  end loop;
  return null;
end $$;
create table spreading (id int primary key, n int);
create trigger spreading_spreads after insert on spreading for each row execute function spreads();
truncate t;
insert into spreading values (1, 5), (2, 3), (3, 0), (4, 600);
select count(*), sum(k) from t;
insert into spreading values (5, 5), (10, 6), (6, 101), (7, 5);
insert into spreading values (8, 5), (9, 4) returning id, (select count(*) from t);
select count(*), sum(k) from t;
create function before_spreads() returns trigger language plpgsql as $$
begin
  new.n := (select count(*) from t);
  for i in 1 .. 4 loop
    insert into t values (new.id * 100 + i);
  end loop;
  return new;
end $$;
create table before_spreading (id int primary key, n int);
create trigger before_spreading_spreads before insert on before_spreading for each row execute function before_spreads();
truncate t;
insert into before_spreading values (1), (2), (3);
insert into before_spreading values (4), (5), (5);
insert into before_spreading select k, 1 from t where k % 100 = 1 and k > 300;
select * from before_spreading order by id;
select count(*), sum(k) from t;
