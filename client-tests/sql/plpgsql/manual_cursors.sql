-- file: message detail hint context objects notices
-- What the chapter of PostgreSQL's manual on PL/pgSQL shows of cursors.
create schema pmu;
set search_path = pmu, public;
create table tenk1 (unique1 int primary key, unique2 int, tenth text);
insert into tenk1 select g, 20 - g, 't' || g % 3 from generate_series(1, 10) g;
create table test (col text);
insert into test values ('123');
create function reffunc(refcursor) returns refcursor as '
BEGIN
    OPEN $1 FOR SELECT col FROM test;
    RETURN $1;
END;
' language plpgsql;
begin;
select reffunc('funccursor');
fetch all in funccursor;
commit;
create function reffunc2() returns refcursor as '
DECLARE
    ref refcursor;
BEGIN
    OPEN ref FOR SELECT col FROM test;
    RETURN ref;
END;
' language plpgsql;
begin;
select length(reffunc2()::text) > 5;
rollback;
create function myfunc(refcursor, refcursor) returns setof refcursor as $$
BEGIN
    OPEN $1 FOR SELECT * FROM test;
    RETURN NEXT $1;
    OPEN $2 FOR SELECT unique1 FROM tenk1 where unique1 < 3 order by 1;
    RETURN NEXT $2;
END;
$$ LANGUAGE plpgsql;
begin;
select * from myfunc('a', 'b');
fetch all from a;
fetch all from b;
commit;
create function bound(k int) returns text language plpgsql as $$
DECLARE
    curs1 refcursor;
    curs2 CURSOR FOR SELECT * FROM tenk1 order by unique1;
    curs3 CURSOR (key integer) FOR SELECT * FROM tenk1 WHERE unique1 = key;
    curs4 cursor (a int, b text) is select unique1 from tenk1 where unique1 > a and tenth = b order by 1;
    r record;
    t tenk1%rowtype;
    x int; y int; z text;
    result text := '';
BEGIN
  OPEN curs2;
  FETCH curs2 INTO t;
  result := result || t.unique1;
  FETCH NEXT FROM curs2 INTO x, y, z;
  result := result || x || y || z;
  CLOSE curs2;
  OPEN curs3(k);
  FETCH curs3 INTO r;
  result := result || r::text;
  CLOSE curs3;
  OPEN curs3(key := k + 1);
  FETCH curs3 INTO r;
  result := result || r::text || found;
  FETCH curs3 INTO r;
  result := result || coalesce(r::text, 'null') || found;
  CLOSE curs3;
  OPEN curs4(b := 't1', a := 3);
  LOOP
    FETCH curs4 INTO x;
    EXIT WHEN NOT FOUND;
    result := result || ' ' || x;
  END LOOP;
  CLOSE curs4;
  OPEN curs1 FOR EXECUTE format('select tenth from %I where unique1 = $1', 'tenk1') USING k;
  FETCH curs1 INTO z;
  result := result || z;
  CLOSE curs1;
  OPEN curs1 FOR select 1 union all select 2;
  FETCH curs1 INTO x;
  FETCH curs1 INTO x;
  return result || x;
END $$;
select bound(3), bound(9);
create function scrolls() returns text language plpgsql as $$
declare
  c scroll cursor for select unique1 from tenk1 order by 1;
  d refcursor;
  x int;
  n int;
  result text := '';
begin
  open c;
  fetch last from c into x; result := result || x || ' ';
  fetch prior from c into x; result := result || x || ' ';
  fetch first from c into x; result := result || x || ' ';
  fetch absolute 4 from c into x; result := result || x || ' ';
  fetch absolute -2 from c into x; result := result || x || ' ';
  fetch relative -3 from c into x; result := result || x || ' ';
  fetch relative 0 from c into x; result := result || x || ' ';
  fetch forward from c into x; result := result || x || ' ';
  fetch backward from c into x; result := result || x || ' ';
  move c; fetch c into x; result := result || x || ' ';
  move last from c; fetch c into x; result := result || coalesce(x, -1) || found || ' ';
  move relative -4 from c; fetch c into x; result := result || x || ' ';
  move forward 2 from c; get diagnostics n = row_count; fetch c into x; result := result || x || 'n' || n || ' ';
  move backward all from c; get diagnostics n = row_count; fetch c into x; result := result || x || 'n' || n || ' ';
  move forward all in c; get diagnostics n = row_count; result := result || n || found || ' ';
  move absolute 0 from c; result := result || found || ' ';
  fetch backward from c into x; result := result || coalesce(x, -1) || ' ';
  close c;
  open d scroll for select unique1 from tenk1 where unique1 <= 3 order by 1 desc;
  fetch last from d into x; result := result || x;
  fetch absolute n - n + 1 from d into x; result := result || x;
  close d;
  return result;
end $$;
select scrolls();
create function scrolls_not() returns text language plpgsql as $$
declare
  c no scroll cursor for select unique1 from tenk1 order by 1;
  x int;
begin
  open c;
  fetch c into x;
  fetch c into x;
  fetch prior from c into x;
  return x;
end $$;
select scrolls_not();
create function fetches_many() returns text language plpgsql as $$ declare c cursor for select 1; x int; begin open c; fetch 2 from c into x; return x; end $$;
create function fetches_all() returns text language plpgsql as $$ declare c cursor for select 1; x int; begin open c; fetch all from c into x; return x; end $$;
create function moves_many() returns text language plpgsql as $$
declare
  c cursor for select unique1 from tenk1 order by 1;
  x int;
begin
  open c;
  move 3 from c;
  fetch c into x;
  move all from c;
  return x || ' ' || found;
end $$;
select moves_many();
create function for_cursor(k int) returns text language plpgsql as $$
declare
  c cursor (low int, high int) for select unique1 as u, tenth from tenk1 where unique1 between low and high order by 1;
  d cursor for select * from test;
  result text := '';
begin
  for r in c(k, k + 2) loop
    result := result || r.u || r.tenth || ' ';
  end loop;
  result := result || found;
  for r in c(high => 2, low => 1) loop result := result || r.u; end loop;
  for r in d loop result := result || r.col; end loop;
  for r in c(5, 4) loop result := result || 'never'; end loop;
  return result || found;
end $$;
select for_cursor(4);
create function for_unbound() returns int language plpgsql as $$ declare c refcursor; begin for r in c loop null; end loop; return 1; end $$;
create function opens_twice() returns int language plpgsql as $$ declare c cursor for select 1; begin open c; open c; return 1; end $$;
select opens_twice();
create function closes_unopened() returns int language plpgsql as $$ declare c cursor for select 1; begin close c; return 1; end $$;
select closes_unopened();
create function fetches_closed() returns int language plpgsql as $$ declare c cursor for select 1; x int; begin open c; close c; fetch c into x; return x; end $$;
select fetches_closed();
create function wrong_arguments() returns int language plpgsql as $$ declare c cursor (a int) for select a; begin open c; return 1; end $$;
create function too_many_arguments() returns int language plpgsql as $$ declare c cursor for select 1; begin open c(1); return 1; end $$;
create function unknown_argument() returns int language plpgsql as $$ declare c cursor (a int) for select a; begin open c(b := 1); return 1; end $$;
create function not_a_cursor() returns int language plpgsql as $$ declare c int; begin open c for select 1; return 1; end $$;
create function bound_with_query() returns int language plpgsql as $$ declare c cursor for select 1; begin open c for select 2; return 1; end $$;
create function unbound_without() returns int language plpgsql as $$ declare c refcursor; begin open c; return 1; end $$;
create function updates_current() returns text language plpgsql as $$
declare
  c cursor for select * from tenk1 where unique1 < 4 order by unique1 for update;
  d cursor for select * from tenk1;
  result text := '';
begin
  for r in c loop
    update tenk1 set unique2 = r.unique2 * 100 where current of c returning unique2 into r.unique2;
    result := result || r.unique2 || ' ';
  end loop;
  open d;
  fetch d into r;
  return result;
exception when others then return sqlerrm;
end $$;
create function updates_current() returns text language plpgsql as $$
declare
  c cursor for select * from tenk1 where unique1 < 4 for update;
  result text := '';
begin
  for r in c loop
    update tenk1 set unique2 = r.unique2 * 100 where current of c;
    if r.unique1 = 2 then delete from tenk1 where current of c; end if;
  end loop;
  select string_agg(unique1 || ':' || unique2, ' ' order by unique1) into result from tenk1 where unique1 < 5;
  return result;
end $$;
select updates_current();
create function named_cursor() returns text language plpgsql as $$
declare
  c refcursor := 'my name';
  d cursor for select 7;
  x int;
begin
  open c for select 5;
  fetch c into x;
  d := 'other';
  open d;
  close c;
  return c || d || x || (select string_agg(name, ',' order by name) from pg_cursors where name in ('my name', 'other'));
end $$;
select named_cursor();
begin;
declare outside cursor for select unique1 from tenk1 order by 1;
create function reads_outside(c refcursor) returns int language plpgsql as $$ declare x int; begin fetch c into x; return x; end $$;
select reads_outside('outside'), reads_outside('outside');
select reads_outside(null);
rollback;
create function argument_in_cursor(a int) returns int language plpgsql as $$
declare
  b int := 10;
  c cursor for select a + b;
  x int;
begin
  b := 20;
  open c;
  b := 30;
  fetch c into x;
  return x;
end $$;
select argument_in_cursor(1);
create function cursor_shadow() returns text language plpgsql as $$
declare
  unique1 int := 3;
  c cursor (unique1 int) for select t.tenth from tenk1 t where t.unique1 = cursor_shadow.unique1;
begin
  for r in c(5) loop return r.tenth; end loop;
end $$;
select cursor_shadow();
