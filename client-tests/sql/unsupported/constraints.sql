-- Constraints that are not enforced yet are refused, never accepted and forgotten.
create table t (a integer unique deferrable);
create table t (a integer, b integer, unique (a) include (b));
create table t (a integer check (a > 0) no inherit);
create table t (a integer, check (a > 0) no inherit);
create table t (a integer check (t is not null));
create table t (a integer check (tableoid is not null));
create table t (a integer check (nextval('setup_sequence') > a));
create table t (a integer check (generate_series(1, a) > 0));
create table setup_referenced (a integer);
alter table setup_referenced add check (a > 0) no inherit;
create table t (a integer references setup_referenced (a) deferrable);
create table t (a integer references setup_referenced (a) initially deferred);
create table t (a integer, foreign key (a) references setup_referenced (a) deferrable initially deferred);
create table t (a integer, b integer generated always as (a + 1) stored);
create table t (a integer, exclude using gist (a with =));
create table t (a text collate "de_DE");
