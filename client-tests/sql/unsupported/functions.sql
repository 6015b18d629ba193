-- Functions, operators and options that PostgreSQL has and Gnomon does not have yet.
create table setup_values (i integer, t text, b boolean);
select corr(distinct i, i) from setup_values;
select corr(i, i) filter (where random() < 2) from setup_values;
select case random() when 1 then 1 when 2 then 2 end;
select nullif(random(), 1);
select normalize('a');
select unistr('a');
select parse_ident('a');
select format('%s', variadic array['a']);
select string_agg(t, ',') from setup_values;
select array_agg(t) from setup_values;
select get_bit('101', 1);
select set_bit('101', 1, 0);
select convert_from('abc'::bytea, 'LATIN1');
select convert_to('abc', 'WIN1252');
select length('abc'::bytea, 'LATIN1');
select string_agg('\x01'::bytea, '\x02');
select bytealike('a', 'b');
select regexp_replace('abc', 'b', 'x');
select substring('abc' from '.b.');
select to_char(date '2020-01-01', 'YYYY');
select to_date('2020', 'YYYY');
copy setup_values to stdout with (format csv, force_quote *);
copy setup_values to stdout with (format binary);
copy setup_values from stdin with (format csv, force_null (t));
\.
create table setup_none ();
