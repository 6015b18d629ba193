#include "benchmarks/tpcc/inputs.h"

#include <algorithm>

namespace gnomon::tpcc {

int32_t nonUniform(oltp::Random& random, int32_t a, int32_t constant, int32_t least, int32_t most) {
  return ((random.uniform(0, a) | random.uniform(least, most)) + constant) % (most - least + 1) + least;
}

std::string lastName(int32_t number) {
  static constexpr const char* kSyllables[] = {"BAR", "OUGHT", "ABLE",  "PRI",   "PRES",
                                               "ESE", "ANTI",  "CALLY", "ATION", "EING"};
  std::string name = kSyllables[number / 100];
  name += kSyllables[number / 10 % 10];
  name += kSyllables[number % 10];
  return name;
}

Inputs::Inputs(uint64_t seed, int32_t warehouses, int32_t first, int32_t step)
    : random_(seed), deck_(kCards), warehouses_(warehouses), first_(first), step_(step) {}

int32_t Inputs::home() {
  return first_ + step_ * random_.uniform(0, (warehouses_ - first_) / step_);
}

int32_t Inputs::otherThan(int32_t warehouse) {
  const int32_t other = random_.uniform(1, warehouses_ - 1);
  return other < warehouse ? other : other + 1;
}

void Inputs::draw(NewOrder& into) {
  into.warehouse = home();
  into.district = random_.uniform(1, kDistricts);
  into.customer = nonUniform(random_, 1023, kCustomerConstant, 1, kCustomers);
  const int32_t count = random_.uniform(5, 15);
  const bool rolled_back = random_.chance(1);
  lines_.clear();
  for (int32_t line = 0; line < count; ++line) {
    const int32_t item = nonUniform(random_, 8191, kItemConstant, 1, kItems);
    const bool remote = random_.chance(1) && warehouses_ > 1;
    lines_.push_back({remote ? otherThan(into.warehouse) : into.warehouse, item, random_.uniform(1, 10)});
  }
  if (rolled_back) lines_.back()[1] = kUnusedItem;
  std::sort(lines_.begin(), rolled_back ? lines_.end() - 1 : lines_.end());
  into.suppliers.clear();
  into.items.clear();
  into.quantities.clear();
  for (const auto& [supplier, item, quantity] : lines_) {
    into.suppliers.push_back(supplier);
    into.items.push_back(item);
    into.quantities.push_back(quantity);
  }
}

void Inputs::choose(CustomerChoice& into) {
  into.number = 0;
  if (random_.chance(60)) {
    into.last_name = lastName(nonUniform(random_, 255, kLastNameConstant, 0, 999));
  } else {
    into.number = nonUniform(random_, 1023, kCustomerConstant, 1, kCustomers);
  }
}

void Inputs::draw(Payment& into) {
  into.warehouse = home();
  into.district = random_.uniform(1, kDistricts);
  const bool remote = random_.chance(15) && warehouses_ > 1;
  into.customer.warehouse = remote ? otherThan(into.warehouse) : into.warehouse;
  into.customer.district = remote ? random_.uniform(1, kDistricts) : into.district;
  choose(into.customer);
  into.cents = random_.uniform(100, 500'000);
}

void Inputs::draw(CustomerChoice& into) {
  into.warehouse = home();
  into.district = random_.uniform(1, kDistricts);
  choose(into);
}

void Inputs::draw(Delivery& into) {
  into = {home(), random_.uniform(1, 10)};
}

void Inputs::draw(StockLevel& into) {
  into = {home(), random_.uniform(1, kDistricts), random_.uniform(10, 20)};
}

}  // namespace gnomon::tpcc
