#include "storage/page_numbers.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <cstring>
#include <system_error>

#include "base/assert.h"
#include "base/atomic_file.h"
#include "base/sql_error.h"

namespace gnomon::storage {

namespace {

constexpr const char* kFileName = "gnomon.free";

[[noreturn]] void raiseDamaged(const std::filesystem::path& path) {
  throw SqlError(sqlstate::kDataCorrupted, fmt::format("file \"{}\" is missing or damaged", path.string()));
}

}  // namespace

std::filesystem::path PageNumbers::filePath(const std::filesystem::path& directory) {
  return directory / kFileName;
}

PageNumbers::PageNumbers(std::filesystem::path directory,
                         const std::array<std::unique_ptr<DataFile>, kSizeClassCount>& files)
    : directory_(std::move(directory)), files_(files) {
  read();
}

PageNumbers::Taken PageNumbers::take(SizeClass size_class) {
  const std::scoped_lock lock(mutex_);
  Class& numbers = classes_[size_class.index];
  if (!numbers.free.empty()) {
    const Free free = numbers.free.back();
    numbers.taken.insert(free.number);
    numbers.free.pop_back();
    return {PageId(free.number, size_class), free.stamp};
  }
  files_[size_class.index]->reserve(numbers.next);
  numbers.taken.insert(numbers.next);
  return {PageId(numbers.next++, size_class), {}};
}

void PageNumbers::confirm(PageId id) {
  const std::scoped_lock lock(mutex_);
  classes_[id.sizeClass().index].taken.erase(id.number());
}

void PageNumbers::give(PageId id, wal::RecordStamp stamp) {
  const std::scoped_lock lock(mutex_);
  Class& numbers = classes_[id.sizeClass().index];
  CHECK(!id.isNone() && id.number() < numbers.next, "B2");
  numbers.taken.erase(id.number());
  numbers.free.push_back({id.number(), stamp});
}

PageNumberStates PageNumbers::state() const {
  const std::scoped_lock lock(mutex_);
  PageNumberStates states;
  for (size_t index = 0; index < kSizeClassCount; ++index) {
    const Class& numbers = classes_[index];
    states[index].next = numbers.next;
    states[index].free.reserve(numbers.free.size() + numbers.taken.size());
    for (const Free& free : numbers.free) states[index].free.push_back(free.number);
    states[index].free.insert(states[index].free.end(), numbers.taken.begin(), numbers.taken.end());
  }
  return states;
}

void PageNumbers::restore(const PageNumberStates& states) {
  const std::scoped_lock lock(mutex_);
  for (size_t index = 0; index < kSizeClassCount; ++index) {
    Class& numbers = classes_[index];
    numbers = Class{.next = states[index].next, .free = {}, .taken = {}};
    numbers.free.reserve(states[index].free.size());
    for (const uint64_t number : states[index].free) numbers.free.push_back({number, {}});
  }
}

uint64_t PageNumbers::nextNumber(SizeClass size_class) const {
  const std::scoped_lock lock(mutex_);
  return classes_[size_class.index].next;
}

std::vector<uint64_t> PageNumbers::freeNumbers(SizeClass size_class) const {
  const std::scoped_lock lock(mutex_);
  std::vector<uint64_t> numbers;
  for (const Free& free : classes_[size_class.index].free) numbers.push_back(free.number);
  return numbers;
}

void PageNumbers::write(const PageNumberStates& states) const {
  std::vector<uint64_t> words(1);
  for (const PageNumberState& numbers : states) {
    words.push_back(numbers.next);
    words.push_back(numbers.free.size());
    words.insert(words.end(), numbers.free.begin(), numbers.free.end());
  }
  words[0] = XXH3_64bits(words.data() + 1, (words.size() - 1) * sizeof(uint64_t));
  try {
    replaceFile(directory_, kFileName, {reinterpret_cast<const char*>(words.data()), words.size() * sizeof(uint64_t)});
  } catch (const std::system_error& error) {
    const bool is_full = error.code() == std::errc::no_space_on_device;
    throw SqlError(is_full ? sqlstate::kDiskFull : sqlstate::kIoError, error.what());
  }
}

void PageNumbers::read() {
  const std::filesystem::path path = filePath(directory_);
  std::optional<std::string> contents;
  try {
    contents = readFile(path);
  } catch (const std::system_error& error) {
    throw SqlError(sqlstate::kIoError, error.what());
  }
  if (!contents) {
    // A new directory; but data without free lists would be overwritten.
    for (const auto& file : files_)
      if (std::filesystem::exists(file->path())) raiseDamaged(path);
    return;
  }
  std::vector<uint64_t> words(contents->size() / sizeof(uint64_t));
  std::memcpy(words.data(), contents->data(), words.size() * sizeof(uint64_t));
  if (words.empty() || words[0] != XXH3_64bits(words.data() + 1, (words.size() - 1) * sizeof(uint64_t)))
    raiseDamaged(path);
  PageNumberStates states;
  size_t position = 1;
  for (PageNumberState& numbers : states) {
    if (position + 2 > words.size()) raiseDamaged(path);
    numbers.next = words[position];
    const uint64_t count = words[position + 1];
    position += 2;
    if (count > words.size() - position) raiseDamaged(path);
    numbers.free.assign(words.begin() + static_cast<ptrdiff_t>(position),
                        words.begin() + static_cast<ptrdiff_t>(position + count));
    position += count;
  }
  restore(states);
}

}  // namespace gnomon::storage
