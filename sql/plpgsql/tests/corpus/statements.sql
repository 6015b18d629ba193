-- Statements of SQL, with INTO; PERFORM, CALL, EXECUTE, GET DIAGNOSTICS, COMMIT and ROLLBACK.

create function selects() returns void language plpgsql as $$
declare
  a integer;
  b text;
  r record;
  item items;
begin
  select id into a from items;
  select id, name into a, b from items;
  select id, name from items into a, b;
  select into a, b id, name from items;
  select into strict r * from items where id = 1;
  select * from items into strict item;
  select id from items where name = 'into' into a limit 1;
  select 1 into item.id;
  select 1, 2 into item.id, r.x;
  with x as (select 1 as y) select y into a from x;
  values (1);
end $$;

-- fails
create function selects_with_words() returns void language plpgsql as $$
declare
  a integer;
begin
  select id into a from items;
  values (1) into a;
  fetch_it(a);
end $$;

-- fails
create function parenthesis_first() returns void language plpgsql as $$
declare
  a integer;
begin
  (select 2) into a;
end $$;

-- fails
create function semicolon_in_parentheses() returns void language plpgsql as $$
declare
  a integer;
begin
  with x as (select 1 as y) select y from x into a;
  select (select 1; ) into a;
end $$;

create function changes() returns void language plpgsql as $$
declare
  a integer;
  r record;
begin
  insert into items (id) values (1);
  insert into items (id) values (1) returning id into a;
  insert into items (id) values (1) returning * into strict r;
  update items set name = 'x' where id = a returning id into a;
  delete from items where id = a returning id, name into r;
  merge into items i using orders o on i.id = o.item when matched then do nothing;
  with gone as (delete from items returning id) insert into orders (id) select id from gone;
  insert into items select * from items on conflict do nothing;
  truncate items;
end $$;

create function definitions() returns void language plpgsql as $$
begin
  create temporary table t (a integer);
  create table u as select 1 as b;
  alter table t add column c text;
  drop table t;
  set local work_mem = '1MB';
  lock table items;
  analyze items;
  notify somebody, 'news';
  create index on items (id);
  grant select on items to public;
  do $inner$ begin null; end $inner$;
end $$;

create function routine_inside() returns void language plpgsql as $$
begin
  create function f() returns integer language sql begin atomic select 1; select case when true then 2 end; end;
  create or replace procedure p() begin atomic insert into items (id) values (1); end;
  create rule r as on insert to items do also (delete from orders; delete from log_lines);
end $$;

create function performs(a integer) returns void language plpgsql as $$
begin
  perform a;
  perform id from items where id = a;
  perform pg_sleep(0), 2;
  perform 1 union select 2;
  PERFORM * from items order by id limit 1;
  perform;
end $$;

create procedure calls(a integer) language plpgsql as $$
declare
  b integer;
begin
  call other(a, b);
  call public.other(a => 1, b => b);
  do 'begin end';
  commit;
  rollback;
  commit and chain;
  commit and no chain;
  rollback and chain;
  rollback and no chain;
end $$;

create function executes(name text) returns void language plpgsql as $$
declare
  a integer;
  r record;
begin
  execute 'drop table ' || quote_ident(name);
  execute 'select 1' into a;
  execute 'select $1' into a using 2;
  execute 'select $1, $2' using 1, 2 into strict r;
  execute format('select %L', name) using name;
  execute (select 'x');
end $$;

create function diagnostics() returns void language plpgsql as $$
declare
  n bigint;
  t text;
  r record;
begin
  get diagnostics n = row_count;
  get current diagnostics n := row_count, t = pg_context;
  get diagnostics r.n = row_count;
  perform 1 / 0;
exception when others then
  get stacked diagnostics t = message_text, t := returned_sqlstate, t = pg_exception_detail,
    t = pg_exception_hint, t = pg_exception_context, t = column_name, t = constraint_name,
    t = pg_datatype_name, t = table_name, t = schema_name, t = pg_context;
end $$;

create function words_that_are_variables(row_count integer, current integer) returns void language plpgsql as $$
begin
  get diagnostics row_count = row_count;
  current := 3;
end $$;

create function many_lines() returns void language plpgsql as $$
declare
  a integer;
begin
  select id -- the key; of the item
    into a /* where it goes ; */
    from items
   where name = ';';
end $$;

-- fails
create function table_of_rows() returns void language plpgsql as $$
begin
  table items;
end $$;

-- fails
create function into_unknown() returns void language plpgsql as $$
begin
  select 1 into a;
end $$;

-- fails
create function into_twice() returns void language plpgsql as $$
declare
  a integer;
begin
  select 1 into a from items into a;
end $$;

-- fails
create function into_record_and_more() returns void language plpgsql as $$
declare
  a integer;
  r record;
begin
  select 1, 2 into r, a;
end $$;

-- fails
create function into_more_and_record() returns void language plpgsql as $$
declare
  a integer;
  r record;
begin
  select 1, 2 into a, r;
end $$;

-- fails
create function into_constant() returns void language plpgsql as $$
declare
  a constant integer := 1;
begin
  select 1 into a;
end $$;

-- fails
create function into_parameter_not_there(a integer) returns void language plpgsql as $$
begin
  select 1 into $2;
end $$;

-- fails
create function into_nothing() returns void language plpgsql as $$
begin
  select 1 into;
end $$;

-- fails
create function into_strict_nothing() returns void language plpgsql as $$
begin
  select 1 into strict;
end $$;

-- fails
create function into_list_ends() returns void language plpgsql as $$
declare
  a integer;
begin
  select 1 into a, ;
end $$;

-- fails
create function element_as_target() returns void language plpgsql as $$
declare
  a integer[];
begin
  select 1 into a[1];
end $$;

-- fails
create function no_statement() returns void language plpgsql as $$
begin
  selec 1;
end $$;

-- fails
create function statement_with_error() returns void language plpgsql as $$
declare
  a integer;
begin
  select id into a from items where;
end $$;

-- fails
create function error_behind_into() returns void language plpgsql as $$
declare
  a integer;
begin
  select id
    into a
    from items order where;
end $$;

-- fails
create function no_semicolon() returns void language plpgsql as $$
begin
  insert into items (id) values (1)
end $$;

-- fails
create function parenthesis_open() returns void language plpgsql as $$
begin
  insert into items (id) values (1;
end $$;

-- fails
create function parenthesis_too_many() returns void language plpgsql as $$
begin
  insert into items (id) values (1));
end $$;

-- fails
create function perform_with_error() returns void language plpgsql as $$
begin
  perform 1 from;
end $$;

-- fails
create function perform_of_select() returns void language plpgsql as $$
begin
  perform select 1;
end $$;

-- fails
create function call_of_nothing() returns void language plpgsql as $$
begin
  call;
end $$;

-- fails
create function call_without_parentheses() returns void language plpgsql as $$
begin
  call p;
end $$;

-- fails
create function execute_of_nothing() returns void language plpgsql as $$
begin
  execute;
end $$;

-- fails
create function execute_into_twice() returns void language plpgsql as $$
declare
  a integer;
begin
  execute 'x' into a into a;
end $$;

-- fails
create function execute_using_twice() returns void language plpgsql as $$
declare
  a integer;
begin
  execute 'x' using 1 into a using 2;
end $$;

-- fails
create function execute_with_words() returns void language plpgsql as $$
declare
  a integer;
begin
  execute 'x' into a for;
end $$;

-- fails
create function execute_at_end() returns void language plpgsql as $$
begin
  execute 'x'$$;

-- fails
create function unknown_item() returns void language plpgsql as $$
declare
  a integer;
begin
  get diagnostics a = rows;
end $$;

-- fails
create function stacked_item() returns void language plpgsql as $$
declare
  a text;
begin
  get diagnostics a = message_text;
end $$;

-- fails
create function current_item() returns void language plpgsql as $$
declare
  a text;
begin
  get stacked diagnostics a = pg_context, a = row_count;
end $$;

-- fails
create function diagnostics_of_record() returns void language plpgsql as $$
declare
  r record;
begin
  get diagnostics r = row_count;
end $$;

-- fails
create function diagnostics_of_element() returns void language plpgsql as $$
declare
  a integer[];
begin
  get diagnostics a[1] = row_count;
end $$;

-- fails
create function diagnostics_of_unknown() returns void language plpgsql as $$
begin
  get diagnostics a.b = row_count;
end $$;

-- fails
create function diagnostics_word_missing() returns void language plpgsql as $$
declare
  a integer;
begin
  get a = row_count;
end $$;

-- fails
create procedure commit_with_words() language plpgsql as $$
begin
  commit work;
end $$;

-- fails
create procedure chain_missing() language plpgsql as $$
begin
  commit and;
end $$;

-- fails
create procedure begin_transaction() language plpgsql as $$
begin
  begin transaction;
end $$;

-- fails
create function null_with_words() returns void language plpgsql as $$
begin
  null and void;
end $$;

-- fails
create function unfinished_statement() returns void language plpgsql as $$
begin
  select 1$$;
