#include "server/deferred_triggers.h"

#include "txn/table.h"

namespace gnomon::server {

void DeferredTriggers::add(const codegen::TriggerCall& call, uint64_t memory_max) {
  if (!rows_) {
    memory_ = std::make_unique<MemoryAccount>(memory_max);
    rows_ = std::make_unique<codegen::KeptRows>(memory_.get());
  }
  Event event{.call = call};
  const storage::RelationSchema& schema = call.table->storage->schema();
  for (codegen::RowImage* const row : {&event.call.before, &event.call.after})
    if (row->isThere()) *row = rows_->keep(schema, *row).image();
  event.call.transitions = nullptr;
  events_.push_back(std::move(event));
}

void DeferredTriggers::undoTo(const Mark& mark) {
  for (; fired_.size() > mark.fired; fired_.pop_back()) events_[fired_.back()].is_fired = false;
  while (events_.size() > mark.events) events_.pop_back();
}

void DeferredTriggers::clear() {
  events_.clear();
  fired_.clear();
  rows_.reset();
  memory_.reset();
}

}  // namespace gnomon::server
