-- pg_stat_get_... of tables and indexes: what the views of statistics show.
create table counted (a int primary key, b int);
insert into counted select i, i from generate_series(1, 10) i;
select pg_stat_get_numscans(999999), pg_stat_get_live_tuples(999999), pg_stat_get_last_vacuum_time(999999), pg_stat_get_numscans(null), pg_stat_get_vacuum_count('counted'::regclass), pg_stat_get_last_analyze_time('counted'::regclass);
select pg_typeof(pg_stat_get_tuples_returned(1)), pg_typeof(pg_stat_get_last_vacuum_time(1));
select 'pg_stat_get_numscans'::regproc::oid, 'pg_stat_get_tuples_hot_updated(oid)'::regprocedure::oid;
