#include "server/pgwire/reply_courier.h"

namespace gnomon::server {

using std::chrono::steady_clock;

ReplyCourier::Parcel::~Parcel() {
  courier_.forget(*this);
}

void ReplyCourier::Parcel::add(std::string_view bytes) {
  bool was_empty = false;
  {
    const std::scoped_lock guard(mutex_);
    was_empty = bytes_.empty();
    if (was_empty) since_ = steady_clock::now();
    bytes_.append(bytes);
  }
  if (was_empty) courier_.list(*this);
}

void ReplyCourier::Parcel::take(ByteBuffer& bytes) {
  const std::scoped_lock guard(mutex_);
  bytes.append(bytes_.view());
  bytes_.clear();
}

bool ReplyCourier::Parcel::sendWhenLate(steady_clock::time_point now) {
  const std::scoped_lock guard(mutex_);
  if (bytes_.empty()) return false;
  if (now - since_ < kLate) return true;
  try {
    bytes_.removeFront(socket_.trySend(bytes_.data(), bytes_.size()));
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

void ReplyCourier::run() {
  std::unique_lock guard(mutex_);
  while (!stopping_) {
    if (parcels_.empty()) {
      changed_.wait(guard);
      continue;
    }
    changed_.wait_for(guard, kLate);
    const auto now = steady_clock::now();
    for (auto next = parcels_.begin(); next != parcels_.end();) {
      Parcel& parcel = **next;
      if (parcel.sendWhenLate(now)) {
        ++next;
        continue;
      }
      parcel.is_listed_ = false;
      next = parcels_.erase(next);
    }
  }
}

}  // namespace gnomon::server
