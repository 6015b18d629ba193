-- file: message detail hint context objects notices
-- Functions that return records, in FROM with a list of columns.
create schema pcl;
set search_path = pcl, public;
create table items (id int, name text);
insert into items values (1, 'pen'), (2, 'ink');
create function any_record(k int) returns record language plpgsql as $$
declare
  r record;
begin
  if k = 1 then
    select 1, 'one'::text into r;
  else
    r := row(2, 'two'::text);
  end if;
  return r;
end $$;
select * from any_record(1) as (a int, b text);
select * from any_record(2) as t (a int, b text);
select * from any_record(1);
select * from any_record(1) as (a int);
select * from any_record(1) as (a int, b int);
select * from any_record(1) as (a text, b text);
create function any_records(n int) returns setof record language plpgsql as $$
begin
  if n = 1 then
    return query select id, name from items order by id;
  else
    return next row(1, 'one'::text);
    return next row(2, 'two'::text);
  end if;
end $$;
select * from any_records(1) as (a int, b text);
select * from any_records(2) as (a int, b text);
select * from any_records(1) as (a int, b int);
select * from any_records(1) as (a int);
select * from any_records(1);
create function wide(n int) returns record language plpgsql as $$
declare
  r record;
begin
  select n as a, 'text'::text as b, date '2020-01-01' as c, array[n, n] as d into r;
  return r;
end $$;
select * from wide(1) as (a int, b text, c date, d int[]);
select w.b, w.d[1] from wide(2) as w (a int, b text, c date, d int[]) where w.a = 2;
select g, w.a from generate_series(1, 2) g, lateral wide(g) as w (a int, b text, c date, d int[]) order by g;
create function record_null() returns record language plpgsql as $$ begin return null; end $$;
select * from record_null() as (a int, b text);
select record_null() is null;
create function outs(out a int, out b text) returns record language plpgsql as $$ begin a := 1; b := 'x'; end $$;
select * from outs() as (c int, d text);
select * from outs() as t (c, d);
create view of_records as select * from wide(3) as (a int, b text, c date, d int[]);
select * from of_records;
