#include "server/described_statement.h"

namespace gnomon::server {

void DescribedStatement::describe(MessageWriter& writer, const std::vector<int16_t>& formats) {
  if (!description_.empty() && described_formats_ == formats) return writer.write(description_);
  writeRowDescription(writer, columns_, formats);
  described_formats_ = formats;
  description_ = writer.lastMessage();
}

}  // namespace gnomon::server
