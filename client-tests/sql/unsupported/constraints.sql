-- Constraints that are not enforced yet are refused, never accepted and forgotten.
create table t (a integer unique deferrable) partition by hash (a);
create table t (a integer check (tableoid is not null));
create table t (a integer check (nextval('setup_sequence') > a));
create table t (a integer check (generate_series(1, a) > 0));
create table setup_referenced (a integer);
create table t (a integer, exclude using gist (a with =));
create collation t (provider = icu, locale = 'de');
create table t (a integer check (t is not null));
