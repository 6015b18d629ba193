-- EXCEPTION.

create function handlers() returns text language plpgsql as $$
declare
  a integer;
begin
  a := 1 / 0;
  return 'none';
exception
  when division_by_zero then
    return sqlstate || sqlerrm;
  when unique_violation or foreign_key_violation or sqlstate '22P02' then
    return 'key';
  when integrity_constraint_violation then
  when others then
    raise notice '% %', sqlerrm, sqlstate;
    return 'other';
end $$;

create function nested() returns void language plpgsql as $$
begin
  begin
    perform 1;
  exception when others then
    begin
      perform sqlerrm;
    exception when no_data_found or too_many_rows then
      null;
    end;
  end;
exception when query_canceled or assert_failure then null;
end $$;

create function names_for_several_codes() returns void language plpgsql as $$
begin
  null;
exception
  when null_value_not_allowed or modifying_sql_data_not_permitted then null;
  when "others" then null;
  when string_data_right_truncation then null;
end $$;

create function variables_are_seen_in_handlers(sqlstate integer) returns text language plpgsql as $$
declare
  others text;
begin
  sqlstate := 1;
exception when others then
  return sqlstate;
end $$;

create function in_loop() returns void language plpgsql as $$
begin
  for i in 1..3 loop
    begin
      perform 1 / i;
    exception when division_by_zero then
      continue;
    end;
  end loop;
end $$;

create function variable_called_exception(exception integer) returns void language plpgsql as $$
begin
  exception := 3;
exception when others then null;
end $$;

-- fails
create function unknown_condition() returns void language plpgsql as $$
begin
  null;
exception
  when division_by_zero then
    null;
  when nonsense then
    null;
end $$;

-- fails
create function no_handler() returns void language plpgsql as $$
begin
  null;
exception
end $$;

-- fails
create function no_condition() returns void language plpgsql as $$
begin
  null;
exception
  when then null;
end $$;

-- fails
create function no_then() returns void language plpgsql as $$
begin
  null;
exception
  when others
    null;
end $$;

-- fails
create function bad_code() returns void language plpgsql as $$
begin
  null;
exception
  when sqlstate '1234' then null;
end $$;

-- fails
create function code_missing() returns void language plpgsql as $$
begin
  null;
exception
  when sqlstate then null;
end $$;

-- fails
create function or_at_end() returns void language plpgsql as $$
begin
  null;
exception
  when others or then null;
end $$;

-- fails
create function handler_in_loop() returns void language plpgsql as $$
begin
  loop
    null;
  exception when others then null;
  end loop;
end $$;

-- fails
create function statement_behind_handlers() returns void language plpgsql as $$
begin
  null;
exception
  when others then null;
exception
  when others then null;
end $$;

-- fails
create function sqlerrm_is_constant() returns void language plpgsql as $$
begin
  null;
exception
  when others then
    sqlerrm := 'x';
end $$;

-- fails
create function sqlstate_outside() returns void language plpgsql as $$
begin
  sqlstate := 'x';
exception
  when others then null;
end $$;
