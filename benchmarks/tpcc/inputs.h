#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "benchmarks/oltp/random.h"

/// What terminals of TPC-C enter (specification 5.11, clauses 2.1.6, 2.4.1 to 2.8.1, 4.3.2), and how large the database
/// is (clause 1.2.1).
namespace gnomon::tpcc {

inline constexpr int32_t kDistricts = 10;    // of a warehouse
inline constexpr int32_t kCustomers = 3000;  // of a district
inline constexpr int32_t kItems = 100'000;
inline constexpr int32_t kFirstNewOrder = 2101;  // of the 3,000 orders that a district begins with
inline constexpr int32_t kUnusedItem = kItems + 1;

/// The constants C of NURand: of last names while loading and while running, of customers and of items. Clause 2.1.6.1
/// wants those of last names between 65 and 119 apart, and neither 96 nor 112.
inline constexpr int32_t kLoadedLastNameConstant = 157;
inline constexpr int32_t kLastNameConstant = 223;
inline constexpr int32_t kCustomerConstant = 259;
inline constexpr int32_t kItemConstant = 7911;

/// NURand(a, least, most): from `least` to `most`, some far oftener than others. `a` is 255, 1023 or 8191.
int32_t nonUniform(oltp::Random& random, int32_t a, int32_t constant, int32_t least, int32_t most);

/// The last name of number 0 to 999: three syllables.
std::string lastName(int32_t number);

enum class Kind : uint16_t { NewOrder, Payment, OrderStatus, Delivery, StockLevel };
inline constexpr size_t kKinds = 5;
/// Cards of a deck of a hundred: the least shares that clause 5.2.3 allows, and new orders for what is left.
inline constexpr std::array<int, kKinds> kCards = {45, 43, 4, 4, 4};

struct NewOrder {
  int32_t warehouse, district, customer;
  std::vector<int32_t> items, suppliers, quantities;  // a line each
};

/// A customer by number, or, where that is 0, by last name.
struct CustomerChoice {
  int32_t warehouse, district, number;
  std::string last_name;
};

struct Payment {
  int32_t warehouse, district;
  CustomerChoice customer;
  int32_t cents;
};

struct Delivery {
  int32_t warehouse, carrier;
};

struct StockLevel {
  int32_t warehouse, district, threshold;
};

/// Draws the inputs of one client. Threads: one.
class Inputs {
 public:
  /// Of `warehouses`; the client's own are those from `first` in steps of `step`.
  Inputs(uint64_t seed, int32_t warehouses, int32_t first, int32_t step);
  Kind kind() { return static_cast<Kind>(deck_.draw(random_)); }
  /// The lines come in the order of suppliers and items, so that no two new orders wait for each other crosswise; an
  /// unused item stays last.
  void draw(NewOrder& into);
  void draw(Payment& into);
  /// Of an order status.
  void draw(CustomerChoice& into);
  void draw(Delivery& into);
  void draw(StockLevel& into);

 private:
  int32_t home();
  int32_t otherThan(int32_t warehouse);
  void choose(CustomerChoice& into);

  oltp::Random random_;
  oltp::Deck deck_;
  int32_t warehouses_, first_, step_;
  std::vector<std::array<int32_t, 3>> lines_;
};

}  // namespace gnomon::tpcc
