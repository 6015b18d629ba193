#include <algorithm>

#include "sql/pg_catalog/facts.h"

namespace gnomon::sql::pg_catalog {
namespace {

constexpr TypeFacts kTypes[] = {
    {16, 1000, "bool", 1, true, 'B', true, 'c', 'p', {1242, 1243, 2436, 2437, 0, 0, 0, 0}, 0, 0, 'b'},
    {17, 1001, "bytea", -1, false, 'U', false, 'i', 'x', {1244, 31, 2412, 2413, 0, 0, 0, 0}, 0, 0, 'b'},
    {18, 1002, "char", 1, true, 'Z', false, 'c', 'p', {1245, 33, 2434, 2435, 0, 0, 0, 0}, 0, 0, 'b'},
    {19, 1003, "name", 64, false, 'S', false, 'c', 'p', {34, 35, 2422, 2423, 0, 0, 0, 6180}, 950, 18, 'b'},
    {20, 1016, "int8", 8, true, 'N', false, 'd', 'p', {460, 461, 2408, 2409, 0, 0, 0, 0}, 0, 0, 'b'},
    {21, 1005, "int2", 2, true, 'N', false, 's', 'p', {38, 39, 2404, 2405, 0, 0, 0, 0}, 0, 0, 'b'},
    {22, 1006, "int2vector", -1, false, 'A', false, 'i', 'p', {40, 41, 2410, 2411, 0, 0, 0, 6179}, 0, 21, 'b'},
    {23, 1007, "int4", 4, true, 'N', false, 'i', 'p', {42, 43, 2406, 2407, 0, 0, 0, 0}, 0, 0, 'b'},
    {24, 1008, "regproc", 4, true, 'N', false, 'i', 'p', {44, 45, 2444, 2445, 0, 0, 0, 0}, 0, 0, 'b'},
    {25, 1009, "text", -1, false, 'S', true, 'i', 'x', {46, 47, 2414, 2415, 0, 0, 0, 0}, 100, 0, 'b'},
    {26, 1028, "oid", 4, true, 'N', true, 'i', 'p', {1798, 1799, 2418, 2419, 0, 0, 0, 0}, 0, 0, 'b'},
    {27, 1010, "tid", 6, false, 'U', false, 's', 'p', {48, 49, 2438, 2439, 0, 0, 0, 0}, 0, 0, 'b'},
    {28, 1011, "xid", 4, true, 'U', false, 'i', 'p', {50, 51, 2440, 2441, 0, 0, 0, 0}, 0, 0, 'b'},
    {30, 1013, "oidvector", -1, false, 'A', false, 'i', 'p', {54, 55, 2420, 2421, 0, 0, 0, 6179}, 0, 26, 'b'},
    {114, 199, "json", -1, false, 'U', false, 'i', 'x', {321, 322, 323, 324, 0, 0, 0, 0}, 0, 0, 'b'},
    {194, 0, "pg_node_tree", -1, false, 'Z', false, 'i', 'x', {195, 196, 197, 198, 0, 0, 0, 0}, 100, 0, 'b'},
    {650, 651, "cidr", -1, false, 'I', false, 'i', 'm', {1267, 1427, 2498, 2499, 0, 0, 0, 0}, 0, 0, 'b'},
    {700, 1021, "float4", 4, true, 'N', false, 'i', 'p', {200, 201, 2424, 2425, 0, 0, 0, 0}, 0, 0, 'b'},
    {701, 1022, "float8", 8, true, 'N', true, 'd', 'p', {214, 215, 2426, 2427, 0, 0, 0, 0}, 0, 0, 'b'},
    {705, 0, "unknown", -2, false, 'X', false, 'c', 'p', {109, 110, 2416, 2417, 0, 0, 0, 0}, 0, 0, 'p'},
    {774, 775, "macaddr8", 8, false, 'U', false, 'i', 'p', {4110, 4111, 3446, 3447, 0, 0, 0, 0}, 0, 0, 'b'},
    {790, 791, "money", 8, true, 'N', false, 'd', 'p', {886, 887, 2492, 2493, 0, 0, 0, 0}, 0, 0, 'b'},
    {829, 1040, "macaddr", 6, false, 'U', false, 'i', 'p', {436, 437, 2494, 2495, 0, 0, 0, 0}, 0, 0, 'b'},
    {869, 1041, "inet", -1, false, 'I', true, 'i', 'm', {910, 911, 2496, 2497, 0, 0, 0, 0}, 0, 0, 'b'},
    {1033, 1034, "aclitem", 12, false, 'U', false, 'i', 'p', {1031, 1032, 0, 0, 0, 0, 0, 0}, 0, 0, 'b'},
    {1042, 1014, "bpchar", -1, false, 'S', false, 'i', 'x', {1044, 1045, 2430, 2431, 2913, 2914, 0, 0}, 100, 0, 'b'},
    {1043, 1015, "varchar", -1, false, 'S', false, 'i', 'x', {1046, 1047, 2432, 2433, 2915, 2916, 0, 0}, 100, 0, 'b'},
    {1082, 1182, "date", 4, true, 'D', false, 'i', 'p', {1084, 1085, 2468, 2469, 0, 0, 0, 0}, 0, 0, 'b'},
    {1083, 1183, "time", 8, true, 'D', false, 'd', 'p', {1143, 1144, 2470, 2471, 2909, 2910, 0, 0}, 0, 0, 'b'},
    {1114, 1115, "timestamp", 8, true, 'D', false, 'd', 'p', {1312, 1313, 2474, 2475, 2905, 2906, 0, 0}, 0, 0, 'b'},
    {1184, 1185, "timestamptz", 8, true, 'D', true, 'd', 'p', {1150, 1151, 2476, 2477, 2907, 2908, 0, 0}, 0, 0, 'b'},
    {1186, 1187, "interval", 16, false, 'T', true, 'd', 'p', {1160, 1161, 2478, 2479, 2903, 2904, 0, 0}, 0, 0, 'b'},
    {1266, 1270, "timetz", 12, false, 'D', false, 'd', 'p', {1350, 1351, 2472, 2473, 2911, 2912, 0, 0}, 0, 0, 'b'},
    {1560, 1561, "bit", -1, false, 'V', false, 'i', 'x', {1564, 1565, 2456, 2457, 2919, 2920, 0, 0}, 0, 0, 'b'},
    {1562, 1563, "varbit", -1, false, 'V', true, 'i', 'x', {1579, 1580, 2458, 2459, 2902, 2921, 0, 0}, 0, 0, 'b'},
    {1700, 1231, "numeric", -1, false, 'N', false, 'i', 'm', {1701, 1702, 2460, 2461, 2917, 2918, 0, 0}, 0, 0, 'b'},
    {1790, 2201, "refcursor", -1, false, 'U', false, 'i', 'x', {46, 47, 2414, 2415, 0, 0, 0, 0}, 0, 0, 'b'},
    {2202, 2207, "regprocedure", 4, true, 'N', false, 'i', 'p', {2212, 2213, 2446, 2447, 0, 0, 0, 0}, 0, 0, 'b'},
    {2203, 2208, "regoper", 4, true, 'N', false, 'i', 'p', {2214, 2215, 2448, 2449, 0, 0, 0, 0}, 0, 0, 'b'},
    {2204, 2209, "regoperator", 4, true, 'N', false, 'i', 'p', {2216, 2217, 2450, 2451, 0, 0, 0, 0}, 0, 0, 'b'},
    {2205, 2210, "regclass", 4, true, 'N', false, 'i', 'p', {2218, 2219, 2452, 2453, 0, 0, 0, 0}, 0, 0, 'b'},
    {2206, 2211, "regtype", 4, true, 'N', false, 'i', 'p', {2220, 2221, 2454, 2455, 0, 0, 0, 0}, 0, 0, 'b'},
    {2249, 2287, "record", -1, false, 'P', false, 'd', 'x', {2290, 2291, 2402, 2403, 0, 0, 0, 0}, 0, 0, 'p'},
    {2275, 1263, "cstring", -2, false, 'P', false, 'c', 'p', {2292, 2293, 2500, 2501, 0, 0, 0, 0}, 0, 0, 'p'},
    {2276, 0, "any", 4, true, 'P', false, 'i', 'p', {2294, 2295, 0, 0, 0, 0, 0, 0}, 0, 0, 'p'},
    {2277, 0, "anyarray", -1, false, 'P', false, 'd', 'x', {2296, 2297, 2502, 2503, 0, 0, 0, 0}, 0, 0, 'p'},
    {2278, 0, "void", 4, true, 'P', false, 'i', 'p', {2298, 2299, 3120, 3121, 0, 0, 0, 0}, 0, 0, 'p'},
    {2279, 0, "trigger", 4, true, 'P', false, 'i', 'p', {2300, 2301, 0, 0, 0, 0, 0, 0}, 0, 0, 'p'},
    {2281, 0, "internal", 8, true, 'P', false, 'd', 'p', {2304, 2305, 0, 0, 0, 0, 0, 0}, 0, 0, 'p'},
    {2283, 0, "anyelement", 4, true, 'P', false, 'i', 'p', {2312, 2313, 0, 0, 0, 0, 0, 0}, 0, 0, 'p'},
    {2776, 0, "anynonarray", 4, true, 'P', false, 'i', 'p', {2777, 2778, 0, 0, 0, 0, 0, 0}, 0, 0, 'p'},
    {2950, 2951, "uuid", 16, false, 'U', false, 'c', 'p', {2952, 2953, 2961, 2962, 0, 0, 0, 0}, 0, 0, 'b'},
    {3220, 3221, "pg_lsn", 8, true, 'U', false, 'd', 'p', {3229, 3230, 3238, 3239, 0, 0, 0, 0}, 0, 0, 'b'},
    {3500, 0, "anyenum", 4, true, 'P', false, 'i', 'p', {3504, 3505, 0, 0, 0, 0, 0, 0}, 0, 0, 'p'},
    {3802, 3807, "jsonb", -1, false, 'U', false, 'i', 'x', {3806, 3804, 3805, 3803, 0, 0, 0, 6098}, 0, 0, 'b'},
    {4072, 4073, "jsonpath", -1, false, 'U', false, 'i', 'x', {4001, 4003, 4002, 4004, 0, 0, 0, 0}, 0, 0, 'b'},
    {4089, 4090, "regnamespace", 4, true, 'N', false, 'i', 'p', {4084, 4085, 4087, 4088, 0, 0, 0, 0}, 0, 0, 'b'},
    {4096, 4097, "regrole", 4, true, 'N', false, 'i', 'p', {4098, 4092, 4094, 4095, 0, 0, 0, 0}, 0, 0, 'b'},
    {4191, 4192, "regcollation", 4, true, 'N', false, 'i', 'p', {4193, 4194, 4196, 4197, 0, 0, 0, 0}, 0, 0, 'b'},
    {5069, 271, "xid8", 8, true, 'U', false, 'd', 'p', {5070, 5081, 5082, 5083, 0, 0, 0, 0}, 0, 0, 'b'},
    {5077, 0, "anycompatible", 4, true, 'P', false, 'i', 'p', {5086, 5087, 0, 0, 0, 0, 0, 0}, 0, 0, 'p'},
    {5078, 0, "anycompatiblearray", -1, false, 'P', false, 'd', 'x', {5088, 5089, 5090, 5091, 0, 0, 0, 0}, 0, 0, 'p'},
    {5079, 0, "anycompatiblenonarray", 4, true, 'P', false, 'i', 'p', {5092, 5093, 0, 0, 0, 0, 0, 0}, 0, 0, 'p'},
};
static_assert(std::ranges::is_sorted(kTypes, {}, &TypeFacts::oid));

}  // namespace

std::span<const TypeFacts> typeFacts() {
  return kTypes;
}

const TypeFacts* findTypeFacts(uint32_t oid) {
  const auto* const found = std::ranges::lower_bound(kTypes, oid, {}, &TypeFacts::oid);
  return found != std::end(kTypes) && found->oid == oid ? found : nullptr;
}

TypeFacts arrayFacts(const TypeFacts& element) {
  constexpr uint32_t kRecord = 2249;
  const bool is_record = element.oid == kRecord;
  constexpr uint32_t kIn = 750, kOut = 751, kReceive = 2400, kSend = 2401, kAnalyze = 3816, kSubscript = 6179;
  return {.oid = element.array,
          .array = 0,
          .name = element.name,
          .length = -1,
          .is_by_value = false,
          .category = is_record ? 'P' : 'A',
          .is_preferred = false,
          .align = element.align == 'd' ? 'd' : 'i',
          .storage = 'x',
          .functions = {kIn, kOut, kReceive, kSend, element.functions[4], element.functions[5], kAnalyze, kSubscript},
          .collation = element.collation,
          .element = element.oid,
          .kind = is_record ? 'p' : 'b'};
}

}  // namespace gnomon::sql::pg_catalog
