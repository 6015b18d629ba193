-- file: message notices
-- FOR UPDATE and FOR SHARE with nobody else there: what they may stand on, and what they return.
create table lock_rows (id integer primary key, v integer);
create table lock_others (id integer primary key, w integer);
insert into lock_rows values (1, 10), (2, 20), (3, 30);
insert into lock_others values (1, 100), (3, 300);
begin;
select * from lock_rows where id = 1 for update;
select * from lock_rows where v > 10 order by id for update;
select * from lock_rows order by id for share;
select * from lock_rows where id = 3 for no key update;
select * from lock_rows where id = 3 for key share;
select * from lock_rows where id = 1 for update nowait;
select * from lock_rows where id = 1 for update skip locked;
select * from lock_rows where id = 7 for update;
select v + 1 as more from lock_rows order by id limit 2 for update;
select v from lock_rows order by id offset 1 for share;
select a.id, b.w from lock_rows a join lock_others b on a.id = b.id order by 1 for update;
select a.id, b.w from lock_rows a join lock_others b on a.id = b.id order by 1 for update of a;
select a.id, b.w from lock_rows a join lock_others b on a.id = b.id order by 1 for update of a for share of b;
update lock_rows set v = v + 1 where id = 1;
select * from lock_rows where id = 1 for update;
commit;
select * from lock_rows order by id;
-- Outside of a block too.
select * from lock_rows where id = 1 for update;
select * from lock_rows where id = 1 for share nowait;
-- Where they cannot stand.
select count(*) from lock_rows for update;
select v from lock_rows group by v for update;
select distinct v from lock_rows for update;
select v from lock_rows group by v having v > 1 for share;
select * from lock_rows a for update of b;
select * from lock_rows a for update of lock_rows;
select a.id from lock_rows a left join lock_others b on a.id = b.id for update;
values (1) for update;
begin;
select * from lock_rows for update of nosuch;
rollback;
drop table lock_others;
drop table lock_rows;
