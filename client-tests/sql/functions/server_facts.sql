-- file: position message
-- What clients ask of a server first.
select pg_is_in_recovery();
select pg_catalog.pg_is_in_recovery() as standby, not pg_is_in_recovery() as writable;
select case when pg_is_in_recovery() then 'standby' else 'primary' end;
select pg_is_in_recovery(1);
select pg_is_in_recovery(*);
select pg_is_in_recovery(distinct);
select public.pg_is_in_recovery();
select nowhere.pg_is_in_recovery();
select pg_typeof(pg_is_in_recovery())::text;
select getdatabaseencoding()::text;
select pg_catalog.getdatabaseencoding()::text = 'UTF8', length(getdatabaseencoding()::text);
select getdatabaseencoding('x');
-- The names of encodings by number; none: an empty text.
create table encodings (number integer, small smallint, large bigint);
insert into encodings select i, i, i from (values (-3), (-2), (-1), (0), (1), (2), (3), (4), (5), (6), (7), (8), (9), (10), (11), (12), (13), (14), (15), (16), (17), (18), (19), (20), (21), (22), (23), (24), (25), (26), (27), (28), (29), (30), (31), (32), (33), (34), (35), (36), (37), (38), (39), (40), (41), (42), (43), (44), (100), (null)) v (i);
insert into encodings (number) values (2147483647), (-2147483648), (2147483646);
select number, pg_encoding_to_char(number)::text from encodings order by number;
select small, pg_catalog.pg_encoding_to_char(small)::text from encodings where small between 5 and 9 order by small;
select number from encodings where pg_encoding_to_char(number)::text = 'UTF8';
select count(*), min(pg_encoding_to_char(number)::text), max(pg_encoding_to_char(number)::text) from encodings where pg_encoding_to_char(number)::text <> '';
select length(pg_encoding_to_char(number)::text) as bytes, count(*) from encodings group by 1 order by 1;
select pg_encoding_to_char(large) from encodings;
select pg_encoding_to_char(6)::text, pg_encoding_to_char('6')::text, pg_encoding_to_char(null)::text, pg_encoding_to_char(-1)::text, pg_encoding_to_char(2147483647)::text, pg_encoding_to_char(-2147483648)::text;
select pg_encoding_to_char(6::smallint)::text, pg_encoding_to_char(3 + 3)::text;
select pg_encoding_to_char('six');
select pg_encoding_to_char(6.0);
select pg_encoding_to_char(true);
select pg_encoding_to_char();
select pg_encoding_to_char(6, 7);
create index on encodings ((pg_encoding_to_char(number)));
create index on encodings ((pg_is_in_recovery()));
create table places (server text default getdatabaseencoding(), standby boolean default pg_is_in_recovery(), check (pg_encoding_to_char(6)::text = server::text));
insert into places default values;
insert into places (server) values ('LATIN1');
select * from places;
