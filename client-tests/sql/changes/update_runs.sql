-- Updates of neighbouring rows, which are made together: alone, behind one another, taken back, and failing in the middle.
create table runs (id integer primary key, a integer, b bigint, c numeric(12, 2), d text, e timestamp, check (b < 100000));
insert into runs select g, g % 7, g * 3, g / 4.0, 'text ' || g, timestamp '2020-01-01' + g * interval '1 minute' from generate_series(1, 1000) g;
update runs set a = a + 1;
select count(*), sum(a), min(a), max(a) from runs;
update runs set a = null, e = null where id % 3 = 0;
update runs set a = coalesce(a, -1), e = coalesce(e, timestamp '2000-01-01') where id between 100 and 300;
select count(a), sum(a), count(e), max(e) from runs;
update runs set b = b + 1, c = c * 2 where id in (1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 987) returning id, a, b, c;
-- One row fails, and none is changed.
update runs set b = case when id = 777 then 100000 else b + 1 end;
select sum(b), sum(c) from runs;
update runs set b = 1000 / (id - 500);
select sum(b) from runs;
-- A row that several match is changed once.
update runs set a = v.x from (values (10, 1), (11, 1), (11, 1), (12, 1), (13, 1), (13, 1), (14, 1)) v (id, x) where v.id = runs.id;
select id, a from runs where id between 9 and 15 order by id;
-- The same rows again and again in one transaction, and parts of it taken back.
begin;
update runs set a = 1;
update runs set a = a + 1 where id % 2 = 0;
savepoint one;
update runs set a = a * 10, b = -b;
update runs set d = d || '!' where id < 20;
update runs set a = a + 1 where id > 990;
select sum(a), sum(b), sum(length(d)) from runs;
rollback to one;
select sum(a), sum(b), sum(length(d)) from runs;
savepoint two;
update runs set b = b + 100000 where id > 900;
rollback to two;
update runs set b = b + 1;
delete from runs where id between 40 and 60;
update runs set c = 0 where id between 30 and 70;
select sum(a), sum(b), sum(c), count(*) from runs;
rollback;
select sum(a), sum(b), sum(c), sum(length(d)), count(*) from runs;
-- With what was deleted and inserted between.
delete from runs where id % 10 = 0;
insert into runs select g, 0, 0, 0, '', null from generate_series(1001, 1100) g;
update runs set a = 5, c = null where id > 950;
select sum(a), sum(b), sum(c), count(*) from runs;
do $$
begin
  for round in 1 .. 20 loop
    begin
      update runs set b = b + round where id between round * 40 and round * 50;
      if round % 2 = 0 then
        raise exception 'taken back';
      end if;
    exception when raise_exception then
      null;
    end;
  end loop;
end
$$;
select sum(b), sum(b * id) from runs;
alter table runs add column f integer default 7;
update runs set f = f + a where id % 2 = 1;
update runs set f = null where id < 100;
select sum(f), count(f) from runs;
drop table runs;
-- More columns than one record takes of several rows.
do $$
begin
  execute 'create table wide (id integer, ' || (select string_agg('c' || n || ' integer', ', ') from generate_series(1, 600) n) || ')';
  execute 'insert into wide select g' || repeat(', g', 600) || ' from generate_series(1, 5) g';
  execute 'update wide set ' || (select string_agg('c' || n || ' = c' || n || ' + ' || n, ', ') from generate_series(1, 600) n);
end
$$;
select id, c1, c300, c600 from wide order by id;
drop table wide;
-- So many that several workers find them, in the order of the table and in others.
create table many as select g as id, g % 10 as a, g as b from generate_series(1, 200000) g;
update many set b = b + id % 3;
select count(*), sum(a), sum(b), sum(b::bigint * id) from many;
update many set a = v.a + 1, b = -b from (select id, a from many order by id * 7919 % 200003) v where v.id = many.id;
select count(*), sum(a), sum(b), sum(b::bigint * id) from many;
update many set b = b + 1 from (select id from many union all select id from many where id % 3 = 0) v where v.id = many.id;
select count(*), sum(a), sum(b), sum(b::bigint * id) from many;
delete from many where id % 7 = 3;
update many set a = case when id % 2 = 0 then null else 4 end where b % 5 = 1;
select count(*), count(a), sum(a), sum(b::bigint * id) from many;
-- Deletions of neighbours, parts of them taken back.
begin;
delete from many where id between 1000 and 1999;
savepoint one;
delete from many where id between 500 and 2500;
update many set b = 0 where id between 400 and 2600;
select count(*), sum(id::bigint), sum(b) from many;
rollback to one;
select count(*), sum(id::bigint), sum(b) from many;
insert into many select g, 1, 1 from generate_series(1000, 1200) g;
delete from many where id between 900 and 1100;
commit;
select count(*), sum(id::bigint), sum(b) from many;
delete from many using (values (5000), (5001), (5001), (5002), (5004), (5005)) v (id) where v.id = many.id;
select id from many where id between 4998 and 5008 order by id;
delete from many;
select count(*) from many;
drop table many;
