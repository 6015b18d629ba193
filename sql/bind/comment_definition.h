#pragma once

#include "sql/bind/bind_state.h"

namespace gnomon::sql {

/// COMMENT ON. Failure: 42P01, 3F000, 42703, 42704, 42809; 0A000 for what is the system's.
CommentStatement bindComment(BindState& state, const ast::Comment& comment);

}  // namespace gnomon::sql
