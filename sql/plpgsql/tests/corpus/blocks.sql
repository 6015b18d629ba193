-- Blocks, labels and what stands around them.

create function empty_block() returns void language plpgsql as $$ begin end $$;

create function empty_block_with_semicolon() returns void language plpgsql as $$
begin
end;
$$;

create function nothing_done() returns void language plpgsql as $$
begin
  null;
  null;
end $$;

create function labelled() returns void language plpgsql as $$
<<outermost>>
declare
  a integer := 1;
begin
  declare
    a text := 'inner';
  begin
    outermost.a := outermost.a + 1;
    a := a || outermost.a;
    <<deepest>>
    begin
      outermost.a := length(a);
    end deepest;
  end;
end outermost;
$$;

create function routine_is_a_label(a integer) returns integer language plpgsql as $$
declare
  a integer := 2;
begin
  routine_is_a_label.a := a + routine_is_a_label.a;
  return routine_is_a_label.a;
end $$;

create function declares_twice() returns void language plpgsql as $$
declare
  a integer;
declare
  b integer;
  declare c text;
begin
  a := b;
end $$;

create function declares_nothing() returns void language plpgsql as $$ declare begin end $$;

create function words_as_labels() returns void language plpgsql as $$
<<alias>>
declare
  no integer;
begin
  <<no>>
  loop
    exit no;
  end loop no;
  alias.no := 3;
end alias $$;

create function quoted_labels() returns void language plpgsql as $$
<<"Main Block">>
declare "A" integer;
begin
  "Main Block"."A" := 1;
end "Main Block" $$;

-- fails
create function no_block() returns void language plpgsql as $$ $$;

-- fails
create function only_begin() returns void language plpgsql as $$ begin $$;

-- fails
create function only_declare() returns void language plpgsql as $$ declare $$;

-- fails
create function two_semicolons() returns void language plpgsql as $$ begin end;; $$;

-- fails
create function two_blocks() returns void language plpgsql as $$ begin end; begin end $$;

-- fails
create function words_behind() returns void language plpgsql as $$ begin end; select 1 $$;

-- fails
create function inner_without_semicolon() returns void language plpgsql as $$
begin
  begin
  end
end $$;

-- fails
create function wrong_end_label() returns void language plpgsql as $$
<<one>>
begin
end two $$;

-- fails
create function end_label_of_unlabelled() returns void language plpgsql as $$
begin
  begin
    null;
  end two;
end $$;

-- fails
create function label_behind_declare() returns void language plpgsql as $$
declare
  <<late>>
  a integer;
begin
end $$;

-- fails
create function label_without_block() returns void language plpgsql as $$
begin
  <<alone>>
  null;
end $$;

-- fails
create function label_of_two_words() returns void language plpgsql as $$ <<a b>> begin end $$;

-- fails
create function label_with_dot() returns void language plpgsql as $$ <<a.b>> begin end $$;

-- fails
create function reserved_label() returns void language plpgsql as $$ <<loop>> begin end $$;

-- fails
create function loop_around() returns void language plpgsql as $$ loop null; end loop $$;

-- fails
create function block_ends_as_if() returns void language plpgsql as $$
begin
  if true then null; end;
end $$;

-- fails
create function then_alone() returns void language plpgsql as $$
begin
  then null;
end $$;

-- fails
create function begin_with_semicolon() returns void language plpgsql as $$
begin;
  null;
end $$;
