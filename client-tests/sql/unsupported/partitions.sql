-- What partitioned tables do not do.
create table setup_parted (a integer not null, b integer, c text, primary key (a)) partition by hash (a);
create table setup_parted_part partition of setup_parted for values with (modulus 1, remainder 0);
create table setup_expression (a integer, b integer) partition by range ((a + 1));
create table setup_other (b integer, a integer not null, c text);
create table setup_referred (id integer primary key);
create table t partition of setup_expression for values from (now()::text::date - date '2000-01-01') to (1000000);
create table t (a integer references setup_referred on update cascade) partition by range (a);
create table setup_generated (a integer, g integer generated always as (a + 1) stored, i integer not null) partition by list (a);
alter table setup_generated alter column g drop expression;
alter table setup_generated alter column g type bigint;
alter table setup_generated alter column i add generated always as identity;
-- Partitions in another order that others know by the places of their columns.
create table setup_ordered (a integer, b text) partition by list (a);
create table setup_read (b text, a integer);
create view setup_reader as select * from setup_read;
alter table setup_ordered attach partition setup_read for values in (1);
create table setup_keyed (b text unique, a integer);
create table setup_refers (b text references setup_keyed (b));
alter table setup_ordered attach partition setup_keyed for values in (1);
-- A key names a label, or a field, that is to be called otherwise.
create type setup_label as enum ('q', 'r');
create table setup_by_label (e setup_label) partition by list ((e = 'q'));
alter type setup_label rename value 'q' to 's';
create type setup_pair as (a integer, b integer);
create table setup_by_field (p setup_pair) partition by list (((p).a));
alter type setup_pair rename attribute a to z;
