-- DECLARE.

create function all_forms() returns void language plpgsql as $$
declare
  a integer;
  b integer := 1;
  c integer = 2;
  d integer default 3;
  e constant integer := 4;
  f integer not null := 5;
  g constant text collate "C" not null default 'x' || 'y';
  h numeric(10, 2) := 1.5;
  i character varying(20);
  j timestamp (3) with time zone;
  k integer[];
  l integer[][] := array[[1, 2], [3, 4]];
  m text array;
  n double precision;
  o "char";
  p pg_catalog.int4;
  q public.pair;
begin
  a := b + c + d + e + f;
end $$;

create function records() returns void language plpgsql as $$
declare
  any_row record;
  item items;
  item_too items%rowtype;
  item_three public.items%rowtype;
  one pair := row(1, 'x');
  many items[];
  fixed constant record := row(1, 2);
begin
  any_row := row(1, 2);
  item.name := 'n';
end $$;

create function types_of_others(amount items.price%type) returns void language plpgsql as $$
declare
  a items.id%type;
  b public.items.tags%type;
  c a%type := 3;
  d c%type;
  e amount%type;
  f types_of_others.amount%type;
begin
  a := d;
end $$;

create function type_of_labelled_variable() returns void language plpgsql as $$
<<here>>
declare
  a integer;
begin
  declare
    b here.a%type;
  begin
    b := 1;
  end;
end $$;

create function domains_and_enums() returns void language plpgsql as $$
declare
  a small := 3;
  b mood := 'good';
begin
  a := a + 1;
end $$;

create function keywords_as_names() returns void language plpgsql as $$
declare
  alias integer;
  constant integer := 1;
  cursor integer;
  no integer;
  scroll integer;
  type text;
  rowtype text;
  error integer;
  query text;
  next integer;
  slice integer;
  return integer;
  raise integer;
  insert integer;
begin
  alias := constant;
  return := 1;
  insert := raise;
end $$;

create function defaults_read_earlier_ones(n integer) returns integer language plpgsql as $$
declare
  a integer := n * 2;
  b integer := a + (select count(*) from items where id = a);
  c text := case when a > b then 'more' else 'less; or equal' end;
begin
  return a + b;
end $$;

create function aliases(integer, b text) returns text language plpgsql as $$
declare
  first alias for $1;
  second alias for $2;
  third alias for b;
  fourth alias for aliases.b;
  fifth alias for first;
begin
  return first || second || third || fourth || fifth;
end $$;

create function found_can_be_hidden() returns void language plpgsql as $$
declare
  found text;
begin
  found := 'text';
end $$;

-- fails
create function no_type() returns void language plpgsql as $$
declare
  a;
begin
end $$;

-- fails
create function no_type_of_constant() returns void language plpgsql as $$
declare
  a constant := 3;
begin
end $$;

-- fails
create function no_such_type() returns void language plpgsql as $$
declare
  b integer;
  a nonsense(3);
begin
end $$;

-- fails
create function no_such_schema() returns void language plpgsql as $$
declare
  a integer;
  r nowhere.items%rowtype;
begin
end $$;

-- fails
create function no_such_relation() returns void language plpgsql as $$
declare
  a integer;

  r nothing%rowtype;
begin
end $$;

-- fails
create function no_such_column() returns void language plpgsql as $$
declare
  a items.colour%type;
begin
end $$;

-- fails
create function type_of_record() returns void language plpgsql as $$
declare
  a record;
  b a%type;
begin
end $$;

-- fails
create function array_of_type_of() returns void language plpgsql as $$
declare
  a integer;
  b a%type[];
begin
end $$;

-- fails
create function array_of_rows_of() returns void language plpgsql as $$
declare
  b items%rowtype[];
begin
end $$;

-- fails
create function rowtype_of_three() returns void language plpgsql as $$
declare
  b one.two.three%rowtype;
begin
end $$;

-- fails
create function duplicate_name() returns void language plpgsql as $$
declare
  a integer;
  b integer;
  a text;
begin
end $$;

-- fails
create function duplicate_of_keyword() returns void language plpgsql as $$
declare
  type integer;
  type text;
begin
end $$;

-- fails
create function duplicate_of_alias(integer) returns void language plpgsql as $$
declare
  a alias for $1;
  a text;
begin
end $$;

-- fails
create function not_null_without_default() returns void language plpgsql as $$
declare
  a integer
    not null;
begin
end $$;

-- fails
create function constant_is_assigned() returns void language plpgsql as $$
declare
  a constant integer := 1;
begin
  a := 2;
end $$;

-- fails
create function field_of_constant_is_assigned() returns void language plpgsql as $$
declare
  r constant pair := row(1, 'x');
begin
  r.a := 2;
end $$;

-- fails
create function alias_of_nothing() returns void language plpgsql as $$
declare
  a alias for nothing;
begin
end $$;

-- fails
create function alias_of_parameter_not_there(integer) returns void language plpgsql as $$
declare
  a alias for $2;
begin
end $$;

-- fails
create function alias_of_names() returns void language plpgsql as $$
declare
  a alias for x.y.z;
begin
end $$;

-- fails
create function alias_without_for(integer) returns void language plpgsql as $$
declare
  a alias $1;
begin
end $$;

-- fails
create function no_collation() returns void language plpgsql as $$
declare
  a text collate nothing;
begin
end $$;

-- fails
create function collation_of_integer() returns void language plpgsql as $$
declare
  a integer collate "C" := 3;
begin
end $$;

-- fails
create function unfinished_type() returns void language plpgsql as $$
declare
  a numeric(10, 2$$;

-- fails
create function unfinished_declaration() returns void language plpgsql as $$
declare
  a integer$$;

-- fails
create function type_with_too_much() returns void language plpgsql as $$
declare
  a integer unsigned;
begin
end $$;

-- fails
create function set_of() returns void language plpgsql as $$
declare
  a setof integer;
begin
end $$;

-- fails
create function pseudo_type() returns void language plpgsql as $$
declare
  a void;
begin
end $$;

-- fails
create function default_with_error() returns void language plpgsql as $$
declare
  a integer := 1 +;
begin
end $$;

-- fails
create function default_missing() returns void language plpgsql as $$
declare
  a integer := ;
begin
end $$;

-- fails
create function default_unfinished() returns void language plpgsql as $$
declare
  a integer := (1 + 2;
begin
end $$;

-- fails
create function reserved_name() returns void language plpgsql as $$
declare
  begin integer;
begin
end $$;

-- fails
create function name_with_dot() returns void language plpgsql as $$
declare
  a.b integer;
begin
end $$;

-- fails
create function statement_among_declarations() returns void language plpgsql as $$
declare
  a integer;
  a := 1;
begin
end $$;

-- fails
create function bad_modifier() returns void language plpgsql as $$
declare
  a varchar(0);
begin
end $$;
