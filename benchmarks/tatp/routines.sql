-- The seven transactions of TATP (description 1.0, section 2.3): one call is one transaction. What changes something says whether it has;
-- what reads returns its rows.

create function get_subscriber_data(id integer) returns setof subscriber language plpgsql stable as $$
begin
  return query select * from subscriber where s_id = id;
end
$$;

create function get_new_destination(id integer, facility smallint, starts smallint, ends smallint)
returns setof varchar language plpgsql stable as $$
begin
  return query
    select cf.numberx
      from special_facility sf, call_forwarding cf
      where sf.s_id = id and sf.sf_type = facility and sf.is_active = 1
        and cf.s_id = sf.s_id and cf.sf_type = sf.sf_type and cf.start_time <= starts and ends < cf.end_time;
end
$$;

create function get_access_data(id integer, kind smallint)
returns table (first_data smallint, second_data smallint, third_data char(3), fourth_data char(5)) language plpgsql stable as $$
begin
  return query select data1, data2, data3, data4 from access_info where s_id = id and ai_type = kind;
end
$$;

create function update_subscriber_data(id integer, facility smallint, new_bit smallint, data smallint) returns boolean language plpgsql as $$
begin
  update subscriber set bit_1 = new_bit where s_id = id;
  update special_facility set data_a = data where s_id = id and sf_type = facility;
  return found;
end
$$;

create function update_location(number varchar, location integer) returns boolean language plpgsql as $$
begin
  update subscriber set vlr_location = location where sub_nbr = number;
  return found;
end
$$;

-- A row that is there already (23505), or a facility that is not (23503), undoes it.
create function insert_call_forwarding(number varchar, facility smallint, starts smallint, ends smallint, destination varchar)
returns boolean language plpgsql as $$
declare
  id integer;
begin
  select s_id into strict id from subscriber where sub_nbr = number;
  perform sf_type from special_facility where s_id = id;
  insert into call_forwarding (s_id, sf_type, start_time, end_time, numberx) values (id, facility, starts, ends, destination);
  return true;
end
$$;

create function delete_call_forwarding(number varchar, facility smallint, starts smallint) returns boolean language plpgsql as $$
declare
  id integer;
begin
  select s_id into strict id from subscriber where sub_nbr = number;
  delete from call_forwarding where s_id = id and sf_type = facility and start_time = starts;
  return found;
end
$$;
