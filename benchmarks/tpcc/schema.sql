-- The TPC-C tables (specification 5.11, clause 1.3). Keys come once the rows are there: keys.sql.
create table warehouse (
  w_id integer not null,
  w_name varchar(10) not null,
  w_street_1 varchar(20) not null,
  w_street_2 varchar(20) not null,
  w_city varchar(20) not null,
  w_state char(2) not null,
  w_zip char(9) not null,
  w_tax numeric(4,4) not null,
  w_ytd numeric(12,2) not null
);
create table district (
  d_id integer not null,
  d_w_id integer not null,
  d_name varchar(10) not null,
  d_street_1 varchar(20) not null,
  d_street_2 varchar(20) not null,
  d_city varchar(20) not null,
  d_state char(2) not null,
  d_zip char(9) not null,
  d_tax numeric(4,4) not null,
  d_ytd numeric(12,2) not null,
  d_next_o_id integer not null
);
create table customer (
  c_id integer not null,
  c_d_id integer not null,
  c_w_id integer not null,
  c_first varchar(16) not null,
  c_middle char(2) not null,
  c_last varchar(16) not null,
  c_street_1 varchar(20) not null,
  c_street_2 varchar(20) not null,
  c_city varchar(20) not null,
  c_state char(2) not null,
  c_zip char(9) not null,
  c_phone char(16) not null,
  c_since timestamp not null,
  c_credit char(2) not null,
  c_credit_lim numeric(12,2) not null,
  c_discount numeric(4,4) not null,
  c_balance numeric(12,2) not null,
  c_ytd_payment numeric(12,2) not null,
  c_payment_cnt integer not null,
  c_delivery_cnt integer not null,
  c_data varchar(500) not null
);
create table history (
  h_c_id integer not null,
  h_c_d_id integer not null,
  h_c_w_id integer not null,
  h_d_id integer not null,
  h_w_id integer not null,
  h_date timestamp not null,
  h_amount numeric(6,2) not null,
  h_data varchar(24) not null
);
create table new_order (
  no_o_id integer not null,
  no_d_id integer not null,
  no_w_id integer not null
);
create table orders (
  o_id integer not null,
  o_d_id integer not null,
  o_w_id integer not null,
  o_c_id integer not null,
  o_entry_d timestamp not null,
  o_carrier_id integer,
  o_ol_cnt integer not null,
  o_all_local integer not null
);
create table order_line (
  ol_o_id integer not null,
  ol_d_id integer not null,
  ol_w_id integer not null,
  ol_number integer not null,
  ol_i_id integer not null,
  ol_supply_w_id integer not null,
  ol_delivery_d timestamp,
  ol_quantity integer not null,
  ol_amount numeric(6,2) not null,
  ol_dist_info char(24) not null
);
create table item (
  i_id integer not null,
  i_im_id integer not null,
  i_name varchar(24) not null,
  i_price numeric(5,2) not null,
  i_data varchar(50) not null
);
create table stock (
  s_i_id integer not null,
  s_w_id integer not null,
  s_quantity integer not null,
  s_dist_01 char(24) not null,
  s_dist_02 char(24) not null,
  s_dist_03 char(24) not null,
  s_dist_04 char(24) not null,
  s_dist_05 char(24) not null,
  s_dist_06 char(24) not null,
  s_dist_07 char(24) not null,
  s_dist_08 char(24) not null,
  s_dist_09 char(24) not null,
  s_dist_10 char(24) not null,
  s_ytd integer not null,
  s_order_cnt integer not null,
  s_remote_cnt integer not null,
  s_data varchar(50) not null
);
