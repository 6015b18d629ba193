#include "sql/plpgsql/routine.h"

namespace gnomon::sql::plpgsql {

std::string Routine::textOf(const Fragment& fragment) const {
  static constexpr std::string_view kSelect = " SELECT";
  std::string text = body.substr(fragment.offset, fragment.length);
  if (fragment.kind == Fragment::Kind::Perform) text.replace(0, kSelect.size(), kSelect);
  if (fragment.cut_length != 0)
    text.replace(fragment.cut_offset - fragment.offset, fragment.cut_length, fragment.cut_length, ' ');
  return text;
}

}  // namespace gnomon::sql::plpgsql
