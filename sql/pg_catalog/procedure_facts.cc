#include <algorithm>
#include <charconv>

#include "base/assert.h"
#include "sql/pg_catalog/facts.h"

namespace gnomon::sql::pg_catalog {
namespace {

/// Of each: oid, name, kind with volatility, `s` for strict, `r` for sets, the result's type, the arguments' types.
constexpr std::string_view kProcedures =
    "598 abbrev fis- 25 869;599 abbrev fis- 25 650;1394 abs fis- 700 700;1395 abs fis- 701 701;1396 abs fis- 20 20;"
    "1397 abs fis- 23 23;1398 abs fis- 21 21;1705 abs fis- 1700 1700;1031 aclitemin fss- 1033 2275;"
    "1032 aclitemout fss- 2275 1033;1601 acos fis- 701 701;2732 acosd fis- 701 701;2466 acosh fis- 701 701;"
    "1181 age fss- 23 28;1199 age fis- 1186 1184 1184;1386 age fss- 1186 1184;2058 age fis- 1186 1114 1114;"
    "2059 age fss- 1186 1114;2294 any_in fis- 2276 2275;2295 any_out fis- 2275 2276;2296 anyarray_in fis- 2277 2275;"
    "2297 anyarray_out fss- 2275 2277;2502 anyarray_recv fss- 2277 2281;2503 anyarray_send fss- 17 2277;"
    "2312 anyelement_in fis- 2283 2275;2313 anyelement_out fis- 2275 2283;4053 array_agg ai-- 2277 2277;"
    "378 array_append fi-- 5078 5078 5077;383 array_cat fi-- 5078 5078 5078;747 array_dims fis- 25 2277;"
    "1193 array_fill fi-- 2277 2283 1007;1286 array_fill fi-- 2277 2283 1007 1007;750 array_in fss- 2277 2275 26 23;"
    "2176 array_length fis- 23 2277 23;2091 array_lower fis- 23 2277 23;748 array_ndims fis- 23 2277;"
    "751 array_out fss- 2275 2277;3277 array_position fi-- 23 5078 5077;3278 array_position fi-- 23 5078 5077 23;"
    "3279 array_positions fi-- 1007 5078 5077;379 array_prepend fi-- 5078 5077 5078;"
    "2400 array_recv fss- 2277 2281 26 23;3167 array_remove fi-- 5078 5078 5077;"
    "3168 array_replace fi-- 5078 5078 5077 5077;2401 array_send fss- 17 2277;"
    "6179 array_subscript_handler fis- 2281 2281;384 array_to_string fs-- 25 2277 25 25;"
    "395 array_to_string fss- 25 2277 25;3816 array_typanalyze fss- 16 2281;2092 array_upper fis- 23 2277 23;"
    "2749 arraycontained fis- 16 2277 2277;2748 arraycontains fis- 16 2277 2277;2747 arrayoverlap fis- 16 2277 2277;"
    "1620 ascii fis- 23 25;1600 asin fis- 701 701;2731 asind fis- 701 701;2465 asinh fis- 701 701;"
    "1602 atan fis- 701 701;1603 atan2 fis- 701 701 701;2734 atan2d fis- 701 701 701;2733 atand fis- 701 701;"
    "2467 atanh fis- 701 701;2100 avg ai-- 1700 20;2101 avg ai-- 1700 23;2102 avg ai-- 1700 21;"
    "2103 avg ai-- 1700 1700;2104 avg ai-- 701 700;2105 avg ai-- 701 701;2106 avg ai-- 1186 1186;"
    "2236 bit_and ai-- 21 21;2238 bit_and ai-- 23 23;2240 bit_and ai-- 20 20;6162 bit_count fis- 20 1560;"
    "6163 bit_count fis- 20 17;1564 bit_in fis- 1560 2275 26 23;1810 bit_length fis- 23 17;"
    "1811 bit_length fis- 23 25;2237 bit_or ai-- 21 21;2239 bit_or ai-- 23 23;2241 bit_or ai-- 20 20;"
    "1565 bit_out fis- 2275 1560;2456 bit_recv fis- 1560 2281 26 23;2457 bit_send fis- 17 1560;"
    "6164 bit_xor ai-- 21 21;6165 bit_xor ai-- 23 23;6166 bit_xor ai-- 20 20;2919 bittypmodin fis- 23 1263;"
    "2920 bittypmodout fis- 2275 23;2517 bool_and ai-- 16 16;2518 bool_or ai-- 16 16;1242 boolin fis- 16 2275;"
    "1243 boolout fis- 2275 16;2436 boolrecv fis- 16 2281;2437 boolsend fis- 17 16;"
    "1044 bpcharin fis- 1042 2275 26 23;1045 bpcharout fis- 2275 1042;2430 bpcharrecv fss- 1042 2281 26 23;"
    "2431 bpcharsend fss- 17 1042;2913 bpchartypmodin fis- 23 1263;2914 bpchartypmodout fis- 2275 23;"
    "698 broadcast fis- 869 869;884 btrim fis- 25 25 25;885 btrim fis- 25 25;2015 btrim fis- 17 17 17;"
    "2011 byteacat fis- 17 17 17;1244 byteain fis- 17 2275;31 byteaout fis- 2275 17;2412 bytearecv fis- 17 2281;"
    "2413 byteasend fis- 17 17;3179 cardinality fis- 23 2277;1345 cbrt fis- 701 701;1711 ceil fis- 1700 1700;"
    "2308 ceil fis- 701 701;2167 ceiling fis- 1700 1700;2320 ceiling fis- 701 701;1372 char_length fis- 23 1042;"
    "1381 char_length fis- 23 25;1367 character_length fis- 23 1042;1369 character_length fis- 23 25;"
    "1245 charin fis- 18 2275;33 charout fis- 2275 18;2434 charrecv fis- 18 2281;2435 charsend fis- 17 18;"
    "1621 chr fis- 25 23;1267 cidr_in fis- 650 2275;1427 cidr_out fis- 2275 650;2498 cidr_recv fis- 650 2281;"
    "2499 cidr_send fis- 17 650;2649 clock_timestamp fvs- 1184;1216 col_description fss- 25 26 23;"
    "3058 concat fs-- 25 2276;3059 concat_ws fs-- 25 25 2276;1813 convert fss- 17 17 19 19;"
    "1714 convert_from fss- 25 17 19;1717 convert_to fss- 17 25 19;2829 corr ai-- 701 701 701;1605 cos fis- 701 701;"
    "2736 cosd fis- 701 701;2463 cosh fis- 701 701;1607 cot fis- 701 701;2738 cotd fis- 701 701;"
    "2147 count ai-- 20 2276;2803 count ai-- 20;2827 covar_pop ai-- 701 701 701;2828 covar_samp ai-- 701 701 701;"
    "2292 cstring_in fis- 2275 2275;2293 cstring_out fis- 2275 2275;2500 cstring_recv fss- 2275 2281;"
    "2501 cstring_send fss- 17 2275;3104 cume_dist wi-- 701;3990 cume_dist ai-- 701 2276;"
    "861 current_database fss- 19;1402 current_schema fss- 19;1403 current_schemas fss- 1003 16;"
    "2077 current_setting fss- 25 25;3294 current_setting fss- 25 25 16;745 current_user fss- 19;"
    "1575 currval fvs- 20 2205;6177 date_bin fis- 1114 1186 1114 1114;6178 date_bin fis- 1184 1186 1184 1184;"
    "1084 date_in fss- 1082 2275;1085 date_out fss- 2275 1082;1171 date_part fss- 701 25 1184;"
    "1172 date_part fis- 701 25 1186;1273 date_part fis- 701 25 1266;1384 date_part fis- 701 25 1082;"
    "1385 date_part fis- 701 25 1083;2021 date_part fis- 701 25 1114;2468 date_recv fis- 1082 2281;"
    "2469 date_send fis- 17 1082;1217 date_trunc fss- 1184 25 1184;1218 date_trunc fis- 1186 25 1186;"
    "1284 date_trunc fss- 1184 25 1184 25;2020 date_trunc fis- 1114 25 1114;1947 decode fis- 17 25 25;"
    "1608 degrees fis- 701 701;3102 dense_rank wi-- 20;3992 dense_rank ai-- 20 2276;1973 div fis- 1700 1700 1700;"
    "1946 encode fis- 25 17 25;2519 every ai-- 16 16;1347 exp fis- 701 701;1732 exp fis- 1700 1700;"
    "6199 extract fis- 1700 25 1082;6200 extract fis- 1700 25 1083;6201 extract fis- 1700 25 1266;"
    "6202 extract fis- 1700 25 1114;6203 extract fss- 1700 25 1184;6204 extract fis- 1700 25 1186;"
    "1376 factorial fis- 1700 20;711 family fis- 23 869;3112 first_value wis- 2283 2283;200 float4in fis- 700 2275;"
    "201 float4out fis- 2275 700;2424 float4recv fis- 700 2281;2425 float4send fis- 17 700;"
    "214 float8in fis- 701 2275;215 float8out fis- 2275 701;2426 float8recv fis- 701 2281;"
    "2427 float8send fis- 17 701;1712 floor fis- 1700 1700;2309 floor fis- 701 701;3539 format fs-- 25 25 2276;"
    "3540 format fs-- 25 25;1081 format_type fs-- 25 26 23;5044 gcd fis- 23 23 23;5045 gcd fis- 20 20 20;"
    "5048 gcd fis- 1700 1700 1700;3432 gen_random_uuid fvs- 2950;938 generate_series fisr 1114 1114 1114 1186;"
    "939 generate_series fssr 1184 1184 1184 1186;1066 generate_series fisr 23 23 23 23;"
    "1067 generate_series fisr 23 23 23;1068 generate_series fisr 20 20 20 20;1069 generate_series fisr 20 20 20;"
    "3259 generate_series fisr 1700 1700 1700 1700;3260 generate_series fisr 1700 1700 1700;"
    "1191 generate_subscripts fisr 23 2277 23 16;1192 generate_subscripts fisr 23 2277 23;723 get_bit fis- 23 17 20;"
    "3032 get_bit fis- 23 1560 23;721 get_byte fis- 23 17 23;1039 getdatabaseencoding fss- 19;"
    "3024 has_any_column_privilege fss- 16 19 25 25;3025 has_any_column_privilege fss- 16 19 26 25;"
    "3026 has_any_column_privilege fss- 16 26 25 25;3027 has_any_column_privilege fss- 16 26 26 25;"
    "3028 has_any_column_privilege fss- 16 25 25;3029 has_any_column_privilege fss- 16 26 25;"
    "2250 has_database_privilege fss- 16 19 25 25;2251 has_database_privilege fss- 16 19 26 25;"
    "2252 has_database_privilege fss- 16 26 25 25;2253 has_database_privilege fss- 16 26 26 25;"
    "2254 has_database_privilege fss- 16 25 25;2255 has_database_privilege fss- 16 26 25;"
    "2268 has_schema_privilege fss- 16 19 25 25;2269 has_schema_privilege fss- 16 19 26 25;"
    "2270 has_schema_privilege fss- 16 26 25 25;2271 has_schema_privilege fss- 16 26 26 25;"
    "2272 has_schema_privilege fss- 16 25 25;2273 has_schema_privilege fss- 16 26 25;"
    "2181 has_sequence_privilege fss- 16 19 25 25;2182 has_sequence_privilege fss- 16 19 26 25;"
    "2183 has_sequence_privilege fss- 16 26 25 25;2184 has_sequence_privilege fss- 16 26 26 25;"
    "2185 has_sequence_privilege fss- 16 25 25;2186 has_sequence_privilege fss- 16 26 25;"
    "1922 has_table_privilege fss- 16 19 25 25;1923 has_table_privilege fss- 16 19 26 25;"
    "1924 has_table_privilege fss- 16 26 25 25;1925 has_table_privilege fss- 16 26 26 25;"
    "1926 has_table_privilege fss- 16 25 25;1927 has_table_privilege fss- 16 26 25;699 host fis- 25 869;"
    "1362 hostmask fis- 869 869;2196 inet_client_addr fs-- 869;2197 inet_client_port fs-- 23;"
    "910 inet_in fis- 869 2275;4063 inet_merge fis- 650 869 869;911 inet_out fis- 2275 869;"
    "2496 inet_recv fis- 869 2281;4071 inet_same_family fis- 16 869 869;2497 inet_send fis- 17 869;"
    "2198 inet_server_addr fs-- 869;2199 inet_server_port fs-- 23;872 initcap fis- 25 25;38 int2in fis- 21 2275;"
    "39 int2out fis- 2275 21;2404 int2recv fis- 21 2281;2405 int2send fis- 17 21;40 int2vectorin fis- 22 2275;"
    "41 int2vectorout fis- 2275 22;2410 int2vectorrecv fis- 22 2281;2411 int2vectorsend fis- 17 22;"
    "42 int4in fis- 23 2275;43 int4out fis- 2275 23;2406 int4recv fis- 23 2281;2407 int4send fis- 17 23;"
    "460 int8in fis- 20 2275;461 int8out fis- 2275 20;2408 int8recv fis- 20 2281;2409 int8send fis- 17 20;"
    "2304 internal_in fi-- 2281 2275;2305 internal_out fis- 2275 2281;1160 interval_in fss- 1186 2275 26 23;"
    "1161 interval_out fss- 2275 1186;2478 interval_recv fis- 1186 2281 26 23;2479 interval_send fis- 17 1186;"
    "2903 intervaltypmodin fis- 23 1263;2904 intervaltypmodout fis- 2275 23;4351 is_normalized fis- 16 25 25;"
    "1373 isfinite fis- 16 1082;1389 isfinite fis- 16 1184;1390 isfinite fis- 16 1186;2048 isfinite fis- 16 1114;"
    "1295 justify_days fis- 1186 1186;1175 justify_hours fis- 1186 1186;2711 justify_interval fis- 1186 1186;"
    "3106 lag wis- 2283 2283;3107 lag wis- 2283 2283 23;3108 lag wis- 5077 5077 23 5077;"
    "3113 last_value wis- 2283 2283;2559 lastval fvs- 20;5046 lcm fis- 23 23 23;5047 lcm fis- 20 20 20;"
    "5049 lcm fis- 1700 1700 1700;3109 lead wis- 2283 2283;3110 lead wis- 2283 2283 23;"
    "3111 lead wis- 5077 5077 23 5077;3060 left fis- 25 25 23;1317 length fis- 23 25;1318 length fis- 23 1042;"
    "1681 length fis- 23 1560;1713 length fss- 23 17 19;2010 length fis- 23 17;1341 ln fis- 701 701;"
    "1734 ln fis- 1700 1700;1340 log fis- 701 701;1736 log fis- 1700 1700 1700;1741 log fis- 1700 1700;"
    "1194 log10 fis- 701 701;1481 log10 fis- 1700 1700;870 lower fis- 25 25;873 lpad fis- 25 25 23 25;"
    "879 lpad fis- 25 25 23;875 ltrim fis- 25 25 25;881 ltrim fis- 25 25;6195 ltrim fis- 17 17 17;"
    "4110 macaddr8_in fis- 774 2275;4111 macaddr8_out fis- 2275 774;3446 macaddr8_recv fis- 774 2281;"
    "3447 macaddr8_send fis- 17 774;4125 macaddr8_set7bit fis- 774 774;436 macaddr_in fis- 829 2275;"
    "437 macaddr_out fis- 2275 829;2494 macaddr_recv fis- 829 2281;2495 macaddr_send fis- 17 829;"
    "3846 make_date fis- 1082 23 23 23;3464 make_interval fis- 1186 23 23 23 23 23 23 701;"
    "3847 make_time fis- 1083 23 23 701;3461 make_timestamp fis- 1114 23 23 23 23 23 701;"
    "3462 make_timestamptz fss- 1184 23 23 23 23 23 701;3463 make_timestamptz fss- 1184 23 23 23 23 23 701 25;"
    "697 masklen fis- 23 869;2050 max ai-- 2277 2277;2115 max ai-- 20 20;2116 max ai-- 23 23;2117 max ai-- 21 21;"
    "2118 max ai-- 26 26;2119 max ai-- 700 700;2120 max ai-- 701 701;2122 max ai-- 1082 1082;2123 max ai-- 1083 1083;"
    "2124 max ai-- 1266 1266;2126 max ai-- 1114 1114;2127 max ai-- 1184 1184;2128 max ai-- 1186 1186;"
    "2129 max ai-- 25 25;2130 max ai-- 1700 1700;2244 max ai-- 1042 1042;3564 max ai-- 869 869;"
    "4189 max ai-- 3220 3220;2311 md5 fis- 25 25;2321 md5 fis- 25 17;2051 min ai-- 2277 2277;2131 min ai-- 20 20;"
    "2132 min ai-- 23 23;2133 min ai-- 21 21;2134 min ai-- 26 26;2135 min ai-- 700 700;2136 min ai-- 701 701;"
    "2138 min ai-- 1082 1082;2139 min ai-- 1083 1083;2140 min ai-- 1266 1266;2142 min ai-- 1114 1114;"
    "2143 min ai-- 1184 1184;2144 min ai-- 1186 1186;2145 min ai-- 25 25;2146 min ai-- 1700 1700;"
    "2245 min ai-- 1042 1042;3565 min ai-- 869 869;4190 min ai-- 3220 3220;5042 min_scale fis- 23 1700;"
    "940 mod fis- 21 21 21;941 mod fis- 23 23 23;947 mod fis- 20 20 20;1728 mod fis- 1700 1700 1700;"
    "3984 mode ai-- 2283 2283;34 namein fis- 19 2275;35 nameout fis- 2275 19;2422 namerecv fss- 19 2281;"
    "2423 namesend fss- 17 19;696 netmask fis- 869 869;683 network fis- 650 869;1574 nextval fvs- 20 2205;"
    "4350 normalize fis- 25 25 25;1299 now fss- 1184;3114 nth_value wis- 2283 2283 23;3105 ntile wis- 23 23;"
    "440 num_nonnulls fi-- 23 2276;438 num_nulls fi-- 23 2276;1701 numeric_in fis- 1700 2275 26 23;"
    "1702 numeric_out fis- 2275 1700;2460 numeric_recv fis- 1700 2281 26 23;2461 numeric_send fis- 17 1700;"
    "2917 numerictypmodin fis- 23 1263;2918 numerictypmodout fis- 2275 23;1215 obj_description fss- 25 26 19;"
    "1348 obj_description fss- 25 26;720 octet_length fis- 23 17;1374 octet_length fis- 23 25;"
    "1375 octet_length fis- 23 1042;1682 octet_length fis- 23 1560;1798 oidin fis- 26 2275;1799 oidout fis- 2275 26;"
    "2418 oidrecv fis- 26 2281;2419 oidsend fis- 17 26;54 oidvectorin fis- 30 2275;55 oidvectorout fis- 2275 30;"
    "2420 oidvectorrecv fis- 30 2281;2421 oidvectorsend fis- 17 30;1349 oidvectortypes fss- 25 30;"
    "1304 overlaps fi-- 16 1184 1184 1184 1184;1305 overlaps fs-- 16 1184 1186 1184 1186;"
    "1306 overlaps fs-- 16 1184 1184 1184 1186;1307 overlaps fs-- 16 1184 1186 1184 1184;"
    "1308 overlaps fi-- 16 1083 1083 1083 1083;1309 overlaps fi-- 16 1083 1186 1083 1186;"
    "1310 overlaps fi-- 16 1083 1083 1083 1186;1311 overlaps fi-- 16 1083 1186 1083 1083;"
    "2041 overlaps fi-- 16 1114 1114 1114 1114;2042 overlaps fi-- 16 1114 1186 1114 1186;"
    "2043 overlaps fi-- 16 1114 1114 1114 1186;2044 overlaps fi-- 16 1114 1186 1114 1114;"
    "749 overlay fis- 17 17 17 23 23;752 overlay fis- 17 17 17 23;1404 overlay fis- 25 25 25 23 23;"
    "1405 overlay fis- 25 25 25 23;3030 overlay fis- 1560 1560 1560 23 23;3031 overlay fis- 1560 1560 1560 23;"
    "1268 parse_ident fis- 1009 25 16;3103 percent_rank wi-- 701;3988 percent_rank ai-- 701 2276;"
    "3974 percentile_cont ai-- 701 701 701;3976 percentile_cont ai-- 1186 701 1186;"
    "3980 percentile_cont ai-- 1022 1022 701;3982 percentile_cont ai-- 1187 1022 1186;"
    "3972 percentile_disc ai-- 2283 701 2283;3978 percentile_disc ai-- 2277 1022 2283;"
    "2880 pg_advisory_lock fvs- 2278 20;2886 pg_advisory_lock fvs- 2278 23 23;"
    "2881 pg_advisory_lock_shared fvs- 2278 20;2887 pg_advisory_lock_shared fvs- 2278 23 23;"
    "2884 pg_advisory_unlock fvs- 16 20;2890 pg_advisory_unlock fvs- 16 23 23;2892 pg_advisory_unlock_all fvs- 2278;"
    "2885 pg_advisory_unlock_shared fvs- 16 20;2891 pg_advisory_unlock_shared fvs- 16 23 23;"
    "3089 pg_advisory_xact_lock fvs- 2278 20;3093 pg_advisory_xact_lock fvs- 2278 23 23;"
    "3090 pg_advisory_xact_lock_shared fvs- 2278 20;3094 pg_advisory_xact_lock_shared fvs- 2278 23 23;"
    "2026 pg_backend_pid fss- 23;2561 pg_blocking_pids fvs- 1007 23;2171 pg_cancel_backend fvs- 16 23;"
    "1264 pg_char_to_encoding fss- 23 19;810 pg_client_encoding fss- 19;3815 pg_collation_is_visible fss- 16 26;"
    "3843 pg_column_is_updatable fss- 16 2205 21 16;2034 pg_conf_load_time fss- 1184;"
    "2093 pg_conversion_is_visible fss- 16 26;2168 pg_database_size fvs- 20 19;2324 pg_database_size fvs- 20 26;"
    "1597 pg_encoding_to_char fss- 19 23;2081 pg_function_is_visible fss- 16 26;1387 pg_get_constraintdef fss- 25 26;"
    "2508 pg_get_constraintdef fss- 25 26 16;1716 pg_get_expr fss- 25 194 26;2509 pg_get_expr fss- 25 194 26 16;"
    "2162 pg_get_function_arguments fss- 25 26;2232 pg_get_function_identity_arguments fss- 25 26;"
    "2165 pg_get_function_result fss- 25 26;6197 pg_get_function_sqlbody fss- 25 26;1643 pg_get_indexdef fss- 25 26;"
    "2507 pg_get_indexdef fss- 25 26 23 16;3352 pg_get_partkeydef fss- 25 26;1573 pg_get_ruledef fss- 25 26;"
    "2504 pg_get_ruledef fss- 25 26 16;1665 pg_get_serial_sequence fss- 25 25 25;"
    "3415 pg_get_statisticsobjdef fss- 25 26;6174 pg_get_statisticsobjdef_columns fss- 25 26;"
    "1662 pg_get_triggerdef fss- 25 26;2730 pg_get_triggerdef fss- 25 26 16;1642 pg_get_userbyid fss- 19 26;"
    "1640 pg_get_viewdef fss- 25 25;1641 pg_get_viewdef fss- 25 26;2505 pg_get_viewdef fss- 25 25 16;"
    "2506 pg_get_viewdef fss- 25 26 16;3159 pg_get_viewdef fss- 25 26 23;2705 pg_has_role fss- 16 19 19 25;"
    "2706 pg_has_role fss- 16 19 26 25;2707 pg_has_role fss- 16 26 19 25;2708 pg_has_role fss- 16 26 26 25;"
    "2709 pg_has_role fss- 16 19 25;2710 pg_has_role fss- 16 26 25;3810 pg_is_in_recovery fvs- 16;"
    "2855 pg_is_other_temp_schema fss- 16 26;3229 pg_lsn_in fis- 3220 2275;3230 pg_lsn_out fis- 2275 3220;"
    "3238 pg_lsn_recv fis- 3220 2281;3239 pg_lsn_send fis- 17 3220;2854 pg_my_temp_schema fss- 26;"
    "195 pg_node_tree_in fis- 194 2275;196 pg_node_tree_out fis- 2275 194;197 pg_node_tree_recv fss- 194 2281;"
    "198 pg_node_tree_send fss- 17 194;2083 pg_opclass_is_visible fss- 16 26;2082 pg_operator_is_visible fss- 16 26;"
    "3829 pg_opfamily_is_visible fss- 16 26;3425 pg_partition_ancestors fvsr 2205 2205;"
    "3424 pg_partition_root fis- 2205 2205;3408 pg_get_partition_constraintdef fss- 25 26;"
    "3423 pg_partition_tree fvsr 2249 2205;2560 pg_postmaster_start_time fss- 1184;"
    "6121 pg_relation_is_publishable fss- 16 2205;3842 pg_relation_is_updatable fss- 23 2205 16;"
    "2325 pg_relation_size fvs- 20 2205;2332 pg_relation_size fvs- 20 2205 25;"
    "4032 pg_sequence_last_value fvs- 20 2205;3334 pg_size_bytes fis- 20 25;2288 pg_size_pretty fis- 25 20;"
    "3166 pg_size_pretty fis- 25 1700;3403 pg_statistics_obj_is_visible fss- 16 26;"
    "2079 pg_table_is_visible fss- 16 26;2997 pg_table_size fvs- 20 2205;2322 pg_tablespace_size fvs- 20 26;"
    "2323 pg_tablespace_size fvs- 20 19;2096 pg_terminate_backend fvs- 16 23 20;2882 pg_try_advisory_lock fvs- 16 20;"
    "2888 pg_try_advisory_lock fvs- 16 23 23;2883 pg_try_advisory_lock_shared fvs- 16 20;"
    "2889 pg_try_advisory_lock_shared fvs- 16 23 23;3091 pg_try_advisory_xact_lock fvs- 16 20;"
    "3095 pg_try_advisory_xact_lock fvs- 16 23 23;3092 pg_try_advisory_xact_lock_shared fvs- 16 20;"
    "3096 pg_try_advisory_xact_lock_shared fvs- 16 23 23;3758 pg_ts_config_is_visible fss- 16 26;"
    "3757 pg_ts_dict_is_visible fss- 16 26;3756 pg_ts_parser_is_visible fss- 16 26;"
    "3768 pg_ts_template_is_visible fss- 16 26;2080 pg_type_is_visible fss- 16 26;1619 pg_typeof fs-- 2206 2276;"
    "1610 pi fis- 701;849 position fis- 23 25 25;1698 position fis- 23 1560 1560;2014 position fis- 23 17 17;"
    "1346 pow fis- 701 701 701;1738 pow fis- 1700 1700 1700;1368 power fis- 701 701 701;"
    "2169 power fis- 1700 1700 1700;1282 quote_ident fis- 25 25;1283 quote_literal fis- 25 25;"
    "1285 quote_literal fss- 25 2283;1289 quote_nullable fi-- 25 25;1290 quote_nullable fs-- 25 2283;"
    "1609 radians fis- 701 701;1598 random fvs- 701;3101 rank wi-- 20;3986 rank ai-- 20 2276;"
    "6180 raw_array_subscript_handler fis- 2281 2281;2290 record_in fss- 2249 2275 26 23;"
    "2291 record_out fss- 2275 2249;2402 record_recv fss- 2249 2281 26 23;2403 record_send fss- 17 2249;"
    "2218 regclassin fss- 2205 2275;2219 regclassout fss- 2275 2205;2452 regclassrecv fis- 2205 2281;"
    "2453 regclasssend fis- 17 2205;6254 regexp_count fis- 23 25 25;6255 regexp_count fis- 23 25 25 23;"
    "6256 regexp_count fis- 23 25 25 23 25;6257 regexp_instr fis- 23 25 25;6258 regexp_instr fis- 23 25 25 23;"
    "6259 regexp_instr fis- 23 25 25 23 23;6260 regexp_instr fis- 23 25 25 23 23 23;"
    "6261 regexp_instr fis- 23 25 25 23 23 23 25;6262 regexp_instr fis- 23 25 25 23 23 23 25 23;"
    "6263 regexp_like fis- 16 25 25;6264 regexp_like fis- 16 25 25 25;2284 regexp_replace fis- 25 25 25 25;"
    "2285 regexp_replace fis- 25 25 25 25 25;6251 regexp_replace fis- 25 25 25 25 23 23 25;"
    "6252 regexp_replace fis- 25 25 25 25 23 23;6253 regexp_replace fis- 25 25 25 25 23;"
    "2767 regexp_split_to_array fis- 1009 25 25;2768 regexp_split_to_array fis- 1009 25 25 25;"
    "2765 regexp_split_to_table fisr 25 25 25;2766 regexp_split_to_table fisr 25 25 25 25;"
    "6265 regexp_substr fis- 25 25 25;6266 regexp_substr fis- 25 25 25 23;6267 regexp_substr fis- 25 25 25 23 23;"
    "6268 regexp_substr fis- 25 25 25 23 23 25;6269 regexp_substr fis- 25 25 25 23 23 25 23;"
    "4084 regnamespacein fss- 4089 2275;4085 regnamespaceout fss- 2275 4089;4087 regnamespacerecv fis- 4089 2281;"
    "4088 regnamespacesend fis- 17 4089;2212 regprocedurein fss- 2202 2275;2213 regprocedureout fss- 2275 2202;"
    "2446 regprocedurerecv fis- 2202 2281;2447 regproceduresend fis- 17 2202;44 regprocin fss- 24 2275;"
    "45 regprocout fss- 2275 24;2444 regprocrecv fis- 24 2281;2445 regprocsend fis- 17 24;"
    "2822 regr_avgx ai-- 701 701 701;2823 regr_avgy ai-- 701 701 701;2818 regr_count ai-- 20 701 701;"
    "2826 regr_intercept ai-- 701 701 701;2824 regr_r2 ai-- 701 701 701;2825 regr_slope ai-- 701 701 701;"
    "2819 regr_sxx ai-- 701 701 701;2821 regr_sxy ai-- 701 701 701;2820 regr_syy ai-- 701 701 701;"
    "4098 regrolein fss- 4096 2275;4092 regroleout fss- 2275 4096;4094 regrolerecv fis- 4096 2281;"
    "4095 regrolesend fis- 17 4096;2220 regtypein fss- 2206 2275;2221 regtypeout fss- 2275 2206;"
    "2454 regtyperecv fis- 2206 2281;2455 regtypesend fis- 17 2206;1622 repeat fis- 25 25 23;"
    "2087 replace fis- 25 25 25 25;3062 reverse fis- 25 25;3061 right fis- 25 25 23;1342 round fis- 701 701;"
    "1707 round fis- 1700 1700 23;1708 round fis- 1700 1700;3100 row_number wi-- 20;874 rpad fis- 25 25 23 25;"
    "880 rpad fis- 25 25 23;876 rtrim fis- 25 25 25;882 rtrim fis- 25 25;6196 rtrim fis- 17 17 17;"
    "3281 scale fis- 23 1700;746 session_user fss- 19;724 set_bit fis- 17 17 20 23;3033 set_bit fis- 1560 1560 23 23;"
    "722 set_byte fis- 17 17 23 23;2078 set_config fv-- 25 25 25 16;605 set_masklen fis- 869 869 23;"
    "635 set_masklen fis- 650 650 23;1599 setseed fvs- 2278 701;1576 setval fvs- 20 2205 20;"
    "1765 setval fvs- 20 2205 20 16;3419 sha224 fis- 17 17;3420 sha256 fis- 17 17;3421 sha384 fis- 17 17;"
    "3422 sha512 fis- 17 17;1993 shobj_description fss- 25 26 19;1706 sign fis- 1700 1700;2310 sign fis- 701 701;"
    "1986 similar_to_escape fis- 25 25 25;1987 similar_to_escape fis- 25 25;1604 sin fis- 701 701;"
    "2735 sind fis- 701 701;2462 sinh fis- 701 701;2088 split_part fis- 25 25 25 23;1344 sqrt fis- 701 701;"
    "1730 sqrt fis- 1700 1700;3696 starts_with fis- 16 25 25;2648 statement_timestamp fss- 1184;"
    "2154 stddev ai-- 1700 20;2155 stddev ai-- 1700 23;2156 stddev ai-- 1700 21;2157 stddev ai-- 701 700;"
    "2158 stddev ai-- 701 701;2159 stddev ai-- 1700 1700;2724 stddev_pop ai-- 1700 20;2725 stddev_pop ai-- 1700 23;"
    "2726 stddev_pop ai-- 1700 21;2727 stddev_pop ai-- 701 700;2728 stddev_pop ai-- 701 701;"
    "2729 stddev_pop ai-- 1700 1700;2712 stddev_samp ai-- 1700 20;2713 stddev_samp ai-- 1700 23;"
    "2714 stddev_samp ai-- 1700 21;2715 stddev_samp ai-- 701 700;2716 stddev_samp ai-- 701 701;"
    "2717 stddev_samp ai-- 1700 1700;3538 string_agg ai-- 25 25 25;3545 string_agg ai-- 17 17 17;"
    "376 string_to_array fi-- 1009 25 25 25;394 string_to_array fi-- 1009 25 25;6160 string_to_table fi-r 25 25 25;"
    "6161 string_to_table fi-r 25 25 25 25;868 strpos fis- 23 25 25;877 substr fis- 25 25 23 23;"
    "883 substr fis- 25 25 23;2085 substr fis- 17 17 23 23;2086 substr fis- 17 17 23;936 substring fis- 25 25 23 23;"
    "937 substring fis- 25 25 23;1680 substring fis- 1560 1560 23 23;1699 substring fis- 1560 1560 23;"
    "2012 substring fis- 17 17 23 23;2013 substring fis- 17 17 23;2073 substring fis- 25 25 25;"
    "2074 substring fis- 25 25 25 25;2107 sum ai-- 1700 20;2108 sum ai-- 20 23;2109 sum ai-- 20 21;"
    "2110 sum ai-- 700 700;2111 sum ai-- 701 701;2113 sum ai-- 1186 1186;2114 sum ai-- 1700 1700;"
    "1606 tan fis- 701 701;2737 tand fis- 701 701;2464 tanh fis- 701 701;401 text fis- 25 1042;406 text fis- 25 19;"
    "730 text fis- 25 869;946 text fis- 25 18;2971 text fis- 25 16;1258 textcat fis- 25 25 25;46 textin fis- 25 2275;"
    "47 textout fis- 2275 25;2414 textrecv fss- 25 2281;2415 textsend fss- 17 25;1143 time_in fss- 1083 2275 26 23;"
    "1144 time_out fis- 2275 1083;2470 time_recv fis- 1083 2281 26 23;2471 time_send fis- 17 1083;"
    "274 timeofday fvs- 25;1312 timestamp_in fss- 1114 2275 26 23;1313 timestamp_out fss- 2275 1114;"
    "2474 timestamp_recv fis- 1114 2281 26 23;2475 timestamp_send fis- 17 1114;2905 timestamptypmodin fis- 23 1263;"
    "2906 timestamptypmodout fis- 2275 23;1150 timestamptz_in fss- 1184 2275 26 23;"
    "1151 timestamptz_out fss- 2275 1184;2476 timestamptz_recv fis- 1184 2281 26 23;"
    "2477 timestamptz_send fis- 17 1184;2907 timestamptztypmodin fis- 23 1263;2908 timestamptztypmodout fis- 2275 23;"
    "2909 timetypmodin fis- 23 1263;2910 timetypmodout fis- 2275 23;1350 timetz_in fss- 1266 2275 26 23;"
    "1351 timetz_out fis- 2275 1266;2472 timetz_recv fis- 1266 2281 26 23;2473 timetz_send fis- 17 1266;"
    "2911 timetztypmodin fis- 23 1263;2912 timetztypmodout fis- 2275 23;1026 timezone fis- 1114 1186 1184;"
    "1159 timezone fis- 1114 25 1184;2037 timezone fss- 1266 25 1266;2038 timezone fis- 1266 1186 1266;"
    "2069 timezone fis- 1184 25 1114;2070 timezone fis- 1184 1186 1114;1768 to_char fss- 25 1186 25;"
    "1770 to_char fss- 25 1184 25;1772 to_char fss- 25 1700 25;1773 to_char fss- 25 23 25;1774 to_char fss- 25 20 25;"
    "1775 to_char fss- 25 700 25;1776 to_char fss- 25 701 25;2049 to_char fss- 25 1114 25;"
    "1780 to_date fss- 1082 25 25;2089 to_hex fis- 25 23;2090 to_hex fis- 25 20;1777 to_number fss- 1700 25 25;"
    "3495 to_regclass fss- 2205 25;4086 to_regnamespace fss- 4089 25;3494 to_regproc fss- 24 25;"
    "4093 to_regrole fss- 4096 25;3493 to_regtype fss- 2206 25;1158 to_timestamp fis- 1184 701;"
    "1778 to_timestamp fss- 1184 25 25;2647 transaction_timestamp fss- 1184;878 translate fis- 25 25 25 25;"
    "2300 trigger_in fi-- 2279 2275;2301 trigger_out fis- 2275 2279;6172 trim_array fis- 2277 2277 23;"
    "5043 trim_scale fis- 1700 1700;753 trunc fis- 829 829;1343 trunc fis- 701 701;1709 trunc fis- 1700 1700 23;"
    "1710 trunc fis- 1700 1700;4112 trunc fis- 774 774;6198 unistr fis- 25 25;109 unknownin fis- 705 2275;"
    "110 unknownout fis- 2275 705;2416 unknownrecv fis- 705 2281;2417 unknownsend fis- 17 705;"
    "2331 unnest fisr 2283 2277;871 upper fis- 25 25;2952 uuid_in fis- 2950 2275;2953 uuid_out fis- 2275 2950;"
    "2961 uuid_recv fis- 2950 2281;2962 uuid_send fis- 17 2950;2718 var_pop ai-- 1700 20;2719 var_pop ai-- 1700 23;"
    "2720 var_pop ai-- 1700 21;2721 var_pop ai-- 701 700;2722 var_pop ai-- 701 701;2723 var_pop ai-- 1700 1700;"
    "2641 var_samp ai-- 1700 20;2642 var_samp ai-- 1700 23;2643 var_samp ai-- 1700 21;2644 var_samp ai-- 701 700;"
    "2645 var_samp ai-- 701 701;2646 var_samp ai-- 1700 1700;1579 varbit_in fis- 1562 2275 26 23;"
    "1580 varbit_out fis- 2275 1562;2458 varbit_recv fis- 1562 2281 26 23;2459 varbit_send fis- 17 1562;"
    "2902 varbittypmodin fis- 23 1263;2921 varbittypmodout fis- 2275 23;1046 varcharin fis- 1043 2275 26 23;"
    "1047 varcharout fis- 2275 1043;2432 varcharrecv fss- 1043 2281 26 23;2433 varcharsend fss- 17 1043;"
    "2915 varchartypmodin fis- 23 1263;2916 varchartypmodout fis- 2275 23;2148 variance ai-- 1700 20;"
    "2149 variance ai-- 1700 23;2150 variance ai-- 1700 21;2151 variance ai-- 701 700;2152 variance ai-- 701 701;"
    "2153 variance ai-- 1700 1700;89 version fss- 25;2298 void_in fis- 2278 2275;2299 void_out fis- 2275 2278;"
    "3120 void_recv fis- 2278 2281;3121 void_send fis- 17 2278;320 width_bucket fis- 23 701 701 701 23;"
    "2170 width_bucket fis- 23 1700 1700 1700 23;3218 width_bucket fis- 23 5077 5078;50 xidin fis- 28 2275;"
    "51 xidout fis- 2275 28;2440 xidrecv fis- 28 2281;2441 xidsend fis- 17 28;";

std::string_view cutWord(std::string_view& text) {
  const size_t end = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

uint32_t cutNumber(std::string_view& text) {
  const std::string_view word = cutWord(text);
  uint32_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  CHECK(error == std::errc() && end == word.data() + word.size(), "the facts have numbers where they should");
  return number;
}

ProcedureFacts readProcedure(std::string_view text) {
  ProcedureFacts facts{};
  facts.oid = cutNumber(text);
  facts.name = cutWord(text);
  const std::string_view flags = cutWord(text);
  facts.kind = flags[0];
  facts.volatility = flags[1];
  facts.is_strict = flags[2] == 's';
  facts.returns_set = flags[3] == 'r';
  facts.result = cutNumber(text);
  while (!text.empty()) facts.arguments.push_back(cutNumber(text));
  return facts;
}

std::vector<ProcedureFacts> readProcedures() {
  std::vector<ProcedureFacts> procedures;
  for (std::string_view rest = kProcedures; !rest.empty();) {
    const size_t end = rest.find(';');
    procedures.push_back(readProcedure(rest.substr(0, end)));
    rest.remove_prefix(end + 1);
  }
  return procedures;
}

}  // namespace

const std::vector<ProcedureFacts>& procedureFacts() {
  static const std::vector<ProcedureFacts> procedures = readProcedures();
  return procedures;
}

const ProcedureFacts* findProcedureFacts(uint32_t oid) {
  const auto& all = procedureFacts();
  const auto found = std::ranges::find(all, oid, &ProcedureFacts::oid);
  return found == all.end() ? nullptr : &*found;
}

bool hasProcedure(std::string_view name) {
  return std::ranges::binary_search(procedureFacts(), name, {}, &ProcedureFacts::name);
}

}  // namespace gnomon::sql::pg_catalog
