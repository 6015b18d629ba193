-- file: message
-- Who makes a table out of a query may fill it, whatever else the default rights say.
create role made_owner;
create table made_source (a integer);
create table made_other (a integer);
insert into made_source values (1), (2);
grant select on made_source to made_owner;
grant create on schema public to made_owner;
alter default privileges for role made_owner revoke insert on tables from made_owner;
set role made_owner;
create table made_as as select a from made_source;
select a into made_into from made_source;
create materialized view made_view as select a from made_source;
refresh materialized view made_view;
select a from made_as order by a;
select a from made_into order by a;
select a from made_view order by a;
insert into made_as values (1);
insert into made_into values (1);
alter table made_as alter column a type bigint;
-- What else it does needs rights as ever.
create table made_more as with changed as (insert into made_other values (1) returning a) select a from changed;
create table made_more as select a from made_other;
reset role;
drop table made_as, made_into;
drop materialized view made_view;
drop owned by made_owner;
drop table made_source, made_other;
drop role made_owner;
