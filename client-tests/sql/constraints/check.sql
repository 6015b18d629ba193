-- file: message detail position
create table other (x integer);
-- What a CHECK may be.
create table refused (a integer check (sum(a) > 0));
create table refused (a integer, check (a > 0 and max(a) > 0));
create table refused (a integer check ((select 1) > 0));
create table refused (a integer check (a in (select x from other)));
create table refused (a integer check (exists (select 1)));
create table refused (a integer check (row_number() over () > 0));
create table refused (a integer check (other.x > 0));
create table refused (a integer check (x > 0));
create table refused (a integer check (a > 0 and b > 0));
create table refused (a integer check (a));
create table refused (a integer check (a + 1));
create table refused (a integer check ('x'));
create table refused (a integer check ($1 > 0));
create table refused (a integer check (a > $1));
create table refused (a integer check (ctid is not null));
create table refused (a integer, check (refused.xmin is not null));
create table refused (a integer check (default > 0));
create table refused (a integer check (a > 'abc'));
create table refused (a integer check (a > true));
create table refused (a integer check (nothing(a) > 0));
create table refused (a integer check (a > 0) not valid);
create table refused (a integer, check (a > 0) deferrable);
create table refused (a integer, check (a > 0) initially deferred);
create table refused (a integer check (a > 0) deferrable);
create table refused (a integer check (a > 0) not deferrable);
create table refused (a integer unique check (a > 0) initially immediate);
create table refused (a integer initially deferred);
create table refused (a integer constraint x check (a > 0) constraint x check (a > 1));
create table refused (a integer constraint x check (a > 0), constraint x check (a > 1));
create table refused (a integer constraint x check (a > 0), constraint x unique (a));
create table refused (a integer constraint refused_a_check check (a > 0), check (a > 1), constraint refused_a_check1 check (a > 2));

-- INSERT: NULL passes, names as PostgreSQL chooses them, checks in the order of their names behind NOT NULL.
create table t (
  a integer check (a > 0) check (a < 100),
  b integer not null constraint small check (b < 50) constraint odd check (b % 2 = 1),
  c text check (length(c) > 2) default 'abc',
  check (a < b), check (c <> 'bad' or a > 5), check (t.a + t.b < 120), check (1 < 2), check (public.t.b > -10),
  check (a / (b - 7) < 20), constraint "Big Name" check (b is not null));
insert into t values (1, 3, 'xyz');
insert into t values (null, 3, null);
insert into t values (0, 3);
insert into t values (101, 103);
insert into t values (-5, 4, 'x');
insert into t values (3, 4);
insert into t values (5, 3);
insert into t values (3, null, 'x');
insert into t values (-3, null, 'x');
insert into t (a, b) values (4, 7);
insert into t (a, b, c) values (4, 5, 'bad');
insert into t (a, b, c) values (4, 5, 'ok');
insert into t (a, b, c) values (6, 9, 'bad');
insert into t (b) values (default);
insert into t (a, b) values (10, 51);
insert into t (a, b) values (2, 9), (2, 11), (2, 12);
insert into t (a, b) values (2, 13), (2, 15);
insert into t default values;
insert into t select g.x, g.x + 2 from (values (1), (3), (9)) as g (x);
insert into t select a, b + 1 from t;
insert into t select a + 0, b + 2, c || 'a longer text than twelve bytes' from t where a = 9;
insert into t select a, b, repeat(c, 40) from t where a = 6;
insert into t select a, b, 'bad' from t where a = 3;
select * from t order by a, b, c;

-- UPDATE.
update t set a = a + 1 where a = 1;
update t set a = -a where a = 6 and b = 9;
update t set a = -a where a = 6;
update t set b = b + 1 where a = 6;
update t set b = 7 where a = 6;
update t set c = 'no' where a = 6;
update t set c = 'no' where a = 60;
update t set b = null where a = 6;
update t set c = null, a = null where a = 6;
update t set a = t.a + o.a from (values (2), (200)) as o (a) where t.b = 3 and o.a < 100;
update t set a = t.a + o.a from (values (2), (200)) as o (a) where t.b = 5 and o.a > 100;
update t set a = a, b = b, c = c;
update t set a = 40, b = 30 + a where c is null;
select * from t order by a, b, c;

-- A check that holds for no row, one that fails itself, and one that is never FALSE.
create table never (a integer check (false));
insert into never values (1);
insert into never select 1 where false;
insert into never values (null);
create table fails (a integer check (a / 0 > 1), b integer);
insert into fails values (1, 2);
insert into fails values (null, 2);
update fails set b = 3;
update fails set a = 3;
create table unknown (a integer check (null), b integer check (null > 1 or b is null));
insert into unknown values (1, 2);
insert into unknown values (1, null);
select * from unknown;
create table failing_order (a integer, constraint b check (1 / a > 0), constraint a check (a <> 0), constraint c check (10 / (a - 1) > 0));
insert into failing_order values (0);
insert into failing_order values (1);
insert into failing_order values (-1);
insert into failing_order values (2);

-- Every type in conditions.
create table typed (
  bo boolean check (bo is not false), si smallint check (si > 1), bi bigint check (bi between 5 and 10000000000),
  nu numeric(8,2) check (nu * 2 < 1000), nw numeric(30,4) check (nw <> 5), nb numeric check (nb < 1e30), re real check (re < 1.5),
  dp double precision check (dp <> 'NaN'), te text check (te like 'a%' or te in ('x', 'y')), va varchar(5) check (va <> 'abc'),
  ch char(5) check (ch <> 'abc'), by bytea check (by <> '\x00' and length(by) < 4), da date check (da > '2020-01-01'),
  ts timestamp check (ts > date '2020-01-01'), iv interval check (iv < '1 day'));
insert into typed default values;
insert into typed (bo) values (false);
insert into typed (bo) values (true);
insert into typed (si) values (1);
insert into typed (bi) values (10000000001);
insert into typed (nu) values (500);
insert into typed (nu) values (499.99);
insert into typed (nw) values (5.0);
insert into typed (nb) values (1e30);
insert into typed (re) values (1.5);
insert into typed (dp) values ('nan');
insert into typed (te) values ('b');
insert into typed (te) values ('a text that is longer than twelve'), ('x');
insert into typed (te) values ('b' || repeat('a text that is longer than twelve', 3));
insert into typed (va) values ('abc');
insert into typed (ch) values ('abc');
insert into typed (ch) values ('abc  ');
insert into typed (ch) values ('abd');
insert into typed (by) values ('\x00');
insert into typed (by) values ('\x00112233');
insert into typed (da) values ('2020-01-01');
insert into typed (ts) values ('2020-01-01');
insert into typed (ts) values ('2020-01-01 00:00:00.000001');
insert into typed (iv) values ('24:00:00');
update typed set va = 'abc', te = 'z';
update typed set ch = 'ab' || 'c' where ch is not null;
select * from typed order by te, ch, nu, ts, bo;

-- Numerics with more than 38 digits on the way.
create table wide (a numeric(38, 0) check (a * a > 10), b numeric(30, 10) check (b * b * b < 1e80));
insert into wide values (99999999999999999999999999999999999999, 12345678901234567890.5);
insert into wide values (3, 99999999999999999999.5);
insert into wide values (30, -99999999999999999999.5);
update wide set a = a - 1, b = b + 1;
update wide set a = 1;
select * from wide order by a;

-- What a message shows of a row.
create table shown (a integer, b text, c numeric(6,2), constraint no check (a < 10));
insert into shown values (10, null, 1.5);
insert into shown values (11, repeat('äb', 60), null);
insert into shown values (1, 'x', 2), (2, 'y', 3);
update shown set a = 10 + a;
update shown set a = 10 + a, b = repeat('xyz', 50) where a = 2;
alter table shown drop b;
insert into shown values (12, 3);
update shown set a = 20 where a = 1;
alter table shown add d text default 'added';
update shown set a = 20 where a = 1;

-- Checks are tested before unique indexes, and NOT NULL before both.
create table before_keys (a integer primary key check (a > 0), b integer not null);
insert into before_keys values (1, 1);
insert into before_keys values (1, 1);
insert into before_keys values (-1, null);
update before_keys set a = -1;
insert into before_keys select a, b from before_keys;
select * from before_keys;

-- Quoted names, and names that are long.
create table "ATable" ("A column" integer check ("A column" > 0), "select" integer, check ("select" > "A column"));
insert into "ATable" values (0, 1);
insert into "ATable" values (2, 1);
create table a_table_with_a_name_that_is_as_long_as_a_name_may_be_in_this_db (
  a_column_with_a_name_that_is_rather_long_for_a_column integer check (a_column_with_a_name_that_is_rather_long_for_a_column > 0)
  check (a_column_with_a_name_that_is_rather_long_for_a_column > 1), b integer, check (b > a_column_with_a_name_that_is_rather_long_for_a_column));
insert into a_table_with_a_name_that_is_as_long_as_a_name_may_be_in_this_db values (0);
insert into a_table_with_a_name_that_is_as_long_as_a_name_may_be_in_this_db values (1);
insert into a_table_with_a_name_that_is_as_long_as_a_name_may_be_in_this_db values (2, 1);

-- A name that is chosen is no other constraint's.
create table named (a integer constraint named_b_check check (a > 0), b integer check (b > 0) constraint named_a_key check (b > 1), c integer unique);
create table named2 (a integer unique, b integer, constraint named_b_check2 check (b > 5));
alter table named add check (b > 2), add unique (a), add check (b > 3);
insert into named values (1, 0);
insert into named values (1, 1);
insert into named values (1, 2);
insert into named values (1, 3);
insert into named values (1, 5);
insert into named values (1, 5);

-- Who is asking.
create table owned (name text check (name = current_user));
insert into owned values ('postgres');
insert into owned values ('somebody');
update owned set name = name;
update owned set name = upper(name);
create table if not exists owned (name text check (name = 'x'));
