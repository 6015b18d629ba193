-- file: position message detail notices
-- serial, and sequences in defaults.
create table t (id serial, v text);
insert into t (v) values ('a'), ('b');
insert into t values (default, 'c'), (10, 'd'), (default, 'e');
insert into t default values;
insert into t (v) select x from (values ('f'), ('g')) as w (x);
insert into t (v) select x from (values ('i'), ('h'), ('j')) as w (x) order by x;
select * from t order by id, v;
select currval('t_id_seq'), lastval();
insert into t values (null, 'x');
insert into t (id) values (null);
update t set id = default where v = 'a';
select * from t order by id, v;
copy t (v) from stdin;
k
l
\.
copy t from stdin csv;
30,m
\.
select id, v from t where v > 'h' order by id;
select pg_get_serial_sequence('t', 'id'), pg_get_serial_sequence('t', 'v'), pg_get_serial_sequence('public.t', 'id');
select pg_get_serial_sequence('t', 'none');
select pg_get_serial_sequence('none', 'id');
select setval(pg_get_serial_sequence('t', 'id'), 100);
insert into t (v) values ('n');
select id from t where v = 'n';
drop sequence t_id_seq;
-- Renames do no harm.
alter sequence t_id_seq rename to ids;
insert into t (v) values ('o');
alter table t rename to u;
alter table u rename column id to number;
insert into u (v) values ('p');
select * from u where v > 'm' order by v;
select pg_get_serial_sequence('u', 'number');
drop sequence ids;
alter table u alter column number drop default;
insert into u (v) values ('q');
insert into u values (1000, 'q');
drop sequence ids;
select nextval('ids');
drop table u;
-- Names.
create sequence t_id_seq;
create table t (id serial, "Mixed Case" bigserial, id_ smallserial);
insert into t default values;
insert into t default values;
select * from t order by id;
select last_value from t_id_seq;
select last_value, is_called from t_id_seq1;
select nextval('"t_Mixed Case_seq"');
select pg_get_serial_sequence('t', 'id'), pg_get_serial_sequence('t', 'Mixed Case'), pg_get_serial_sequence('t', 'id_');
create table a_table_with_a_name_that_is_as_long_as_names_may_be_in_postgre (a_column_with_a_long_name_that_is_cut serial2);
select nextval('a_table_with_a_name_that_is_a_a_column_with_a_long_name_that_seq');
drop table a_table_with_a_name_that_is_as_long_as_names_may_be_in_postgre;
drop sequence t_id_seq;
drop sequence t_id_seq1 cascade;
insert into t default values;
insert into t (id) values (7);
drop table t;
select nextval('"t_Mixed Case_seq"');
-- Limits.
create table t (id smallserial, v integer);
select setval('t_id_seq', 32767);
insert into t (v) values (1);
alter sequence t_id_seq as integer;
insert into t (v) values (1);
drop table t;
-- Refused.
create table t (id serial default 5);
create table t (id serial null);
create table t (id serial generated always as identity);
create table t (id serial[]);
select 1::serial;
create table t (id serial not null primary key, other serial unique);
insert into t default values;
insert into t default values;
select * from t order by id;
insert into t values (3);
insert into t default values;
insert into t default values;
select * from t order by id;
drop table t;
-- Owners.
create sequence s;
create table t (a bigint default nextval('s'), b bigint default nextval('s'::regclass) * 10, c text default 'c' || nextval('public.s'));
insert into t default values;
insert into t (a) values (0);
select * from t order by a;
copy t (a) from stdin;
100
200
\.
copy t (b, c) from stdin;
1	x
2	y
\.
select * from t order by a;
drop sequence s;
alter sequence s owned by t.b;
select pg_get_serial_sequence('t', 'a'), pg_get_serial_sequence('t', 'b');
alter sequence s owned by t.none;
alter sequence s owned by none.a;
alter sequence s owned by s.last_value;
alter sequence s owned by none;
select pg_get_serial_sequence('t', 'b');
create table u (a bigint default nextval('s'));
drop sequence s cascade;
insert into t default values;
select count(*), count(a), count(b), count(c) from t;
create sequence s;
alter table u alter column a set default nextval('s');
insert into u default values;
drop sequence s;
alter table u alter column a set default nextval('none');
alter table u alter column a set default 0;
drop sequence s;
create sequence s owned by u.a;
alter table u drop column a, add column c integer;
select nextval('s');
drop table u;
drop table t;
create table t (a serial, b integer);
create table u (a integer default nextval('t_a_seq'));
drop table t;
alter table t drop column a;
drop table t cascade;
insert into u default values;
select * from u;
drop table u;
