#include "storage/page_log.h"

namespace gnomon::storage {

thread_local constinit PageLog::Scope* PageLog::current_ = nullptr;
thread_local constinit std::span<const wal::RecordStamp> PageLog::dependence_{};

}  // namespace gnomon::storage
