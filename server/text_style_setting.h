#pragma once

#include "base/settings.h"
#include "base/text_style.h"

namespace gnomon::server {

/// What DateStyle, IntervalStyle and extra_float_digits say.
TextStyle textStyleOf(const Settings& settings);

}  // namespace gnomon::server
