-- file: message detail hint context
-- Statements of routines that a whole key leads to one row, above all in loops, whose next rounds' rows are looked for ahead.
create schema pgq;
set search_path = pgq, public;
create table t (a int, b int, c text, n numeric(12,2) default 0, primary key (a, b));
insert into t select i, i % 7, 'row ' || i, i from generate_series(1, 500) i;
create view digest as select count(*) as rows, sum(n) as n, md5(string_agg(a || ':' || b || ':' || coalesce(c, '-') || ':' || n, ',' order by a, b)) as all from t;
-- Keys out of variables and arrays, NULL among them, and elements that there are not.
create function by_arrays(firsts int[], seconds int[]) returns text language plpgsql as $$
declare
  said text := '';
  c text;
  n numeric;
begin
  for i in 1 .. array_length(firsts, 1) + 2 loop
    select t.c, t.n into c, n from t where a = firsts[i] and b = seconds[i];
    said := said || i || found || coalesce(c, 'none') || coalesce(n, -1) || ' ';
    update t set n = t.n + i, c = t.c || '+' where a = firsts[i] and b = seconds[i] returning t.c into c;
    said := said || found || coalesce(c, 'none') || '; ';
  end loop;
  return said;
end $$;
select by_arrays(array[3, 4, 3, 999, null, 10], array[3, 4, 3, 0, 1, 3]);
select by_arrays(array[3, 4], array[[3, 4], [1, 2]]);
select by_arrays('[5:7]={5,6,7}', '[5:7]={5,6,0}');
select by_arrays('{}', '{}'), by_arrays(null, null);
select * from digest;
-- Counters to the end of integers, changed by the body, of nested loops, and no counters.
create table ends (k int primary key, v text);
insert into ends values (2147483647, 'last'), (2147483646, 'one before'), (-2147483648, 'first'), (0, 'none');
create function counters() returns text language plpgsql as $$
declare
  said text := '';
  v text;
begin
  for i in 2147483644 .. 2147483647 loop select ends.v into v from ends where k = i; said := said || i || coalesce(v, '-') || ' '; end loop;
  for i in -2147483648 .. -2147483646 loop select ends.v into v from ends where k = i; said := said || i || coalesce(v, '-') || ' '; end loop;
  for i in reverse 2 .. -1 loop select ends.v into v from ends where k = i; said := said || i || coalesce(v, '-') || ' '; end loop;
  for i in 0 .. 9 by 3 loop select ends.v into v from ends where k = i; said := said || i || coalesce(v, '-') || ' '; end loop;
  for i in 1 .. 3 loop
    for j in 1 .. 3 loop select t.c into v from t where a = i and b = j; said := said || coalesce(v, '-'); end loop;
    select t.c into v from t where a = i and b = i;
    i := i + 100;
    select t.c into v from t where a = i and b = i % 7;
    said := said || i || coalesce(v, '-') || ' ';
  end loop;
  return said;
end $$;
select counters();
-- A key that cannot be computed for a round that never comes, or comes.
create function fails(last int) returns text language plpgsql as $$
declare
  said text := '';
  v text;
begin
  for i in 1 .. last loop
    select c into v from t where a = 12 / (4 - i) and b = 4;
    said := said || i || coalesce(v, '-') || ' ';
  end loop;
  return said;
end $$;
select fails(3);
select fails(4);
-- Several changes of a row, in a transaction and in parts that are undone.
create function changes(rounds int) returns text language plpgsql as $$
declare
  said text := '';
  v text;
  m numeric;
begin
  for i in 1 .. rounds loop
    update t set n = n * 2 where a = 20 and b = 6 returning n into m;
    begin
      update t set n = n + 1, c = 'undone' where a = 20 and b = 6;
      delete from t where a = 20 + i and b = (20 + i) % 7;
      select c into v from t where a = 20 + i and b = (20 + i) % 7;
      said := said || found;
      if i % 2 = 0 then raise exception 'undone'; end if;
    exception when raise_exception then
      said := said || ' ';
    end;
    select c into strict v from t where a = 20 and b = 6;
    said := said || v || m || ' ';
  end loop;
  return said;
end $$;
select changes(6);
select * from digest;
begin; select changes(3); rollback;
select * from digest;
-- What is inserted, moved to another key, and deleted between the lookups.
create function moves(rounds int) returns text language plpgsql as $$
declare
  said text := '';
  v text;
  count int;
begin
  for i in 1 .. rounds loop
    insert into t values (1000 + i, i, 'new ' || i, i);
    select c into v from t where a = 1000 + i and b = i;
    said := said || coalesce(v, '-');
    update t set b = b + 1 where a = 1000 + i and b = i;
    get diagnostics count = row_count;
    said := said || count;
    select c into v from t where a = 1000 + i and b = i;
    said := said || found;
    update t set c = repeat(c, 50) where a = 1000 + i and b = i + 1 returning length(c) into count;
    said := said || count;
    if i % 3 = 0 then delete from t where a = 1000 + i - 1 and b = i returning c into v; said := said || left(v, 8) || found; end if;
    perform from t where a = 1000 + i and b = i + 1;
    said := said || found || ' ';
  end loop;
  return said;
end $$;
select moves(12);
select * from digest;
-- Rows that grow until their pages have no room, also those of the last page.
create table wide (k int primary key, v text, w text);
insert into wide select i, '', null from generate_series(1, 3000) i;
create function grow(step int) returns int language plpgsql as $$
declare
  total int := 0;
  n int;
begin
  for i in 1 .. 3000 / step loop
    update wide set v = v || repeat(chr(97 + i % 26), 60), w = coalesce(w, '') || i where k = i * step returning length(v) into n;
    total := total + n;
  end loop;
  return total;
end $$;
select grow(1), grow(3), grow(1), grow(7), grow(1);
insert into wide select i, 'behind', null from generate_series(3001, 3100) i;
select grow(2), count(*), sum(length(v)), sum(length(w)), md5(string_agg(k || v || w, ',' order by k)) from wide;
-- Other types of keys, and indexes that do not lead to one row at once.
create table keys (i2 smallint unique, i8 bigint unique, tx text unique, ch char(5) unique, vc varchar(20) unique, nu numeric unique, nf numeric(8,3) unique, f8 float8 unique, da date unique, ts timestamp unique, bo boolean unique, by bytea unique, ar int[] unique, de int unique deferrable initially deferred, ex int, pa int);
create unique index on keys ((ex + 1));
create unique index on keys (pa) where pa > 5;
insert into keys select i, i * 10000000000, 'text ' || i, 'c' || i, 'a longer key ' || i, i / 10.0, i / 8.0, i / 4.0, date '2020-01-01' + i, timestamp '2020-01-01' + i * interval '1 hour', nullif(i % 20, i) = 1, ('\x0' || i % 10)::bytea || ('\x0' || i / 10)::bytea, array[i, i + 1], i, i, i from generate_series(1, 1) i;
insert into keys select i, i * 10000000000, 'text ' || i, 'c' || i, 'a longer key ' || i, i / 10.0, i / 8.0, i / 4.0, date '2020-01-01' + i, timestamp '2020-01-01' + i * interval '1 hour', null, ('\x0' || i % 10)::bytea || ('\x0' || i / 10)::bytea, array[i, i + 1], i, i, i from generate_series(2, 20) i;
create function by_types(i int) returns text language plpgsql as $$
declare
  said text := '';
  v int;
  tx text := 'text ' || i;
  ch char(5) := 'c' || i;
  vc varchar := 'a longer key ' || i;
  nu numeric := i / 10.0;
  f8 float8 := i / 4.0;
  da date := date '2020-01-01' + i;
  ts timestamp := timestamp '2020-01-01' + i * interval '1 hour';
begin
  for round in 1 .. 3 loop
    select ex into v from keys where i2 = i; said := said || coalesce(v, -1) || ' ';
    select ex into v from keys where i8 = i * 10000000000; said := said || coalesce(v, -1) || ' ';
    select ex into v from keys where keys.tx = by_types.tx; said := said || coalesce(v, -1) || ' ';
    select ex into v from keys where keys.ch = by_types.ch; said := said || coalesce(v, -1) || ' ';
    select ex into v from keys where keys.vc = by_types.vc; said := said || coalesce(v, -1) || ' ';
    select ex into v from keys where keys.nu = by_types.nu; said := said || coalesce(v, -1) || ' ';
    select ex into v from keys where nf = i / 8.0; said := said || coalesce(v, -1) || ' ';
    select ex into v from keys where keys.f8 = by_types.f8; said := said || coalesce(v, -1) || ' ';
    select ex into v from keys where keys.da = by_types.da; said := said || coalesce(v, -1) || ' ';
    select ex into v from keys where keys.ts = by_types.ts; said := said || coalesce(v, -1) || ' ';
    select ex into v from keys where bo = (i = 1); said := said || coalesce(v, -1) || ' ';
    select ex into v from keys where ar = array[i, i + 1]; said := said || coalesce(v, -1) || ' ';
    select ex into v from keys where de = i; said := said || coalesce(v, -1) || ' ';
    select ex into v from keys where ex + 1 = i + 1; said := said || coalesce(v, -1) || ' ';
    select ex into v from keys where pa = i and pa > 5; said := said || coalesce(v, -1) || ' ';
    update keys set ex = ex + 100 where i2 = i; said := said || found;
    update keys set ex = ex - 100 where keys.tx = by_types.tx; said := said || found || ' ';
  end loop;
  return said;
end $$;
select by_types(1);
select by_types(9);
select by_types(21);
select by_types(null);
select sum(ex), count(*) from keys;
-- INTO STRICT, more columns than variables, and a row in the place of variables.
create function strictly(k int) returns text language plpgsql as $$
declare
  whole t;
  some record;
  v text;
begin
  for i in 0 .. 1 loop
    select * into strict whole from t where a = k + i and b = (k + i) % 7;
    select a, n into strict some from t where a = k + i and b = (k + i) % 7;
    delete from t where a = k + i and b = (k + i) % 7 returning c into strict v;
  end loop;
  return whole::text || some::text || v;
end $$;
select strictly(100);
select strictly(500);
select strictly(100);
select * from digest;
drop schema pgq cascade;
