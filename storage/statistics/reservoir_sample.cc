#include "storage/statistics/reservoir_sample.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/assert.h"

namespace gnomon::storage {

void ReservoirSample::insertSlowly(Cursor& cursor, TupleId first, uint64_t row_count, const Encode& encode) {
  uint64_t row = 0;
  const auto rowAt = [&](uint64_t index) { return Row{.id = TupleId{first.value + index}, .bytes = encode(index)}; };
  while (row < row_count) {
    if (passOverOutside(row_count - row, row)) continue;
    const std::lock_guard lock(mutex_);
    const uint64_t generation = generation_.load(std::memory_order_relaxed);
    if (vacancies_.load(std::memory_order_relaxed) & kInsideMask) {
      row += fillVacancies(TupleId{first.value + row}, row_count - row,
                           [&](uint64_t index) { return encode(row + index); });
    } else if (filled_ < kCapacity) {
      append(rowAt(row++));
      ++filled_;
      startSkipsWhenFull();
    } else if (cursor.generation != generation) {
      drawSkip(cursor);
    } else if (cursor.skip >= row_count - row) {
      cursor.skip -= row_count - row;
      row = row_count;
    } else {
      row += cursor.skip;
      choose(rowAt(row++));
      drawSkip(cursor);
    }
  }
}

/// While only rows outside the sample were deleted, inserts take their places without the lock.
bool ReservoirSample::passOverOutside(uint64_t row_count, uint64_t& passed) {
  uint64_t vacancies = vacancies_.load(std::memory_order_relaxed);
  while (vacancies != 0 && (vacancies & kInsideMask) == 0) {
    const uint64_t taken = std::min(row_count, vacancies >> kInsideBits);
    if (vacancies_.compare_exchange_weak(vacancies, vacancies - taken * kOneOutside, std::memory_order_relaxed)) {
      passed += taken;
      return true;
    }
  }
  return false;
}

/// Lets inserts take the places of deleted rows, each place being as likely as any other. Returns how many did.
uint64_t ReservoirSample::fillVacancies(TupleId first, uint64_t row_count, const Encode& encode) {
  const uint64_t vacancies = vacancies_.load(std::memory_order_relaxed);
  const uint64_t outside = vacancies >> kInsideBits;
  const uint64_t skip = drawPairingSkip(vacancies & kInsideMask, outside);
  // Deletes outside the sample add to vacancies_ without the lock: what is taken here is subtracted, not stored.
  if (skip >= row_count) {
    vacancies_.fetch_sub(std::min(row_count, outside) * kOneOutside, std::memory_order_relaxed);
    return row_count;
  }
  vacancies_.fetch_sub(skip * kOneOutside + 1, std::memory_order_relaxed);
  append({.id = TupleId{first.value + skip}, .bytes = encode(skip)});
  return skip + 1;
}

/// How many inserts take places outside the sample before one takes a place inside.
uint64_t ReservoirSample::drawPairingSkip(uint64_t inside, uint64_t outside) {
  constexpr uint64_t kMeanMax = 64;
  if (outside / inside > kMeanMax) {
    // The lowest of `inside` random positions among all places; repeated positions are rare enough to be ignored.
    const double share = 1 - std::pow(random_.nextUnit(), 1.0 / static_cast<double>(inside));
    return std::min(static_cast<uint64_t>(share * static_cast<double>(inside + outside)), outside);
  }
  uint64_t skip = 0;
  while (skip < outside && random_.nextBelow(inside + outside - skip) >= inside) ++skip;
  return skip;
}

void ReservoirSample::startSkipsWhenFull() {
  if (filled_ == kCapacity) weight_ = std::pow(random_.nextUnit(), 1.0 / kCapacity);
}

/// Algorithm L: the next gap of the sequence that all writers share.
void ReservoirSample::drawSkip(Cursor& cursor) {
  const double gap = std::floor(std::log(random_.nextUnit()) / std::log1p(-weight_));
  cursor.skip = static_cast<uint64_t>(std::min(gap, 0x1p62));
  cursor.generation = generation_.load(std::memory_order_relaxed);
  weight_ *= std::pow(random_.nextUnit(), 1.0 / kCapacity);
}

/// A chosen row takes a random place of the sample. A place vacant since this skip began moves outside.
void ReservoirSample::choose(Row row) {
  const size_t position = random_.nextBelow(kCapacity);
  if (position < rows_.size()) return replace(position, std::move(row));
  if (vacancies_.load(std::memory_order_relaxed) & kInsideMask)
    vacancies_.fetch_add(kOneOutside - 1, std::memory_order_relaxed);
  append(std::move(row));
}

void ReservoirSample::addMember(TupleId id) {
  std::atomic<uint16_t>& members = membersAt(id);
  const uint16_t now = members.load(std::memory_order_relaxed);
  const uint16_t count = now >> kMarkBits;
  const uint16_t added = count == kManyMembers ? 0 : 1 << kMarkBits;
  members.store(static_cast<uint16_t>((now ^ markOf(id)) + added), std::memory_order_relaxed);
}

void ReservoirSample::dropMember(TupleId id) {
  std::atomic<uint16_t>& members = membersAt(id);
  const uint16_t now = members.load(std::memory_order_relaxed);
  const uint16_t count = now >> kMarkBits;
  // Of many nobody knows any more how many there are.
  const uint16_t taken = count == kManyMembers ? 0 : 1 << kMarkBits;
  members.store(static_cast<uint16_t>((now ^ markOf(id)) - taken), std::memory_order_relaxed);
}

bool ReservoirSample::mayBeMember(TupleId id) {
  const uint16_t now = membersAt(id).load(std::memory_order_relaxed);
  const uint16_t count = now >> kMarkBits;
  if (count != 1) return count != 0;
  return (now & ((1u << kMarkBits) - 1)) == markOf(id);
}

void ReservoirSample::append(Row row) {
  const auto known = positions_.find(row.id.value);
  // A deletion that was taken back.
  if (known != positions_.end()) return replace(known->second, std::move(row));
  if (rows_.size() == kCapacity) return replace(random_.nextBelow(kCapacity), std::move(row));
  positions_[row.id.value] = static_cast<uint32_t>(rows_.size());
  addMember(row.id);
  rows_.push_back(std::move(row));
  size_.store(static_cast<uint32_t>(rows_.size()), std::memory_order_relaxed);
  ASSERT(rows_.size() <= kCapacity && positions_.size() == rows_.size(), "R1");
}

void ReservoirSample::replace(size_t position, Row row) {
  const auto known = positions_.find(row.id.value);
  if (known != positions_.end()) {
    rows_[known->second] = std::move(row);
    return;
  }
  Row& old = rows_[position];
  positions_.erase(old.id.value);
  dropMember(old.id);
  positions_[row.id.value] = static_cast<uint32_t>(position);
  addMember(row.id);
  old = std::move(row);
}

void ReservoirSample::erase(size_t position) {
  positions_.erase(rows_[position].id.value);
  dropMember(rows_[position].id);
  if (position + 1 != rows_.size()) {
    rows_[position] = std::move(rows_.back());
    positions_[rows_[position].id.value] = static_cast<uint32_t>(position);
  }
  rows_.pop_back();
  size_.store(static_cast<uint32_t>(rows_.size()), std::memory_order_relaxed);
}

void ReservoirSample::remove(TupleId id) {
  if (mayBeMember(id)) {
    const std::lock_guard lock(mutex_);
    const auto known = positions_.find(id.value);
    if (known != positions_.end()) {
      erase(known->second);
      vacancies_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
  }
  vacancies_.fetch_add(kOneOutside, std::memory_order_relaxed);
}

void ReservoirSample::noteUpdate(TupleId id) {
  if (!mayBeMember(id)) return;
  const std::lock_guard lock(mutex_);
  const auto known = positions_.find(id.value);
  if (known == positions_.end()) return;
  rows_[known->second].is_outdated = true;
  has_outdated_ = true;
}

void ReservoirSample::refresh(const Read& read) {
  if (!read) return;
  std::vector<TupleId> outdated;
  {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(has_outdated_, false)) return;
    // From here on another change makes them so again.
    for (Row& row : rows_)
      if (std::exchange(row.is_outdated, false)) outdated.push_back(row.id);
  }
  for (const TupleId id : outdated) {
    std::optional<SampleRowBytes> bytes = read(id);
    if (!bytes) continue;
    const std::lock_guard lock(mutex_);
    if (const auto known = positions_.find(id.value); known != positions_.end())
      rows_[known->second].bytes = std::move(*bytes);
  }
}

void ReservoirSample::clear() {
  const std::lock_guard lock(mutex_);
  rows_.clear();
  size_.store(0, std::memory_order_relaxed);
  positions_.clear();
  for (auto& members : members_) members.store(0, std::memory_order_relaxed);
  vacancies_.store(0, std::memory_order_relaxed);
  generation_.fetch_add(1, std::memory_order_relaxed);
  filled_ = 0;
  weight_ = 1;
}

std::vector<ReservoirSample::Row> ReservoirSample::rows() const {
  const std::lock_guard lock(mutex_);
  return rows_;
}

void ReservoirSample::rewrite(const std::function<SampleRowBytes(const SampleRowBytes&)>& change) {
  const std::lock_guard lock(mutex_);
  for (Row& row : rows_) row.bytes = change(row.bytes);
}

// Layout: weight, filled, vacancies, row count (4 bytes); then for each row its id, size (4 bytes) and bytes. Skips are
// not kept: gaps are without memory, so drawing them anew is as good.
void ReservoirSample::write(ByteWriter& out) const {
  const std::lock_guard lock(mutex_);
  out.number(weight_);
  out.number(filled_);
  out.number(vacancies_.load(std::memory_order_relaxed));
  out.number(static_cast<uint32_t>(rows_.size()));
  for (const Row& row : rows_) {
    out.number(row.id.value);
    out.number(static_cast<uint32_t>(row.bytes.size()));
    out.append(row.bytes.data(), row.bytes.size());
  }
}

void ReservoirSample::read(ByteReader& in) {
  clear();
  const std::lock_guard lock(mutex_);
  const auto require = [](bool holds) {
    if (!holds) throw SqlError(sqlstate::kDataCorrupted, "damaged statistics: an impossible sample");
  };
  weight_ = in.number<double>();
  filled_ = in.number<uint32_t>();
  require(weight_ > 0 && weight_ <= 1 && filled_ <= kCapacity);
  const auto vacancies = in.number<uint64_t>();
  const auto row_count = in.number<uint32_t>();
  require(row_count + (vacancies & kInsideMask) <= kCapacity);
  vacancies_.store(vacancies, std::memory_order_relaxed);
  for (uint32_t i = 0; i < row_count; ++i) {
    const TupleId id{in.number<uint64_t>()};
    const auto bytes = in.take(in.number<uint32_t>());
    require(!positions_.contains(id.value));
    append({.id = id, .bytes = SampleRowBytes(bytes.begin(), bytes.end())});
  }
}

}  // namespace gnomon::storage
