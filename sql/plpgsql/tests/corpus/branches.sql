-- IF and CASE.

create function ifs(a integer) returns text language plpgsql as $$
begin
  if a > 0 then
    return 'positive';
  end if;
  if a < -10 then
    null;
  elsif a < -5 then
    return 'low';
  elseif a < -2 then
  else
    return 'high';
  end if;
  if a = 1 then if a = 2 then null; end if; else null; end if;
  if exists (select from items where id = a) and not (a = any (array[1, 2])) then
    return 'x';
  end if;
  if count(*) > 0 from items then
    return 'y';
  end if;
  return case when a > 0 then 'then' else 'else' end;
end $$;

create function searched_case(a integer) returns text language plpgsql as $$
begin
  case
    when a = 1 then
      return 'one';
    when a = 2 or a = 3 then
    else
      return 'many';
  end case;
  case when a is null then null; end case;
  return null;
end $$;

create function simple_case(a text) returns text language plpgsql as $$
begin
  case a || 'x'
    when 'ax', 'bx' then
      return 'first';
    when lower('CX') then
      return 'second';
    else
  end case;
  case (case when a = 'y' then 1 end)
    when 1 then return 'nested';
  end case;
  return null;
end $$;

-- fails
create function case_of_case() returns void language plpgsql as $$
begin
  case case when true then 1 end
    when 1 then null;
  end case;
end $$;

-- fails
create function no_then() returns void language plpgsql as $$
begin
  if true null; end if;
end $$;

-- fails
create function no_condition() returns void language plpgsql as $$
begin
  if then null; end if;
end $$;

-- fails
create function bad_condition() returns void language plpgsql as $$
begin
  if 1 = = 2 then null; end if;
end $$;

-- fails
create function no_end_if() returns void language plpgsql as $$
begin
  if true then
    null;
end $$;

-- fails
create function else_twice() returns void language plpgsql as $$
begin
  if true then null; else null; else null; end if;
end $$;

-- fails
create function elsif_behind_else() returns void language plpgsql as $$
begin
  if true then null; else null; elsif true then null; end if;
end $$;

-- fails
create function case_without_when() returns void language plpgsql as $$
begin
  case 1
    else null;
  end case;
end $$;

-- fails
create function case_ends_as_expression() returns void language plpgsql as $$
begin
  case when true then null; end;
end $$;

-- fails
create function when_without_condition() returns void language plpgsql as $$
begin
  case 1 when then null; end case;
end $$;

-- fails
create function case_at_end() returns void language plpgsql as $$
begin
  case 1$$;

-- fails
create function condition_too_long() returns void language plpgsql as $$
begin
  if (select 1 then null; end if;
end $$;
