-- Materialized views: made, filled, read, indexed, refreshed, renamed, dropped.
-- file: message
create table mv_base (id integer primary key, name text, amount numeric(10, 2));
insert into mv_base values (1, 'a', 10.50), (2, 'b', 20), (3, 'a', null);
create materialized view mv_sums as select name, count(*) as n, sum(amount) as total from mv_base group by name;
select * from mv_sums order by name;
insert into mv_base values (4, 'c', 5);
select * from mv_sums order by name;
refresh materialized view mv_sums;
select * from mv_sums order by name;
create materialized view mv_sums as select 1 as x;
-- notices
create materialized view if not exists mv_sums as select 1 as x;
create materialized view mv_named (a, b) as select id, name from mv_base;
select b, a from mv_named order by a;
create materialized view mv_too_many (a, b, c) as select id, name from mv_base;
create materialized view mv_empty as select id from mv_base with no data;
select * from mv_empty;
select count(*) from mv_empty m join mv_base b on b.id = m.id;
copy (select * from mv_empty) to stdout;
create view mv_over_empty as select id + 1 as next from mv_empty;
select * from mv_over_empty;
refresh materialized view concurrently mv_empty;
refresh materialized view mv_empty;
select * from mv_over_empty order by 1;
refresh materialized view mv_empty with no data;
select * from mv_empty;
refresh materialized view concurrently mv_empty with no data;
refresh materialized view mv_base;
refresh materialized view mv_over_empty;
refresh materialized view mv_nosuch;
refresh materialized view concurrently mv_sums;
create unique index mv_sums_name on mv_sums (name);
create index mv_sums_n on mv_sums (n) where n > 1;
update mv_base set amount = 1 where id = 4;
delete from mv_base where id = 2;
refresh materialized view concurrently mv_sums;
select * from mv_sums order by name;
select total from mv_sums where name = 'c';
begin;
insert into mv_base values (9, 'z', 9);
refresh materialized view mv_sums;
select * from mv_sums order by name;
rollback;
select * from mv_sums order by name;
begin;
delete from mv_base;
refresh materialized view concurrently mv_sums;
select * from mv_sums;
rollback;
select * from mv_sums order by name;
insert into mv_sums values ('x', 1, 1);
update mv_sums set n = 2;
delete from mv_sums;
truncate mv_sums;
-- detail
merge into mv_sums m using mv_base b on m.name = b.name when matched then delete;
copy mv_sums from stdin;
1	x	1
\.
copy mv_sums to stdout;
select * from mv_sums for update;
create table mv_refers (a text references mv_sums (name));
alter table mv_sums add column x integer;
alter materialized view mv_base rename to mv_other;
alter materialized view mv_sums rename column total to amount;
select name, amount from mv_sums order by name;
alter materialized view mv_sums rename to mv_renamed;
refresh materialized view mv_renamed;
select name, amount from mv_renamed order by name;
alter materialized view if exists mv_nosuch rename to mv_other;
create schema mv_schema;
alter materialized view mv_renamed set schema mv_schema;
select name, amount from mv_schema.mv_renamed order by name;
refresh materialized view mv_schema.mv_renamed;
select schemaname, matviewname, hasindexes, ispopulated from pg_matviews where schemaname in ('public', 'mv_schema') order by 1, 2;
select relname, relkind, relispopulated, relhasrules, relreplident from pg_class where relname like 'mv\_%' and relkind in ('m', 'v') order by 1;
select indexname from pg_indexes where tablename = 'mv_renamed' order by 1;
comment on materialized view mv_empty is 'nothing';
select obj_description('mv_empty'::regclass, 'pg_class');
comment on materialized view mv_base is 'nothing';
comment on table mv_empty is 'nothing';
-- detail
drop table mv_base;
alter table mv_base alter column name type varchar(10);
-- detail
alter table mv_base drop column name;
drop table mv_empty;
drop view mv_empty;
drop materialized view mv_base;
drop materialized view mv_over_empty;
drop materialized view mv_nosuch;
-- notices
drop materialized view if exists mv_nosuch;
-- detail
drop materialized view mv_empty;
-- notices
drop materialized view mv_empty cascade;
create materialized view mv_of_named as select a from mv_named;
-- notices
drop table mv_base cascade;
select 1 from mv_named;
drop schema mv_schema cascade;
create temporary table mv_temporary (a integer);
create materialized view mv_of_temporary as select a from mv_temporary;
create materialized view mv_values as values (1, 'x'), (2, 'y');
select * from mv_values order by 1;
analyze mv_values;
vacuum mv_values;
drop materialized view mv_values;
