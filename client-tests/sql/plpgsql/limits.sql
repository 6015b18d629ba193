-- Recursion without end, timeouts, fields of records that change their type: only SQLSTATEs are compared.
create schema pi;
set search_path = pi, public;
create function endless(n int) returns int language plpgsql as $$ begin return endless(n + 1); end $$;
select endless(1);
create function endless_caught(n int) returns text language plpgsql as $$
begin
  perform endless(n);
  return 'no';
exception when statement_too_complex then
  return 'caught ' || sqlstate;
end $$;
select endless_caught(1);
create function endless_perform(n int) returns int language plpgsql as $$ begin perform endless_perform(n + 1); return n; end $$;
select endless_perform(1);
create function deep(n int) returns int language plpgsql as $$ begin if n = 0 then return 0; end if; return 1 + deep(n - 1); end $$;
select deep(100), deep(500);
create table t (a int);
insert into t values (1);
select count(*) from t;
set statement_timeout = 500;
do $$ begin loop null; end loop; end $$;
do $$ declare i bigint := 0; begin while true loop i := i + 1; end loop; exception when others then raise notice 'caught'; end $$;
do $$ begin perform pg_sleep(10); end $$;
create function spins() returns int language plpgsql as $$ declare r record; n bigint := 0; begin for r in select a.g from generate_series(1, 100000) a (g), generate_series(1, 100000) b (g) loop n := n + 1; end loop; return n; end $$;
select spins();
reset statement_timeout;
create function long_text(n int) returns int language plpgsql as $$ declare s text := 'x'; begin for i in 1 .. n loop s := s || s; end loop; return length(s); end $$;
select long_text(10), long_text(20);
create function long_array(n int) returns int language plpgsql as $$ declare a int[] := '{}'; begin for i in 1 .. n loop a[i] := i; end loop; return a[n] + array_length(a, 1); end $$;
select long_array(20000);
create function many_savepoints(n int) returns int language plpgsql as $$ declare c int := 0; begin for i in 1 .. n loop begin insert into u values (i); if i % 2 = 0 then raise 'x'; end if; c := c + 1; exception when raise_exception then null; end; end loop; return c; end $$;
create table u (a int);
select many_savepoints(2000);
select count(*), sum(a) from u;
create function field_types(k int) returns text language plpgsql as $$
declare
  r record;
  s text := '';
begin
  if k = 1 then
    select 1 as f into r;
  else
    select 'text'::text as f into r;
  end if;
  s := s || r.f;
  return s;
end $$;
select field_types(1);
select field_types(1);
create function shape_in_loop() returns text language plpgsql as $$
declare
  r record;
  s text := '';
begin
  for k in 1 .. 2 loop
    if k = 1 then
      select 1 as f into r;
    else
      select 2::numeric as f into r;
    end if;
    s := s || r.f;
  end loop;
  return s;
end $$;
