#include "sql/types/failing_row.h"

#include "base/string_value.h"
#include "sql/types/text_io.h"

namespace gnomon::sql {

void appendFailingValue(Type type, uint64_t lo, uint64_t hi, ByteaOutput bytea_output, std::string& out) {
  constexpr size_t kShownBytesMax = 64;
  std::string text;
  if (type.isByteString()) {
    // One byte more than is shown tells that there are more; the rest of a long value is not looked at.
    const StringValue value(lo, hi);
    const StringValue front = StringValue::refer(value.view().substr(0, kShownBytesMax + 1), value.storage());
    appendText(type, front.lo(), front.hi(), text, bytea_output);
  } else {
    appendText(type, lo, hi, text);
  }
  if (text.size() > kShownBytesMax) {
    size_t bytes = kShownBytesMax;
    while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xc0) == 0x80) --bytes;
    text.resize(bytes);
    text += "...";
  }
  out += text;
}

}  // namespace gnomon::sql
