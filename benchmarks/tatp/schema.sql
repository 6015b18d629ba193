-- The TATP tables (description 1.0, section 2.1). Keys come once the rows are there: keys.sql.
create table subscriber (
  s_id integer not null,
  sub_nbr varchar(15) not null,
  bit_1 smallint, bit_2 smallint, bit_3 smallint, bit_4 smallint, bit_5 smallint,
  bit_6 smallint, bit_7 smallint, bit_8 smallint, bit_9 smallint, bit_10 smallint,
  hex_1 smallint, hex_2 smallint, hex_3 smallint, hex_4 smallint, hex_5 smallint,
  hex_6 smallint, hex_7 smallint, hex_8 smallint, hex_9 smallint, hex_10 smallint,
  byte2_1 smallint, byte2_2 smallint, byte2_3 smallint, byte2_4 smallint, byte2_5 smallint,
  byte2_6 smallint, byte2_7 smallint, byte2_8 smallint, byte2_9 smallint, byte2_10 smallint,
  msc_location integer,
  vlr_location integer
);
create table access_info (
  s_id integer not null,
  ai_type smallint not null,
  data1 smallint,
  data2 smallint,
  data3 char(3),
  data4 char(5)
);
create table special_facility (
  s_id integer not null,
  sf_type smallint not null,
  is_active smallint not null,
  error_cntrl smallint,
  data_a smallint,
  data_b char(5)
);
create table call_forwarding (
  s_id integer not null,
  sf_type smallint not null,
  start_time smallint not null,
  end_time smallint,
  numberx varchar(15)
);
