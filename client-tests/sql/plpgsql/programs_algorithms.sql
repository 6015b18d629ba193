-- file: message detail hint context objects notices
-- Programs: numbers, trees, graphs, sorting, games.
create schema al;
set search_path = al, public;
create function quick_sort(a int[]) returns int[] language plpgsql immutable as $$
declare
  pivot int;
  less int[] := '{}';
  equal int[] := '{}';
  more int[] := '{}';
  x int;
begin
  if coalesce(array_length(a, 1), 0) <= 1 then
    return a;
  end if;
  pivot := a[(array_lower(a, 1) + array_upper(a, 1)) / 2];
  foreach x in array a loop
    if x < pivot then less := less || x; elsif x > pivot then more := more || x; else equal := equal || x; end if;
  end loop;
  return quick_sort(less) || equal || quick_sort(more);
end $$;
select quick_sort('{5,3,9,1,1,-4,7}'), quick_sort('{}'), quick_sort('{1}');
create function binary_search(a int[], k int) returns int language plpgsql immutable as $$
declare
  low int := 1;
  high int := coalesce(array_length(a, 1), 0);
  mid int;
begin
  while low <= high loop
    mid := (low + high) / 2;
    if a[mid] = k then return mid; end if;
    if a[mid] < k then low := mid + 1; else high := mid - 1; end if;
  end loop;
  return -low;
end $$;
select binary_search('{1,3,5,7,9}', 7), binary_search('{1,3,5,7,9}', 4), binary_search('{}', 4);
create function power_mod(b bigint, e bigint, m bigint) returns bigint language plpgsql immutable as $$
declare
  r bigint := 1;
begin
  b := b % m;
  while e > 0 loop
    if e & 1 = 1 then r := r * b % m; end if;
    b := b * b % m;
    e := e >> 1;
  end loop;
  return r;
end $$;
select power_mod(2, 10, 1000), power_mod(3, 200, 1000007), power_mod(5, 0, 7);
select power_mod(2, 5, 0);
create function factors(n bigint) returns setof bigint language plpgsql immutable as $$
declare
  d bigint := 2;
begin
  while d * d <= n loop
    while n % d = 0 loop
      return next d;
      n := n / d;
    end loop;
    d := d + case when d = 2 then 1 else 2 end;
  end loop;
  if n > 1 then return next n; end if;
end $$;
select string_agg(f::text, '*') from factors(360) f;
select string_agg(f::text, '*') from factors(9699690) f;
select n, (select array_agg(f) from factors(n) f) from generate_series(1, 10) n order by n;
create function square_root(x numeric, digits int default 10) returns numeric language plpgsql immutable as $$
declare
  guess numeric := x / 2;
  before numeric;
  steps int := 0;
begin
  if x < 0 then
    raise exception 'square root of %', x using errcode = 'invalid_argument_for_power_function';
  end if;
  loop
    before := guess;
    guess := round((guess + x / guess) / 2, digits + 5);
    steps := steps + 1;
    exit when abs(guess - before) < 10.0 ^ (-digits) or steps > 100;
  end loop;
  return round(guess, digits);
end $$;
select square_root(2), square_root(2, 20), square_root(144);
select square_root(-1);
create function pi_digits(n int) returns text language plpgsql immutable as $$
declare
  len int := 10 * n / 3 + 1;
  a int[] := array_fill(2, array[10 * n / 3 + 1]);
  nines int := 0;
  predigit int := 0;
  q int;
  x int;
  r text := '';
begin
  for j in 1 .. n loop
    q := 0;
    for i in reverse len .. 1 loop
      x := 10 * a[i] + q * i;
      a[i] := x % (2 * i - 1);
      q := x / (2 * i - 1);
    end loop;
    a[1] := q % 10;
    q := q / 10;
    if q = 9 then
      nines := nines + 1;
    elsif q = 10 then
      r := r || predigit + 1 || repeat('0', nines);
      predigit := 0;
      nines := 0;
    else
      r := r || predigit || repeat('9', nines);
      predigit := q;
      nines := 0;
    end if;
  end loop;
  return substr(r, 2);
end $$;
select pi_digits(20);
create function mandelbrot(w int, h int, depth int) returns setof text language plpgsql immutable as $$
declare
  line text;
  cx float8; cy float8; x float8; y float8; t float8;
  n int;
begin
  for j in 0 .. h - 1 loop
    line := '';
    for i in 0 .. w - 1 loop
      cx := -2.0 + 3.0 * i / w;
      cy := -1.0 + 2.0 * j / h;
      x := 0; y := 0; n := 0;
      while n < depth and x * x + y * y < 4.0 loop
        t := x * x - y * y + cx;
        y := 2 * x * y + cy;
        x := t;
        n := n + 1;
      end loop;
      line := line || case when n = depth then '*' when n > 3 then '.' else ' ' end;
    end loop;
    return next line;
  end loop;
end $$;
select * from mandelbrot(40, 12, 30) with ordinality order by ordinality;
create function life(board text[]) returns text[] language plpgsql immutable as $$
declare
  h int := array_length(board, 1);
  w int := length(board[1]);
  next_board text[];
  n int;
  line text;
begin
  for r in 1 .. h loop
    line := '';
    for c in 1 .. w loop
      n := 0;
      for dr in -1 .. 1 loop
        for dc in -1 .. 1 loop
          continue when dr = 0 and dc = 0;
          if r + dr between 1 and h and c + dc between 1 and w and substr(board[r + dr], c + dc, 1) = '#' then
            n := n + 1;
          end if;
        end loop;
      end loop;
      line := line || case when n = 3 or (n = 2 and substr(board[r], c, 1) = '#') then '#' else '.' end;
    end loop;
    next_board[r] := line;
  end loop;
  return next_board;
end $$;
select life(array['.....', '..#..', '..#..', '..#..', '.....']);
select life(life(array['.....', '..#..', '..#..', '..#..', '.....']));
create function queens(n int, placed int[] default '{}') returns int language plpgsql immutable as $$
declare
  k int := coalesce(array_length(placed, 1), 0);
  total int := 0;
  safe boolean;
begin
  if k = n then return 1; end if;
  for c in 1 .. n loop
    safe := true;
    for i in 1 .. k loop
      if placed[i] = c or abs(placed[i] - c) = k + 1 - i then
        safe := false;
        exit;
      end if;
    end loop;
    if safe then total := total + queens(n, placed || c); end if;
  end loop;
  return total;
end $$;
select queens(4), queens(6);
create function permutations(a text[], n int default null) returns setof text language plpgsql immutable as $$
declare
  h text;
begin
  n := coalesce(n, array_length(a, 1));
  if n <= 1 then
    return next array_to_string(a, '');
    return;
  end if;
  for i in 1 .. n loop
    return query select permutations(a, n - 1);
    if n % 2 = 0 then
      h := a[i]; a[i] := a[n]; a[n] := h;
    else
      h := a[1]; a[1] := a[n]; a[n] := h;
    end if;
  end loop;
end $$;
select p from permutations('{a,b,c}') p order by p;
select count(*), count(distinct p) from permutations('{a,b,c,d,e}') p;
create table nodes (id int primary key, parent int references nodes, name text, weight int);
insert into nodes values (1, null, 'root', 1), (2, 1, 'a', 2), (3, 1, 'b', 3), (4, 2, 'aa', 4), (5, 2, 'ab', 5), (6, 5, 'aba', 6), (7, 3, 'ba', 7);
create function subtree(k int, depth int default 0) returns table (id int, path text, level int) language plpgsql stable as $$
declare
  c record;
begin
  for c in select n.id, n.name from nodes n where n.id = k loop
    id := c.id; path := c.name; level := depth;
    return next;
  end loop;
  for c in select n.id, n.name from nodes n where n.parent = k order by n.name loop
    return query select s.id, (select n.name from nodes n where n.id = k) || '/' || s.path, s.level from subtree(c.id, depth + 1) s;
  end loop;
end $$;
select * from subtree(1);
select * from subtree(2);
select * from subtree(99);
create function total_weight(k int) returns int language plpgsql stable as $$
declare
  total int;
  c int;
begin
  select weight into total from nodes where id = k;
  for c in select id from nodes where parent = k loop
    total := total + total_weight(c);
  end loop;
  return total;
end $$;
select id, total_weight(id) from nodes order by id;
create function path_of(k int) returns text language plpgsql stable as $$
declare
  r text := '';
  n nodes;
  steps int := 0;
begin
  loop
    select * into n from nodes where id = k;
    exit when not found;
    r := '/' || n.name || r;
    k := n.parent;
    steps := steps + 1;
    if steps > 10 then
      raise exception 'a circle at %', n.id;
    end if;
  end loop;
  return r;
end $$;
select path_of(6), path_of(1), path_of(99);
begin;
update nodes set parent = 6 where id = 2;
select path_of(6);
rollback;
create function tree_json(k int) returns jsonb language plpgsql stable as $$
declare
  r jsonb;
  children jsonb := '[]';
  c int;
begin
  select jsonb_build_object('name', name) into r from nodes where id = k;
  for c in select id from nodes where parent = k order by id loop
    children := children || tree_json(c);
  end loop;
  if children <> '[]' then
    r := jsonb_set(r, '{children}', children);
  end if;
  return r;
end $$;
select tree_json(1);
create table edges (a text, b text, cost int);
insert into edges values ('A', 'B', 7), ('A', 'C', 3), ('C', 'B', 1), ('B', 'D', 2), ('C', 'D', 8), ('D', 'E', 2), ('X', 'Y', 1);
create function shortest(source text) returns table (node text, distance int, via text) language plpgsql as $$
#variable_conflict use_column
declare
  here record;
  e record;
begin
  create temp table frontier (node text primary key, distance int, via text, done boolean default false) on commit drop;
  insert into frontier values (source, 0, source);
  loop
    select * into here from frontier where not done order by distance, node limit 1;
    exit when not found;
    update frontier set done = true where node = here.node;
    for e in select b, cost from edges where a = here.node loop
      insert into frontier values (e.b, here.distance + e.cost, here.via || e.b)
        on conflict (node) do update set distance = excluded.distance, via = excluded.via where frontier.distance > excluded.distance;
    end loop;
  end loop;
  return query select f.node, f.distance, f.via from frontier f order by f.distance;
end $$;
select * from shortest('A');
select * from shortest('X');
select * from shortest('nowhere');
create function reachable(source text) returns text[] language plpgsql stable as $$
declare
  seen text[] := array[source];
  todo text[] := array[source];
  here text;
  n text;
begin
  while cardinality(todo) > 0 loop
    here := todo[1];
    todo := todo[2:];
    for n in select b from edges where a = here order by b loop
      continue when n = any (seen);
      seen := seen || n;
      todo := todo || n;
    end loop;
  end loop;
  return seen;
end $$;
select reachable('A'), reachable('D'), reachable('Z');
create function knapsack(weights int[], worth int[], capacity int) returns int language plpgsql immutable as $$
declare
  best int[] := array_fill(0, array[capacity + 1], array[0]);
begin
  for i in 1 .. array_length(weights, 1) loop
    for w in reverse capacity .. weights[i] loop
      best[w] := greatest(best[w], best[w - weights[i]] + worth[i]);
    end loop;
  end loop;
  return best[capacity];
end $$;
select knapsack('{1,3,4,5}', '{1,4,5,7}', 7), knapsack('{2,2}', '{3,4}', 1);
create function determinant(m numeric[]) returns numeric language plpgsql immutable as $$
declare
  n int := array_length(m, 1);
  d numeric := 1;
  f numeric;
  h numeric;
  p int;
begin
  for i in 1 .. n loop
    p := i;
    while p <= n and m[p][i] = 0 loop p := p + 1; end loop;
    if p > n then return 0; end if;
    if p <> i then
      for j in 1 .. n loop
        h := m[i][j]; m[i][j] := m[p][j]; m[p][j] := h;
      end loop;
      d := -d;
    end if;
    d := d * m[i][i];
    for k in i + 1 .. n loop
      f := m[k][i] / m[i][i];
      for j in i .. n loop
        m[k][j] := m[k][j] - f * m[i][j];
      end loop;
    end loop;
  end loop;
  return round(d, 6);
end $$;
select determinant('{{1,2},{3,4}}'), determinant('{{2,0,1},{1,3,2},{1,1,4}}'), determinant('{{0,1},{1,0}}'), determinant('{{1,2},{2,4}}');
create function random_numbers(seed bigint, n int) returns setof int language plpgsql immutable as $$
declare
  s bigint := seed;
begin
  for i in 1 .. n loop
    s := (s * 1103515245 + 12345) % 2147483648;
    return next (s / 65536) % 1000;
  end loop;
end $$;
select array_agg(r) from random_numbers(42, 8) r;
select count(distinct r), min(r), max(r), sum(r) from random_numbers(7, 5000) r;
create function histogram(seed bigint, n int, buckets int) returns table (bucket int, rows int, bar text) language plpgsql as $$
declare
  counts int[] := array_fill(0, array[buckets]);
  x int;
begin
  for x in select * from random_numbers(seed, n) loop
    counts[x * buckets / 1000 + 1] := counts[x * buckets / 1000 + 1] + 1;
  end loop;
  for bucket in 1 .. buckets loop
    null;
  end loop;
  for i in 1 .. buckets loop
    bucket := i; rows := counts[i]; bar := repeat('*', counts[i] / 4);
    return next;
  end loop;
end $$;
select * from histogram(1, 200, 5);
create function statistics_of(a float8[], out mean float8, out deviation float8, out median float8) language plpgsql immutable as $$
declare
  n int := cardinality(a);
  s float8 := 0;
  x float8;
  sorted float8[];
begin
  if n = 0 then return; end if;
  foreach x in array a loop s := s + x; end loop;
  mean := s / n;
  s := 0;
  foreach x in array a loop s := s + (x - mean) ^ 2; end loop;
  deviation := sqrt(s / n);
  sorted := array(select u from unnest(a) u order by u);
  median := case when n % 2 = 1 then sorted[n / 2 + 1] else (sorted[n / 2] + sorted[n / 2 + 1]) / 2 end;
end $$;
select * from statistics_of('{2,4,4,4,5,5,7,9}');
select * from statistics_of('{}');
create function change_for(amount int, coins int[] default '{200,100,50,20,10,5,2,1}') returns jsonb language plpgsql immutable as $$
declare
  r jsonb := '{}';
  c int;
begin
  foreach c in array coins loop
    if amount >= c then
      r := r || jsonb_build_object(c::text, amount / c);
      amount := amount % c;
    end if;
  end loop;
  if amount > 0 then
    raise exception '% is left', amount;
  end if;
  return r;
end $$;
select change_for(388), change_for(0);
select change_for(7, '{5,4}');
create function spiral(n int) returns int[] language plpgsql immutable as $$
declare
  m int[] := array_fill(0, array[n, n]);
  top int := 1; bottom int := n; left_ int := 1; right_ int := n;
  k int := 1;
begin
  while top <= bottom and left_ <= right_ loop
    for c in left_ .. right_ loop m[top][c] := k; k := k + 1; end loop;
    top := top + 1;
    for r in top .. bottom loop m[r][right_] := k; k := k + 1; end loop;
    right_ := right_ - 1;
    for c in reverse right_ .. left_ loop m[bottom][c] := k; k := k + 1; end loop;
    bottom := bottom - 1;
    for r in reverse bottom .. top loop m[r][left_] := k; k := k + 1; end loop;
    left_ := left_ + 1;
  end loop;
  return m;
end $$;
select spiral(4), spiral(1);
