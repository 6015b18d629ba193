#include "storage/page_log.h"

namespace gnomon::storage {

thread_local constinit PageLog::Scope* PageLog::current_ = nullptr;

}  // namespace gnomon::storage
