-- Functions of numbers. Integers without a form of their own go to double precision, as PostgreSQL resolves it.
select abs(-5), abs(-5::smallint), abs(-5::bigint), abs(-5.5), abs(-5.5::real), abs(-5.5::float8), @ -5;
select round(2.5), round(3.5), round(-2.5), round(2.5::float8), round(3.5::float8), round(7), round(1234.567, 2), round(1234.567, -2), round(0.005, 2);
select trunc(2.9), trunc(-2.9), trunc(1234.567, 1), trunc(2.9::float8), trunc(7);
select ceil(2.1), ceil(-2.1), ceiling(2.1::float8), ceil(7), floor(2.9), floor(-2.1), floor(2.9::float8), floor(7);
select sign(-2.5), sign(0), sign(7::float8), mod(7, 3), mod(7::bigint, 3), mod(7.5, 2), mod(-7, 3), mod(7::smallint, 3::smallint);
select mod(1, 0);
select round(null::numeric), abs(null::integer), mod(null, 3), round(1.5, null);
-- float
select sqrt(2), sqrt(2.25::float8), power(2, 10), power(2::float8, 0.5), exp(0), ln(1), log(100), 2 ^ 10;
select sqrt(2.0), sqrt(16.00), power(2.0, 3), power(2.0, 0.5), power(1.5, -2), exp(1.0), ln(2.0), log(100.0), log(2.0, 8.0), 10.0 ^ 3, 2.0 ^ -1;
select sqrt(-1.0);
select ln(0.0);
select ln(-1.0);
select power(0.0, -1);
select greatest(1, 2, 3), least(1, 2, 3), greatest(1, 2.5), least(null, 1), greatest(null, null), greatest('a', 'b'), least(date '2020-01-01', date '2019-01-01');
select scale(round(2.5, 2147483647)), scale(trunc(2.5, 20000)), scale(round(2.5, 1500)), round(12345.6, -2147483648), trunc(12345.6, -3);
