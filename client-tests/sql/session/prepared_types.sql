-- Parameters of types that users made, and of types with modifiers, which mean nothing.
create type mood as enum ('x', 'y');
prepare pq(mood) as select $1;
execute pq('x');
execute pq('z');
prepare pr(mood[]) as select $1::text[];
execute pr('{x,y}');
prepare pn(numeric(5,2)[], varchar(2)) as select $1, $2;
execute pn('{1.234}', 'abc');
begin; create type mood2 as enum ('x'); prepare q(mood2) as select $1; execute q('x'); rollback;
create type pair as (a int, b text);
prepare pc(pair) as select $1, ($1).b;
execute pc('(1,z)');
deallocate all;
drop type mood, pair;
