#include "storage/page_numbers.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <cstring>
#include <system_error>

#include "base/atomic_file.h"
#include "base/sql_error.h"

namespace gnomon::storage {

namespace {

constexpr const char* kFileName = "gnomon.free";

[[noreturn]] void raiseDamaged(const std::filesystem::path& path) {
  throw SqlError(sqlstate::kDataCorrupted, fmt::format("file \"{}\" is missing or damaged", path.string()));
}

}  // namespace

PageNumbers::PageNumbers(std::filesystem::path directory,
                         const std::array<std::unique_ptr<DataFile>, kSizeClassCount>& files)
    : directory_(std::move(directory)), files_(files) {
  read();
}

PageId PageNumbers::take(SizeClass size_class) {
  const std::scoped_lock lock(mutex_);
  Class& numbers = classes_[size_class.index];
  if (!numbers.free.empty()) {
    const PageId id(numbers.free.back(), size_class);
    numbers.free.pop_back();
    return id;
  }
  files_[size_class.index]->reserve(numbers.next);
  return {numbers.next++, size_class};
}

void PageNumbers::give(PageId id) {
  const std::scoped_lock lock(mutex_);
  Class& numbers = classes_[id.sizeClass().index];
  CHECK(!id.isNone() && id.number() < numbers.next, "B2");
  numbers.free.push_back(id.number());
}

uint64_t PageNumbers::nextNumber(SizeClass size_class) const {
  const std::scoped_lock lock(mutex_);
  return classes_[size_class.index].next;
}

std::vector<uint64_t> PageNumbers::freeNumbers(SizeClass size_class) const {
  const std::scoped_lock lock(mutex_);
  return classes_[size_class.index].free;
}

void PageNumbers::write() {
  std::vector<uint64_t> words(1);
  {
    const std::scoped_lock lock(mutex_);
    for (const Class& numbers : classes_) {
      words.push_back(numbers.next);
      words.push_back(numbers.free.size());
      words.insert(words.end(), numbers.free.begin(), numbers.free.end());
    }
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
  const std::filesystem::path path = directory_ / kFileName;
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
  size_t position = 1;
  for (Class& numbers : classes_) {
    if (position + 2 > words.size()) raiseDamaged(path);
    numbers.next = words[position];
    const uint64_t count = words[position + 1];
    position += 2;
    if (count > words.size() - position) raiseDamaged(path);
    numbers.free.assign(words.begin() + static_cast<ptrdiff_t>(position),
                        words.begin() + static_cast<ptrdiff_t>(position + count));
    position += count;
  }
}

}  // namespace gnomon::storage
