-- Statements that give a variable or none the first of their rows, of each kind and more than once.
create table first_rows (id int primary key, a text, b numeric, c varchar(300), d date, e int[]);
insert into first_rows select g, 'text ' || g, g * 1.5, repeat('x' || g, 50), date '2020-01-01' + g, array[g, g+1] from generate_series(1, 200) g;
create function first_rows_1(k int) returns text language plpgsql as $$
declare v text; n numeric; s varchar; dd date; ee int[]; x text := repeat('long variable text ', 5); y text;
begin
  select a, b, c, d, e, x into v, n, s, dd, ee, y from first_rows where id = k;
  if not found then return 'nothing ' || coalesce(v, 'null') || coalesce(y, 'null'); end if;
  select c, x, x || c into x, y, v from first_rows where id = k;
  return v || ' ' || n || ' ' || length(s) || ' ' || dd || ' ' || ee::text || ' ' || y || ' ' || x;
end $$;
select first_rows_1(g) from generate_series(1, 5) g;
select first_rows_1(1000);
create function first_rows_2(k int) returns text language plpgsql as $$
declare r record; q first_rows; n bigint; t text;
begin
  update first_rows set b = b + 1, a = a || '!' where id = k returning * into r;
  select * into q from first_rows where id = k;
  select count(*), string_agg(a, ',' order by id) into n, t from first_rows where id between k and k + 3;
  perform 1 from first_rows where id < 50;
  get diagnostics n = row_count;
  t := t || (select max(b) from first_rows where id <= k);
  delete from first_rows where id = k returning a, c into r.a, t;
  return r.a || q.c || n || t || r::text;
end $$;
select first_rows_2(g) from generate_series(10, 14) g;
create function first_rows_3() returns text language plpgsql as $$
declare v int; r record;
begin
  begin select id into strict v from first_rows where id < 0; exception when no_data_found then raise notice 'none'; end;
  begin select id into strict v from first_rows; exception when too_many_rows then raise notice 'many %', v; end;
  begin update first_rows set b = 1 where id < 4 returning id into v; exception when others then raise notice '% %', sqlstate, sqlerrm; end;
  begin insert into first_rows values (20) returning id into v; exception when unique_violation then raise notice 'there'; end;
  select id, a into v, r from first_rows where id = 3;
  return v;
end $$;
select first_rows_3();
create function first_rows_4() returns text language plpgsql as $$
declare v int; t text;
begin
  select id, a into v from first_rows where id = 5;
  select id into v, t from first_rows where id = 6;
  select id, b into v, t from first_rows where id = 7 for update;
  return v || coalesce(t, 'null');
end $$;
select first_rows_4();
select first_rows_4();
create function first_rows_5(n int) returns numeric language plpgsql as $$
declare t numeric := 0; x numeric(20,10);
begin
  for i in 1..n loop
    select t + b / 7, b into t, x from first_rows where id = i % 100 + 101;
    insert into first_rows (id, b) values (1000 + i, x) returning b * 2 into x;
    select null::text into t; select 5 into t;
  end loop;
  return t + x;
end $$;
select first_rows_5(300), first_rows_5(0);
select sum(b) from first_rows;
drop table first_rows cascade;
drop function first_rows_1, first_rows_2, first_rows_3, first_rows_4, first_rows_5;
