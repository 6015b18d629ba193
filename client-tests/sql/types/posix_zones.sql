-- file: message detail hint position
-- Zones in POSIX's form, with rules for daylight saving time.
set timezone = 'CST7CDT,M4.1.0,M10.5.0';
show timezone;
select '2020-04-05 01:59:59'::timestamptz, '2020-04-05 02:00:00'::timestamptz, '2020-04-05 02:30:00'::timestamptz, '2020-04-05 03:00:00'::timestamptz;
select '2020-10-25 00:59:59'::timestamptz, '2020-10-25 01:00:00'::timestamptz, '2020-10-25 01:30:00'::timestamptz, '2020-10-25 02:00:00'::timestamptz;
select '2020-10-25 01:30:00 cdt'::timestamptz, '2020-10-25 01:30:00 cst'::timestamptz;
select '1905-07-01'::timestamptz, '1750-07-01'::timestamptz, '1200-12-01'::timestamptz, '2005-04-03 02:00'::timestamptz, '2400-07-01'::timestamptz, '2600-01-01'::timestamptz, '20000-08-01'::timestamptz, '4000-07-01 BC'::timestamptz;
select to_char('2020-07-01'::timestamptz, 'TZ OF'), to_char('2020-01-01'::timestamptz, 'TZ OF');
select d::timestamptz from generate_series(timestamp '1769-12-30', '1770-12-30', '2 months') as g (d);
select d::timestamptz from generate_series(timestamp '2369-12-30', '2372-12-30', '3 months') as g (d);
-- Without a rule it is that of the United States.
set timezone = 'ABC5XYZ';
select '2020-03-08 01:59'::timestamptz, '2020-03-08 03:00'::timestamptz, '2020-11-01 00:59'::timestamptz, '2020-11-01 02:00'::timestamptz, '1980-03-20'::timestamptz;
set timezone = 'ABC5XYZ3:30';
select '2020-07-01'::timestamptz, '2020-01-01'::timestamptz;
set timezone = '<+03>-3';
select '2020-07-01'::timestamptz;
set timezone = '<-0330>3:30<-0200>2,M3.2.0/-1:30,M11.1.0/26';
show timezone;
select '2020-07-01'::timestamptz, '2020-01-01'::timestamptz, '2020-03-07 22:29'::timestamptz, '2020-03-07 23:59'::timestamptz;
-- South of the equator, and other days.
set timezone = 'AAA-10BBB,M10.1.0,M4.1.0/3';
select '2020-07-01'::timestamptz, '2020-01-01'::timestamptz, '2020-10-04 01:59'::timestamptz, '2020-10-04 03:00'::timestamptz;
set timezone = 'AAA-1BBB,J60/0,J300';
select '2020-02-29'::timestamptz, '2020-03-01'::timestamptz, '2019-02-28'::timestamptz, '2019-03-01'::timestamptz, '2020-10-28'::timestamptz;
set timezone = 'AAA-1BBB;59,300';
select '2020-02-28'::timestamptz, '2020-02-29'::timestamptz, '2020-03-01'::timestamptz, '2019-03-02'::timestamptz;
-- All the year.
set timezone = 'EST5EDT,0/0,J365/25';
select '2020-01-01'::timestamptz, '2020-07-01'::timestamptz, to_char('2020-01-01'::timestamptz, 'TZ');
-- What is none.
set timezone = 'CST7CDT,M4.1.0';
set timezone = 'CST7CDT,M4.1.0,';
set timezone = 'CST7CDT,M13.1.0,M10.5.0';
set timezone = 'CST7CDT,M4.6.0,M10.5.0';
set timezone = 'CST7CDT,M4.1.7,M10.5.0';
set timezone = 'CST7CDT,J0,J10';
set timezone = 'CST7CDT,366,10';
set timezone = 'CST7CDT,M4.1.0,M10.5.0,M11.1.0';
set timezone = 'CST7CDT,M4.1.0/200,M10.5.0';
set timezone = 'CST7,M4.1.0,M10.5.0';
set timezone = 'CST,M4.1.0,M10.5.0';
set timezone = 'CST7<CDT,M4.1.0,M10.5.0';
reset timezone;
-- Beside the setting.
select timestamptz '2020-07-01 12:00+00' at time zone 'cst7cdt,m4.1.0,m10.5.0', timestamp '2020-07-01 12:00' at time zone 'CST7CDT,M4.1.0,M10.5.0';
select make_timestamptz(2020, 7, 1, 12, 0, 0, 'CST7CDT,M4.1.0,M10.5.0'), date_trunc('day', timestamptz '2020-07-01 03:00+00', 'CST7CDT,M4.1.0,M10.5.0');
select timestamptz '2020-07-01 12:00+00' at time zone 'Nowhere7There,X';
select time with time zone '12:00+00' at time zone 'ABC5XYZ' is not null;
-- What has seconds at the begin of 2000 looks as if it counted leap seconds.
set timezone = 'XXX+4:30:10';
set timezone = '<+03:30>-3:30:30';
set timezone = 'XXX4:30:10YYY4:30,M10.1.0,M3.1.0';
show timezone;
set timezone = 'XXX4:30:10YYY4:30,M3.1.0,M10.1.0';
set timezone = 'UTC0:0:0';
show timezone;
set time zone 'XXX4:30:10';
select set_config('timezone', 'XXX4:30:10', false);
alter role postgres set timezone = 'XXX4:30:10';
set timezone = 'right/UTC';
set timezone = 'right/Nowhere';
set timezone = 4.501;
show timezone;
select timestamp '2020-01-01 00:00' at time zone 'XXX4:30:10';
-- A colon says that it is a file's.
set timezone = ':europe/berlin';
show timezone;
set timezone = ':XXX4';
set timezone = '::UTC';
set timezone = ':';
reset timezone;
