-- A function whose body has a subquery is one value where a query says the same again.
create table u (x int); insert into u select generate_series(1, 20);
create function sq(a int) returns int language sql as $$ select $1 / 10 + (select count(*)::int from u where u.x < 3) $$;
select sq(x), count(*) from u group by sq(x) order by sq(x);
select distinct sq(x) from u order by sq(x);
select sq(x) as s, rank() over (order by sq(x)) from u where x > 8 order by 1, 2;
select distinct on (sq(x)) x from u order by sq(x), x;
drop function sq; drop table u;
