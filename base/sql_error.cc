#include "base/sql_error.h"

namespace gnomon {

void throwNotSupported(std::string_view feature, int32_t position) {
  throw SqlError(sqlstate::kFeatureNotSupported, std::string(feature) + " is not supported").position(position);
}

}  // namespace gnomon
