-- What rows are sorted by is one value where the select list says the same again.
create table u (x int); insert into u select generate_series(1, 20);
create function vol() returns double precision language sql as $$ select random() + (select 0) $$;
create function fq(a double precision) returns int language sql as $$ select count(*)::int from u where u.x < a $$;
select bool_and(a = b) from (select random() as a, random() as b from u order by random()) s;
select bool_and(a = b) from (select random() as a, random() as b from u order by 1) s;
select bool_and(a = b) from (select random() as a, random() as b from u order by x) s;
select bool_and(a = b) from (select random() as a, random() as b from u order by 1, 2) s;
select bool_and(a = b - 1) from (select random() as a, random() + 1 as b from u order by random()) s;
select bool_and(a = b - 1) from (select random() as a, random() + 1 as b from u order by random(), random() + 1) s;
select bool_and(a <= b) from (select b as a, lead(b) over () as b from (select random() + 1 as b from u order by random()) s) s;
select bool_and(a = b) from (select distinct on (random()) random() as a, random() as b from u order by random()) s;
select bool_and(a = b) from (select distinct on (random()) random() as a, random() as b from u) s;
select bool_and(a = b) from (select distinct random() as a, random() as b from u order by random()) s;
select bool_and(a = b) from (select vol() as a, vol() as b from u order by vol()) s;
select bool_and(a = b) from (select vol() as a, vol() as b from u order by x) s;
select bool_and(a = b) from (select x % 2 as k, random() as a, random() as b from u group by x % 2 order by random()) s;
select bool_and(a = b) from (select random() as a, random() as b, generate_series(1, 2) from u order by random()) s;
-- The same of windows.
select bool_and(a <= b) from (select a, lead(a) over (order by r) as b from (select random() as a, rank() over (order by random()) as r from u) s) t;
select bool_and(a <= b) from (select a, lead(a) over (order by r) as b from (select vol() as a, rank() over (order by vol()) as r from u) s) t;
select bool_and(a <= b) from (select a, lead(a) over (order by r) as b from (select fq(random() * 20) as a, row_number() over (order by fq(random() * 20)) as r from u) s) t;
select bool_and(a = b) from (select rank() over (order by vol()) as a, rank() over (order by vol()) as b from u) t;
select bool_and(a = b) from (select count(*) over (partition by fq(random() * 20)) as a, count(*) over (partition by fq(random() * 20)) as b from u) t;
-- Values that are drawn once.
create sequence q;
select nextval('q') as a, nextval('q') as b from u where x < 3 order by nextval('q');
select nextval('q') as a, nextval('q') as b from u where x < 3 order by 1 desc;
select nextval('q') from u where x < 3 order by nextval('q') desc;
select currval('q');
drop sequence q; drop function fq, vol; drop table u;
