#pragma once

#include "sql/types/jsonb_value.h"

namespace gnomon::sql {

/// Counts the levels of a recursion while it is there. Failure: 54001 beyond `most`.
class JsonNesting {
 public:
  JsonNesting(unsigned& depth, unsigned most) : depth_(depth) {
    if (depth_ >= most) throwJsonTooDeep();
    ++depth_;
  }
  ~JsonNesting() { --depth_; }
  JsonNesting(const JsonNesting&) = delete;
  JsonNesting& operator=(const JsonNesting&) = delete;

 private:
  unsigned& depth_;
};

}  // namespace gnomon::sql
