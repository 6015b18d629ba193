#include "base/text_style.h"

namespace gnomon {
namespace {

thread_local TextStyle session_style;
thread_local int64_t session_moment = 0;

}  // namespace

const TextStyle& textStyle() {
  return session_style;
}
int64_t textMoment() {
  return session_moment;
}

TextStyleScope::TextStyleScope(const TextStyle& style, int64_t moment)
    : style_before_(session_style), moment_before_(session_moment) {
  change(style, moment);
}
TextStyleScope::~TextStyleScope() {
  change(style_before_, moment_before_);
}
void TextStyleScope::change(const TextStyle& style, int64_t moment) {
  session_style = style;
  session_moment = moment;
}

}  // namespace gnomon
