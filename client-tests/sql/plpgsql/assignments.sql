-- file: message detail hint context objects notices
-- Assignments: casts to the variable's type, overflows, domains, errors.
create schema pla;
set search_path = pla, public;
create function int_to_text(a int) returns text language plpgsql as $$
declare
  t text;
begin
  t := a;
  return t || '.';
end $$;
select int_to_text(1), int_to_text(-7), int_to_text(null);
create function text_to_int(a text) returns int language plpgsql as $$
declare
  i int;
begin
  i := a;
  return i + 1;
end $$;
select text_to_int('41'), text_to_int(' 7 '), text_to_int(null);
select text_to_int('x');
select text_to_int('1.5');
select text_to_int('99999999999');
create function numeric_to_int(a numeric) returns int language plpgsql as $$
declare
  i int;
begin
  i := a;
  return i;
end $$;
select numeric_to_int(1.4), numeric_to_int(1.5), numeric_to_int(2.5), numeric_to_int(-1.5);
select numeric_to_int(3000000000);
create function float_to_int(a float8) returns int language plpgsql as $$
declare
  i int;
begin
  i := a;
  return i;
end $$;
select float_to_int(1.5), float_to_int(2.5), float_to_int(-0.5);
select float_to_int('NaN');
select float_to_int(1e10);
create function rounded(a numeric) returns numeric language plpgsql as $$
declare
  n numeric(5,2);
begin
  n := a;
  return n;
end $$;
select rounded(1.005), rounded(1.004), rounded(-1.005), rounded(999.99), rounded(5);
select rounded(999.995);
select rounded(12345);
create function text_to_numeric(a text) returns numeric language plpgsql as $$
declare
  n numeric(4,1);
begin
  n := a;
  return n;
end $$;
select text_to_numeric('1.25'), text_to_numeric('1e2');
select text_to_numeric('1e3');
select text_to_numeric('abc');
create function shortened(a text) returns text language plpgsql as $$
declare
  v varchar(3);
begin
  v := a;
  return v || '.';
end $$;
select shortened('ab'), shortened('abc'), shortened('abc   '), shortened('');
select shortened('abcd');
create function padded(a text) returns int language plpgsql as $$
declare
  c char(5);
begin
  c := a;
  return octet_length(c);
end $$;
select padded('ab'), padded('abcde'), padded('abcde   '), padded(null);
select padded('abcdef');
create function to_smallint(a int) returns smallint language plpgsql as $$
declare
  s smallint;
begin
  s := a;
  return s;
end $$;
select to_smallint(32767), to_smallint(-32768);
select to_smallint(32768);
create function bigint_to_int(a bigint) returns int language plpgsql as $$
declare
  i int;
begin
  i := a;
  return i;
end $$;
select bigint_to_int(2147483647);
select bigint_to_int(2147483648);
create function to_boolean(a text) returns boolean language plpgsql as $$
declare
  b boolean;
begin
  b := a;
  return b;
end $$;
select to_boolean('yes'), to_boolean('off'), to_boolean('t'), to_boolean(null);
select to_boolean('maybe');
create function int_to_boolean(a int) returns boolean language plpgsql as $$
declare
  b boolean;
begin
  b := a;
  return b;
end $$;
select int_to_boolean(1), int_to_boolean(0);
select int_to_boolean(-5);
create function boolean_to_int(a boolean) returns int language plpgsql as $$
declare
  i int;
begin
  i := a;
  return i;
end $$;
select boolean_to_int(true), boolean_to_int(false);
create function boolean_to_text(a boolean) returns text language plpgsql as $$
declare
  t text;
begin
  t := a;
  return t;
end $$;
select boolean_to_text(true), boolean_to_text(false);
create function date_to_timestamp(a date) returns timestamp language plpgsql as $$
declare
  t timestamp;
begin
  t := a;
  return t + interval '1 hour';
end $$;
select date_to_timestamp('2020-02-29');
create function timestamp_to_date(a timestamp) returns date language plpgsql as $$
declare
  d date;
begin
  d := a;
  return d;
end $$;
select timestamp_to_date('2020-02-29 23:59:59');
create function date_to_int(a date) returns int language plpgsql as $$
declare
  i int;
begin
  i := a;
  return i;
end $$;
select date_to_int('2020-01-01');
create function int_to_date(a int) returns date language plpgsql as $$
declare
  d date;
begin
  d := a;
  return d;
end $$;
select int_to_date(20200101);
select int_to_date(5);
create function timestamp_rounded(a timestamp) returns timestamp language plpgsql as $$
declare
  t timestamp(0);
begin
  t := a;
  return t;
end $$;
select timestamp_rounded('2020-01-01 10:00:00.5'), timestamp_rounded('2020-01-01 10:00:01.4999');
create function interval_parts(a text) returns interval language plpgsql as $$
declare
  i interval day to minute;
begin
  i := a;
  return i;
end $$;
select interval_parts('1 day 02:03:04'), interval_parts('90 minutes');
create domain positive as int check (value > 0);
create domain short as varchar(4) not null;
create domain percent as numeric(5,2) default 10 constraint within check (value between 0 and 100);
create function to_positive(a int) returns positive language plpgsql as $$
declare
  p positive;
begin
  p := a;
  return p;
end $$;
select to_positive(1), to_positive(null);
select to_positive(0);
create function to_percent(a text) returns numeric language plpgsql as $$
declare
  p percent;
begin
  p := a;
  return p;
end $$;
select to_percent('12.345'), to_percent('100.001');
select to_percent('100.01');
select to_percent('-1');
create function domain_not_null(a text) returns text language plpgsql as $$
declare
  s short := 'x';
begin
  s := a;
  return s;
end $$;
select domain_not_null('abcd');
select domain_not_null('abcde');
select domain_not_null(null);
create function domain_not_null_unset() returns text language plpgsql as $$
declare
  s short;
begin
  return 'reached';
end $$;
select domain_not_null_unset();
create function domain_default() returns numeric language plpgsql as $$
declare
  p percent;
begin
  return p;
end $$;
select domain_default();
create function domain_returned(a int) returns positive language plpgsql as $$
begin
  return a;
end $$;
select domain_returned(3);
select domain_returned(-3);
create function domain_argument(a positive) returns int language plpgsql as $$
begin
  a := a - 1;
  return a;
end $$;
select domain_argument(2);
select domain_argument(1);
select domain_argument(0);
create type mood as enum ('sad', 'ok', 'happy');
create function to_mood(a text) returns mood language plpgsql as $$
declare
  m mood;
begin
  m := a;
  return m;
end $$;
select to_mood('ok');
select to_mood('angry');
create function mood_to_text(a mood) returns text language plpgsql as $$
declare
  t text;
begin
  t := a;
  return t || '!';
end $$;
select mood_to_text('happy');
create function to_json(a text) returns json language plpgsql as $$
declare
  j json;
begin
  j := a;
  return j;
end $$;
select pla.to_json('{"a": [1, 2]}');
select pla.to_json('{"a": [1, 2}');
create function two_columns() returns int language plpgsql as $$
declare
  i int;
begin
  i := 1, 2;
  return i;
end $$;
select two_columns();
create table numbers (n int);
insert into numbers values (1), (2), (3);
create function from_query() returns int language plpgsql as $$
declare
  i int;
begin
  i := (select sum(n) from numbers);
  return i;
end $$;
select from_query();
create function from_table(k int) returns int language plpgsql as $$
declare
  i int := -1;
begin
  i := n from numbers where n = k;
  return i;
end $$;
select from_table(2), from_table(9);
create function many_rows() returns int language plpgsql as $$
declare
  i int;
begin
  i := n from numbers;
  return i;
end $$;
select many_rows();
create function many_rows_below() returns int language plpgsql as $$
declare
  i int;
begin
  i := (select n from numbers);
  return i;
end $$;
select many_rows_below();
create function aggregated() returns text language plpgsql as $$
declare
  s int;
  c text;
begin
  s := sum(n) from numbers where n > 1;
  c := string_agg(n::text, ',' order by n desc) from numbers;
  return s || ' ' || c;
end $$;
select aggregated();
create function subqueries(k int) returns boolean language plpgsql as $$
declare
  b boolean;
begin
  b := exists (select from numbers where n = k) and k in (select n from numbers) and k = any (array(select n from numbers));
  return b;
end $$;
select subqueries(1), subqueries(4), subqueries(null);
create function equals_sign(a int) returns boolean language plpgsql as $$
declare
  b boolean;
begin
  b = a = 1;
  return b;
end $$;
select equals_sign(1), equals_sign(2), equals_sign(null);
create function swapped(a int, b int) returns text language plpgsql as $$
declare
  c int;
begin
  c := a;
  a := b;
  b := c;
  return a || '-' || b;
end $$;
select swapped(1, 2);
create function column_missing() returns int language plpgsql as $$
declare
  i int;
begin
  i := nosuch + 1;
  return i;
end $$;
select column_missing();
create function operator_missing() returns int language plpgsql as $$
declare
  i int;
begin
  i := 1 + true;
  return i;
end $$;
select operator_missing();
create function function_missing() returns int language plpgsql as $$
declare
  i int;
begin
  i := nosuch(1);
  return i;
end $$;
select function_missing();
create function divided(a int, b int) returns int language plpgsql as $$
declare
  q int;
begin
  q := a / b;
  return q;
end $$;
select divided(7, 2), divided(null, 0), divided(-7, 2);
select divided(1, 0);
create function overflow(a int) returns int language plpgsql as $$
begin
  a := a * a;
  return a;
end $$;
select overflow(46340);
select overflow(46341);
create function bytes(a text) returns bytea language plpgsql as $$
declare
  b bytea;
begin
  b := a::bytea;
  b := b || '\xff'::bytea;
  return b;
end $$;
select bytes('ab');
create function string_concatenated(n int) returns int language plpgsql as $$
declare
  s text := '';
begin
  for i in 1 .. n loop
    s := s || chr(97 + i % 26);
  end loop;
  return length(s);
end $$;
select string_concatenated(0), string_concatenated(1000), string_concatenated(5000);
create function conditional(a int) returns text language plpgsql as $$
declare
  t text;
begin
  t := case when a > 0 then 'positive' when a < 0 then 'negative' else coalesce(nullif(a, 0)::text, 'zero') end;
  return t;
end $$;
select conditional(1), conditional(-1), conditional(0), conditional(null);
create function timestamps_to_text(a timestamp) returns text language plpgsql as $$
declare
  t text;
begin
  t := a;
  return t;
end $$;
select timestamps_to_text('2020-01-02 03:04:05.6');
create function array_to_text(a int[]) returns text language plpgsql as $$
declare
  t text;
begin
  t := a;
  return t;
end $$;
select array_to_text('{1,null,3}');
create function text_to_array(a text) returns int[] language plpgsql as $$
declare
  r int[];
begin
  r := a;
  return r;
end $$;
select text_to_array('{1,2}');
select text_to_array('1,2');
create function array_cast(a int[]) returns text[] language plpgsql as $$
declare
  r text[];
begin
  r := a;
  return r;
end $$;
select array_cast('{1,2}'), (array_cast('{3,4}'))[2];
