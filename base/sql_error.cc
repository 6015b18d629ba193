#include "base/sql_error.h"

namespace gnomon {

void throwNotSupported(std::string_view feature, int32_t position) {
  // "window functions are", "UNION is"
  const bool is_plural = feature.ends_with('s');
  throw SqlError(sqlstate::kFeatureNotSupported,
                 std::string(feature) + (is_plural ? " are not supported" : " is not supported"))
      .position(position);
}

}  // namespace gnomon
