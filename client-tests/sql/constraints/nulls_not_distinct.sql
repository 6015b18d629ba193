-- file: message detail hint
-- NULLs are equal in the key.
create table sole (a integer unique nulls not distinct, b integer, c text, constraint sole_pair unique nulls not distinct (b, c) include (a));
insert into sole values (1, 1, 'x'), (null, 1, null), (2, null, null);
insert into sole values (null, 2, 'y');
insert into sole values (3, 1, null);
insert into sole values (4, null, null);
insert into sole values (5, null, 'z'), (6, 2, null);
insert into sole values (7, null, 'z');
insert into sole values (1, 9, 'q');
update sole set a = null where a = 1;
update sole set a = null where a is null;
update sole set a = a, c = 'w' where a is null;
update sole set c = null where b = 1;
select * from sole order by a, b, c;
-- Proposals.
insert into sole values (null, 3, 'p') on conflict (a) do update set c = 'updated ' || coalesce(excluded.a, -1) returning *;
insert into sole values (null, 3, 'p') on conflict do nothing;
insert into sole values (8, null, 'z') on conflict (b, c) do nothing;
insert into sole values (8, null, 'z') on conflict on constraint sole_pair do update set a = excluded.a returning *;
insert into sole values (null, 4, 'r'), (null, 5, 's') on conflict (a) do update set b = excluded.b;
delete from sole where a is null;
insert into sole values (null, 4, 'r');
begin;
delete from sole where a is null;
insert into sole values (null, 4, 'again');
rollback;
insert into sole values (null, 4, 'again');
-- What catalogs say.
select indexrelid::regclass::text, indisunique, indnullsnotdistinct, pg_get_indexdef(indexrelid) from pg_index where indrelid = 'sole'::regclass order by 1;
select conname, pg_get_constraintdef(oid) from pg_constraint where conrelid = 'sole'::regclass order by 1;
-- Indexes: made over rows, partial, of expressions, not unique.
create table rows_with_nulls (a integer, b integer);
insert into rows_with_nulls values (1, null), (2, null), (3, 1);
create unique index with_nulls on rows_with_nulls (b) nulls not distinct;
create unique index with_nulls on rows_with_nulls (b) nulls distinct;
drop index with_nulls;
create unique index with_nulls on rows_with_nulls (b) nulls not distinct where a > 1;
insert into rows_with_nulls values (0, null);
insert into rows_with_nulls values (5, null);
drop index with_nulls;
delete from rows_with_nulls where a < 2;
create unique index with_nulls on rows_with_nulls ((b + 1), a desc nulls last) nulls not distinct with (fillfactor = 70) where b is null or a > 0;
insert into rows_with_nulls values (2, null);
insert into rows_with_nulls values (4, null);
create index plain on rows_with_nulls (b) nulls not distinct;
insert into rows_with_nulls values (6, null);
select pg_get_indexdef(indexrelid), indnullsnotdistinct from pg_index where indrelid = 'rows_with_nulls'::regclass order by 1;
alter table rows_with_nulls add unique nulls not distinct (b);
alter table rows_with_nulls add constraint both_columns unique nulls not distinct (a, b);
insert into rows_with_nulls values (6, null);
alter table rows_with_nulls drop constraint both_columns;
-- A constraint of an index.
create unique index on_both on rows_with_nulls (b, a) nulls not distinct;
alter table rows_with_nulls add constraint on_both unique using index on_both;
select conname, pg_get_constraintdef(oid) from pg_constraint where conrelid = 'rows_with_nulls'::regclass order by 1;
drop index with_nulls;
alter table rows_with_nulls alter column b type bigint;
insert into rows_with_nulls values (6, null);
-- Deferred.
create table late (a integer, b integer, unique nulls not distinct (a) deferrable initially deferred);
insert into late values (null, 1), (2, 2);
begin;
update late set a = null where b = 2;
update late set a = 1 where b = 1;
commit;
begin;
insert into late values (null, 3);
commit;
select * from late order by b;
-- The same key twice is one index only if it is alike.
create table twice (a integer, unique nulls not distinct (a), unique (a), unique nulls not distinct (a));
select conname, pg_get_constraintdef(oid) from pg_constraint where conrelid = 'twice'::regclass order by 1;
create table likened (like twice including indexes);
insert into likened values (null);
insert into likened values (null);
-- Keys that refer to it.
create table parent_of_some (a integer unique nulls not distinct);
create table child_of_some (a integer references parent_of_some (a) on delete set null);
insert into parent_of_some values (null), (1);
insert into child_of_some values (null), (1);
delete from parent_of_some where a = 1;
select * from child_of_some;
-- Partitions.
create table parts (a integer, b integer, unique nulls not distinct (a, b)) partition by list (a);
create table part_one partition of parts for values in (1, null);
create table part_two (a integer, b integer, unique (a, b));
alter table parts attach partition part_two for values in (2);
insert into parts values (null, null), (2, null);
insert into parts values (null, null);
insert into parts values (2, null);
insert into parts values (1, null), (1, null);
select indexrelid::regclass::text, indnullsnotdistinct from pg_index where indrelid in ('parts'::regclass, 'part_one'::regclass, 'part_two'::regclass) order by 1;
copy sole from stdin;
10	10	a
\N	11	b
\.
copy sole from stdin;
10	12	\N
\.
merge into sole using (values (null::integer, 20)) as v (a, b) on sole.a = v.a when matched then do nothing when not matched then insert values (v.a, v.b);
drop table child_of_some;
