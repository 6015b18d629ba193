-- file: message detail hint context objects notices
-- Programs: string processing.
create schema tx;
set search_path = tx, public;
create function reversed(t text) returns text language plpgsql immutable strict as $$
declare
  r text := '';
begin
  for i in reverse length(t) .. 1 loop
    r := r || substr(t, i, 1);
  end loop;
  return r;
end $$;
select reversed('abc'), reversed(''), reversed('äöü€'), reversed(null), reversed('x') = reverse('x');
create function is_palindrome(t text) returns boolean language plpgsql immutable as $$
declare
  s text := regexp_replace(lower(t), '[^a-z]', '', 'g');
  n int := length(s);
begin
  for i in 1 .. n / 2 loop
    if substr(s, i, 1) <> substr(s, n - i + 1, 1) then
      return false;
    end if;
  end loop;
  return true;
end $$;
select is_palindrome('A man, a plan, a canal: Panama'), is_palindrome('abca'), is_palindrome('');
create function split(t text, separator text) returns setof text language plpgsql immutable as $$
declare
  at int;
  rest text := t;
begin
  if separator = '' then
    raise exception 'separator is empty' using errcode = 'invalid_parameter_value';
  end if;
  loop
    at := position(separator in rest);
    if at = 0 then
      return next rest;
      return;
    end if;
    return next left(rest, at - 1);
    rest := substr(rest, at + length(separator));
  end loop;
end $$;
select * from split('a,b,,c', ',');
select * from split('no separator', ', ');
select count(*) from split('', ',');
select * from split('abc', '');
select * from split('a--b--', '--') with ordinality;
create function csv_line(line text) returns text[] language plpgsql immutable as $$
declare
  fields text[] := '{}';
  field text := '';
  c text;
  quoted boolean := false;
  i int := 1;
begin
  while i <= length(line) loop
    c := substr(line, i, 1);
    if quoted then
      if c = '"' then
        if substr(line, i + 1, 1) = '"' then
          field := field || '"';
          i := i + 1;
        else
          quoted := false;
        end if;
      else
        field := field || c;
      end if;
    elsif c = '"' then
      if field <> '' then
        raise exception 'quote within a field at %', i using detail = line, errcode = '22P04';
      end if;
      quoted := true;
    elsif c = ',' then
      fields := fields || field;
      field := '';
    else
      field := field || c;
    end if;
    i := i + 1;
  end loop;
  if quoted then
    raise exception 'quote is not closed' using detail = line, errcode = '22P04';
  end if;
  return fields || field;
end $$;
select csv_line('a,b,c'), csv_line('"a,b","c ""d""",,'), csv_line(''), csv_line('"",x');
select csv_line('a"b');
select csv_line('"open');
create table people (id int, name text, born date);
create function import(csv text, strict boolean default false) returns text language plpgsql as $$
declare
  line text;
  f text[];
  n int := 0;
  bad int := 0;
  number int := 0;
begin
  foreach line in array string_to_array(csv, E'\n') loop
    number := number + 1;
    continue when trim(line) = '' or line like '#%';
    begin
      f := csv_line(line);
      if cardinality(f) <> 3 then
        raise exception '% fields instead of 3', cardinality(f) using errcode = '22P04';
      end if;
      insert into people values (f[1]::int, nullif(f[2], ''), f[3]::date);
      n := n + 1;
    exception
      when data_exception then
        if strict then
          raise exception 'line %: %', number, sqlerrm using errcode = sqlstate;
        end if;
        raise notice 'line %: % %', number, sqlstate, sqlerrm;
        bad := bad + 1;
    end;
  end loop;
  return format('%s rows, %s refused', n, bad);
end $$;
select import(E'# people\n1,Ada,1815-12-10\n2,"Bob, the builder",1999-01-01\nx,y,z\n\n3,,2000-02-30\n4,Di\n5,"",2000-02-29\n"6,x,y');
select * from people order by id;
select import(E'7,G,2000-01-01\n8,H,never', true);
select count(*) from people;
create function roman(n int) returns text language plpgsql immutable strict as $$
declare
  values_ constant int[] := '{1000,900,500,400,100,90,50,40,10,9,5,4,1}';
  letters constant text[] := '{M,CM,D,CD,C,XC,L,XL,X,IX,V,IV,I}';
  r text := '';
begin
  if n not between 1 and 3999 then
    raise exception '% cannot be written', n using errcode = 'numeric_value_out_of_range';
  end if;
  for i in 1 .. array_length(values_, 1) loop
    while n >= values_[i] loop
      r := r || letters[i];
      n := n - values_[i];
    end loop;
  end loop;
  return r;
end $$;
select roman(1), roman(4), roman(1994), roman(3999), roman(null);
select roman(0);
create function from_roman(t text) returns int language plpgsql immutable as $$
declare
  total int := 0;
  here int;
  previous int := 0;
begin
  for i in reverse length(t) .. 1 loop
    case upper(substr(t, i, 1))
      when 'I' then here := 1;
      when 'V' then here := 5;
      when 'X' then here := 10;
      when 'L' then here := 50;
      when 'C' then here := 100;
      when 'D' then here := 500;
      when 'M' then here := 1000;
    end case;
    if here < previous then total := total - here; else total := total + here; previous := here; end if;
  end loop;
  return total;
end $$;
select from_roman('MCMXCIV'), from_roman('xiv'), from_roman('');
select from_roman('XZ');
select count(*) from generate_series(1, 300) g where from_roman(roman(g)) <> g;
create function words(n bigint) returns text language plpgsql immutable as $$
declare
  small constant text[] := string_to_array('one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen', ' ');
  tens constant text[] := string_to_array('ten twenty thirty forty fifty sixty seventy eighty ninety', ' ');
begin
  if n < 0 then return 'minus ' || words(-n);
  elsif n = 0 then return 'zero';
  elsif n < 20 then return small[n];
  elsif n < 100 then return tens[n / 10] || case when n % 10 = 0 then '' else '-' || small[n % 10] end;
  elsif n < 1000 then return small[n / 100] || ' hundred' || case when n % 100 = 0 then '' else ' and ' || words(n % 100) end;
  elsif n < 1000000 then return words(n / 1000) || ' thousand' || case when n % 1000 = 0 then '' else ' ' || words(n % 1000) end;
  else return words(n / 1000000) || ' million' || case when n % 1000000 = 0 then '' else ' ' || words(n % 1000000) end;
  end if;
end $$;
select words(0), words(13), words(42), words(100), words(999), words(-5), words(1234567);
create function caesar(t text, k int) returns text language plpgsql immutable as $$
declare
  r text := '';
  c int;
begin
  for i in 1 .. length(t) loop
    c := ascii(substr(t, i, 1));
    if c between 65 and 90 then
      c := 65 + ((c - 65 + k) % 26 + 26) % 26;
    elsif c between 97 and 122 then
      c := 97 + ((c - 97 + k) % 26 + 26) % 26;
    end if;
    r := r || chr(c);
  end loop;
  return r;
end $$;
select caesar('Hello, World!', 3), caesar(caesar('Hello, World!', 3), -3), caesar('xyz', 29);
create function levenshtein(a text, b text) returns int language plpgsql immutable strict as $$
declare
  previous int[];
  here int[];
  cost int;
begin
  for j in 0 .. length(b) loop
    previous[j] := j;
  end loop;
  for i in 1 .. length(a) loop
    here[0] := i;
    for j in 1 .. length(b) loop
      cost := case when substr(a, i, 1) = substr(b, j, 1) then 0 else 1 end;
      here[j] := least(previous[j] + 1, here[j - 1] + 1, previous[j - 1] + cost);
    end loop;
    previous := here;
  end loop;
  return previous[length(b)];
end $$;
select levenshtein('kitten', 'sitting'), levenshtein('', 'abc'), levenshtein('abc', ''), levenshtein('same', 'same');
create function run_length(t text) returns text language plpgsql immutable as $$
declare
  r text := '';
  i int := 1;
  n int;
begin
  while i <= length(t) loop
    n := 1;
    while i + n <= length(t) and substr(t, i + n, 1) = substr(t, i, 1) loop
      n := n + 1;
    end loop;
    r := r || case when n > 1 then n::text else '' end || substr(t, i, 1);
    i := i + n;
  end loop;
  return r;
end $$;
select run_length('aaabccdddd'), run_length(''), run_length('abc');
create function word_counts(t text) returns table (word text, n int) language plpgsql as $$
#variable_conflict use_column
declare
  w text;
begin
  create temp table counted (word text primary key, n int) on commit drop;
  for w in select m[1] from regexp_matches(lower(t), '[a-z]+', 'g') m loop
    insert into counted values (w, 1) on conflict (word) do update set n = counted.n + 1;
  end loop;
  return query select word, n from counted order by n desc, word;
end $$;
select * from word_counts('The cat and the dog and the bird');
select * from word_counts('a b a');
create function template(t text, vals jsonb) returns text language plpgsql immutable as $$
declare
  m text;
  v text;
  r text := t;
begin
  for m in select distinct x[1] from regexp_matches(t, '\{(\w+)\}', 'g') x order by 1 loop
    v := vals ->> m;
    if v is null then
      raise exception 'no value for "%"', m using hint = 'known: ' || coalesce((select string_agg(k, ', ' order by k) from jsonb_object_keys(vals) k), 'none');
    end if;
    r := replace(r, '{' || m || '}', v);
  end loop;
  return r;
end $$;
select template('Dear {name}, {n} times {n}', '{"name": "Ada", "n": 3}');
select template('{x}{y}', '{"x": 1, "b": 2}');
create function to_base(n bigint, base int) returns text language plpgsql immutable as $$
declare
  digits constant text := '0123456789abcdefghijklmnopqrstuvwxyz';
  r text := '';
  m bigint := abs(n);
begin
  assert base between 2 and 36, 'base out of range';
  loop
    r := substr(digits, (m % base)::int + 1, 1) || r;
    m := m / base;
    exit when m = 0;
  end loop;
  return case when n < 0 then '-' else '' end || r;
end $$;
select to_base(255, 16), to_base(255, 2), to_base(0, 7), to_base(-35, 36), to_base(9223372036854775807, 36);
select to_base(1, 1);
create function parse_key_values(t text, out keys text[], out vals text[]) language plpgsql immutable as $$
declare
  part text;
  at int;
begin
  foreach part in array coalesce(string_to_array(t, ';'), '{}') loop
    at := strpos(part, '=');
    continue when at = 0;
    keys := keys || trim(left(part, at - 1));
    vals := vals || trim(substr(part, at + 1));
  end loop;
end $$;
select * from parse_key_values('a = 1; b=2;junk;c=x=y');
select * from parse_key_values(null);
create function expression(t text) returns numeric language plpgsql immutable as $$
declare
  tokens text[];
  output numeric[] := '{}';
  operators text[] := '{}';
  token text;
  a numeric;
  b numeric;
  n int;
begin
  select array_agg(m[1]) into tokens from regexp_matches(t, '(\d+(?:\.\d+)?|[-+*/()])', 'g') m;
  tokens := tokens || ')'::text;
  operators := array['('];
  foreach token in array tokens loop
    if token ~ '^\d' then
      output := output || token::numeric;
    elsif token = '(' then
      operators := operators || token;
    else
      loop
        n := array_length(operators, 1);
        if n is null then
          raise exception 'parentheses do not match in %', t using errcode = 'syntax_error';
        end if;
        exit when operators[n] = '(' or (token in ('*', '/') and operators[n] in ('+', '-'));
        b := output[array_length(output, 1)];
        a := output[array_length(output, 1) - 1];
        output := output[:array_length(output, 1) - 2];
        case operators[n]
          when '+' then output := output || a + b;
          when '-' then output := output || a - b;
          when '*' then output := output || a * b;
          when '/' then output := output || a / b;
        end case;
        operators := operators[:n - 1];
      end loop;
      if token = ')' then
        operators := operators[:n - 1];
      else
        operators := operators || token;
      end if;
    end if;
  end loop;
  return output[1];
end $$;
select expression('1 + 2 * 3'), expression('(1 + 2) * 3'), expression('10 - 4 - 3'), expression('2 * (3 + 4) * 5 - 1.5');
select expression('1 / 0');
select expression('(1))');
