-- Subqueries whose values nobody reads are not executed.
create table f (x int);
insert into f values (1), (2), (3), (3);
select x from (select x, (select f2.x from f f2 where f2.x = f.x) s, f.x in (select y from generate_series(1, 2) y) m from f) q;
select x from (select x, (select f2.x from f f2 where f2.x = f.x) s from f) q where s > 0;
select count(*) from (select distinct x, 1 / (select count(*) - 4 from f f2) from f) q;
drop table f;
