#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <unordered_map>

#include "storage/relation/schema.h"

namespace gnomon::txn {

class Table;

/// Where tuples went whose update gave them other ids, as far as somebody follows some: cursors that WHERE CURRENT OF
/// may name. Changes that were rolled back leave their notes, so who follows a tuple looks at it first. Threads: any.
class MovedTuples {
 public:
  /// While one lives, moves are noted.
  class Follower {
   public:
    explicit Follower(MovedTuples& moves) : moves_(moves) { moves_.begin(); }
    ~Follower() { moves_.end(); }
    Follower(const Follower&) = delete;
    Follower& operator=(const Follower&) = delete;

   private:
    MovedTuples& moves_;
  };

  void note(const Table& table, storage::TupleId from, storage::TupleId to) {
    if (follower_count_.load(std::memory_order_acquire) == 0) return;
    const std::scoped_lock lock(mutex_);
    moves_[{&table, from.value}] = to;
  }
  /// False: it did not move.
  bool follow(const Table& table, storage::TupleId& id) {
    const std::scoped_lock lock(mutex_);
    const auto found = moves_.find({&table, id.value});
    if (found == moves_.end()) return false;
    id = found->second;
    return true;
  }

 private:
  struct Place {
    const Table* table;
    uint64_t id;
    bool operator==(const Place&) const = default;
  };
  struct Hash {
    size_t operator()(const Place& place) const {
      return std::hash<const void*>()(place.table) ^ (place.id * 0x9E3779B97F4A7C15);
    }
  };
  void begin() { follower_count_.fetch_add(1, std::memory_order_acq_rel); }
  void end() {
    if (follower_count_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    const std::scoped_lock lock(mutex_);
    if (follower_count_.load(std::memory_order_acquire) == 0) moves_.clear();
  }

  std::atomic<uint32_t> follower_count_{0};
  std::mutex mutex_;
  std::unordered_map<Place, storage::TupleId, Hash> moves_;
};

}  // namespace gnomon::txn
