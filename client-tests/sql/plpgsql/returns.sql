-- file: message detail hint context objects notices
-- What functions return: scalars, records, OUT parameters; recursion; where they are called. How they are called is in arguments.sql.
create schema plr;
set search_path = plr, public;
create function half(a int) returns numeric language plpgsql as $$ begin return a / 2.0; end $$;
select half(3), half(null), pg_typeof(half(1));
create function cast_to_result(a text) returns int language plpgsql as $$ begin return a; end $$;
select cast_to_result('7'), cast_to_result(null);
select cast_to_result('x');
create function int_result(a numeric) returns int language plpgsql as $$ begin return a; end $$;
select int_result(2.5), int_result(3.5);
select int_result(1e10);
create function text_result(a int) returns text language plpgsql as $$ begin return a; end $$;
select text_result(5) || 'x';
create function varchar_result(a text) returns varchar(3) language plpgsql as $$ begin return a; end $$;
select varchar_result('abcdef');
create function date_result(a text) returns date language plpgsql as $$ begin return a; end $$;
select date_result('2020-02-29'), date_result('20200101');
select date_result('2020-02-30');
create function no_return(a int) returns int language plpgsql as $$
begin
  if a > 0 then
    return a;
  end if;
end $$;
select no_return(1);
select no_return(0);
create function no_return_at_all() returns text language plpgsql as $$ begin end $$;
select no_return_at_all();
create function no_return_caught(a int) returns text language plpgsql as $$
begin
  return no_return(a);
exception
  when function_executed_no_return_statement then return 'caught ' || sqlstate;
  when sqlstate '2F005' then return 'never';
end $$;
select no_return_caught(1), no_return_caught(-1);
create function return_without_value() returns int language plpgsql as $$ begin return; end $$;
create function return_null() returns int language plpgsql as $$ begin return null; end $$;
select return_null(), return_null() is null;
create function early(a int) returns text language plpgsql as $$
begin
  return 'first';
  return 'second';
end $$;
select early(1);
create function return_query_value(k int) returns int language plpgsql as $$
begin
  return (select max(g) from generate_series(1, k) g);
end $$;
select return_query_value(5), return_query_value(0);
create function return_from_clause(k int) returns bigint language plpgsql as $$
begin
  return count(*) from generate_series(1, k) g where g % 2 = 0;
end $$;
select return_from_clause(5), return_from_clause(0);
create function return_fails(a int) returns int language plpgsql as $$
begin
  return 10 / a;
end $$;
select return_fails(3);
select return_fails(0);
create function return_several() returns int language plpgsql as $$ begin return 1, 2; end $$;
select return_several();
create function return_many_rows() returns int language plpgsql as $$ begin return g from generate_series(1, 2) g; end $$;
select return_many_rows();
create function return_no_rows() returns int language plpgsql as $$ begin return 5 where false; end $$;
select return_no_rows();
create function one_out(a int, out b int) language plpgsql as $$
begin
  b := a * 2;
end $$;
select one_out(4), pg_typeof(one_out(1));
select * from one_out(5);
create function out_unset(out b int) language plpgsql as $$ begin end $$;
select out_unset();
create function two_outs(a int, out b int, out c text) language plpgsql as $$
begin
  b := a + 1;
  c := 'c' || a;
end $$;
select two_outs(1);
select * from two_outs(1);
select (two_outs(2)).c, (two_outs(2)).b;
select t.c from two_outs(3) as t;
select x, y from two_outs(3) as t (x, y);
create function two_outs_return(a int, out b int, out c text) language plpgsql as $$
begin
  b := 1;
  if a > 0 then return; end if;
  c := 'reached';
end $$;
select two_outs_return(1), two_outs_return(0);
create function out_with_value(out b int) language plpgsql as $$ begin return 5; end $$;
create function inout_one(inout a int) language plpgsql as $$ begin a := a + 1; end $$;
select inout_one(1), inout_one(null);
create function inout_two(inout a int, inout b text, c int) language plpgsql as $$
begin
  a := a + c;
  b := b || c;
end $$;
select inout_two(1, 'x', 5);
select * from inout_two(1, 'x', 5);
create function outs_as_record(a int, out b int, out c text) returns record language plpgsql as $$ begin b := a; c := 'r'; end $$;
select * from outs_as_record(1);
create function out_cast(out n numeric(4,1), out v varchar(2)) language plpgsql as $$ begin n := 1.25; v := 'ab'; end $$;
select * from out_cast();
create function unnamed_outs(out int, out text) language plpgsql as $$ begin $1 := 1; $2 := 'a'; end $$;
select * from unnamed_outs();
create type pair as (a int, b text);
create function make_pair(x int, y text) returns pair language plpgsql as $$
declare
  p pair;
begin
  p.a := x;
  p.b := y;
  return p;
end $$;
select make_pair(1, 'x');
select * from make_pair(1, 'x');
select (make_pair(2, 'y')).b, (make_pair(null, null)) is null;
create function pair_by_row(x int, y text) returns pair language plpgsql as $$ begin return row(x, y); end $$;
select pair_by_row(1, 'x'), (pair_by_row(2, 'y')).a;
create function pair_by_parentheses(x int, y text) returns pair language plpgsql as $$ begin return (x, y); end $$;
select * from pair_by_parentheses(1, 'x');
create function pair_by_cast() returns pair language plpgsql as $$ begin return row('5', 6)::pair; end $$;
select * from pair_by_cast();
create function pair_by_record() returns pair language plpgsql as $$
declare
  r record;
begin
  select 7, 'seven'::text into r;
  return r;
end $$;
select * from pair_by_record();
create function pair_null() returns pair language plpgsql as $$ begin return null; end $$;
select pair_null(), pair_null() is null;
select * from pair_null();
create function pair_unset() returns pair language plpgsql as $$ declare p pair; begin return p; end $$;
select pair_unset(), pair_unset() is null;
select * from pair_unset();
create function pair_short() returns pair language plpgsql as $$ declare r record; begin select 1 into r; return r; end $$;
select pair_short();
create function pair_long() returns pair language plpgsql as $$ begin return row(1, 'x', 2); end $$;
select pair_long();
create function pair_wrong_types() returns pair language plpgsql as $$ begin return row('x'::text, 'y'::text); end $$;
select pair_wrong_types();
create function pair_scalar() returns pair language plpgsql as $$ begin return 5; end $$;
select pair_scalar();
create table rows_there (id int, name text, dropped int, price numeric);
alter table rows_there drop column dropped;
insert into rows_there values (1, 'a', 1.5), (2, 'b', 2.5);
create function row_there(k int) returns rows_there language plpgsql as $$
declare
  r rows_there;
begin
  select * into r from rows_there where id = k;
  return r;
end $$;
select row_there(1);
select * from row_there(2);
select * from row_there(3);
select (row_there(1)).name;
create function row_there_by_record(k int) returns rows_there language plpgsql as $$
declare
  r record;
begin
  select * into r from rows_there where id = k;
  return r;
end $$;
select * from row_there_by_record(1);
create function any_record(k int) returns record language plpgsql as $$
declare
  r record;
begin
  if k = 1 then
    select 1, 'one'::text into r;
  else
    r := row(2, 'two'::text);
  end if;
  return r;
end $$;
select any_record(1);
create function factorial(n int) returns numeric language plpgsql as $$
begin
  if n <= 1 then return 1; end if;
  return n * factorial(n - 1);
end $$;
select factorial(0), factorial(5), factorial(30);
create function fib(n int) returns int language plpgsql as $$
begin
  if n < 2 then return n; end if;
  return fib(n - 1) + fib(n - 2);
end $$;
select fib(0), fib(1), fib(15);
create function ackermann(m int, n int) returns int language plpgsql as $$
begin
  if m = 0 then return n + 1;
  elsif n = 0 then return ackermann(m - 1, 1);
  else return ackermann(m - 1, ackermann(m, n - 1));
  end if;
end $$;
select ackermann(2, 3);
create function is_even(n int) returns boolean language plpgsql as $$ begin if n = 0 then return true; end if; return is_odd(n - 1); end $$;
create function is_odd(n int) returns boolean language plpgsql as $$ begin if n = 0 then return false; end if; return is_even(n - 1); end $$;
select is_even(10), is_even(7), is_odd(7);
create function hanoi(n int, a text, b text, c text) returns text language plpgsql as $$
begin
  if n = 0 then return ''; end if;
  return hanoi(n - 1, a, c, b) || a || c || ' ' || hanoi(n - 1, b, a, c);
end $$;
select hanoi(3, 'A', 'B', 'C');
create function gcd_of(a int, b int) returns int language plpgsql immutable strict as $$
begin
  while b <> 0 loop
    select b, a % b into a, b;
  end loop;
  return abs(a);
end $$;
select gcd_of(12, 18), gcd_of(7, 5), gcd_of(0, 3), gcd_of(null, 1);
select half(g), factorial(g) from generate_series(1, 5) g order by g;
select g from generate_series(1, 20) g where is_even(g) and g > 10 order by half(g) desc;
select sum(factorial(g)), max(half(g)) from generate_series(1, 5) g group by is_even(g) order by 1;
select l.* from generate_series(1, 3) g, lateral two_outs(g) l order by l.b;
select g, l.b from generate_series(1, 3) g left join lateral two_outs(g) l on l.b > 2 order by g;
select case when g = 0 then 0 else return_fails(g) end as x from generate_series(0, 2) g order by g;
select coalesce(1, return_fails(0));
select (select half(g)) from generate_series(1, 2) g order by g;
select array_agg(fizz) from (select half(g) as fizz from generate_series(1, 3) g order by g) s;
create table with_default (id int default factorial(4), h numeric default half(9));
insert into with_default default values;
insert into with_default (id) values (half(10));
select * from with_default order by id;
create table with_check (a int check (is_even(a)));
insert into with_check values (2), (4);
insert into with_check values (3);
select id from rows_there where gcd_of(id, 4) = 2;
create view halves as select id, half(id) as h from rows_there;
select * from halves order by id;
