-- file: message detail
-- Literals of dates, times and intervals in views mean what they meant to the session that made the view.
set datestyle = 'sql, dmy';
set timezone = 'Asia/Tokyo';
set intervalstyle = 'sql_standard';
create type literal_row as (d date, note text);
create view literal_dates as select date '01/02/2024' as a, '02/02/2024'::date as b, '{03/02/2024}'::date[] as c, '01/02/2024 10:00'::timestamptz as d, '-1 2:00'::interval as e, '(05/02/2024,"it''s \\ ""so""")'::literal_row as f;
create view literal_tests as select day from (values (date '2024-02-03'), ('04/02/2024'), (date '06/02/2024')) as days (day)
  where day > '02/02/2024' and day between '01/02/2024' and '05/02/2024' and day <> all ('{04/02/2024}') and day in ('03/02/2024', '04/02/2024');
create view literal_unions as select '01/02/2024' as day union all select date '02/02/2024' union all select case when true then '03/02/2024' else current_date end;
create view literal_tables as with days as (select date '01/02/2024' as day) select a.day, b.day + '1 day'::interval as next, coalesce(a.day, '07/02/2024') as known from days a, days b;
create view literal_above as select a, '09/02/2024'::date as own from literal_dates where a < '10/02/2024';
create materialized view literal_kept as select date '01/02/2024' as day;
create view literal_moments as select 'today'::date = current_date as is_today, 'yesterday'::date < 'today' as is_before;
select * from literal_dates;
reset datestyle;
reset timezone;
reset intervalstyle;
select * from literal_dates;
select * from literal_tests;
select * from literal_unions;
select * from literal_tables;
select * from literal_above;
refresh materialized view literal_kept;
select * from literal_kept;
select * from literal_moments;
create or replace view literal_above as select a, date '09/02/2024' as own from literal_dates;
select * from literal_above;
drop materialized view literal_kept;
drop view literal_above, literal_tables, literal_unions, literal_tests, literal_dates, literal_moments;
drop type literal_row;
