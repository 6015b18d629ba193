-- file: position message notices
-- Advisory locks of one session. What others see of them is in isolation/ and test_advisory_locks.py.
select pg_advisory_lock(1);
select pg_advisory_lock(1);
select pg_try_advisory_lock(1);
select pg_try_advisory_lock_shared(1);
select pg_advisory_lock_shared(1);
select pg_advisory_unlock(1);
select pg_advisory_unlock(1);
select pg_advisory_unlock(1);
select pg_advisory_unlock(1);
select pg_advisory_unlock_shared(1);
select pg_advisory_unlock_shared(1);
select pg_advisory_unlock_shared(1);
-- One number and two are different locks; so are the orders of two.
select pg_advisory_lock(1, 2), pg_advisory_lock(-1, 2147483647);
select pg_advisory_unlock(4294967298), pg_advisory_unlock(2, 1), pg_advisory_unlock(1, 2), pg_advisory_unlock(-1, 2147483647);
select pg_advisory_lock(9223372036854775807), pg_advisory_lock(-9223372036854775808), pg_advisory_lock(0);
select pg_advisory_unlock_all();
select pg_advisory_unlock(0);
select pg_advisory_unlock_all();
-- NULL: nothing happens.
select pg_advisory_lock(null), pg_try_advisory_lock(null), pg_advisory_unlock(null), pg_advisory_xact_lock(1, null);
select pg_advisory_lock(null::bigint) is null, pg_advisory_lock(3) is null, pg_try_advisory_xact_lock(null, 1) is null;
select pg_advisory_unlock(3);
-- Of a transaction: they go with it, or with the savepoint, and are not given back by hand.
begin;
select pg_advisory_xact_lock(5), pg_try_advisory_xact_lock(5), pg_try_advisory_xact_lock_shared(5), pg_advisory_xact_lock_shared(6);
select pg_advisory_unlock(5);
select pg_advisory_unlock_shared(6);
commit;
select pg_advisory_unlock(5);
begin;
select pg_advisory_lock(7);
select pg_advisory_xact_lock(7);
rollback;
select pg_advisory_unlock(7);
select pg_advisory_unlock(7);
begin;
savepoint s;
select pg_advisory_lock(8), pg_advisory_xact_lock(9);
rollback to s;
select pg_advisory_unlock(8), pg_advisory_unlock(9);
commit;
-- An error does not take back what the session has.
begin;
select pg_advisory_lock(10);
select 1 / 0;
rollback;
select pg_advisory_unlock(10);
-- Row by row.
create table advised (id integer primary key, v bigint);
insert into advised values (1, 100), (2, 200), (3, null), (4, 400), (5, 100);
select id, pg_try_advisory_lock(v) from advised order by id;
select id, pg_advisory_unlock(v) from advised where v <> 100 order by id;
select pg_advisory_unlock(100), pg_advisory_unlock(100);
select pg_advisory_unlock(100);
select id from advised where pg_try_advisory_lock(id, 0) and id > 3 order by id;
select count(*) from (select pg_advisory_unlock(id, 0) from advised where id > 3) as x;
select pg_advisory_unlock(4, 0), pg_advisory_unlock(5, 0);
select case when x.id > 3 then x.got else x.got or x.got end from (select id, pg_try_advisory_lock(id, 1) as got from advised) as x order by id;
select id, pg_advisory_unlock(id, 1), pg_advisory_unlock(id, 1) from advised order by id;
select count(pg_advisory_lock(id)), count(distinct v) from advised;
select sum(case when pg_advisory_unlock(id) then id else 0 end) from advised;
update advised set v = 7 where pg_try_advisory_lock(id) and id < 3;
select id, pg_advisory_unlock(id) from advised where v = 7 order by id;
insert into advised select 6, 6 where pg_try_advisory_lock(6);
select pg_advisory_unlock(6);
select case when id > 4 then pg_try_advisory_lock(77) end from advised order by id;
select pg_advisory_unlock(77);
select pg_advisory_unlock(77);
-- Only for the rows that a limit lets pass, and for each that is there.
select pg_try_advisory_lock(3, id) from advised limit 0;
select id, pg_try_advisory_lock(3, id) from advised order by id limit 2;
select id, pg_try_advisory_lock(3, id) from advised order by id desc limit 1;
select id, pg_advisory_unlock(3, id) from advised order by id;
select count(*) from (select pg_try_advisory_lock(4, id) from advised where id < 4 order by v limit 2) as x;
select sum(case when pg_advisory_unlock(4, id) then 1 else 0 end) from advised;
-- The type, and what cannot be done with it.
select pg_advisory_lock(1)::text || '.', coalesce(pg_advisory_lock(2), pg_advisory_lock(3));
select pg_advisory_unlock_all();
select pg_advisory_lock(1) = pg_advisory_lock(1);
select pg_advisory_lock(1)::integer;
select min(pg_advisory_lock(1));
select distinct pg_advisory_lock(id) from advised;
select pg_advisory_lock(id) from advised order by 1;
select pg_advisory_lock(id), count(*) from advised group by 1;
select count(distinct pg_advisory_lock(id)) from advised;
-- Arguments.
select pg_advisory_lock();
select pg_advisory_lock(1, 2, 3);
select pg_advisory_lock('12');
select pg_advisory_unlock(12::smallint);
select pg_advisory_lock(1.5);
select pg_advisory_lock(1, 4294967296);
select pg_advisory_lock('a');
select pg_advisory_lock(true);
select pg_advisory_unlock_all(1);
select * from advised where pg_advisory_lock(1);
create index on advised (pg_advisory_unlock(v));
select pg_advisory_unlock_all();
-- Who is asked.
select pg_backend_pid() = pg_backend_pid(), pg_backend_pid() > 0;
select count(*) from advised where pg_backend_pid() is not null;
select pg_cancel_backend(2147483647), pg_cancel_backend(null), pg_terminate_backend(null), pg_terminate_backend(null, 5);
select pg_terminate_backend(2147483647);
select pg_terminate_backend(2147483646, 10);
select pg_terminate_backend(1, -1);
select pg_cancel_backend(pg_backend_pid());
select 1;
begin;
select pg_cancel_backend(pg_backend_pid());
select 2;
rollback;
