-- The five transactions of TPC-C (specification 5.11, clauses 2.4 to 2.8): one call is one transaction. They read all that a
-- terminal would show and return one value of it, so that little goes to the client.

-- The order's total. An item that there is not undoes all: TC001 (clause 2.4.2.3).
create function new_order(w integer, d integer, c integer, items integer[], suppliers integer[], quantities integer[])
returns numeric language plpgsql as $$
declare
  lines constant integer := array_length(items, 1);
  all_local integer := 1;
  warehouse_tax numeric;
  district_tax numeric;
  discount numeric;
  last_name varchar;
  credit char(2);
  order_id integer;
  price numeric;
  item_name varchar;
  item_data varchar;
  stock_quantity integer;
  stock_data varchar;
  district_info char(24);
  brand char(1);
  amount numeric;
  total numeric := 0;
begin
  select w_tax into strict warehouse_tax from warehouse where w_id = w;
  select c_discount, c_last, c_credit into strict discount, last_name, credit
    from customer where c_w_id = w and c_d_id = d and c_id = c;
  update district set d_next_o_id = d_next_o_id + 1 where d_w_id = w and d_id = d
    returning d_next_o_id - 1, d_tax into strict order_id, district_tax;
  for line in 1 .. lines loop
    if suppliers[line] <> w then
      all_local := 0;
    end if;
  end loop;
  insert into orders (o_id, o_d_id, o_w_id, o_c_id, o_entry_d, o_carrier_id, o_ol_cnt, o_all_local)
    values (order_id, d, w, c, localtimestamp, null, lines, all_local);
  insert into new_order (no_o_id, no_d_id, no_w_id) values (order_id, d, w);
  for line in 1 .. lines loop
    select i_price, i_name, i_data into price, item_name, item_data from item where i_id = items[line];
    if not found then
      raise exception 'item number is not valid' using errcode = 'TC001';
    end if;
    update stock set
        s_quantity = case when s_quantity >= quantities[line] + 10 then s_quantity - quantities[line]
                          else s_quantity - quantities[line] + 91 end,
        s_ytd = s_ytd + quantities[line],
        s_order_cnt = s_order_cnt + 1,
        s_remote_cnt = s_remote_cnt + case when suppliers[line] = w then 0 else 1 end
      where s_w_id = suppliers[line] and s_i_id = items[line]
      returning s_quantity, s_data,
        case d when 1 then s_dist_01 when 2 then s_dist_02 when 3 then s_dist_03 when 4 then s_dist_04 when 5 then s_dist_05
               when 6 then s_dist_06 when 7 then s_dist_07 when 8 then s_dist_08 when 9 then s_dist_09 else s_dist_10 end
      into strict stock_quantity, stock_data, district_info;
    if item_data like '%ORIGINAL%' and stock_data like '%ORIGINAL%' then
      brand := 'B';
    else
      brand := 'G';
    end if;
    amount := quantities[line] * price;
    total := total + amount;
    insert into order_line (ol_o_id, ol_d_id, ol_w_id, ol_number, ol_i_id, ol_supply_w_id, ol_delivery_d, ol_quantity, ol_amount, ol_dist_info)
      values (order_id, d, w, line, items[line], suppliers[line], null, quantities[line], amount, district_info);
  end loop;
  return total * (1 - discount) * (1 + warehouse_tax + district_tax);
end
$$;

-- The customer's balance. The customer is the one in the middle of those of that last name where its number is NULL.
create function payment(w integer, d integer, customer_w integer, customer_d integer, c integer, last_name varchar, amount numeric)
returns numeric language plpgsql as $$
declare
  home record;
  place record;
  buyer record;
  namesakes integer[];
begin
  update warehouse set w_ytd = w_ytd + amount where w_id = w
    returning w_name, w_street_1, w_street_2, w_city, w_state, w_zip into strict home;
  update district set d_ytd = d_ytd + amount where d_w_id = w and d_id = d
    returning d_name, d_street_1, d_street_2, d_city, d_state, d_zip into strict place;
  if c is null then
    select array_agg(c_id order by c_first, c_id) into namesakes
      from customer where c_w_id = customer_w and c_d_id = customer_d and c_last = last_name;
    c := namesakes[(array_length(namesakes, 1) + 1) / 2];
  end if;
  select c_first, c_middle, c_last, c_street_1, c_street_2, c_city, c_state, c_zip, c_phone, c_since, c_credit, c_credit_lim, c_discount,
      c_balance - amount as balance into strict buyer
    from customer where c_w_id = customer_w and c_d_id = customer_d and c_id = c;
  if buyer.c_credit = 'BC' then
    update customer set
        c_balance = c_balance - amount,
        c_ytd_payment = c_ytd_payment + amount,
        c_payment_cnt = c_payment_cnt + 1,
        c_data = left(concat_ws(' ', c, customer_d, customer_w, d, w, amount, c_data), 500)
      where c_w_id = customer_w and c_d_id = customer_d and c_id = c;
  else
    update customer set
        c_balance = c_balance - amount,
        c_ytd_payment = c_ytd_payment + amount,
        c_payment_cnt = c_payment_cnt + 1
      where c_w_id = customer_w and c_d_id = customer_d and c_id = c;
  end if;
  insert into history (h_c_id, h_c_d_id, h_c_w_id, h_d_id, h_w_id, h_date, h_amount, h_data)
    values (c, customer_d, customer_w, d, w, localtimestamp, amount, home.w_name || '    ' || place.d_name);
  return buyer.balance;
end
$$;

-- The total of the customer's last order.
create function order_status(w integer, d integer, c integer, last_name varchar) returns numeric language plpgsql as $$
declare
  namesakes integer[];
  buyer record;
  last_order record;
  line record;
  total numeric := 0;
begin
  if c is null then
    select array_agg(c_id order by c_first, c_id) into namesakes from customer where c_w_id = w and c_d_id = d and c_last = last_name;
    c := namesakes[(array_length(namesakes, 1) + 1) / 2];
  end if;
  select c_first, c_middle, c_last, c_balance into strict buyer from customer where c_w_id = w and c_d_id = d and c_id = c;
  select o_id, o_entry_d, o_carrier_id into strict last_order
    from orders where o_w_id = w and o_d_id = d and o_c_id = c order by o_id desc limit 1;
  for line in
    select ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_delivery_d
      from order_line where ol_w_id = w and ol_d_id = d and ol_o_id = last_order.o_id
  loop
    total := total + line.ol_amount;
  end loop;
  return total;
end
$$;

-- How many orders are on their way now: the oldest of each district that has any.
create function delivery(w integer, carrier integer) returns integer language plpgsql as $$
declare
  order_id integer;
  buyer integer;
  total numeric;
  delivered integer := 0;
begin
  for d in 1 .. 10 loop
    delete from new_order
      where no_w_id = w and no_d_id = d and no_o_id = (select min(no_o_id) from new_order where no_w_id = w and no_d_id = d)
      returning no_o_id into order_id;
    continue when not found;
    update orders set o_carrier_id = carrier where o_w_id = w and o_d_id = d and o_id = order_id
      returning o_c_id into strict buyer;
    update order_line set ol_delivery_d = localtimestamp where ol_w_id = w and ol_d_id = d and ol_o_id = order_id;
    select sum(ol_amount) into strict total from order_line where ol_w_id = w and ol_d_id = d and ol_o_id = order_id;
    update customer set c_balance = c_balance + total, c_delivery_cnt = c_delivery_cnt + 1
      where c_w_id = w and c_d_id = d and c_id = buyer;
    delivered := delivered + 1;
  end loop;
  return delivered;
end
$$;

-- How many items of the district's last twenty orders the warehouse has fewer of than `threshold`.
create function stock_level(w integer, d integer, threshold integer) returns integer language plpgsql as $$
declare
  next_order integer;
  low integer;
begin
  select d_next_o_id into strict next_order from district where d_w_id = w and d_id = d;
  select count(distinct s_i_id) into strict low
    from order_line, stock
    where ol_w_id = w and ol_d_id = d and ol_o_id >= next_order - 20 and ol_o_id < next_order
      and s_w_id = w and s_i_id = ol_i_id and s_quantity < threshold;
  return low;
end
$$;
