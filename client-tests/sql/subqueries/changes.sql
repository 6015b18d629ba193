-- Subqueries in INSERT, UPDATE and DELETE.
create table o (id integer primary key, k integer, n integer);
create table i (id integer primary key, k integer, x integer);
insert into i values (1, 1, 5), (2, 1, 7), (3, 2, null), (4, 2, 3), (5, null, 4);
insert into o values ((select 1), 1, 10);
insert into o values ((select max(id) + 1 from o), (select k from i where id = 3), (select x from i where id = 77));
insert into o select id + 10, k, (select max(x) from i as j where j.k = i.k) from i where exists (select * from i as j where j.id = i.id + 1);
select * from o order by id;
update o set n = (select sum(x) from i where i.k = o.k);
select * from o order by id;
update o set n = n + 1, k = (select count(*) from i where i.k = o.k) where id in (select id + 10 from i where x > 4);
select * from o order by id;
-- message
update o set n = (select x from i);
select * from o order by id;
update o set n = 0 where not exists (select * from i where i.k = o.k);
delete from o where k in (select k from i where x = 5);
select * from o order by id;
delete from o where n < all (select x from i where x is not null);
select * from o order by id;
delete from o where id = (select max(id) from o);
select * from o order by id;
delete from i where exists (select * from i as j where j.k = i.k and j.id < i.id);
select * from i order by id;
update i set x = (select count(*) from i);
select * from i order by id;
-- message position
insert into o values (1, (select id, k from i), 2);
create table c (a integer check (a > 0), b integer not null);
insert into c values ((select -1), 1);
insert into c values (1, (select x from i where id = 99));
select * from c;
