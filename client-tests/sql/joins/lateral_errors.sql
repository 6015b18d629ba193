-- file: message detail hint position
create table a (id integer, k integer);
create table b (id integer, x integer);
select * from lateral (select a.id) as l, a;
select * from a, lateral (select nothing) as l;
select * from a, lateral (select a.nothing) as l;
select * from a, lateral (select max(a.id)) as l;
select * from a, (select a.id) as l;
select * from a, lateral (select id from b where id = b.nothing) as l;
-- What a join's kind does not let LATERAL read.
select * from a full join lateral (select a.id) as l on true;
select * from a right join lateral (select a.k + 1) as l on true;
select * from a as r right join lateral (select * from b where b.id = r.id) as l on true;
select * from a right join generate_series(1, id) as g on true;
select * from a full join generate_series(1, a.id) as g on true;
select * from b, a right join (b as c cross join lateral (select a.id) as l) on true;
select * from b, a right join lateral (select b.id) as l on true;
select * from (a join b using (id)) right join lateral (select b.x) as l on true;
select * from a left join (b right join lateral (select a.id) as l on true) on true;
select * from a right join (select a.id) as l on true;
