-- What is missing in the file of the same name under sql/plpgsql/, each behind the statement that is named before it.

-- behind: select strict_out(null), strict_out(1)
create function first_of(a anyarray) returns anyelement language plpgsql as $$ begin return a[1]; end $$;

-- behind: select first_of(array[3, 4]), first_of(array['x', 'y']), first_of(array[date '2020-01-01']), first_of('{}'::float8[])
create function larger(a anyelement, b anyelement) returns anyelement language plpgsql as $$
declare
  r a%type;
begin
  if a > b then r := a; else r := b; end if;
  return r;
end $$;

-- behind: select larger('a', 'b')
create function pack(a anyelement, n int) returns anyarray language plpgsql as $$
declare
  r alias for $0;
begin
  r := array_fill(a, array[n]);
  return r;
end $$;

-- behind: select pack(1, 3), pack('x'::text, 2)
create function compatible(a anycompatible, b anycompatible) returns anycompatible language plpgsql as $$ begin return case when a > b then a else b end; end $$;

-- behind: select compatible(1, 2.5), compatible(3::smallint, 2::bigint), pg_typeof(compatible(1, 2.5))
create function poly_out(a anyelement, out twice anyarray, out same anyelement) language plpgsql as $$ begin twice := array[a, a]; same := a; end $$;

-- behind: select * from poly_out('t'::text)
create function enum_poly(a anyenum) returns int language plpgsql as $$ begin return array_position(enum_range(a), a); end $$;
