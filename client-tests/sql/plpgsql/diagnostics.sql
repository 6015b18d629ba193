-- file: message detail hint context objects notices
-- GET DIAGNOSTICS; stacked ones are in exceptions.sql too.
create schema plg;
set search_path = plg, public;
create table t (a int);
create function row_counts() returns text language plpgsql as $$
declare
  n int;
  r text := '';
  x int;
begin
  get diagnostics n = row_count; r := r || n;
  insert into t select generate_series(1, 5);
  get diagnostics n = row_count; r := r || ' insert ' || n;
  update t set a = a + 1 where a > 2;
  get diagnostics n = row_count; r := r || ' update ' || n;
  perform * from t where a > 4;
  get diagnostics n = row_count; r := r || ' perform ' || n;
  select a into x from t order by a;
  get diagnostics n = row_count; r := r || ' select ' || n;
  select a into x from t where false;
  get diagnostics n = row_count; r := r || ' select none ' || n;
  execute 'select * from t';
  get diagnostics n = row_count; r := r || ' execute ' || n;
  delete from t where a = 2;
  get diagnostics n = row_count; r := r || ' delete ' || n;
  x := 1;
  get diagnostics n = row_count; r := r || ' after assignment ' || n;
  if exists (select from t) then null; end if;
  get diagnostics n = row_count; r := r || ' after if ' || n;
  create table made (b int);
  get diagnostics n = row_count; r := r || ' create ' || n;
  drop table made;
  delete from t;
  get diagnostics n = row_count; r := r || ' rest ' || n;
  return r;
end $$;
select row_counts();
create function row_count_types() returns text language plpgsql as $$
declare
  a text; b numeric; c bigint; d smallint;
begin
  insert into t values (1), (2);
  get diagnostics a = row_count, b := row_count, c = row_count, d = row_count;
  return concat_ws('|', a, b, c, d);
end $$;
select row_count_types();
create function current_word() returns int language plpgsql as $$
declare
  n int;
begin
  delete from t;
  get current diagnostics n = row_count;
  return n;
end $$;
select current_word();
create function row_count_into_field() returns text language plpgsql as $$
declare
  r t;
begin
  insert into t values (7);
  get diagnostics r.a = row_count;
  return r.a;
end $$;
select row_count_into_field();
create function context() returns text language plpgsql as $$
declare
  c text;
begin
  get diagnostics c = pg_context;
  return c;
end $$;
select context();
create function context_caller() returns text language plpgsql as $$
declare
  c text;
begin
  c := context();
  return c;
end $$;
select context_caller();
create function context_by_return() returns text language plpgsql as $$ begin return context(); end $$;
select context_by_return();
create function context_by_perform() returns text language plpgsql as $$
declare
  c text;
begin
  select context() into c;
  return c;
end $$;
select context_by_perform();
create function context_by_execute() returns text language plpgsql as $$
declare
  c text;
begin
  execute 'select context_caller()' into c;
  return c;
end $$;
select context_by_execute();
create function context_in_query() returns text language plpgsql as $$
declare
  r record;
begin
  for r in select context() as c from t limit 1 loop
    return r.c;
  end loop;
end $$;
select context_in_query();
create function context_in_block() returns text language plpgsql as $$
declare
  c text;
begin
  begin
    perform 1 / 0;
  exception when others then
    get diagnostics c = pg_context;
  end;
  return c;
end $$;
select context_in_block();
create function context_in_sql() returns text language sql volatile as $$ select 1; select context(); $$;
select context_in_sql();
do $$ declare c text; begin get diagnostics c = pg_context; raise notice '%', c; end $$;
create function item_of_other_kind() returns int language plpgsql as $$ declare n int; begin get diagnostics n = message_text; return n; end $$;
create function stacked_item_of_other_kind() returns int language plpgsql as $$ declare n int; begin get stacked diagnostics n = row_count; return n; end $$;
create function unknown_item() returns int language plpgsql as $$ declare n int; begin get diagnostics n = nosuch; return n; end $$;
create function unknown_target() returns int language plpgsql as $$ begin get diagnostics nosuch = row_count; return 1; end $$;
create function count_too_large() returns int language plpgsql as $$
declare
  n numeric(1,0);
begin
  perform generate_series(1, 10);
  get diagnostics n = row_count;
  return n;
end $$;
select count_too_large();
create function routine_oid_known() returns boolean language plpgsql as $$
declare
  n int;
begin
  get diagnostics n = row_count;
  return n = 0;
end $$;
select routine_oid_known();
create function stacked_everything(q text) returns table (item text, value text) language plpgsql as $$
declare
  v text[];
  a text; b text; c text; d text; e text; f text; g text; h text; i text; j text;
begin
  execute q;
exception when others then
  get stacked diagnostics a = returned_sqlstate, b = message_text, c = pg_exception_detail, d = pg_exception_hint, e = pg_exception_context,
    f = schema_name, g = table_name, h = column_name, i = constraint_name, j = pg_datatype_name;
  v := array[a, b, c, d, e, f, g, h, i, j];
  item := 'state'; value := a; return next;
  item := 'message'; value := b; return next;
  item := 'detail'; value := c; return next;
  item := 'hint'; value := d; return next;
  item := 'context'; value := e; return next;
  item := 'objects'; value := concat_ws('.', f, g, h, i, j); return next;
end $$;
create table parent (id int primary key);
create table child (id int references parent, n int not null unique, p int constraint positive check (p > 0));
insert into parent values (1);
insert into child values (1, 1, 1);
create domain small as int constraint at_most_ten check (value <= 10);
select * from stacked_everything('insert into child values (2, 2, 2)');
select * from stacked_everything('insert into child values (1, 1, 1)');
select * from stacked_everything('insert into child values (1, null, 1)');
select * from stacked_everything('insert into child values (1, 3, 0)');
select * from stacked_everything('delete from parent');
select * from stacked_everything('select 11::small');
select * from stacked_everything('select nosuch from parent');
select * from stacked_everything('select * from parent where id = ''x''');
select * from stacked_everything('drop table parent');
select * from stacked_everything('select lenght(''x'')');
select * from stacked_everything('select count(*) from (select 1 / (id - 1) as q from parent) s where q > 0');
