-- file: message
-- MERGE into partitioned tables and partitions: rows are changed where they are, or go elsewhere.
create table pm (a integer primary key, b text, c integer) partition by range (a);
create table pm1 partition of pm for values from (0) to (10);
create table pm2 partition of pm (check (c < 100)) for values from (10) to (20);
create table pm_source (a integer, b text, c integer);
insert into pm values (1, 'one', 1), (2, 'two', 2), (11, 'eleven', 11), (12, 'twelve', 12);
insert into pm_source values (1, 'ONE', 21), (11, 'ELEVEN', 31), (5, 'five', 5), (15, 'fifteen', 15);
merge into pm p using pm_source s on p.a = s.a
  when matched then update set b = s.b, c = s.c
  when not matched then insert values (s.a, s.b, s.c);
select tableoid::regclass::text, * from pm order by a;
merge into pm p using pm_source s on p.a = s.a when matched and p.a = 1 then update set a = p.a + 15 when matched and p.a = 11 then delete;
select tableoid::regclass::text, * from pm order by a;
-- A row that belongs nowhere.
merge into pm p using (values (30)) s (a) on p.a = s.a when not matched then insert (a) values (s.a);
merge into pm p using (values (2)) s (a) on p.a = s.a when matched then update set a = 77;
-- What one partition alone wants.
-- detail
merge into pm p using (values (12)) s (a) on p.a = s.a when matched then update set c = 500;
-- detail
merge into pm p using (values (13)) s (a) on p.a = s.a when not matched then insert values (13, 'x', 500);
merge into pm p using (values (2)) s (a) on p.a = s.a when matched then update set c = 500;
-- detail
merge into pm p using (values (2)) s (a) on p.a = s.a when matched then update set a = 13;
-- Keys.
merge into pm p using (values (2)) s (a) on p.a = s.a when matched then update set a = 12, c = 1;
merge into pm p using (values (12), (12)) s (a) on p.a = s.a when matched then update set b = 'twice';
-- Partitions themselves.
merge into pm1 p using (values (2), (3)) s (a) on p.a = s.a when matched then update set b = 'two again' when not matched then insert values (s.a, 'three', 3);
-- detail
merge into pm1 p using (values (2)) s (a) on p.a = s.a when matched then update set a = 12;
-- detail
merge into pm1 p using (values (44)) s (a) on p.a = s.a when not matched then insert values (s.a);
merge into pm1 p using (values (3)) s (a) on p.a = s.a when matched then delete;
select tableoid::regclass::text, * from pm order by a;
-- Foreign keys of partitions.
create table pm_parent (id integer primary key);
insert into pm_parent values (1), (2);
create table pm_child (a integer, parent integer references pm_parent) partition by list (a);
create table pm_child1 partition of pm_child for values in (1);
create table pm_child2 partition of pm_child for values in (2);
merge into pm_child c using (values (1, 1), (2, 2)) s (a, p) on c.a = s.a when not matched then insert values (s.a, s.p);
merge into pm_child c using (values (1, 9)) s (a, p) on c.a = s.a when matched then update set parent = s.p;
merge into pm_child c using (values (1, 2)) s (a, p) on c.a = s.a when matched then update set parent = s.p, a = 2;
select tableoid::regclass::text, * from pm_child order by a, parent;
begin;
merge into pm p using pm_source s on p.a = s.a when matched then delete;
rollback;
select count(*) from pm;
-- Several levels.
create table pm_deep (a integer, b integer) partition by list (a);
create table pm_deep1 partition of pm_deep for values in (1) partition by range (b);
create table pm_deep11 partition of pm_deep1 for values from (0) to (10);
create table pm_deep12 partition of pm_deep1 for values from (10) to (20);
insert into pm_deep values (1, 1), (1, 11);
merge into pm_deep d using (values (1), (11), (3)) s (b) on d.b = s.b
  when matched and d.b = 1 then update set b = 12 when matched then delete when not matched then insert values (1, s.b);
select tableoid::regclass::text, * from pm_deep order by b;
merge into pm_deep1 d using (values (12)) s (b) on d.b = s.b when matched then update set a = 2;
