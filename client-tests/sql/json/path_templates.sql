-- file: position message hint
-- The method datetime() of paths with a template.
create table stamped (s text, template text);
insert into stamped values ('1987-06-21', 'YYYY-MM-DD'), ('21.06.1987', 'DD.MM.YYYY'), ('21.06.87', 'DD.MM.YY'), ('19870621', 'YYYYMMDD'), ('1987/6', 'YYYY/FMMM'), ('21 Jun 1987', 'DD Mon YYYY'), ('June 21, 1987', 'FMMonth DD, YYYY'), ('1987-172', 'YYYY-DDD'), ('1987-25-7', 'IYYY-IW-ID'), ('2446968', 'J'), ('0021-06-01 bc', 'YYYY-MM-DD bc'), ('21st 6 1987', 'DDth FMMM YYYY'),
  ('18:05', 'HH24:MI'), ('06:05 pm', 'HH12:MI am'), ('18:05:09.4567', 'HH24:MI:SS.FF1'), ('18:05:09.45', 'HH24:MI:SS.FF2'), ('18:05:09.456', 'HH24:MI:SS.MS'), ('18:05:09.456789', 'HH24:MI:SS.US'), ('65109', 'SSSSS'), ('18:05 +7', 'HH24:MI TZH'), ('18:05 -07:30', 'HH24:MI TZH:TZM'), ('18:05-0730', 'HH24:MITZHTZM'),
  ('1987-06-21 18:05', 'YYYY-MM-DD HH24:MI'), ('1987-06-21T18:05:09', 'YYYY-MM-DD"T"HH24:MI:SS'), ('1987-06-21 um 18', 'YYYY-MM-DD" um "HH24'), ('1987-06-21é18', 'YYYY-MM-DD"é"HH24'), ('1987-12-31 23:59:59.97', 'YYYY-MM-DD HH24:MI:SS.FF1'), ('1987-12-31 23:59:59.999 -02', 'YYYY-MM-DD HH24:MI:SS.FF3 TZH'), ('1987-06-21 18:05 +05:45', 'YYYY-MM-DD HH24:MI TZH:TZM'),
  ('1987-06-21 ', 'YYYY-MM-DD'), (' 1987-06-21', 'YYYY-MM-DD'), ('1987 -06-21', 'YYYY-MM-DD'), ('1987-06-21 18', 'YYYY-MM-DD'), ('1987-06', 'YYYY-MM-DD'), ('1987/06/21', 'YYYY-MM-DD'), ('1987-06-21x18', 'YYYY-MM-DD"T"HH24'), ('1987-13-21', 'YYYY-MM-DD'), ('1987-02-29', 'YYYY-MM-DD'), ('nineteen', 'YYYY'), ('24:05', 'HH24:MI'), ('18:05', 'HH12:MI'), ('21 Juni 1987', 'DD Mon YYYY'), ('18:05 +16', 'HH24:MI TZH'), ('18:05', 'HH24:MI TZH'), ('', 'YYYY'), ('400000-06-21', 'YYYY-MM-DD'), ('400000-06-21 18', 'YYYY-MM-DD HH24'), ('6000000-06-21', 'YYYY-MM-DD'), ('1987 +07', 'YYYY TZH'), ('+07', 'TZH'), ('1987', ''), ('18 CET', 'HH24 TZ'), ('1987-25', 'YYYY-IW');
select s, template, jsonb_path_query_array(to_jsonb(s), format('$.datetime(%s)', to_jsonb(template))::jsonpath, '{}', true), jsonb_path_query_array(to_jsonb(s), format('$.datetime(%s).type()', to_jsonb(template))::jsonpath, '{}', true) from stamped order by template, s;
select s from stamped where to_jsonb(s) @? '$.datetime("YYYY-MM-DD")' order by s;
select s from stamped where jsonb_path_exists_tz(to_jsonb(s), '$.datetime("HH24:MI") ? (@ < "20:00:00+01".datetime())', '{}', true) order by s;
drop table stamped;
select jsonb_path_query('"1987-06-21 18"', '$.datetime("YYYY-MM-DD")');
select jsonb_path_query('"1987-06"', '$.datetime("YYYY-MM-DD")');
select jsonb_path_query('"1987/06/21"', '$.datetime("YYYY-MM-DD")');
select jsonb_path_query('"1987 06 21"', '$.datetime("YYYY-MM-DD")');
select jsonb_path_query('"1987-06-21x18"', '$.datetime("YYYY-MM-DD\"T\"HH24")');
select jsonb_path_query('"1987-06-21ö18"', '$.datetime("YYYY-MM-DD\"é\"HH24")');
select jsonb_path_query('"1987-06-21T18"', '$.datetime("YYYY-MM-DDTHH24")');
select jsonb_path_query('"1987-06-21é18"', '$.datetime("YYYY-MM-DDéHH24")');
select jsonb_path_query('"1987_06"', '$.datetime("YYYY_MM")', '{}', true);
select jsonb_path_query('"1987-13-21"', '$.datetime("YYYY-MM-DD")');
select jsonb_path_query('"nineteen"', '$.datetime("YYYY")');
select jsonb_path_query('"18:05"', '$.datetime("HH12:MI")');
select jsonb_path_query('"21 Juni 1987"', '$.datetime("DD Mon YYYY")');
select jsonb_path_query('"18:05 +16"', '$.datetime("HH24:MI TZH")');
select jsonb_path_query('"18:05"', '$.datetime("HH24:MI TZH")');
select jsonb_path_query('"400000-06-21 18"', '$.datetime("YYYY-MM-DD HH24")');
select jsonb_path_query('"400000-06-21 18 +01"', '$.datetime("YYYY-MM-DD HH24 TZH")');
select jsonb_path_query('"6000000-06-21"', '$.datetime("YYYY-MM-DD")');
select jsonb_path_query('"1987 +07"', '$.datetime("YYYY TZH")');
select jsonb_path_query('"+07"', '$.datetime("TZH")');
select jsonb_path_query('"1987"', '$.datetime("")');
select jsonb_path_query('"18 CET"', '$.datetime("HH24 TZ")');
select jsonb_path_query('"1987-25"', '$.datetime("YYYY-IW")');
select jsonb_path_query('1987', '$.datetime("YYYY")');
select jsonb_path_query('["1987", "1988"]', '$.datetime("YYYY")');
select jsonb_path_query('["1987"]', 'strict $.datetime("YYYY")');
select jsonb_path_query('"1987"', '$.datetime("YYYY").datetime("YYYY")');
select jsonb_path_query('["19.06.1987", "21.06.1987", "22.06.1987"]', '$[*].datetime("DD.MM.YYYY") ? (@ >= "21.06.1987".datetime("DD.MM.YYYY"))');
select jsonb_path_query('["1987-06-21", "1987-06-21 18:05:00+00"]', '$[*].datetime() ? (@ < "22.06.1987 +02".datetime("DD.MM.YYYY TZH"))');
select jsonb_path_query('["1987-06-21"]', '$[*].datetime() ? (@ < "22.06.1987 10 +02".datetime("DD.MM.YYYY HH24 TZH"))');
set timezone = 'Asia/Tokyo';
select jsonb_path_query_tz('["1987-06-21", "1987-06-22 17:00:00", "1987-06-22 17:00:00+09", "17:00:00"]', '$[*].datetime() ? (@ <= "22.06.1987 10 +02".datetime("DD.MM.YYYY HH24 TZH"))');
select jsonb_path_query_tz('"17:00"', '$.datetime("HH24:MI") == "17:00:00+09".datetime()'), jsonb_path_query_tz('"17:00"', '"10:00:00+02".datetime() < $.datetime("HH24:MI")');
-- Dates and timestamps near the ends of their ranges.
select jsonb_path_query(to_jsonb(v), '$.datetime()', '{}', true) from unnest(array['5874897-12-31', '5874898-01-01', '294276-12-31T23:59:59', '294277-01-01T00:00:00', '294277-01-01T00:00:00+01', '-4714-11-24', '-4714-11-23', '-4714-11-24T00:00:00', '400000-06-21']) v;
select jsonb_path_query('"400000-06-21"', '$.datetime() > "1987-06-21 18:05:00".datetime()'), jsonb_path_query('"400000-06-21"', '"1987-06-21 18:05:00".datetime() >= $.datetime()'), jsonb_path_query('"400000-06-21"', '$.datetime() == "400000-06-21".datetime()');
select jsonb_path_query_tz('"400000-06-21"', '$.datetime() > "1987-06-21 18:05:00+00".datetime()'), jsonb_path_query_tz('"-4714-11-24"', '$.datetime() < "1987-06-21 18:05:00+00".datetime()'), jsonb_path_query_tz('"-4714-11-24T00:00:00"', '"1987-06-21 18:05:00+00".datetime() > $.datetime()');
select jsonb_path_query('"400000-06-21"', '$.datetime() > "1987-06-21 18:05:00+00".datetime()');
reset timezone;
