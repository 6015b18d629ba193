-- file: message
-- What is read of the row that was to be inserted is read of the table; no role makes others its own members.
create role excluded_reader;
create table excluded_rows (one integer, two integer unique, three integer);
insert into excluded_rows values (1, 2, 3);
grant select (one, two), insert (two), update (three) on excluded_rows to excluded_reader;
set role excluded_reader;
insert into excluded_rows (two) values (2) on conflict (two) do update set three = 10;
insert into excluded_rows (two) values (2) on conflict (two) do update set three = excluded.one;
insert into excluded_rows (two) values (2) on conflict (two) do update set three = excluded.three;
insert into excluded_rows (two) values (2) on conflict (two) do update set three = 1 where excluded.three is null;
insert into excluded_rows (two) values (2) on conflict (two) do update set three = excluded_rows.three;
reset role;
create role excluded_member;
set session authorization excluded_reader;
grant excluded_reader to excluded_member;
reset session authorization;
drop table excluded_rows;
drop role excluded_reader, excluded_member;
create schema excluded_schema;
create role excluded_owner;
alter default privileges in schema excluded_schema grant select on tables to public;
select count(*) from pg_default_acl where defaclnamespace = 'excluded_schema'::regnamespace;
drop schema excluded_schema;
select count(*) from pg_default_acl d left join pg_namespace n on d.defaclnamespace = n.oid where n.oid is null and d.defaclnamespace <> 0;
drop role excluded_owner;
