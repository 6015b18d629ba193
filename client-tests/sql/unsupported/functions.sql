-- Functions, operators and options that PostgreSQL has and Gnomon does not have yet.
create table setup_values (i integer, t text, b boolean);
select corr(distinct i, i) from setup_values;
select corr(i, i) filter (where random() < 2) from setup_values;
select convert_from('abc'::bytea, 'EUC_JP');
select convert_to('abc', 'SJIS');
select length('abc'::bytea, 'GB18030');
select convert('abc'::bytea, 'KOI8R', 'WIN1251');
select bytealike('a', 'b');
select pg_timezone_names();
select pg_show_all_settings();
select xmin from setup_values;
select cmax from setup_values;
insert into setup_values values (1) returning ctid;
update setup_values set i = 1 returning ctid;
