-- file: message
create table a (id integer, k integer);
create table b (id integer, x integer);
select * from lateral (select a.id) as l, a;
select * from a, lateral (select nothing) as l;
select * from a, lateral (select a.nothing) as l;
select * from a, lateral (select max(a.id)) as l;
select * from a, (select a.id) as l;
select * from a, lateral (select id from b where id = b.nothing) as l;
