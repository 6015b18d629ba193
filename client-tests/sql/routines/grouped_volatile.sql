-- A call whose body has a subquery is a key where a query says the same again, also when it is volatile.
create table u (x int); insert into u select generate_series(1, 20);
create function f(a double precision) returns int language sql as $$ select $1::int / 10 + (select count(*)::int from u where u.x < 3) $$;
create function fq(a double precision) returns int language sql as $$ select count(*)::int from u where u.x < a $$;
create function g(a int) returns int language sql as $$ select $1 + (select count(*)::int from u where u.x < $1) $$;
create function vol() returns double precision language sql as $$ select random() + (select 0) $$;
select f(random() / 4), count(*) from u group by f(random() / 4);
select f(random() / 4) as a, f(random() / 4) + 1 as b from u group by f(random() / 4) having f(random() / 4) > 0;
select f(random() / 4), f(random() / 4) + 1 from u group by f(random() / 4) + 1;
select fq(x + random() / 4), count(*) from u where x = 5 group by fq(x + random() / 4);
select f(x + random() / 4) from u where x = 5 group by f(x + random() / 3);
select distinct fq(random() / 4) from u order by fq(random() / 4);
select distinct on (f(random() / 4)) f(random() / 4) from u order by f(random() / 4);
select count(*) > 1 from (select distinct a, b from (select fq(random() * 20) as a, fq(random() * 20) as b from u) s) s;
select bool_and(a = b) from (select fq(random() * 20) as a, fq(random() * 20) as b from u group by fq(random() * 20)) s;
select bool_and(a = b) from (select fq(random() * 20 + x) as a, fq(random() * 20 + x) as b from u group by fq(random() * 20 + x) having fq(random() * 20 + x) >= 0 order by fq(random() * 20 + x)) s;
select bool_and(a <= b) from (select a, lead(a) over () as b from (select fq(random() * 20) as a from u order by fq(random() * 20)) s) s;
select coalesce(bool_and(a >= 10), true) from (select fq(random() * 20 + x) as a from u group by fq(random() * 20 + x) having fq(random() * 20 + x) >= 10) s;
select g(fq(random() / 4)) as a, g(fq(random() / 4)) as b from u group by g(fq(random() / 4));
select g(fq(random() / 4)) as a, g(fq(random() / 4)) as b from u group by fq(random() / 4);
select bool_and(a = b) from (select vol() as a, vol() as b from u group by vol()) s;
select bool_or(a = b) from (select vol() as a, vol() as b from u) s;
select fq(random() / 4), fq(random() / 4), count(*) from u group by cube (fq(random() / 4)) order by 1;
select fq(random() / 4), grouping(fq(random() / 4)), count(*) from u group by cube (fq(random() / 4)) order by 1, 2;
select fq(x), fq(fq(x) + random() / 4), fq(fq(x) + random() / 4) from u where x < 4 group by fq(x), fq(fq(x) + random() / 4) order by 1;
-- HAVING.
select g(x), count(*) from u group by g(x) having g(x) > 20 order by g(x);
select g(x) + 1, count(*) from u group by g(x) having g(x) + count(*) > 20 order by g(x) desc;
select g(x) from u group by g(x) having x > 3;
select count(*) from u having g(count(*)::int) > 3;
drop function f, fq, g, vol; drop table u;
-- Items that are chosen by number or name are keys of their own.
select count(*) from (select random() a, random() b from generate_series(1, 50) group by 1, 2) s where a = b;
select count(*) from (select random() a, random() b from generate_series(1, 50) group by a, b) s where a = b;
select count(*) from (select random() a, random() b from generate_series(1, 50) group by random()) s where a = b;
select count(*), count(*) filter (where a = b) from (select random() a, random() b, count(*) from generate_series(1, 50) group by 1, 2 order by 2) s;
