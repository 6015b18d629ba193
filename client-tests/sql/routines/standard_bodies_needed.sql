-- file: message detail hint
-- What bodies in the manner of the SQL standard mean stays, and what they need is not dropped without them.
create schema rsn;
set search_path = rsn, public;
create table t (a int, b text, c int, d int);
insert into t values (1, 'x', 2, 3);
create function reading(x int) returns text begin atomic select b from t where a = x; end;
create function writing(x int) returns int begin atomic insert into t (a, c) values (x, x) returning c; end;
create procedure storing(x int) begin atomic update t set c = x; insert into t values (x, 'stored'); delete from t where c < 0; end;
create function value(x int) returns int return (select max(a) from t) + x;
drop table t;
alter table t drop column a;
alter table t drop column c;
alter table t alter column a type bigint;
alter table t drop column d;
alter table t add column a2 text default 'new';
select reading(1), writing(5);
select value(1);
call storing(9);
select * from t order by a, b, c;
-- Names.
alter table t rename column a to key;
alter table t rename column b to a;
alter table t rename column c to b;
select reading(1), writing(6);
select value(1);
call storing(8);
select * from t order by key, a, b;
alter table t rename to u;
create table t (a int, b text, c int);
create schema rsn2;
alter table u set schema rsn2;
set search_path = rsn2, public;
select rsn.reading(6), rsn.writing(7);
select rsn.value(1);
call rsn.storing(3);
set search_path = rsn, public;
select * from rsn2.u order by key, a, b;
select * from t;
-- A function that is called.
create function called(x int) returns int return x + 1;
create function calling(x int) returns int return called(x);
create procedure calling_too(x int) begin atomic insert into t (a) values (called(x)); end;
drop function called(int);
create or replace function called(x int) returns int return x + 100;
select calling(1);
alter function called(int) rename to other_name;
create function called(x int) returns int return 0;
select calling(1);
alter function other_name(int) set schema rsn2;
select calling(1);
call calling_too(4);
select * from t;
drop function called(int);
-- Types, sequences, views.
create type mood as enum ('sad', 'happy');
create function of_enum() returns boolean return 'sad'::mood = 'happy';
drop type mood;
alter type mood rename to feeling;
select of_enum();
create domain small as int check (value < 100);
create function of_domain(x int) returns int return x::small;
drop domain small;
create sequence numbers;
create function next_number() returns bigint return nextval('numbers');
drop sequence numbers;
alter sequence numbers rename to counts;
select next_number(), next_number();
create view v as select key as k, a from rsn2.u;
create function of_view() returns bigint begin atomic select count(k) from v; end;
drop view v;
alter view v rename column k to kk;
select of_view();
create function into_view(x int) returns int begin atomic insert into v (kk, a) values (x, 'by view') returning kk; end;
alter view v rename column kk to k;
select into_view(77);
create table keyed (id int primary key, v text);
create function grouped() returns text begin atomic select v from keyed group by id; end;
alter table keyed drop constraint keyed_pkey;
alter table keyed alter column id type bigint;
create view of_function as select calling(1) as one;
drop function calling(int);
drop function rsn2.other_name(int);
-- notices
drop function rsn2.other_name(int) cascade;
select calling(1);
-- Rows.
create function row_of() returns keyed begin atomic select k from keyed k; end;
insert into keyed values (1, 'one');
select row_of();
select * from row_of();
-- What goes with others.
create table wide (id int primary key, v text, w int);
create function of_column() returns text begin atomic select v from wide; end;
create function of_key() returns text begin atomic select v from wide group by id; end;
create view over_column as select of_column() as one;
-- notices
alter table wide drop column v;
-- notices
alter table wide drop constraint wide_pkey cascade;
select of_key();
-- notices
alter table wide drop column v cascade;
select of_column();
select * from over_column;
-- notices
create or replace function of_column() returns int begin atomic select w from wide; end;
create or replace function of_column() returns int begin atomic select 1; end;
drop table wide;
select of_column();
-- notices
drop table keyed cascade;
-- notices
drop table rsn2.u cascade;
select reading(1);
-- notices
drop type feeling cascade;
-- notices
drop domain small cascade;
-- notices
drop sequence counts cascade;
select proname from pg_proc where pronamespace = 'rsn'::regnamespace order by 1;
-- A function that needs itself.
create function f(x int) returns int return x;
create or replace function f(x int) returns int return case when x > 0 then f(x - 1) else 0 end;
select f(3);
drop function f(int);
create function one(x int) returns int return x;
create function two(x int) returns int return one(x);
create or replace function one(x int) returns int return case when x > 0 then two(x - 1) else x end;
select two(3);
drop function one(int);
-- notices
drop function one(int) cascade;
-- Undone.
begin;
create function undone() returns int return 1;
select undone();
rollback;
select undone();
begin;
alter table t rename column a to aa;
savepoint s;
create function in_block() returns bigint begin atomic select count(aa) from t; end;
alter table t rename column aa to aaa;
select in_block();
rollback to s;
rollback;
select count(a) from t;
drop schema rsn2 cascade;
