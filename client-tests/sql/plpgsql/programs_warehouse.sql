-- file: message detail hint context objects notices
-- Programs: inventory with reservations, orders in the manner of TPC-C, running totals, pivots, date loops.
create schema wh;
set search_path = wh, public;
create table products (sku text primary key, name text not null, stock int not null check (stock >= 0), reserved int not null default 0, price numeric(8,2) not null, check (reserved <= stock));
create table reservations (id serial primary key, sku text references products, quantity int check (quantity > 0), customer text, state text default 'held');
create table movements (id serial primary key, sku text, delta int, reason text);
insert into products values ('A1', 'bolt', 100, 0, 0.25), ('B2', 'nut', 50, 0, 0.10), ('C3', 'gear', 2, 0, 19.99);
create type order_line as (sku text, quantity int);
create function available(s text) returns int language plpgsql stable strict as $$
declare
  n int;
begin
  select stock - reserved into n from products where sku = s;
  return coalesce(n, 0);
end $$;
create function reserve(customer text, lines order_line[]) returns int[] language plpgsql as $$
declare
  l order_line;
  ids int[] := '{}';
  new_id int;
  missing text[] := '{}';
begin
  foreach l in array lines loop
    update products set reserved = reserved + l.quantity where sku = l.sku and stock - reserved >= l.quantity;
    if not found then
      missing := missing || format('%s (%s of %s)', l.sku, available(l.sku), l.quantity);
      continue;
    end if;
    insert into reservations (sku, quantity, customer) values (l.sku, l.quantity, reserve.customer) returning id into new_id;
    ids := ids || new_id;
  end loop;
  if cardinality(missing) > 0 then
    raise exception 'not available: %', array_to_string(missing, ', ') using errcode = 'WH001';
  end if;
  return ids;
end $$;
select reserve('ann', array[('A1', 10), ('C3', 1)]::order_line[]);
select reserve('bea', array[('A1', 5), ('C3', 2), ('X9', 1)]::order_line[]);
select sku, stock, reserved, available(sku) from products order by sku;
select reserve('bea', array[('A1', 0)]::order_line[]);
select available('nosuch'), available(null);
create function ship(customer text) returns numeric language plpgsql as $$
declare
  c cursor (who text) for select * from reservations r where r.customer = who and r.state = 'held' order by r.id for update;
  total numeric := 0;
  p numeric;
begin
  for r in c(ship.customer) loop
    update products set stock = stock - r.quantity, reserved = reserved - r.quantity where sku = r.sku returning price into p;
    insert into movements (sku, delta, reason) values (r.sku, -r.quantity, 'shipped to ' || r.customer);
    update reservations set state = 'shipped' where id = r.id;
    total := total + r.quantity * p;
  end loop;
  if total = 0 then
    raise notice 'nothing to ship for %', ship.customer;
  end if;
  return total;
end $$;
select ship('ann');
select ship('ann');
select * from products order by sku;
select id, sku, quantity, state from reservations order by id;
select sku, delta, reason from movements order by id;
create function restock(deliveries jsonb) returns int language plpgsql as $$
declare
  k text;
  v text;
  n int := 0;
begin
  for k, v in select * from jsonb_each_text(deliveries) order by 1 loop
    insert into products (sku, name, stock, price) values (k, 'unknown', v::int, 0)
      on conflict (sku) do update set stock = products.stock + excluded.stock;
    insert into movements (sku, delta, reason) values (k, v::int, 'delivery');
    n := n + 1;
  end loop;
  return n;
end $$;
select restock('{"C3": 10, "D4": 7}');
select restock('{"A1": "many"}');
select sku, name, stock from products order by sku;
create function running_stock(s text) returns table (step int, delta int, total bigint) language plpgsql stable as $$
begin
  total := 0;
  step := 0;
  for delta in select m.delta from movements m where m.sku = s order by m.id loop
    step := step + 1;
    total := total + delta;
    return next;
  end loop;
end $$;
select * from running_stock('C3');
create function stock_pivot() returns text language plpgsql as $$
declare
  columns text;
  q text;
  r record;
  result text := '';
begin
  select string_agg(format('sum(case when sku = %L then delta else 0 end) as %I', sku, lower(sku)), ', ' order by sku) into columns from (select distinct sku from movements) d;
  q := 'select split_part(reason, '' '', 1) as kind, ' || columns || ' from movements group by 1 order by 1';
  for r in execute q loop
    result := result || to_json(r)::text || E'\n';
  end loop;
  return result;
end $$;
select stock_pivot();
create table warehouse (w_id int primary key, w_tax numeric(4,4), w_ytd numeric(12,2) default 0);
create table district (d_w_id int, d_id int, d_tax numeric(4,4), d_ytd numeric(12,2) default 0, d_next_o_id int default 1, primary key (d_w_id, d_id));
create table customer (c_w_id int, c_d_id int, c_id int, c_last text, c_credit char(2), c_discount numeric(4,4), c_balance numeric(12,2) default 0, c_payment_cnt int default 0, c_data text default '', primary key (c_w_id, c_d_id, c_id));
create table item (i_id int primary key, i_name text, i_price numeric(5,2), i_data text);
create table stock (s_w_id int, s_i_id int, s_quantity int, s_ytd int default 0, s_order_cnt int default 0, s_remote_cnt int default 0, s_dist char(24), primary key (s_w_id, s_i_id));
create table orders (o_w_id int, o_d_id int, o_id int, o_c_id int, o_ol_cnt int, o_all_local int, o_carrier_id int, primary key (o_w_id, o_d_id, o_id));
create table new_orders (no_w_id int, no_d_id int, no_o_id int, primary key (no_w_id, no_d_id, no_o_id));
create table order_lines (ol_w_id int, ol_d_id int, ol_o_id int, ol_number int, ol_i_id int, ol_supply_w_id int, ol_quantity int, ol_amount numeric(6,2), ol_delivered boolean default false, ol_dist_info char(24), primary key (ol_w_id, ol_d_id, ol_o_id, ol_number));
do $$
begin
  insert into warehouse select w, w * 0.01 from generate_series(1, 2) w;
  insert into district (d_w_id, d_id, d_tax) select w, d, d * 0.01 from generate_series(1, 2) w, generate_series(1, 3) d;
  insert into customer (c_w_id, c_d_id, c_id, c_last, c_credit, c_discount)
    select w, d, c, (array['BAR', 'OUGHT', 'ABLE'])[c % 3 + 1], case when c % 2 = 0 then 'BC' else 'GC' end, c * 0.01
      from generate_series(1, 2) w, generate_series(1, 3) d, generate_series(1, 5) c;
  insert into item select i, 'item ' || i, i * 1.5, case when i % 4 = 0 then 'xxORIGINALxx' else 'plain' end from generate_series(1, 20) i;
  insert into stock (s_w_id, s_i_id, s_quantity, s_dist) select w, i, 10 + i, 'dist ' || w || '-' || i from generate_series(1, 2) w, generate_series(1, 20) i;
end $$;
create function new_order(w int, d int, c int, items int[], supplies int[], quantities int[], out order_id int, out total numeric, out status text) language plpgsql as $$
declare
  w_tax numeric;
  d_tax numeric;
  discount numeric;
  prices numeric(5,2)[];
  amounts numeric(6,2)[];
  dists char(24)[];
  price numeric;
  dist char(24);
  quantity_left int;
  all_local int := 1;
begin
  select warehouse.w_tax, c_discount into strict w_tax, discount
    from warehouse, customer where w_id = w and c_w_id = w and c_d_id = d and c_id = c;
  update district set d_next_o_id = d_next_o_id + 1 where d_w_id = w and d_id = d returning d_next_o_id - 1, district.d_tax into order_id, d_tax;
  for i in 1 .. array_length(items, 1) loop
    if supplies[i] <> w then
      all_local := 0;
    end if;
  end loop;
  insert into orders values (w, d, order_id, c, array_length(items, 1), all_local);
  insert into new_orders values (w, d, order_id);
  total := 0;
  for i in 1 .. array_length(items, 1) loop
    select i_price into price from item where i_id = items[i];
    if not found then
      raise exception 'item % is not there', items[i] using errcode = 'no_data_found';
    end if;
    update stock
       set s_quantity = case when s_quantity - quantities[i] >= 10 then s_quantity - quantities[i] else s_quantity - quantities[i] + 91 end,
           s_ytd = s_ytd + quantities[i],
           s_order_cnt = s_order_cnt + 1,
           s_remote_cnt = s_remote_cnt + case when supplies[i] = w then 0 else 1 end
     where s_w_id = supplies[i] and s_i_id = items[i]
    returning s_quantity, s_dist into quantity_left, dist;
    dists[i] := dist;
    prices[i] := price;
    amounts[i] := quantities[i] * price;
    total := total + amounts[i];
  end loop;
  insert into order_lines (ol_w_id, ol_d_id, ol_o_id, ol_number, ol_i_id, ol_supply_w_id, ol_quantity, ol_amount, ol_dist_info)
    select w, d, order_id, l.n, l.item, l.supply, l.quantity, l.amount, l.dist
      from unnest(items, supplies, quantities, amounts, dists) with ordinality as l (item, supply, quantity, amount, dist, n);
  total := round(total * (1 - discount) * (1 + w_tax + d_tax), 2);
  status := 'ok';
exception
  when serialization_failure or deadlock_detected or no_data_found then
    order_id := null;
    total := null;
    status := sqlstate || ': ' || sqlerrm;
end $$;
select * from new_order(1, 1, 1, '{1,2,3}', '{1,1,1}', '{5,6,7}');
select * from new_order(1, 1, 2, '{4,5}', '{1,2}', '{10,10}');
select * from new_order(1, 1, 3, '{1,999}', '{1,1}', '{1,1}');
select * from new_order(1, 1, 99, '{1}', '{1}', '{1}');
select * from new_order(2, 3, 5, '{20,20}', '{1,1}', '{10,20}');
select d_w_id, d_id, d_next_o_id from district order by 1, 2;
select * from orders order by 1, 2, 3;
select * from order_lines order by 1, 2, 3, 4;
select s_w_id, s_i_id, s_quantity, s_ytd, s_order_cnt, s_remote_cnt from stock where s_order_cnt > 0 order by 1, 2;
create procedure payment(w int, d int, inout c int, last_name text, amount numeric, inout balance numeric default null, inout credit text default null) language plpgsql as $$
declare
  names cursor for select c_id from customer where c_w_id = w and c_d_id = d and c_last = last_name order by c_id;
  n int;
begin
  update warehouse set w_ytd = w_ytd + amount where w_id = w;
  update district set d_ytd = d_ytd + amount where d_w_id = w and d_id = d;
  if last_name is not null then
    select count(*) into n from customer where c_w_id = w and c_d_id = d and c_last = last_name;
    open names;
    for i in 1 .. (n + 1) / 2 loop
      fetch names into c;
    end loop;
    close names;
  end if;
  update customer
     set c_balance = c_balance - amount, c_payment_cnt = c_payment_cnt + 1,
         c_data = case when c_credit = 'BC' then substr(concat_ws(' ', c_id, c_d_id, c_w_id, amount, c_data), 1, 40) else c_data end
   where c_w_id = w and c_d_id = d and c_id = c
  returning c_balance, c_credit into balance, credit;
  if not found then
    rollback;
    raise notice 'customer % was not there', coalesce(c::text, last_name);
    return;
  end if;
  commit;
end $$;
call payment(1, 1, 2, null, 100);
call payment(1, 1, null, 'BAR', 50.5);
call payment(1, 1, 2, null, 1);
call payment(1, 1, 77, null, 1);
call payment(1, 1, null, 'NOSUCH', 1);
select c_id, c_balance, c_payment_cnt, c_data from customer where c_payment_cnt > 0 order by 1;
select w_id, w_ytd from warehouse order by 1;
create function delivery(w int, carrier int) returns int language plpgsql as $$
declare
  n int := 0;
  o int;
  c int;
  amount numeric;
begin
  for d in 1 .. 3 loop
    delete from new_orders where (no_w_id, no_d_id, no_o_id) = (select no_w_id, no_d_id, no_o_id from new_orders where no_w_id = w and no_d_id = d order by no_o_id limit 1) returning no_o_id into o;
    continue when not found;
    update orders set o_carrier_id = carrier where o_w_id = w and o_d_id = d and o_id = o returning o_c_id into c;
    update order_lines set ol_delivered = true where ol_w_id = w and ol_d_id = d and ol_o_id = o;
    select sum(ol_amount) into amount from order_lines where ol_w_id = w and ol_d_id = d and ol_o_id = o;
    update customer set c_balance = c_balance + amount where c_w_id = w and c_d_id = d and c_id = c;
    n := n + 1;
  end loop;
  return n;
end $$;
select delivery(1, 7), delivery(1, 8), delivery(1, 9);
select delivery(2, 5);
select * from new_orders order by 1, 2, 3;
select c_w_id, c_d_id, c_id, c_balance from customer where c_balance <> 0 order by 1, 2, 3;
create function stock_level(w int, d int, threshold int) returns bigint language plpgsql stable as $$
declare
  next_id int;
  n bigint;
begin
  select d_next_o_id into next_id from district where d_w_id = w and d_id = d;
  select count(distinct s_i_id) into n from order_lines join stock on s_w_id = w and s_i_id = ol_i_id
    where ol_w_id = w and ol_d_id = d and ol_o_id between next_id - 20 and next_id - 1 and s_quantity < threshold;
  return n;
end $$;
select stock_level(1, 1, 15), stock_level(1, 1, 100), stock_level(2, 2, 100);
create function workdays(first date, last date, holidays date[] default '{}') returns int language plpgsql immutable as $$
declare
  d date := first;
  n int := 0;
begin
  while d <= last loop
    if extract(isodow from d) < 6 and d <> all (holidays) then
      n := n + 1;
    end if;
    d := d + 1;
  end loop;
  return n;
end $$;
select workdays('2024-01-01', '2024-01-31'), workdays('2024-01-01', '2024-12-31', array['2024-01-01', '2024-12-25', '2024-12-26']::date[]), workdays('2024-01-02', '2024-01-01');
create function month_ends(y int) returns setof date language plpgsql immutable as $$
declare
  d date;
begin
  for m in 1 .. 12 loop
    d := make_date(y, m, 1) + interval '1 month' - interval '1 day';
    return next d;
  end loop;
end $$;
select * from month_ends(2024);
create function age_in_words(born date, today date) returns text language plpgsql immutable as $$
declare
  a interval := age(today, born);
  y int := extract(year from a);
  m int := extract(month from a);
  parts text[] := '{}';
begin
  if today < born then
    raise exception 'born after %', today;
  end if;
  if y > 0 then parts := parts || (y || case y when 1 then ' year' else ' years' end); end if;
  if m > 0 then parts := parts || (m || case m when 1 then ' month' else ' months' end); end if;
  return coalesce(nullif(array_to_string(parts, ' and '), ''), 'a newborn');
end $$;
select age_in_words('2000-01-15', '2024-03-01'), age_in_words('2023-02-01', '2024-02-15'), age_in_words('2024-01-01', '2024-01-02');
select age_in_words('2025-01-01', '2024-01-02');
create function schedule(first timestamp, hours int, n int) returns table (slot int, starts timestamp, weekday text) language plpgsql as $$
begin
  starts := first;
  for slot in 1 .. n loop
    null;
  end loop;
  slot := 0;
  loop
    exit when slot >= n;
    slot := slot + 1;
    weekday := trim(to_char(starts, 'Day'));
    return next;
    starts := starts + hours * interval '1 hour';
    if extract(hour from starts) >= 17 then
      starts := date_trunc('day', starts) + interval '1 day 9 hours';
    end if;
  end loop;
end $$;
select * from schedule('2024-02-28 09:00', 3, 7);
