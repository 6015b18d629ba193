-- file: position message
-- Operators on the bits of integers.
create table bits (a smallint, b integer, c bigint, n integer);
insert into bits values (1, 1, 1, 1), (-1, -1, -1, 31), (0, 0, 0, 0), (12345, 123456789, 1234567890123456789, 5), (-32768, -2147483648, -9223372036854775808, 15), (32767, 2147483647, 9223372036854775807, 33), (null, null, null, 1), (7, 7, 7, null), (255, 255, 255, -1), (3, 3, 3, 63), (3, 3, 3, 64);
select a & 6::smallint, b & 6, c & 6, a | 8::smallint, b | 8, c | 8, a # 5::smallint, b # 5, c # 5, ~a, ~b, ~c from bits;
select a << n, a >> n, b << n, b >> n, c << n, c >> n from bits;
select a & b, b & c, a | c, a # b, a << 2, b << 20, c << 40, a >> 1, c >> 62 from bits;
select 91 & 15, 32 | 3, 17 # 5, ~1, 1 << 4, 8 >> 2, -1 >> 1, 1 << 31, 1 << 32, 1::bigint << 63, 1::smallint << 15, 1::smallint << 16, (-1)::smallint >> 3, 1::bigint << 64, -8 >> 1;
select pg_typeof(1::smallint & 1::smallint)::text, pg_typeof(1::smallint & 1)::text, pg_typeof(1 & 1::bigint)::text, pg_typeof(~1::smallint)::text, pg_typeof(1::smallint << 1)::text, pg_typeof(1::bigint >> 1)::text;
select 1 & null, null | 1, ~null::integer, null << 1, 5 # null;
select 1.5 & 1;
select 1::float8 | 1;
select 'a' & 1;
select '6' & 3;
select ~ 1.5;
select 1 << 2::bigint;
select ~ true;
select true & false;
select b from bits where b & 1 = 1;
select count(*) from bits where (c >> 1) & 1 = 1 and b | 1 > 0;
select b & 3, count(*) from bits group by b & 3 order by 1;
select 1 + 2 << 3, 1 | 2 & 3, 2 # 3 | 4, ~ 5 & 3, - 1 << 2;
