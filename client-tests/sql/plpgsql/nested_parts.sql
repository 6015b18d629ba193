-- file: message detail hint context notices
-- Fields and elements that lie deeper, as targets of assignments.
create type nested_pair as (g integer, h text);
create type nested_whole as (f integer, n nested_pair, arr integer[], cs nested_pair[]);
create table nested_rows (id int, c nested_whole, d nested_whole[]);
do $$ declare v nested_whole; begin v.n.g := 5; v.arr[2] := 6; v.cs[1].h := 'x'; v.cs[2].g := 3; v.f := 1; raise notice '%', v; end $$;
do $$ declare v nested_rows; begin v.c.n.g := 5; v.c.arr[2] := 6; v.d[1].cs[1].h := 'x'; raise notice '%', v; end $$;
do $$ declare v nested_whole[]; i int := 2; begin v[1].n.g := 5; v[i].arr[2] := 6; v[i].f := 7; raise notice '%', v; end $$;
do $$ <<b>> declare v nested_whole; begin b.v.n.g := 1; b.v.cs[1].g := 2; raise notice '%', b.v; end $$;
do $$ declare r record; begin select null::nested_whole as x, 1 as y into r; r.x.n.g := 5; r.x.arr[1] := '3'; r.x.n.h := 7; raise notice '%', r; end $$;
drop table nested_rows;
drop type nested_whole;
drop type nested_pair;
