-- file: message detail hint context objects notices
-- UPDATE and DELETE WHERE CURRENT OF a cursor.
create schema pco;
set search_path = pco, public;
create table t (id int primary key, v text);
insert into t select g, 'v' || g from generate_series(1, 10) g;
create function current_of() returns text language plpgsql as $$
declare
  c cursor for select * from t order by id for update;
  r t;
  n int := 0;
begin
  open c;
  loop
    fetch c into r;
    exit when not found;
    if r.id % 3 = 0 then
      update t set v = v || '!' where current of c;
      n := n + 1;
    elsif r.id = 10 then
      delete from t where current of c;
    end if;
  end loop;
  close c;
  return n;
end $$;
begin;
select current_of();
select * from t order by id;
rollback;
create function current_of_for() returns int language plpgsql as $$
declare
  c cursor for select id from t where id < 4;
  n int := 0;
begin
  for r in c loop
    update t set v = 'cur' || r.id where current of c;
    if found then n := n + 1; end if;
  end loop;
  return n;
end $$;
begin;
select current_of_for();
select * from t where id < 5 order by id;
rollback;
create function current_of_unpositioned() returns int language plpgsql as $$ declare c cursor for select * from t; begin open c; update t set v = 'x' where current of c; return 1; end $$;
select current_of_unpositioned();
create function current_of_not_simple() returns int language plpgsql as $$ declare c cursor for select id, count(*) from t group by id; r record; begin open c; fetch c into r; update t set v = 'x' where current of c; return 1; end $$;
select current_of_not_simple();
create function current_of_null() returns int language plpgsql as $$ declare c refcursor; begin update t set v = 'x' where current of c; return 1; end $$;
select current_of_null();
create function current_of_reference(n int) returns text language plpgsql as $$
declare c refcursor; found_v text;
begin
  open c for execute 'select * from t where id > $1 order by id' using n;
  move next from c;
  update t set v = 'by reference', id = id + 100 where current of c returning id || v into found_v;
  delete from t where current of c;
  return found_v;
end $$;
begin;
select current_of_reference(4);
select count(*) from t;
rollback;
create function current_of_given(given text) returns text language plpgsql as $$
declare found_v text; c refcursor := given;
begin
  update t set v = v || ' given' where current of c returning v into found_v;
  return found_v;
end $$;
begin;
declare outside cursor for select * from t where id = 7;
fetch outside;
select current_of_given('outside');
select current_of_given('nowhere');
rollback;
create function current_of_name() returns int language plpgsql as $$ begin delete from t where current of outside; return 1; end $$;
begin;
declare outside cursor for select * from t where id = 7;
fetch outside;
select current_of_name();
select count(*) from t;
rollback;
select current_of_name();
create function opened() returns text language plpgsql as $$ declare r refcursor := 'r'; begin open r for select * from t where id < 3 for update; return r; end $$;
begin;
select opened();
fetch 2 from r;
update t set v = 'opened' where current of r returning *;
rollback;
