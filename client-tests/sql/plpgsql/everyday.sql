-- file: message detail hint context objects notices
-- What users write every day: generic triggers over rows as JSON, dynamic SQL over catalogs, records as arguments.
create schema ped;
set search_path = ped, public;
create table customer (id int generated always as identity primary key, name text not null, email text, balance numeric(10, 2) not null default 0, tags text[] default '{}', extra jsonb default '{}', updated timestamptz);
create table audit_log (at_table text, op text, key int, before jsonb, after jsonb, changed text[]);
create function audit() returns trigger language plpgsql as $$
declare
  before jsonb;
  after jsonb;
  changed text[];
begin
  if tg_op <> 'INSERT' then before := to_jsonb(old); end if;
  if tg_op <> 'DELETE' then after := to_jsonb(new); end if;
  if tg_op = 'UPDATE' then
    select array_agg(n.key order by n.key) into changed
      from jsonb_each(after) n join jsonb_each(before) o using (key) where n.value is distinct from o.value;
  end if;
  insert into audit_log values (tg_table_name, tg_op, coalesce((after ->> 'id')::int, (before ->> 'id')::int), before, after, changed);
  return coalesce(new, old);
end $$;
create trigger audit after insert or update or delete on customer for each row execute function audit();
insert into customer (name, email) values ('Ann', 'ann@x.org'), ('Bob', null);
update customer set balance = balance + 12.5, tags = tags || 'vip'::text where name = 'Ann';
update customer set extra = extra || '{"a": [1, 2]}' where id = 2;
delete from customer where id = 2;
select at_table, op, key, before - 'updated', after - 'updated', changed from audit_log order by key, op desc, changed;
create function set_column() returns trigger language plpgsql as $$
begin
  new := jsonb_populate_record(new, jsonb_build_object(tg_argv[0], tg_argv[1]));
  return new;
end $$;
create trigger set_email before insert on customer for each row execute function set_column('email', 'none@x.org');
insert into customer (name, email) values ('Cy', 'lost@x.org') returning name, email;
create function dynamic_field() returns trigger language plpgsql as $$
declare
  v text;
begin
  execute format('select ($1).%I::text', tg_argv[0]) into v using new;
  raise notice '% is %', tg_argv[0], v;
  return new;
end $$;
create trigger dynamic_field after insert or update on customer for each row execute function dynamic_field('name');
update customer set name = 'Cyd' where name = 'Cy';
create function row_as_text(r customer) returns text language plpgsql as $$ begin return r.name || ':' || r.balance; end $$;
select row_as_text(c) from customer c order by id;
select c.row_as_text from customer c order by id;
create function copy_of(k int) returns customer language plpgsql as $$
declare
  r customer;
begin
  select * into strict r from customer where id = k;
  r.name := r.name || ' (copy)';
  r.tags[1] := 'copied';
  r.extra := jsonb_set(r.extra, '{from}', to_jsonb(k));
  return r;
end $$;
select (copy_of(1)).name, (copy_of(1)).tags, (copy_of(1)).extra;
select name, tags from copy_of(3);
select copy_of(99);
create function table_counts(s text) returns table (relation text, row_count bigint) language plpgsql as $$
declare
  r record;
begin
  for r in select c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = s and c.relkind = 'r' order by 1 loop
    relation := r.relname;
    execute format('select count(*) from %I.%I', s, r.relname) into row_count;
    return next;
  end loop;
end $$;
select * from table_counts('ped');
create function search_customers(p_name text default null, p_min numeric default null, p_order text default 'id') returns setof customer language plpgsql as $$
declare
  q text := 'select * from customer where true';
begin
  if p_name is not null then q := q || ' and name ilike $1'; end if;
  if p_min is not null then q := q || ' and balance >= $2'; end if;
  q := q || format(' order by %I', p_order);
  return query execute q using '%' || p_name || '%', p_min;
end $$;
select id, name from search_customers();
select id, name from search_customers('AN');
select id, name from search_customers(p_min => 1, p_order => 'name');
select id from search_customers(p_order => 'nosuch');
create function fibonacci(n int) returns setof bigint language plpgsql immutable as $$
declare
  a bigint := 0;
  b bigint := 1;
begin
  for i in 1 .. n loop
    return next a;
    select b, a + b into a, b;
  end loop;
end $$;
select array_agg(f) from fibonacci(12) f;
create function primes(n int) returns int[] language plpgsql as $$
declare
  sieve boolean[] := array_fill(true, array[n]);
  result int[] := '{}';
begin
  for i in 2 .. n loop
    continue when not sieve[i];
    result := array_append(result, i);
    for j in i * i .. n by i loop sieve[j] := false; end loop;
  end loop;
  return result;
end $$;
select primes(50);
create function sorted(a int[]) returns int[] language plpgsql as $$
declare
  t int;
begin
  for i in 1 .. array_length(a, 1) loop
    for j in i + 1 .. array_length(a, 1) loop
      if a[j] < a[i] then t := a[i]; a[i] := a[j]; a[j] := t; end if;
    end loop;
  end loop;
  return a;
end $$;
select sorted(array[5, 3, 9, -1, 3]), sorted('{}');
create function json_walk(j jsonb, path text default '') returns table (at text, val text) language plpgsql as $$
declare
  k text;
  v jsonb;
begin
  if jsonb_typeof(j) = 'object' then
    for k, v in select * from jsonb_each(j) loop
      return query select * from json_walk(v, path || '.' || k);
    end loop;
  elsif jsonb_typeof(j) = 'array' then
    for i in 0 .. jsonb_array_length(j) - 1 loop
      return query select * from json_walk(j -> i, format('%s[%s]', path, i));
    end loop;
  else
    at := path; val := j #>> '{}';
    return next;
  end if;
end $$;
select * from json_walk('{"a": {"b": [1, "x", null]}, "c": true}');
create procedure transfer(from_id int, to_id int, amount numeric) language plpgsql as $$
declare
  b numeric;
begin
  select balance into b from customer where id = from_id for update;
  if not found then raise exception 'no customer %', from_id using errcode = 'no_data_found'; end if;
  if b < amount then
    raise exception 'balance % of customer % is below %', b, from_id, amount using errcode = 'check_violation', hint = 'Transfer less.';
  end if;
  update customer set balance = balance - amount where id = from_id;
  update customer set balance = balance + amount where id = to_id;
end $$;
call transfer(1, 3, 2.5);
call transfer(1, 3, 100);
call transfer(55, 3, 1);
select id, balance from customer order by id;
create function variadic_sum(label text, variadic n numeric[]) returns text language plpgsql as $$
declare
  s numeric := 0;
  x numeric;
begin
  foreach x in array n loop s := s + x; end loop;
  return label || s || array_length(n, 1);
end $$;
select variadic_sum('s', 1, 2.5, 3), variadic_sum('t', variadic array[4, 5]);
create function pass_record(r record) returns text language plpgsql as $$ begin return to_jsonb(r)::text; end $$;
select pass_record(row(1, 'x')), pass_record(c) from (select 1 as one, 'two' as two) c;
create function record_fields(r record, f text) returns text language plpgsql as $$
declare
  v text;
begin
  v := to_jsonb(r) ->> f;
  return v || ' ' || r.name;
end $$;
select record_fields(c, 'balance') from customer c order by id;
select record_fields(row(1), 'f1');
create function calls_with_record() returns text language plpgsql as $$
declare
  r record;
  c customer;
begin
  select 5 as name, 6 as other into r;
  select * into c from customer order by id limit 1;
  return record_fields(r, 'other') || record_fields(c, 'id') || pass_record(r) || coalesce(pass_record(null), 'none');
end $$;
select calls_with_record();
create function sum_of(rs customer[]) returns numeric language plpgsql as $$
declare
  r customer;
  s numeric := 0;
begin
  foreach r in array rs loop s := s + r.balance; end loop;
  return s || '0';
end $$;
select sum_of(array_agg(c)) from customer c;
create function top_two() returns customer[] language plpgsql as $$
declare
  rs customer[];
begin
  rs := array(select c from customer c order by balance desc limit 2);
  rs[1].name := upper(rs[1].name);
  rs[2].tags := array['a', 'b'];
  return rs;
end $$;
select (u).name, (u).tags from unnest(top_two()) u;
create function dates(d date) returns text language plpgsql as $$
declare
  i interval := '1 month 2 days';
  t timestamptz := '2020-03-01 12:00+00';
begin
  return concat_ws(' ', d + 1, d + i, date_trunc('month', t at time zone 'UTC'), extract(dow from d), to_char(d, 'YYYY"W"IW'), age(d, '2000-01-01'), d - date '2020-01-01');
end $$;
select dates('2020-02-29');
create function retries(n int) returns int language plpgsql as $$
declare
  tries int := 0;
begin
  loop
    tries := tries + 1;
    begin
      if tries < n then raise exception 'again' using errcode = 'serialization_failure'; end if;
      return tries;
    exception when serialization_failure or deadlock_detected then
      if tries >= 5 then raise; end if;
    end;
  end loop;
end $$;
select retries(3);
select retries(7);
create function lock_and_get(k int) returns text language plpgsql as $$
declare
  r customer%rowtype;
begin
  select * into r from customer where id = k for update skip locked;
  return coalesce(r.name, 'none');
end $$;
select lock_and_get(1), lock_and_get(1000);
create function window_and_cte() returns text language plpgsql as $$
declare
  total text;
begin
  with recursive t(n) as (values (1) union all select n + 1 from t where n < 5),
       w as (select n, sum(n) over (order by n) s, lag(n) over (order by n) l from t)
  select string_agg(n || ':' || s || ':' || coalesce(l, 0), ' ' order by n) into total from w;
  return total;
end $$;
select window_and_cte();
create function returns_array_of_text(variadic a text[]) returns text[] language plpgsql strict as $$ begin return array(select upper(x) from unnest(a) x order by 1 desc); end $$;
select returns_array_of_text('a', 'c', 'b');
create or replace function returns_array_of_text(variadic a text[]) returns text[] language plpgsql as $$ begin return a[2:] || a[1]; end $$;
select returns_array_of_text('a', 'c', 'b');
create function temp_table_each_time(n int) returns bigint language plpgsql as $$
begin
  drop table if exists scratch;
  create temp table scratch on commit drop as select g as x from generate_series(1, n) g;
  update scratch set x = x * 2 where x > 2;
  return (select sum(x) from scratch);
end $$;
select temp_table_each_time(3);
select temp_table_each_time(4);
create function enum_and_domain(s text) returns text language plpgsql as $$
declare
  m mood;
  e address;
begin
  m := s;
  e := s || '@x.org';
  return m || ' ' || e || ' ' || (m > 'sad') || enum_range(m)::text;
end $$;
create type mood as enum ('sad', 'ok', 'happy');
create domain address as text check (value like '%@%');
select enum_and_domain('ok');
select enum_and_domain('bad');
