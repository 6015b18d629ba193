-- file: message detail hint
-- UPDATE and DELETE ... WHERE CURRENT OF: the row where a cursor stands.
create schema co;
set search_path = co, public;
create table t (id integer primary key, v text);
insert into t select g, 'v' || g from generate_series(1, 5) g;
create table u (id integer primary key, v text);
insert into u select g, 'u' || g from generate_series(1, 5) g;
create table p (k integer, v text) partition by list (k);
create table p1 partition of p for values in (1);
create table p2 partition of p for values in (2);
create table p3 partition of p for values in (3);
insert into p values (1, 'a'), (2, 'b'), (3, 'c');
create view vt as select * from t;

-- The row may change its key on the way, and go.
begin;
declare c cursor for select * from t;
fetch 2 from c;
update t set v = 'x' where current of c returning *;
update t set id = 20 where current of c returning *;
update t set v = v || 'y' where current of c returning *;
fetch c;
update t set v = 'three' where current of c returning *;
delete from t where current of c returning *;
delete from t where current of c returning *;
update t set v = 'gone' where current of c returning *;
fetch all from c;
select * from t order by id;
rollback;

-- A change that is undone leaves the row where it was.
begin;
declare c cursor for select * from t;
fetch 3 from c;
savepoint s;
update t set id = 30 where current of c returning *;
rollback to s;
update t set v = v || '!' where current of c returning *;
savepoint s;
update t set id = 31 where current of c returning *;
update t set id = 32 where current of c returning *;
rollback to s;
update t set id = 33 where current of c returning *;
update t set v = v || '?' where current of c returning *;
select * from t order by id;
rollback;

-- Other statements change the row between.
begin;
declare c cursor for select id from t where v <> 'v1';
fetch c;
update t set id = id + 100;
update t set v = 'found' where current of c returning *;
delete from t where id = 103;
fetch c;
delete from t where current of c;
rollback;

-- Where it stands nowhere.
begin;
declare c cursor for select * from t;
savepoint s;
update t set v = 'x' where current of c;
rollback to s;
move all in c;
delete from t where current of c;
rollback;
update t set v = 'x' where current of nosuch;
delete from t where current of nosuch;
begin;
declare c cursor for select * from t;
fetch 5 from c;
update t set v = 'last' where current of c returning *;
fetch c;
update t set v = 'x' where current of c;
rollback;

-- Forward and back.
begin;
declare c scroll cursor for select * from t;
fetch 3 from c;
fetch prior from c;
update t set v = 'two' where current of c returning *;
fetch first from c;
update t set v = 'one' where current of c returning *;
fetch last from c;
update t set v = 'five' where current of c returning *;
fetch next from c;
savepoint s;
update t set v = 'x' where current of c;
rollback to s;
fetch prior from c;
update t set id = 50 where current of c returning *;
fetch relative -2 from c;
delete from t where current of c returning *;
fetch relative 0 from c;
move absolute 2 in c;
update t set v = 'moved' where current of c returning *;
fetch absolute 0 from c;
update t set v = 'x' where current of c;
rollback;

-- Held past its transaction.
begin;
declare c cursor with hold for select * from t;
fetch 2 from c;
savepoint s;
update t set v = 'held' where current of c returning *;
rollback to s;
commit;
update t set v = 'x' where current of c;
fetch c;
close c;

-- What is no simple scan of the table.
begin;
declare c cursor for select count(*) from t;
fetch c;
update t set v = 'x' where current of c;
rollback;
begin;
declare c cursor for select 1;
fetch c;
update t set v = 'x' where current of c;
rollback;
begin;
declare c cursor for select * from u;
fetch c;
update t set v = 'x' where current of c;
rollback;
begin;
declare c cursor for select * from t order by v;
fetch c;
update t set v = 'x' where current of c;
rollback;
begin;
declare c cursor for select t.* from t, u where t.id = u.id;
fetch c;
update t set v = 'x' where current of c;
rollback;
begin;
declare c cursor for select distinct v from t;
fetch c;
delete from t where current of c;
rollback;
begin;
declare c cursor for select * from t where id in (select id from u);
move c;
update t set v = 'x' where current of c;
rollback;
begin;
declare c cursor for values (1);
fetch c;
update t set v = 'x' where current of c;
rollback;

-- What is one.
begin;
declare c cursor for select v from (select * from t offset 1) s limit 3;
fetch c;
update t set v = 'derived' where current of c returning *;
rollback;
begin;
declare c cursor for select id from vt where id > 3;
fetch c;
update t set v = 'by way of a view' where current of c returning *;
savepoint s;
update vt set v = 'x' where current of c;
rollback to s;
delete from vt where current of c;
rollback;
begin;
declare c cursor for select id, (select max(v) from u where u.id = t.id) from t;
fetch 2 from c;
update t set v = 'beside a subquery' where current of c returning *;
rollback;
begin;
declare c cursor for select *, ctid is null from t;
fetch 2 from c;
delete from t where current of c returning *;
rollback;

-- FOR UPDATE says which tables.
begin;
declare c cursor for select * from t order by v desc for update;
fetch c;
update t set v = 'first' where current of c returning *;
fetch c;
delete from t where current of c returning *;
rollback;
begin;
declare c cursor for select * from t, u where t.id = u.id order by t.id for update of t;
fetch 2 from c;
update t set v = 'of t' where current of c returning *;
savepoint s;
update u set v = 'x' where current of c;
rollback to s;
close c;
declare c cursor for select * from t, u where t.id = u.id order by t.id for share;
fetch 3 from c;
update t set v = 'of t' where current of c returning *;
delete from u where current of c returning *;
rollback;
begin;
declare c cursor for select * from t a, t b where a.id = b.id order by a.id for update;
fetch c;
update t set v = 'x' where current of c;
rollback;
begin;
declare c cursor for select * from t for update;
fetch 2 from c;
update t set id = -1 where current of c returning *;
fetch c;
update t set v = 'next' where current of c returning *;
rollback;

-- Other tables beside the target; the row once for all that match.
begin;
declare c cursor for select * from t;
fetch 2 from c;
update t set v = 'joined' from u where current of c returning t.*;
delete from t using u where current of c returning t.id;
rollback;

-- Prepared.
begin;
declare c cursor for select * from t;
fetch c;
prepare q as update t set v = $1 where current of c returning *;
execute q('1');
execute q('2');
fetch c;
execute q('3');
close c;
savepoint s;
execute q('4');
rollback to s;
declare c cursor for select * from t where id = 5;
fetch c;
execute q('5');
deallocate q;
rollback;

-- Partitions.
begin;
declare c cursor for select * from p;
fetch c;
update p set v = 'x' where current of c returning *;
update p1 set v = 'y' where current of c returning *;
update p2 set v = 'z' where current of c returning *;
fetch c;
delete from p2 where current of c returning *;
fetch c;
update p set k = 1, v = 'moved' where current of c returning *;
update p set v = 'x' where current of c returning *;
select * from p order by k, v;
rollback;
begin;
declare c cursor for select * from p2;
fetch c;
update p2 set v = 'x' where current of c returning *;
update p set v = 'x' where current of c;
rollback;
begin;
declare c cursor for select * from p where v = 'c' for update;
fetch c;
update only p set v = 'x' where current of c returning *;
update p set v = 'locked' where current of c returning *;
delete from p3 where current of c returning *;
rollback;

-- Names.
begin;
declare "C d" cursor for select * from t;
fetch 2 from "C d";
update t set v = 'x' where current of "C d" returning *;
update t set v = 'x' where current of c;
rollback;
select * from t where current of c;
update t set v = 'x' where current of c and true;

-- Binary, and with text in all rows.
begin;
declare c binary cursor for select id from t;
move 4 in c;
delete from t where current of c returning *;
rollback;

-- Its own function changes the row.
create function touch(integer) returns integer language sql as 'update co.t set v = v || ''+'' where id = $1 returning id';
begin;
declare c cursor for select id, v from t;
fetch c;
select touch(1);
update t set v = v || '-' where current of c returning *;
rollback;

-- Temporary tables, generated columns, checks.
create temporary table g (a integer primary key, b integer generated always as (a * 2) stored, c integer check (c < 10));
insert into g values (1, default, 1), (2, default, 2);
begin;
declare c cursor for select c from g;
fetch 2 from c;
update g set a = 7 where current of c returning *;
update g set c = 9, a = a + 1 where current of c returning *;
update g set c = 10 where current of c;
rollback;
drop table g;
drop schema co cascade;
