#include "benchmarks/tpcc/loader.h"

#include <numeric>
#include <string>
#include <vector>

#include "benchmarks/tpcc/inputs.h"

namespace gnomon::tpcc {

namespace {

using oltp::CopyWriter;
using oltp::Random;

constexpr const char* kLoadTime = "2026-01-01 00:00:00";

/// 26 to 50 letters; in a tenth of all cases with ORIGINAL within.
std::string itemData(Random& random) {
  std::string data = random.letters(26, 50);
  constexpr std::string_view kMark = "ORIGINAL";
  if (random.chance(10))
    data.replace(static_cast<size_t>(random.uniform(0, static_cast<int32_t>(data.size() - kMark.size()))), kMark.size(),
                 kMark);
  return data;
}

std::string zip(Random& random) {
  return random.digits(4) + "11111";
}

void writeAddress(CopyWriter& rows, Random& random) {
  rows.text(random.letters(10, 20)).text(random.letters(10, 20)).text(random.letters(10, 20));
  rows.text(random.letters(2, 2)).text(zip(random));
}

void loadStock(oltp::Connection& connection, Random& random, int32_t warehouse) {
  CopyWriter rows(connection, "stock");
  for (int32_t item = 1; item <= kItems; ++item) {
    rows.integer(item).integer(warehouse).integer(random.uniform(10, 100));
    for (int32_t district = 1; district <= kDistricts; ++district) rows.text(random.letters(24, 24));
    rows.integer(0).integer(0).integer(0).text(itemData(random));
    rows.endRow();
  }
  rows.finish();
}

void loadDistricts(oltp::Connection& connection, Random& random, int32_t warehouse) {
  CopyWriter rows(connection, "district");
  for (int32_t district = 1; district <= kDistricts; ++district) {
    rows.integer(district).integer(warehouse).text(random.letters(6, 10));
    writeAddress(rows, random);
    rows.decimal(random.uniform(0, 2000), 4).decimal(30'000'00, 2).integer(kCustomers + 1);
    rows.endRow();
  }
  rows.finish();
}

void loadCustomers(oltp::Connection& connection, Random& random, int32_t warehouse) {
  CopyWriter rows(connection, "customer");
  for (int32_t district = 1; district <= kDistricts; ++district)
    for (int32_t customer = 1; customer <= kCustomers; ++customer) {
      const int32_t name = customer <= 1000 ? customer - 1 : nonUniform(random, 255, kLoadedLastNameConstant, 0, 999);
      rows.integer(customer).integer(district).integer(warehouse);
      rows.text(random.letters(8, 16)).text("OE").text(lastName(name));
      writeAddress(rows, random);
      rows.text(random.digits(16)).text(kLoadTime).text(random.chance(10) ? "BC" : "GC").decimal(50'000'00, 2);
      rows.decimal(random.uniform(0, 5000), 4).decimal(-10'00, 2).decimal(10'00, 2).integer(1).integer(0);
      rows.text(random.letters(300, 500));
      rows.endRow();
    }
  rows.finish();
}

void loadHistory(oltp::Connection& connection, Random& random, int32_t warehouse) {
  CopyWriter rows(connection, "history");
  for (int32_t district = 1; district <= kDistricts; ++district)
    for (int32_t customer = 1; customer <= kCustomers; ++customer) {
      rows.integer(customer).integer(district).integer(warehouse).integer(district).integer(warehouse);
      rows.text(kLoadTime).decimal(10'00, 2).text(random.letters(12, 24));
      rows.endRow();
    }
  rows.finish();
}

/// How many lines each order has, districts after one another.
std::vector<int32_t> loadOrders(oltp::Connection& connection, Random& random, int32_t warehouse) {
  std::vector<int32_t> lines, customers(kCustomers);
  CopyWriter rows(connection, "orders");
  for (int32_t district = 1; district <= kDistricts; ++district) {
    std::iota(customers.begin(), customers.end(), 1);
    random.shuffle(customers);
    for (int32_t order = 1; order <= kCustomers; ++order) {
      lines.push_back(random.uniform(5, 15));
      rows.integer(order).integer(district).integer(warehouse).integer(customers[static_cast<size_t>(order) - 1]);
      rows.text(kLoadTime);
      if (order < kFirstNewOrder) {
        rows.integer(random.uniform(1, 10));
      } else {
        rows.null();
      }
      rows.integer(lines.back()).integer(1);
      rows.endRow();
    }
  }
  rows.finish();
  return lines;
}

void loadOrderLines(oltp::Connection& connection, Random& random, int32_t warehouse,
                    const std::vector<int32_t>& lines) {
  CopyWriter rows(connection, "order_line");
  auto count = lines.begin();
  for (int32_t district = 1; district <= kDistricts; ++district)
    for (int32_t order = 1; order <= kCustomers; ++order, ++count)
      for (int32_t line = 1; line <= *count; ++line) {
        const bool delivered = order < kFirstNewOrder;
        rows.integer(order).integer(district).integer(warehouse).integer(line);
        rows.integer(random.uniform(1, kItems)).integer(warehouse);
        if (delivered) {
          rows.text(kLoadTime).integer(5).decimal(0, 2);
        } else {
          rows.null().integer(5).decimal(random.uniform(1, 9'999'99), 2);
        }
        rows.text(random.letters(24, 24));
        rows.endRow();
      }
  rows.finish();
}

void loadNewOrders(oltp::Connection& connection, int32_t warehouse) {
  CopyWriter rows(connection, "new_order");
  for (int32_t district = 1; district <= kDistricts; ++district)
    for (int32_t order = kFirstNewOrder; order <= kCustomers; ++order)
      rows.integer(order).integer(district).integer(warehouse).endRow();
  rows.finish();
}

}  // namespace

void loadItems(oltp::Connection& connection, uint64_t seed) {
  Random random(seed);
  CopyWriter rows(connection, "item");
  for (int32_t item = 1; item <= kItems; ++item) {
    rows.integer(item).integer(random.uniform(1, 10'000)).text(random.letters(14, 24));
    rows.decimal(random.uniform(1'00, 100'00), 2).text(itemData(random));
    rows.endRow();
  }
  rows.finish();
}

void loadWarehouse(oltp::Connection& connection, uint64_t seed, int32_t warehouse) {
  Random random(seed + static_cast<uint64_t>(warehouse));
  {
    CopyWriter rows(connection, "warehouse");
    rows.integer(warehouse).text(random.letters(6, 10));
    writeAddress(rows, random);
    rows.decimal(random.uniform(0, 2000), 4).decimal(300'000'00, 2);
    rows.endRow();
    rows.finish();
  }
  loadStock(connection, random, warehouse);
  loadDistricts(connection, random, warehouse);
  loadCustomers(connection, random, warehouse);
  loadHistory(connection, random, warehouse);
  loadOrderLines(connection, random, warehouse, loadOrders(connection, random, warehouse));
  loadNewOrders(connection, warehouse);
}

}  // namespace gnomon::tpcc
