#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "storage/buffer_manager.h"
#include "storage/page_record.h"

namespace gnomon::storage {

/// One change of one or several pages, in the log as one record: after a crash all of it is there, or nothing.
///
/// The pages are held exclusively until it ends; those that are handed over (hold, free) it holds itself. Images are
/// taken when the change ends. Ended
/// by finish() or the destructor: the record is appended, the pages carry its stamp, and freed pages go.
/// What was prepared before pages were changed is appended without fail; where finish() comes before the change it may
/// fail with 53100, and nothing has happened. A log that fails otherwise ends the process.
/// Threads: one; one at a time in each thread.
class PageChange {
 public:
  /// A record of `relation`. Types other than kPages are the transaction's, if the thread has a scope open.
  PageChange(BufferManager& buffers, RelationId relation, wal::RecordType type = record_types::kPages);
  ~PageChange();
  PageChange(const PageChange&) = delete;
  PageChange& operator=(const PageChange&) = delete;

  /// Before anything that cannot be taken back: room in the log for a record of `bytes` bytes, for what undoing it
  /// takes (undoTakes, before), and for its heads. Failure: 53100, 58030; nothing has happened.
  void prepare(uint64_t bytes);
  /// The bytes of the records that undo this one.
  void undoTakes(uint64_t bytes) { rollback_bytes_ = bytes; }

  /// What was done, by record type; before the first part. Bytes are copied.
  void mean(wal::Bytes bytes);
  /// The same, written in place: memory for at most `bytes_max` bytes, and where what was written of it ends. Null:
  /// nothing is logged.
  [[nodiscard]] std::byte* beginMeaning(uint64_t bytes_max) { return beginOperations(bytes_max); }
  void endMeaning(const std::byte* end);

  /// What follows is said of this page.
  void change(Frame& page);
  /// Bytes of the page, which stay as they are now until the change ends.
  void write(const void* at, uint64_t bytes) { write(at, bytes, kCopiedBytesMax); }
  /// Bytes of the page as they will be when the change ends.
  void writeAtEnd(const void* at, uint64_t bytes) { write(at, bytes, 0); }
  /// A field of a page's header.
  template <typename Field>
  void write(const Field& field) {
    write(&field, sizeof(field));
  }
  /// Many operations, written in place as those of a meaning are.
  [[nodiscard]] std::byte* beginOperations(uint64_t bytes_max);
  void endOperations(const std::byte* end);
  void tupleIds(uint32_t row, uint32_t count, uint64_t first_id);
  void operation(PageOperation operation, std::initializer_list<uint64_t> operands);
  void operation(PageOperation operation, std::initializer_list<uint64_t> operands, std::string_view bytes);

  /// The whole page is in the record; it may be new. Pages of zeros but for a little take little.
  void image(Frame& page);
  /// The page's number is free again, after the record. No swip refers to the page any more.
  void free(ExclusiveGuard page);
  /// The same for a page whose swip is cold. Its swip's page is held exclusively.
  void freeCold(PageId id) { freed_cold_.push_back(id); }
  /// Holds a page until the end.
  void hold(ExclusiveGuard page) { held_.push_back(std::move(page)); }

  /// Called when the record is appended, before a checkpoint can be taken behind it.
  void then(std::function<void()> action) { action_ = std::move(action); }

  void finish();

  /// Bytes of a record that has an image of each of so many pages of 64 KiB.
  static constexpr uint64_t imageBytes(uint64_t pages) { return pages * (kPageBytesMin + kPageBytesMin / 4); }
  static constexpr uint64_t imageBytes(const Frame& page) { return page.pageBytes() + page.pageBytes() / 4; }

 private:
  /// Bytes of a page that are more go into the record from where they lie, without a copy.
  static constexpr uint64_t kCopiedBytesMax = 256;
  struct Scratch;
  static Scratch& scratch();

  [[nodiscard]] bool isOn() const { return log_.isOn(); }
  [[nodiscard]] wal::LogWriter& writer(const PageLog::Scope* scope);
  void beginPart(Frame& page, PartKind kind);
  void endPart();
  void writeImages();
  void writeImage(Frame& page);
  void writeFreed();
  void putNumber(uint64_t number);
  void put(const void* bytes, size_t count);
  void write(const void* at, uint64_t bytes, uint64_t copied_bytes_max);
  void refer(const std::byte* bytes, uint64_t count, uint64_t copied_bytes_max = kCopiedBytesMax);
  wal::RecordStamp append();
  void settle(wal::RecordStamp stamp);

  BufferManager& buffers_;
  PageLog& log_;
  const RelationId relation_;
  const wal::RecordType type_;
  std::unique_ptr<wal::LogWriter> lease_;  ///< when the thread has no scope
  Scratch& record_;
  uint64_t rollback_bytes_ = 0;
  std::vector<ExclusiveGuard> held_;
  std::vector<ExclusiveGuard> freed_;
  std::vector<PageId> freed_cold_;
  std::function<void()> action_;
  bool is_finished_ = false;
};

}  // namespace gnomon::storage
