-- The consistency conditions 1 to 12 of TPC-C (specification 5.11, clause 3.3.2): each query returns what breaks its condition, so no rows.
-- 1: a warehouse's total is that of its districts
select w_id, w_ytd, districts from warehouse join (select d_w_id, sum(d_ytd) as districts from district group by d_w_id) d on w_id = d_w_id
where w_ytd <> districts;
-- 2: the next order's number follows those of the orders, and of the new ones where there are any
select d_w_id, d_id, d_next_o_id, last_order, last_new
from district
  left join (select o_w_id, o_d_id, max(o_id) as last_order from orders group by o_w_id, o_d_id) o on o_w_id = d_w_id and o_d_id = d_id
  left join (select no_w_id, no_d_id, max(no_o_id) as last_new from new_order group by no_w_id, no_d_id) n on no_w_id = d_w_id and no_d_id = d_id
where last_order is distinct from d_next_o_id - 1 or last_new <> d_next_o_id - 1;
-- 3: the new orders of a district have numbers without gaps
select no_w_id, no_d_id from new_order group by no_w_id, no_d_id having max(no_o_id) - min(no_o_id) + 1 <> count(*);
-- 4: a district has as many order lines as its orders say
select o_w_id, o_d_id, said, there
from (select o_w_id, o_d_id, sum(o_ol_cnt) as said from orders group by o_w_id, o_d_id) o
  full join (select ol_w_id, ol_d_id, count(*) as there from order_line group by ol_w_id, ol_d_id) l on ol_w_id = o_w_id and ol_d_id = o_d_id
where said is distinct from there;
-- 5: orders without a carrier are the new ones
select o_w_id, o_d_id, o_id, no_o_id, o_carrier_id
from orders full join new_order on no_w_id = o_w_id and no_d_id = o_d_id and no_o_id = o_id
where o_id is null or (o_carrier_id is null) <> (no_o_id is not null);
-- 6: an order has as many lines as it says
select o_w_id, o_d_id, o_id, o_ol_cnt, there
from orders
  full join (select ol_w_id, ol_d_id, ol_o_id, count(*) as there from order_line group by ol_w_id, ol_d_id, ol_o_id) l
    on ol_w_id = o_w_id and ol_d_id = o_d_id and ol_o_id = o_id
where o_ol_cnt is distinct from there;
-- 7: the lines of orders without a carrier have no delivery date, all others have one
select ol_w_id, ol_d_id, ol_o_id, ol_number, o_carrier_id, ol_delivery_d
from order_line left join orders on o_w_id = ol_w_id and o_d_id = ol_d_id and o_id = ol_o_id
where (ol_delivery_d is null) <> (o_carrier_id is null);
-- 8: a warehouse's total is that of its history
select w_id, w_ytd, paid from warehouse left join (select h_w_id, sum(h_amount) as paid from history group by h_w_id) h on h_w_id = w_id
where w_ytd is distinct from paid;
-- 9: a district's total is that of its history
select d_w_id, d_id, d_ytd, paid
from district left join (select h_w_id, h_d_id, sum(h_amount) as paid from history group by h_w_id, h_d_id) h on h_w_id = d_w_id and h_d_id = d_id
where d_ytd is distinct from paid;
-- 10: a customer's balance is what was delivered without what was paid
select c_w_id, c_d_id, c_id, c_balance, delivered, paid
from customer
  left join (select o_w_id, o_d_id, o_c_id, sum(ol_amount) as delivered
             from orders join order_line on ol_w_id = o_w_id and ol_d_id = o_d_id and ol_o_id = o_id
             where ol_delivery_d is not null group by o_w_id, o_d_id, o_c_id) o on o_w_id = c_w_id and o_d_id = c_d_id and o_c_id = c_id
  left join (select h_c_w_id, h_c_d_id, h_c_id, sum(h_amount) as paid from history group by h_c_w_id, h_c_d_id, h_c_id) h
    on h_c_w_id = c_w_id and h_c_d_id = c_d_id and h_c_id = c_id
where c_balance <> coalesce(delivered, 0) - coalesce(paid, 0);
-- 11: all but 2,100 orders of a district are new; beside these, those that have been delivered since
select d_w_id, d_id, orders, news, deliveries
from district
  left join (select o_w_id, o_d_id, count(*) as orders from orders group by o_w_id, o_d_id) o on o_w_id = d_w_id and o_d_id = d_id
  left join (select no_w_id, no_d_id, count(*) as news from new_order group by no_w_id, no_d_id) n on no_w_id = d_w_id and no_d_id = d_id
  left join (select c_w_id, c_d_id, sum(c_delivery_cnt) as deliveries from customer group by c_w_id, c_d_id) c on c_w_id = d_w_id and c_d_id = d_id
where orders - coalesce(news, 0) is distinct from 2100 + deliveries;
-- 12: what a customer has paid and has yet to pay is what was delivered
select c_w_id, c_d_id, c_id, c_balance, c_ytd_payment, delivered
from customer
  left join (select o_w_id, o_d_id, o_c_id, sum(ol_amount) as delivered
             from orders join order_line on ol_w_id = o_w_id and ol_d_id = o_d_id and ol_o_id = o_id
             where ol_delivery_d is not null group by o_w_id, o_d_id, o_c_id) o on o_w_id = c_w_id and o_d_id = c_d_id and o_c_id = c_id
where c_balance + c_ytd_payment <> coalesce(delivered, 0);
