#include "benchmarks/tpcc/workload.h"

#include <fmt/format.h>

namespace gnomon::tpcc {

namespace {

constexpr std::string_view kUnusedItemError = "TC001";  // raised by new_order of routines.sql

void add(oltp::Parameters& parameters, const CustomerChoice& choice) {
  if (choice.number == 0) {
    parameters.null().text(choice.last_name);
  } else {
    parameters.integer(choice.number).null();
  }
}

class Terminal : public oltp::Generator {
 public:
  explicit Terminal(Inputs inputs) : inputs_(std::move(inputs)) {}

  void next(oltp::Transaction& into) override {
    const Kind kind = inputs_.kind();
    const auto number = static_cast<uint16_t>(kind);
    into.begin(number);
    oltp::Parameters& parameters = into.add(number);
    switch (kind) {
      case Kind::NewOrder:
        inputs_.draw(order_);
        parameters.integer(order_.warehouse).integer(order_.district).integer(order_.customer);
        parameters.integers(order_.items).integers(order_.suppliers).integers(order_.quantities);
        break;
      case Kind::Payment:
        inputs_.draw(payment_);
        parameters.integer(payment_.warehouse).integer(payment_.district);
        parameters.integer(payment_.customer.warehouse).integer(payment_.customer.district);
        add(parameters, payment_.customer);
        parameters.text(fmt::format("{}.{:02}", payment_.cents / 100, payment_.cents % 100));
        break;
      case Kind::OrderStatus:
        inputs_.draw(choice_);
        parameters.integer(choice_.warehouse).integer(choice_.district);
        add(parameters, choice_);
        break;
      case Kind::Delivery:
        inputs_.draw(delivery_);
        parameters.integer(delivery_.warehouse).integer(delivery_.carrier);
        break;
      case Kind::StockLevel:
        inputs_.draw(level_);
        parameters.integer(level_.warehouse).integer(level_.district).integer(level_.threshold);
        break;
    }
  }

 private:
  Inputs inputs_;
  NewOrder order_;
  Payment payment_;
  CustomerChoice choice_;
  Delivery delivery_;
  StockLevel level_;
};

}  // namespace

std::span<const std::string_view> TpccWorkload::kinds() const {
  static constexpr std::string_view kNames[kKinds] = {"new_order", "payment", "order_status", "delivery",
                                                      "stock_level"};
  return kNames;
}

std::span<const oltp::Statement> TpccWorkload::statements() const {
  using namespace oltp;
  static const Statement kStatements[kKinds] = {
      {"new_order",
       "select new_order($1, $2, $3, $4, $5, $6)",
       {kIntegerOid, kIntegerOid, kIntegerOid, kIntegersOid, kIntegersOid, kIntegersOid}},
      {"payment",
       "select payment($1, $2, $3, $4, $5, $6, $7)",
       {kIntegerOid, kIntegerOid, kIntegerOid, kIntegerOid, kIntegerOid, kVarcharOid, kNumericOid}},
      {"order_status", "select order_status($1, $2, $3, $4)", {kIntegerOid, kIntegerOid, kIntegerOid, kVarcharOid}},
      {"delivery", "select delivery($1, $2)", {kIntegerOid, kIntegerOid}},
      {"stock_level", "select stock_level($1, $2, $3)", {kIntegerOid, kIntegerOid, kIntegerOid}}};
  return kStatements;
}

std::unique_ptr<oltp::Generator> TpccWorkload::generator(uint32_t number, uint32_t clients) const {
  const auto client = static_cast<int32_t>(number);
  const auto count = static_cast<int32_t>(clients);
  const int32_t first = bound_ ? client % warehouses_ + 1 : 1;
  const int32_t step = bound_ ? std::min(count, warehouses_) : 1;
  return std::make_unique<Terminal>(Inputs(seed_ + number, warehouses_, first, step));
}

bool TpccWorkload::fruitful(const oltp::Transaction& transaction, const PGresult* last) const {
  return static_cast<Kind>(transaction.kind) != Kind::Delivery || oltp::integerOf(last) == kDistricts;
}

bool TpccWorkload::expectsError(uint16_t kind, std::string_view sqlstate) const {
  return static_cast<Kind>(kind) == Kind::NewOrder && sqlstate == kUnusedItemError;
}

}  // namespace gnomon::tpcc
