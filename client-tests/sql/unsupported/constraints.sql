-- Constraints that are not enforced yet are refused, never accepted and forgotten.
create table t (a integer unique deferrable);
create table t (a integer, b integer, unique (a) include (b));
create table t (a integer check (a > 0));
create table t (a integer, check (a > 0));
create table t (a integer, constraint positive check (a > 0));
create table setup_referenced (a integer);
create table t (a integer references setup_referenced (a));
create table t (a integer, foreign key (a) references setup_referenced (a));
create table t (a integer generated always as identity);
create table t (a integer, b integer generated always as (a + 1) stored);
create table t (a serial);
create table t (a bigserial);
create table t (a integer, exclude using gist (a with =));
create table t (a text collate "de_DE");
