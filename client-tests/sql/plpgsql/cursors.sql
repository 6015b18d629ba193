-- file: message detail hint context objects notices
-- Cursors: bound, unbound, with arguments, directions, returned to the caller, WHERE CURRENT OF.
create schema plu;
set search_path = plu, public;
create table t (id int primary key, v text);
insert into t select g, 'v' || g from generate_series(1, 10) g;
create function bound() returns text language plpgsql as $$
declare
  c cursor for select id, v from t where id < 4 order by id;
  i int;
  w text;
  r text := '';
begin
  open c;
  loop
    fetch c into i, w;
    exit when not found;
    r := r || i || w || ' ';
  end loop;
  close c;
  return r;
end $$;
select bound(), bound();
create function bound_with_arguments(low int, high int) returns text language plpgsql as $$
declare
  c cursor (a int, b int) for select id from t where id between a and b order by id;
  i int;
  r text := '';
begin
  open c(low, high);
  fetch c into i;
  while found loop
    r := r || i || ' ';
    fetch c into i;
  end loop;
  close c;
  open c(b := low, a := 1);
  fetch last from c into i;
  r := r || '| ' || coalesce(i, -1);
  close c;
  return r;
end $$;
select bound_with_arguments(3, 6), bound_with_arguments(5, 4), bound_with_arguments(0, 1);
create function argument_names() returns text language plpgsql as $$
declare
  c cursor (low int, high int) for select count(*) from t where id > low and id < high;
  n int;
begin
  open c(high := 9, low := 5);
  fetch c into n;
  close c;
  return n;
end $$;
select argument_names();
create function argument_casts(a text) returns int language plpgsql as $$
declare
  c cursor (k int) for select id * 10 from t where id = k;
  n int;
begin
  open c(a);
  fetch c into n;
  close c;
  return n;
end $$;
select argument_casts('3');
select argument_casts('x');
create function arguments_missing() returns int language plpgsql as $$ declare c cursor (k int) for select k; begin open c; return 1; end $$;
create function arguments_too_few() returns int language plpgsql as $$ declare c cursor (k int, l int) for select k; begin open c(1); return 1; end $$;
create function arguments_unwanted() returns int language plpgsql as $$ declare c cursor for select 1; begin open c(1); return 1; end $$;
create function arguments_twice() returns int language plpgsql as $$ declare c cursor (k int) for select k; begin open c(k := 1, k := 2); return 1; end $$;
create function for_cursor() returns text language plpgsql as $$
declare
  c cursor for select * from t where id <= 3 order by id desc;
  s text := '';
begin
  for r in c loop
    s := s || r.id || r.v || ' ';
  end loop;
  return s || found;
end $$;
select for_cursor();
create function for_cursor_arguments(k int) returns text language plpgsql as $$
declare
  c cursor (low int, high int default 5) for select id from t where id between low and high order by id;
begin
  return k;
end $$;
create function for_cursor_with_arguments(k int) returns text language plpgsql as $$
declare
  c cursor (low int, high int) for select id from t where id between low and high order by id;
  s text := '';
begin
  for r in c(k, k + 2) loop
    s := s || r.id || ' ';
    exit when r.id = 5;
  end loop;
  for r in c(high := k, low := 1) loop
    s := s || '/' || r.id;
    continue when r.id > 2;
    s := s || '!';
  end loop;
  return s;
end $$;
select for_cursor_with_arguments(2), for_cursor_with_arguments(4);
create function for_open_cursor() returns text language plpgsql as $$
declare
  c cursor for select 1;
begin
  open c;
  for r in c loop null; end loop;
  return 'no';
end $$;
select for_open_cursor();
create function for_unbound() returns text language plpgsql as $$
declare
  c refcursor;
begin
  for r in c loop null; end loop;
  return 'no';
end $$;
create function unbound(k int) returns text language plpgsql as $$
declare
  c refcursor;
  r record;
  s text := '';
begin
  open c for select id, v from t where id > k order by id;
  loop
    fetch c into r;
    exit when not found;
    s := s || r.v || ' ';
    exit when length(s) > 12;
  end loop;
  close c;
  open c for select 'again';
  fetch c into r;
  s := s || r."?column?";
  close c;
  return s;
end $$;
select unbound(5), unbound(9), unbound(20);
create function unbound_variables_at_open(k int) returns text language plpgsql as $$
declare
  c refcursor;
  i int;
begin
  open c for select id from t where id = k;
  k := k + 1;
  fetch c into i;
  close c;
  return i || ' ' || k;
end $$;
select unbound_variables_at_open(3);
create function unbound_execute(tbl text, k int) returns text language plpgsql as $$
declare
  c refcursor;
  i int;
  s text := '';
begin
  open c for execute format('select id from %I where id > $1 order by id limit 3', tbl) using k;
  loop
    fetch next from c into i;
    exit when not found;
    s := s || i || ' ';
  end loop;
  close c;
  return s;
end $$;
select unbound_execute('t', 4), unbound_execute('t', 9);
select unbound_execute('nosuch', 4);
create function directions() returns text language plpgsql as $$
declare
  c scroll cursor for select id from t order by id;
  i int;
  s text := '';
begin
  open c;
  fetch first from c into i; s := s || i || ' ';
  fetch last from c into i; s := s || i || ' ';
  fetch prior from c into i; s := s || i || ' ';
  fetch absolute 3 from c into i; s := s || i || ' ';
  fetch relative 2 from c into i; s := s || i || ' ';
  fetch relative -1 from c into i; s := s || i || ' ';
  fetch absolute -2 from c into i; s := s || i || ' ';
  fetch backward from c into i; s := s || i || ' ';
  fetch forward from c into i; s := s || i || ' ';
  fetch relative 0 from c into i; s := s || i || ' ';
  fetch next in c into i; s := s || i || ' ';
  fetch from c into i; s := s || coalesce(i, -1) || found || ' ';
  fetch absolute 0 from c into i; s := s || coalesce(i, -1) || found || ' ';
  fetch c into i; s := s || i || ' ';
  close c;
  return s;
end $$;
select directions();
create function direction_by_expression(n int) returns text language plpgsql as $$
declare
  c scroll cursor for select id from t order by id;
  i int;
  s text := '';
begin
  open c;
  fetch absolute n from c into i; s := s || coalesce(i, -1) || ' ';
  fetch relative n * 2 from c into i; s := s || coalesce(i, -1) || ' ';
  move absolute n + 1 from c;
  fetch c into i; s := s || coalesce(i, -1);
  close c;
  return s;
end $$;
select direction_by_expression(1), direction_by_expression(3), direction_by_expression(20);
select direction_by_expression(null);
create function moves() returns text language plpgsql as $$
declare
  c scroll cursor for select id from t order by id;
  i int;
  n int;
  s text := '';
begin
  open c;
  move c; s := s || found || ' ';
  fetch c into i; s := s || i || ' ';
  move forward 3 from c; get diagnostics n = row_count; s := s || n || ' ';
  fetch c into i; s := s || i || ' ';
  move forward 100 from c; get diagnostics n = row_count; s := s || n || found || ' ';
  fetch c into i; s := s || coalesce(i, -1) || ' ';
  move backward all from c; get diagnostics n = row_count; s := s || n || found || ' ';
  fetch c into i; s := s || i || ' ';
  move last from c;
  fetch prior from c into i; s := s || i || ' ';
  move absolute 5 from c; fetch c into i; s := s || i || ' ';
  move relative -3 in c; fetch c into i; s := s || i || ' ';
  move forward all from c; s := s || found || ' ';
  move forward all from c; s := s || found || ' ';
  move first from c; move prior from c; s := s || found;
  close c;
  return s;
end $$;
select moves();
create function no_scroll() returns text language plpgsql as $$
declare
  c no scroll cursor for select id from t order by id;
  i int;
begin
  open c;
  fetch c into i;
  fetch c into i;
  fetch prior from c into i;
  return i;
end $$;
select no_scroll();
create function unbound_scroll() returns text language plpgsql as $$
declare
  c refcursor;
  i int;
begin
  open c scroll for select id from t order by id;
  fetch last from c into i;
  fetch first from c into i;
  close c;
  open c no scroll for select id from t order by id;
  fetch c into i;
  fetch first from c into i;
  return i;
end $$;
select unbound_scroll();
create function fetch_several() returns text language plpgsql as $$ declare c cursor for select 1; i int; begin open c; fetch 2 from c into i; return i; end $$;
create function fetch_all() returns text language plpgsql as $$ declare c cursor for select 1; i int; begin open c; fetch all from c into i; return i; end $$;
create function not_open() returns int language plpgsql as $$ declare c cursor for select 1; i int; begin fetch c into i; return i; end $$;
select not_open();
create function not_open_closed() returns int language plpgsql as $$ declare c refcursor; begin close c; return 1; end $$;
select not_open_closed();
create function closed_twice() returns int language plpgsql as $$ declare c cursor for select 1; begin open c; close c; close c; return 1; end $$;
select closed_twice();
create function fetched_after_close() returns int language plpgsql as $$ declare c cursor for select 1; i int; begin open c; close c; fetch c into i; return i; end $$;
select fetched_after_close();
create function opened_twice() returns int language plpgsql as $$ declare c cursor for select 1; begin open c; open c; return 1; end $$;
select opened_twice();
create function unknown_name() returns int language plpgsql as $$ declare c refcursor := 'nosuch'; i int; begin fetch c into i; return i; end $$;
select unknown_name();
create function null_assigned() returns text language plpgsql as $$
declare
  c cursor for select 7;
  i int;
begin
  open c;
  fetch c into i;
  close c;
  c := null;
  open c;
  fetch c into i;
  close c;
  return i;
end $$;
select null_assigned();
create function into_row() returns text language plpgsql as $$
declare
  c cursor for select * from t order by id;
  r t%rowtype;
  q t;
  s text := '';
begin
  open c;
  fetch c into r;
  s := s || r.id || r.v;
  fetch c into q;
  s := s || q::text;
  move last from c;
  fetch c into r;
  s := s || r::text || found;
  close c;
  return s;
end $$;
select into_row();
create function into_too_few() returns text language plpgsql as $$
declare
  c cursor for select 1, 'two', 3;
  i int;
  v text;
begin
  open c;
  fetch c into i, v;
  close c;
  return i || v;
end $$;
select into_too_few();
create function into_wrong_type() returns text language plpgsql as $$
declare
  c cursor for select v from t order by id;
  i int;
begin
  open c;
  fetch c into i;
  return i;
end $$;
select into_wrong_type();
create function opens_for_command() returns int language plpgsql as $$ declare c refcursor; begin open c for execute 'create table x (a int)'; return 1; end $$;
select opens_for_command();
create function opens_for_insert() returns int language plpgsql as $$ declare c refcursor; i int; begin open c for insert into t values (77, 'x') returning id; fetch c into i; return i; end $$;
select opens_for_insert();
create function query_fails_at_fetch(d int) returns text language plpgsql as $$
declare
  c cursor for select 10 / (id - d) from t order by id;
  i int;
  s text := '';
begin
  open c;
  for k in 1 .. 3 loop
    fetch c into i;
    s := s || i || ' ';
  end loop;
  close c;
  return s;
end $$;
select query_fails_at_fetch(20);
select query_fails_at_fetch(2);
create function query_fails_at_open() returns int language plpgsql as $$ declare c cursor for select * from nosuch; begin open c; return 1; end $$;
select query_fails_at_open();
create function gives(name refcursor, k int) returns refcursor language plpgsql as $$
begin
  open name for select id, v from t where id > k order by id;
  return name;
end $$;
begin;
select gives('mine', 7);
fetch next from mine;
fetch all from mine;
fetch all from mine;
close mine;
fetch next from mine;
rollback;
begin;
select gives('one', 5), gives('two', 8);
fetch 2 from one;
fetch 1 from two;
move 1 in one;
fetch all in one;
select gives('one', 1);
rollback;
select gives('gone', 1);
fetch all from gone;
create function gives_set(k int) returns setof refcursor language plpgsql as $$
declare
  a refcursor := 'first_cursor';
  b refcursor := 'second_cursor';
begin
  open a for select id from t where id <= k order by id;
  return next a;
  open b for select v from t where id <= k order by id desc;
  return next b;
end $$;
begin;
select * from gives_set(2);
fetch all in first_cursor;
fetch all in second_cursor;
commit;
create function bound_with_name() returns refcursor language plpgsql as $$
declare
  named cursor for select id from t where id > 8 order by id;
begin
  open named;
  return named;
end $$;
begin;
select bound_with_name();
fetch all from named;
select bound_with_name();
rollback;
begin;
declare outside cursor for select id from t order by id;
create function reads_outside(c refcursor) returns text language plpgsql as $$
declare
  i int;
  s text := '';
begin
  fetch c into i; s := s || i;
  move forward 2 from c;
  fetch c into i; s := s || ' ' || i;
  return s;
end $$;
fetch 1 from outside;
select reads_outside('outside');
fetch 1 from outside;
select reads_outside('outside');
close outside;
rollback;
create function passes_cursor() returns text language plpgsql as $$
declare
  c refcursor;
  i int;
  s text := '';
begin
  c := gives('passed', 6);
  loop
    fetch c into i;
    exit when not found;
    s := s || i || ' ';
  end loop;
  close c;
  return s || c::text;
end $$;
select passes_cursor();
create function cursor_as_text() returns text language plpgsql as $$
declare
  c refcursor := 'a name';
  d cursor for select 1;
begin
  open c for select 1;
  return c || ' ' || coalesce(d::text, 'null');
end $$;
select cursor_as_text();
create function is_open_after_error() returns text language plpgsql as $$
declare
  c cursor for select id from t order by id;
  i int;
begin
  begin
    open c;
    fetch c into i;
    perform 1 / 0;
  exception when others then null;
  end;
  fetch c into i;
  return i;
end $$;
select is_open_after_error();
create function opened_outside_of_block() returns text language plpgsql as $$
declare
  c cursor for select id from t order by id;
  i int;
begin
  open c;
  fetch c into i;
  begin
    fetch c into i;
    perform 1 / 0;
  exception when others then null;
  end;
  fetch c into i;
  close c;
  return i;
end $$;
select opened_outside_of_block();
create function loop_closed_within() returns text language plpgsql as $$
declare
  c cursor for select id from t order by id;
begin
  for r in c loop
    close c;
  end loop;
  return 'closed';
end $$;
select loop_closed_within();
create function insensitive() returns bigint language plpgsql as $$
declare
  c cursor for select id from t order by id;
  n bigint := 0;
  i int;
begin
  open c;
  delete from t where id > 5;
  insert into t values (100, 'x');
  loop
    fetch c into i;
    exit when not found;
    n := n + i;
  end loop;
  close c;
  return n;
end $$;
begin;
select insensitive();
rollback;
create function two_cursors() returns text language plpgsql as $$
declare
  a cursor for select id from t where id % 2 = 0 order by id;
  b cursor for select id from t where id % 2 = 1 order by id desc;
  x int;
  y int;
  s text := '';
begin
  open a;
  open b;
  loop
    fetch a into x;
    fetch b into y;
    exit when not found;
    s := s || x || '-' || y || ' ';
  end loop;
  close a;
  close b;
  return s;
end $$;
select two_cursors();
create function recursive_cursor(n int) returns text language plpgsql as $$
declare
  c refcursor;
  i int;
begin
  if n = 0 then return ''; end if;
  open c for select id from t where id <= n order by id desc;
  fetch c into i;
  return i || recursive_cursor(n - 1);
end $$;
select recursive_cursor(4);
create function generated_name() returns text language plpgsql as $$
declare
  c refcursor;
  i int;
begin
  open c for select 5;
  return regexp_replace(c::text, '\d+', 'N');
end $$;
select generated_name();
create function unknown_cursor_name() returns int language plpgsql as $$ declare i int; begin fetch nosuch into i; return i; end $$;
