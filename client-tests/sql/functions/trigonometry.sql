-- file: position message
-- Mathematics of double precision beyond the elementary.
create table angles (x double precision);
insert into angles values (0), (30), (45), (60), (90), (120), (135), (150), (180), (210), (225), (240), (270), (300), (315), (330), (360), (-30), (-90), (-180), (-270), (400), (-750), (0.5), (1), (-1), (-0.5), (0.25), (null), ('NaN'), (1e10), (37.5);
select pi(), degrees(0.5), radians(180), degrees(pi()), radians(45.0), cbrt(27), cbrt(-8), cbrt(0), ||/ 64, ||/ -27.0, |/ 25, @ -5.5, cbrt('infinity'), cbrt('NaN');
-- float
select x, sin(x), cos(x), tan(x), atan(x), sinh(x / 100), cosh(x / 100), tanh(x), asinh(x), degrees(x), radians(x), cbrt(x) from angles order by x;
-- float
select x, cot(x), 1 / tan(x) from angles where x <> 0 order by x;
select x, sind(x), cosd(x), tand(x), cotd(x), atand(x) from angles order by x;
select x, asind(x), acosd(x), atan2d(x, 0.5) from angles where x between -1 and 1 order by x;
-- float
select x, asin(x), acos(x), atan2(x, 0.5), atanh(x) from angles where x between -1 and 1 order by x;
-- float
select acosh(1), acosh(10), asinh(-0.0), atanh(1), atanh(-1), sinh(1000), cosh(-1000), tanh(1e300), sinh(-1000), atan('infinity'), atan2(0, -1), atan2(-0.0, -1), atan2('NaN', 1), atan2('infinity', '-infinity');
select cot(0), cotd(0), cotd(180), tand(90), tand(270), tand(-90), tand(450), tand(180), cotd(90), cotd(-90);
select sind('NaN'), cosd('NaN'), tand('NaN'), cotd('NaN'), asind('NaN'), acosd('NaN'), atand('NaN'), sin('NaN'), asin('NaN'), acosh('NaN'), atanh('NaN'), cot('NaN'), degrees('infinity');
select atand('infinity'), atand('-infinity'), atan2d(1, 1), atan2d(-1, -1), atan2d(0, 0), asind(1), asind(-0.5), acosd(-1), acosd(0.5), acosd(-0.5), atand(-1);
select sin('infinity');
select cos('-infinity');
select tan('infinity');
select cot('infinity');
select sind('infinity');
select cosd('infinity');
select tand('-infinity');
select cotd('infinity');
select asin(1.5);
select acos(-1.5);
select asind(2);
select acosd(-2);
select acosh(0.5);
select atanh(1.1);
select degrees(1e308);
select radians(1e-323);
select sin('a');
select sin();
select atan2(1);
select pi(1);
select sin(null), atan2(null, 1), cbrt(null);
select sin(1::numeric), pg_typeof(cbrt(8::numeric))::text, pg_typeof(pi())::text, cosd(60::smallint);
