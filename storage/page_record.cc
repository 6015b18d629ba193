#include "storage/page_record.h"

#include "base/sql_error.h"

namespace gnomon::storage {

namespace {

[[noreturn]] void raiseDamaged() {
  throw SqlError(sqlstate::kDataCorrupted, "a log record's body is damaged");
}

}  // namespace

PageRecord::PageRecord(wal::Bytes body) : reader_(body) {
  const auto head = reader_.plain<RecordHead>();
  meaning_ = reader_.take(head.meaning_bytes);
  parts_left_ = head.part_count;
  if (!reader_.isSound()) raiseDamaged();
}

bool PageRecord::next(RecordPart& part) {
  if (parts_left_ == 0) {
    if (!reader_.isAtEnd()) raiseDamaged();
    return false;
  }
  --parts_left_;
  part.head = reader_.plain<PartHead>();
  part.operations = reader_.take(part.head.bytes);
  if (!reader_.isSound()) raiseDamaged();
  return true;
}

}  // namespace gnomon::storage
