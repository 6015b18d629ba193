-- Sums, averages and quotients of decimals: every digit must be PostgreSQL's.
create table decimals (g integer, a numeric(15,2), b numeric(15,2), c numeric(30,10), d numeric, i integer, l bigint);
insert into decimals values (1, 0.01, 0.07, 0.0000000001, 1.1, 3, 1), (1, 1234.56, 0.1, 12345678901234567890.1234567891, 22.02, 7, 9223372036854775807), (1, 999999999.99, 99999.99, 0.5, 0.000000000000000000001, -2, 2), (2, 33.33, 3, 7, 100000000000000000000000000000000000000000, 1, 0), (2, -0.05, 13, 11, -5.5, 2, 5), (3, null, 1, null, null, null, null), (4, 0, 7, 0, 0, 0, 0), (5, 100, 3, 1, 1, 1, 1);
select g, sum(a), avg(a), sum(a * b), avg(a * b), sum(a) / sum(b), sum(a * (1 - b)) from decimals group by g order by g;
select g, sum(c), avg(c), sum(d), avg(d), avg(i), avg(l), sum(l), sum(c * b) from decimals group by g order by g;
select a / b, a / 7, b / 3, c / b, d / b, i / b, l / b, a * b * b, a + c, a - d, a * 1.000 from decimals order by g, a, b;
select 100.00 * sum(case when g = 1 then a * (1 - b) else 0 end) / sum(a * (1 - b)) from decimals;
select sum(case when g = 2 then a else 0 end) / sum(a), sum(a) / count(*), avg(a) * 2, avg(a) / 3, round(avg(a), 2), avg(a)::numeric(10,1) from decimals;
select sum(a) * sum(b) * sum(c), sum(a) / sum(c), avg(a) - avg(b), avg(a + b) from decimals;
select sum(a) from decimals where g = 3;
select avg(a), avg(d) from decimals where g = 4;
select 1.0 / 3, 2.00 / 3, 10 / 3.0, 1e-5 / 3, 123456789.0 / 987654321, 1 / 7::numeric, 22::numeric / 7, 1000000000000000000000 / 3.0, 3 / 1000000000000000000000.0, 0.000000001 / 9999999, 9999999 / 0.000000001;
select 1.5 * 1.50, 0.10 * 0.10, 100 * 0.010, 1.00 + 1, 1.00 - 1, 1.10 - 0.1, 5.00 % 3, 2.50::numeric(5,1);
select avg(x) from (values (1), (2), (2)) as v (x);
select avg(x), sum(x) from (values (1.0), (2.00), (2.000)) as v (x);
select avg(x), sum(x) from (values (0.1), (0.2), (0.3000000)) as v (x);
select avg(x) from (values (10000000000), (10000000001)) as v (x);
select avg(x), sum(x) from (values (1::float8), (2), (4)) as v (x);
