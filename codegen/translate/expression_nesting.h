#pragma once

#include "codegen/translate/expression_translator.h"

namespace gnomon::codegen {

class ExpressionTranslator::Nesting {
 public:
  explicit Nesting(ExpressionTranslator& translator) : translator_(translator) {
    if (++translator_.depth_ > ExpressionTraits::kDepthMax) {
      leave();
      ExpressionTraits::throwTooDeep();
    }
  }
  ~Nesting() { leave(); }
  Nesting(const Nesting&) = delete;
  Nesting& operator=(const Nesting&) = delete;

 private:
  void leave() {
    if (--translator_.depth_ == 0) translator_.traits_.clear();
  }
  ExpressionTranslator& translator_;
};

}  // namespace gnomon::codegen
