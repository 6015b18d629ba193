-- file: message detail hint context objects notices
-- Arguments: defaults, names, VARIADIC, overloads, STRICT, polymorphic ones.
create schema plar;
set search_path = plar, public;
create type pair as (a int, b text);
create function with_defaults(a int, b int default 10, c text default 'x' || 'y') returns text language plpgsql as $$
begin
  return concat_ws(',', a, b, c);
end $$;
select with_defaults(1), with_defaults(1, 2), with_defaults(1, 2, 'z');
select with_defaults(a => 1, c => 'w'), with_defaults(c := 'v', a := 0), with_defaults(1, c => 'u');
select with_defaults();
select with_defaults(1, nosuch => 2);
select with_defaults(1, a => 2);
create function defaults_evaluated(a timestamp default now()::timestamp, b int default 1 + 2) returns boolean language plpgsql as $$ begin return a is not null and b = 3; end $$;
select defaults_evaluated();
create function variadic_sum(variadic a int[]) returns int language plpgsql as $$
declare
  s int := 0;
  x int;
begin
  foreach x in array a loop
    s := s + coalesce(x, 0);
  end loop;
  return s;
end $$;
select variadic_sum(1), variadic_sum(1, 2, 3), variadic_sum(null, 5), variadic_sum(variadic array[4, 5]), variadic_sum(variadic '{}'::int[]);
select variadic_sum();
create function variadic_join(sep text, variadic parts text[] default '{}') returns text language plpgsql as $$
begin
  return coalesce(array_to_string(parts, sep), '') || '#' || coalesce(array_length(parts, 1), 0);
end $$;
select variadic_join('-'), variadic_join('-', 'a'), variadic_join('-', 'a', 'b', 'c');
create function over(a int) returns text language plpgsql as $$ begin return 'int'; end $$;
create function over(a text) returns text language plpgsql as $$ begin return 'text'; end $$;
create function over(a numeric) returns text language plpgsql as $$ begin return 'numeric'; end $$;
create function over(a int, b int) returns text language plpgsql as $$ begin return 'two ints'; end $$;
create function over(a pair) returns text language plpgsql as $$ begin return 'pair'; end $$;
create function over() returns text language plpgsql as $$ begin return 'none'; end $$;
select "over"(1), "over"('a'), "over"(1.5), "over"(1, 2), "over"(), "over"(row(1, 'x')::pair), "over"(1::bigint), "over"(null::text);
select "over"(true);
create function strict_one(a int) returns text language plpgsql strict as $$
begin
  raise notice 'called with %', a;
  return coalesce(a::text, 'null');
end $$;
select strict_one(1);
select strict_one(null);
create function strict_two(a int, b text) returns text language plpgsql returns null on null input as $$ begin return a || b; end $$;
select strict_two(1, 'x'), strict_two(null, 'x') is null, strict_two(1, null) is null;
create function called_on_null(a int) returns text language plpgsql called on null input as $$ begin return 'called'; end $$;
select called_on_null(null);
create function strict_out(a int, out b int, out c int) language plpgsql strict as $$ begin b := a; c := a; end $$;
select * from strict_out(null);
select strict_out(null), strict_out(1);
create function first_of(a anyarray) returns anyelement language plpgsql as $$ begin return a[1]; end $$;
select first_of(array[3, 4]), first_of(array['x', 'y']), first_of(array[date '2020-01-01']), first_of('{}'::float8[]);
create function larger(a anyelement, b anyelement) returns anyelement language plpgsql as $$
declare
  r a%type;
begin
  if a > b then r := a; else r := b; end if;
  return r;
end $$;
select larger(1, 2), larger('x'::text, 'y'), larger(date '2020-01-01', '2019-01-01');
select larger(1, 2.5);
select larger(1, 'x'::text);
select larger('a', 'b');
create function pack(a anyelement, n int) returns anyarray language plpgsql as $$
declare
  r alias for $0;
begin
  r := array_fill(a, array[n]);
  return r;
end $$;
select pack(1, 3), pack('x'::text, 2);
create function compatible(a anycompatible, b anycompatible) returns anycompatible language plpgsql as $$ begin return case when a > b then a else b end; end $$;
select compatible(1, 2.5), compatible(3::smallint, 2::bigint), pg_typeof(compatible(1, 2.5));
create function poly_out(a anyelement, out twice anyarray, out same anyelement) language plpgsql as $$ begin twice := array[a, a]; same := a; end $$;
select * from poly_out(7);
select * from poly_out('t'::text);
create function enum_poly(a anyenum) returns int language plpgsql as $$ begin return array_position(enum_range(a), a); end $$;
create type light as enum ('red', 'green');
select enum_poly('green'::light);
select enum_poly(1);
