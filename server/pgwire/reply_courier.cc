#include "server/pgwire/reply_courier.h"

#include <algorithm>

#include "base/wait_event.h"

namespace gnomon::server {

using std::chrono::steady_clock;

ReplyCourier::Parcel::~Parcel() {
  courier_.forget(*this);
}

size_t ReplyCourier::Parcel::add(std::string_view bytes, const wal::CommitTicket& ticket) {
  bool was_empty = false;
  size_t count = 0;
  {
    const std::scoped_lock guard(mutex_);
    was_empty = bytes_.empty();
    if (was_empty) since_ = steady_clock::now();
    bytes_.append(bytes);
    count = bytes_.size();
    if (parts_.empty() || !ticket.isEmpty())
      parts_.push_back({bytes.size(), ticket});
    else
      parts_.back().bytes += bytes.size();
  }
  if (was_empty) courier_.list(*this);
  return count;
}

void ReplyCourier::Parcel::take(ByteBuffer& bytes, wal::CommitTicket& ticket) {
  const std::scoped_lock guard(mutex_);
  bytes.append(bytes_.view());
  bytes_.clear();
  for (const Part& part : parts_) ticket.join(part.ticket);
  parts_.clear();
}

/// How many of its first bytes may be sent.
size_t ReplyCourier::Parcel::stableBytes() const {
  size_t bytes = 0;
  for (const Part& part : parts_) {
    if (!courier_.transactions_.isStable(part.ticket)) break;
    bytes += part.bytes;
  }
  return bytes;
}

void ReplyCourier::Parcel::removeSent(size_t bytes) {
  bytes_.removeFront(bytes);
  while (bytes > 0) {
    const size_t of_part = std::min(bytes, parts_.front().bytes);
    bytes -= of_part;
    parts_.front().bytes -= of_part;
    if (parts_.front().bytes == 0) parts_.pop_front();
  }
}

bool ReplyCourier::Parcel::sendWhenLate(steady_clock::time_point now, wal::CommitTicket& awaited) {
  const std::scoped_lock guard(mutex_);
  if (bytes_.empty()) return false;
  if (now - since_ < kLate) return true;
  const size_t stable = stableBytes();
  if (stable == 0) awaited.join(parts_.back().ticket);
  try {
    if (stable > 0) removeSent(socket_.trySend(bytes_.data(), stable));
  } catch (const ConnectionLost&) {
    // The session will find out for itself.
    return false;
  }
  return !bytes_.empty();
}

ReplyCourier::~ReplyCourier() {
  {
    const std::scoped_lock guard(mutex_);
    stopping_ = true;
    changed_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

void ReplyCourier::list(Parcel& parcel) {
  const std::scoped_lock guard(mutex_);
  if (parcel.is_listed_) return;
  parcel.is_listed_ = true;
  parcel.place_ = parcels_.insert(parcels_.end(), &parcel);
  if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  // Otherwise it looks soon enough.
  if (parcels_.size() == 1) changed_.notify_one();
}

void ReplyCourier::forget(Parcel& parcel) {
  const std::scoped_lock guard(mutex_);
  if (parcel.is_listed_) parcels_.erase(parcel.place_);
}

wal::CommitTicket ReplyCourier::sendLate() {
  wal::CommitTicket awaited;
  const auto now = steady_clock::now();
  for (auto next = parcels_.begin(); next != parcels_.end();) {
    Parcel& parcel = **next;
    if (parcel.sendWhenLate(now, awaited)) {
      ++next;
      continue;
    }
    parcel.is_listed_ = false;
    next = parcels_.erase(next);
  }
  return awaited;
}

void ReplyCourier::run() {
  nameThread("reply courier");
  std::unique_lock guard(mutex_);
  while (!stopping_) {
    if (parcels_.empty()) {
      changed_.wait(guard);
      continue;
    }
    changed_.wait_for(guard, kLate);
    for (wal::CommitTicket awaited = sendLate(); !awaited.isEmpty() && !stopping_; awaited = sendLate()) {
      guard.unlock();
      try {
        transactions_.waitForStable(awaited);
      } catch (const SqlError&) {
        // The log has failed: nothing that waits for it is sent any more, and the server ends.
        return;
      }
      guard.lock();
    }
  }
}

}  // namespace gnomon::server
