-- Volatile expressions that CASE, NULLIF and the like read several times are computed once for each row.
create table f (x int);
insert into f values (1), (2), (3);
create function vol(x int) returns int language plpgsql as $$ begin return x * 2; end $$;
create type pair as (p int, q text);
create function volpair(x int) returns pair language plpgsql as $$ begin return (x, 'n' || x); end $$;
create function volout(x int, out p int, out q text) language plpgsql as $$ begin p := x; q := 'o' || x; end $$;
select case vol(x) when 2 then 'two' when 4 then 'four' else 'more' end from f;
select nullif(vol(x), 4) from f;
select (volpair(x)).* from f;
select (volout(x)).* from f;
select x, (volout(x)).p, (volout(x)).q from f;
select coalesce(nullif(vol(x), 4), -1) from f;
select case vol(sum(x)::int) when 12 then 'a' when 1 then 'b' end from f;
select x from f where case vol(x) when 2 then true when 6 then true else false end;
drop table f; drop function vol, volpair, volout; drop type pair;
create table f (x int);
insert into f values (1), (2), (3), (3);
create function vol(x int) returns int language plpgsql as $$ begin raise notice 'vol %', x; return x * 2; end $$;
-- notices
select case vol(x) when 2 then 'two' when 4 then 'four' else 'more' end from f;
-- notices
select case vol(7) when 2 then 'two' when 4 then 'four' else 'more' end from f;
-- notices
select nullif(vol(7), x) from f;
select x > 1, count(*), nullif(vol(count(*)::int), 4) from f group by x > 1 order by 1;
select x + 1, nullif(vol(x + 1), 4) from f group by x + 1 order by 1;
select x, nullif(vol(x), 4) from f group by rollup (x) order by x;
insert into f select nullif(vol(x), 2) from f;
select * from f order by x;
delete from f where nullif(vol(x), 200) is null;
select * from f order by x;
select (timestamp '2020-01-01' + random() * interval '1 second', interval '1 day') overlaps (timestamp '2020-01-01 12:00', timestamp '2020-01-03');
select x from f where (x, 1) < (random() * 0 + 4, 2) order by x;
-- Bodies of functions that are a part of the query.
create function body(x int) returns int language sql as 'select nullif(vol(x), 4)';
create function around(y int) returns int language sql as 'select body(y * 2) + 1';
create function named(x int) returns text language sql as 'select case vol(x) when 2 then ''two'' when 4 then ''four'' end';
select body(x + 1) from f;
select body(5), body(abs(2)), body((select 3));
select body(body(x)) from f;
select x from f where body(x + 1) > 4;
select around(x + 1), named(x + 0) from f;
create view bodies as select body(x + 2) as y from f;
select * from bodies;
drop view bodies;
drop function named, around, body;
-- Beside sets and windows.
select nullif(vol(generate_series(1, 2)), 4) from f;
select nullif(vol((row_number() over (order by x))::integer), 4) from f;
create function below(p int, q int) returns bigint language sql as 'select count(*) from f where x < q';
select below((row_number() over (order by x))::int + 1, (rank() over (order by x desc))::int + 1) from f;
select l.x, r.x from (select distinct x from f) as l full join (select distinct x from f where x > 1) as r on l.x = r.x and below(l.x + 1, l.x + 2) > 0 order by 1, 2;
select below(x, generate_series(1, 3)) from f;
drop function below;
drop table f; drop function vol;
-- Wherever an expression may stand, in the order and as often as it is computed.
create table f (x int, y int default nullif(length(md5(random()::text)), 31), check (nullif(random(), 2) < 2));
create function vol(x int) returns int language plpgsql as $$ begin raise notice 'vol %', x; return x * 2; end $$;
insert into f (x) values (1), (2), (nullif(vol(3), 7)), (case vol(2) when 1 then 5 when 4 then 6 end);
select * from f order by x;
-- notices
select x from f where x = 1 or nullif(vol(x), 12) is null order by x;
-- notices
select case when x > 2 then case vol(x) when 12 then 'a' when 4 then 'b' else 'c' end end from f;
-- notices
select coalesce(x > 5, nullif(vol(x), 1) > 2) from f;
-- notices
select coalesce(nullif(x, 2), nullif(vol(x), 3), 9) from f;
-- notices
select count(nullif(vol(x), 4)) filter (where x > 1), max(case vol(x + 1) when 4 then 1 when 6 then 2 else 3 end) from f;
select l.x, r.x from f as l left join f as r on l.x = r.x and nullif(vol(l.x), 4) > 0 order by 1;
-- notices
select x from f where (x, vol(x), 1) < (2, 5, 0);
-- notices
select x from f where (vol(x), vol(x + 1), 1) <= (4, 6, 1);
select x from f where ((vol(x), 2) < (5, 1)) is not true order by x;
-- notices
update f set x = nullif(vol(x), 4), y = case vol(y) when 64 then 1 when 2 then 2 end;
select * from f order by x;
-- notices
insert into f values (1, nullif(vol(1), 2)) returning case vol(x) when 1 then 'a' when 2 then 'b' end, y;
select nullif(vol(x), 4), count(*) from f group by nullif(vol(x), 4) order by nullif(vol(x), 4);
select distinct case vol(x) when 2 then 'a' when 4 then 'b' end from f order by case vol(x) when 2 then 'a' when 4 then 'b' end;
-- notices
select case vol(x) when 2 then 'a' when 24 then 'b' end from f order by case vol(x) when 2 then 'a' when 24 then 'b' end limit 1;
select array_agg(nullif(vol(x), 2) order by nullif(vol(x), 2)) from f;
select x, sum(nullif(vol(x), 2)) over (order by nullif(vol(x), 2), x) from f order by 1;
select (select nullif(vol(f.x), 2) + g.x from f as g order by 1 limit 1) from f order by 1;
select nullif(nullif(vol(x), 2), 24) from f order by 1;
select case nullif(vol(x), 2) when 4 then 'a' when 24 then 'b' else case vol(x + 1) when 4 then 'c' when 14 then 'd' end end from f order by 1;
select case vol(x)::numeric when 2.0 then 1.5 when 24 then 2 end, case vol(x)::text when '2' then 'x' when '24' then 'y' end collate "C" from f order by 1, 2;
do $$ declare r text; begin r := case vol(2) when 1 then 'a' when 4 then 'b' end; raise notice '%', r; if nullif(vol(1), 2) is null then raise notice 'null'; end if; end $$;
create function twice(p int) returns int language sql as 'select p * p + p';
create function never(p int) returns int language sql as 'select 7';
create function maybe(p int) returns int language sql strict as 'select case when p > 4 then p + p end';
-- notices
select twice(vol(x)), never(vol(x)), maybe(vol(x)) from f where x > 1;
-- notices
select case when x > 2 then twice(vol(x)) end from f;
-- notices
update f set y = twice(vol(x)) where x is not null and maybe(vol(3)) is not null;
select * from f order by x;
select twice(nullif(vol(x), 4)), maybe(null), maybe(nullif(vol(x), 2)) from f order by 1;
select pg_get_expr(adbin, adrelid) from pg_attrdef where adrelid = 'f'::regclass;
select pg_get_constraintdef(oid) from pg_constraint where conrelid = 'f'::regclass;
create type pair as (p int, q int);
create function pairs(x int) returns pair language plpgsql as $$ begin return (x, x + 1); end $$;
insert into f select (pairs(8)).*;
select x, y from f where case when x > 5 then (pairs(x)).p end = 8;
drop table f; drop function vol, twice, never, maybe, pairs; drop type pair;
create table f (a int check (nullif(a, 2) < 2), b int default nullif(3, 4), c text default case when nullif(1, 2) = 1 then nullif('a', 'b') end);
select pg_get_constraintdef(oid) from pg_constraint where conrelid = 'f'::regclass;
select pg_get_expr(adbin, adrelid) from pg_attrdef where adrelid = 'f'::regclass order by adnum;
drop table f;
-- What sorts is what is seen.
with a as (select array_agg(random() order by random()) x from generate_series(1, 50)) select x = (select array_agg(u order by u) from unnest(x) u) from a;
with a as (select array_agg(random() order by random()) filter (where i > 1) x from generate_series(1, 50) as i) select x = (select array_agg(u order by u) from unnest(x) u), cardinality(x) from a;
with a as (select array_agg(distinct floor(random() * 5)) x from generate_series(1, 50)) select x = (select array_agg(distinct u order by u) from unnest(x) u) from a;
with a as (select string_agg(random()::text, ',' order by random()::text) x from generate_series(1, 50)) select x = (select string_agg(u, ',' order by u) from string_to_table(x, ',') u) from a;
with a as (select random() as r, row_number() over (order by random()) as n from generate_series(1, 50)) select bool_and(ok) from (select r >= lag(r) over (order by n) as ok from a) as q;
with a as (select lag(random()) over (order by random()) as l, first_value(random()) over (order by random()) as f, random() as r from generate_series(1, 50)) select bool_and(l <= r), bool_and(f <= r) from a;
with a as (select floor(random() * 5) as p, count(*) over (partition by floor(random() * 5)) as c from generate_series(1, 50)) select bool_and(c = (select count(*) from a as b where b.p = a.p)) from a;
with a as (select rank() over (order by floor(random() * 5) + i) as r, percent_rank() over (order by floor(random() * 5) + i) as p from generate_series(1, 50) as i) select bool_and((r - 1) / 49.0 = p) from a;
