#include "benchmarks/tatp/workload.h"

#include <cstdlib>

namespace gnomon::tatp {

namespace {

using namespace oltp;

const Statement kCalls[kKinds] = {
    {"get_subscriber_data", "select * from get_subscriber_data($1)", {kIntegerOid}},
    {"get_new_destination",
     "select * from get_new_destination($1, $2, $3, $4)",
     {kIntegerOid, kSmallintOid, kSmallintOid, kSmallintOid}},
    {"get_access_data", "select * from get_access_data($1, $2)", {kIntegerOid, kSmallintOid}},
    {"update_subscriber_data",
     "select update_subscriber_data($1, $2, $3, $4)",
     {kIntegerOid, kSmallintOid, kSmallintOid, kSmallintOid}},
    {"update_location", "select update_location($1, $2)", {kVarcharOid, kIntegerOid}},
    {"insert_call_forwarding",
     "select insert_call_forwarding($1, $2, $3, $4, $5)",
     {kVarcharOid, kSmallintOid, kSmallintOid, kSmallintOid, kVarcharOid}},
    {"delete_call_forwarding", "select delete_call_forwarding($1, $2, $3)", {kVarcharOid, kSmallintOid, kSmallintOid}},
};

/// The statements of the functions; those of one transaction share a Sync, which makes them one. Statement number k is
/// the last one of kind k, as far as there are others; these come after them.
enum Extra : uint16_t { kUpdateBit = kKinds, kFindSubscriber, kFindFacilities };
const Statement kStatements[] = {
    {"get_subscriber_data", "select * from subscriber where s_id = $1", {kIntegerOid}},
    {"get_new_destination",
     "select cf.numberx from special_facility sf, call_forwarding cf where sf.s_id = $1 and sf.sf_type = $2 and "
     "sf.is_active = 1 and cf.s_id = sf.s_id and cf.sf_type = sf.sf_type and cf.start_time <= $3 and $4 < cf.end_time",
     {kIntegerOid, kSmallintOid, kSmallintOid, kSmallintOid}},
    {"get_access_data",
     "select data1, data2, data3, data4 from access_info where s_id = $1 and ai_type = $2",
     {kIntegerOid, kSmallintOid}},
    {"update_facility",
     "update special_facility set data_a = $3 where s_id = $1 and sf_type = $2",
     {kIntegerOid, kSmallintOid, kSmallintOid}},
    {"update_location", "update subscriber set vlr_location = $2 where sub_nbr = $1", {kVarcharOid, kIntegerOid}},
    {"insert_call_forwarding",
     "insert into call_forwarding (s_id, sf_type, start_time, end_time, numberx) values ($1, $2, $3, $4, $5)",
     {kIntegerOid, kSmallintOid, kSmallintOid, kSmallintOid, kVarcharOid}},
    {"delete_call_forwarding",
     "delete from call_forwarding where s_id = $1 and sf_type = $2 and start_time = $3",
     {kIntegerOid, kSmallintOid, kSmallintOid}},
    {"update_bit", "update subscriber set bit_1 = $2 where s_id = $1", {kIntegerOid, kSmallintOid}},
    {"find_subscriber", "select s_id from subscriber where sub_nbr = $1", {kVarcharOid}},
    {"find_facilities", "select sf_type from special_facility where s_id = $1", {kIntegerOid}},
};

class CallingGenerator : public Generator {
 public:
  CallingGenerator(Inputs inputs, bool as_statements) : inputs_(std::move(inputs)), as_statements_(as_statements) {}

  void next(Transaction& into) override {
    const Kind kind = inputs_.kind();
    const auto number = static_cast<uint16_t>(kind);
    into.begin(number);
    const int32_t subscriber = inputs_.subscriber();
    switch (kind) {
      case Kind::GetSubscriberData:
        into.add(number).integer(subscriber);
        break;
      case Kind::GetNewDestination: {
        Parameters& parameters = into.add(number).integer(subscriber).smallint(inputs_.facility());
        parameters.smallint(inputs_.startTime()).smallint(inputs_.endTime());
        break;
      }
      case Kind::GetAccessData:
        into.add(number).integer(subscriber).smallint(inputs_.accessType());
        break;
      case Kind::UpdateSubscriberData: {
        const int16_t bit = inputs_.bit();
        if (as_statements_) into.add(kUpdateBit).integer(subscriber).smallint(bit);
        Parameters& parameters = into.add(number).integer(subscriber).smallint(inputs_.facility());
        if (!as_statements_) parameters.smallint(bit);
        parameters.smallint(inputs_.byte());
        break;
      }
      case Kind::UpdateLocation:
        into.add(number).text(subscriberNumber(subscriber)).integer(inputs_.location());
        break;
      case Kind::InsertCallForwarding: {
        addByNumber(into, subscriber).smallint(inputs_.facility());
        Parameters& parameters = into.steps[into.step_count - 1u].parameters;
        parameters.smallint(inputs_.startTime()).smallint(inputs_.endTime()).text(inputs_.number());
        break;
      }
      case Kind::DeleteCallForwarding: {
        Parameters& parameters = addByNumber(into, subscriber).smallint(inputs_.facility());
        parameters.smallint(inputs_.startTime());
        break;
      }
    }
  }

 private:
  /// A change of a subscriber who is known by number: as statements, the client finds out who that is, and knows it
  /// already, since what it would have to wait for says nothing new.
  Parameters& addByNumber(Transaction& into, int32_t subscriber) {
    if (!as_statements_) return into.add(into.kind).text(subscriberNumber(subscriber));
    into.add(kFindSubscriber).text(subscriberNumber(subscriber));
    if (static_cast<Kind>(into.kind) == Kind::InsertCallForwarding) into.add(kFindFacilities).integer(subscriber);
    return into.add(into.kind).integer(subscriber);
  }

  Inputs inputs_;
  bool as_statements_;
};

}  // namespace

std::span<const std::string_view> TatpWorkload::kinds() const {
  static constexpr std::string_view kNames[kKinds] = {
      "get_subscriber_data", "get_new_destination",    "get_access_data",       "update_subscriber_data",
      "update_location",     "insert_call_forwarding", "delete_call_forwarding"};
  return kNames;
}

std::span<const Statement> TatpWorkload::statements() const {
  if (as_statements_) return kStatements;
  return kCalls;
}

std::unique_ptr<Generator> TatpWorkload::generator(uint32_t number, uint32_t) const {
  return std::make_unique<CallingGenerator>(Inputs(seed_ + number, subscribers_, uniform_), as_statements_);
}

bool TatpWorkload::fruitful(const Transaction& transaction, const PGresult* last) const {
  if (static_cast<Kind>(transaction.kind) <= Kind::GetAccessData) return PQntuples(last) > 0;
  if (as_statements_) return std::atoi(PQcmdTuples(const_cast<PGresult*>(last))) > 0;
  return booleanOf(last);
}

bool TatpWorkload::expectsError(uint16_t kind, std::string_view sqlstate) const {
  return static_cast<Kind>(kind) == Kind::InsertCallForwarding && (sqlstate == "23505" || sqlstate == "23503");
}

}  // namespace gnomon::tatp
