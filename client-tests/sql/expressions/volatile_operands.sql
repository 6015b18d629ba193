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
