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
-- Values of types that users make.
create type prepared_mood as enum ('low', 'high');
create type prepared_other as enum ('low', 'high');
create type prepared_pair as (a integer, b prepared_mood);
prepare moods (prepared_mood, prepared_pair, prepared_mood[], prepared_pair[]) as select $1::text, $2::text, $3::text, $4::text;
execute moods ('low'::prepared_mood, row(1, 'high')::prepared_pair, array['low']::prepared_mood[], array[row(1, 'high')::prepared_pair, null]);
execute moods ('low', row(1, 'high'), '{low,high}', '{"(2,low)"}');
execute moods ('low'::prepared_other, null, null, null);
execute moods (null, null, array['low']::prepared_other[], null);
execute moods (null, 'low'::prepared_mood, null, null);
deallocate moods;
drop type prepared_pair;
drop type prepared_mood;
drop type prepared_other;
