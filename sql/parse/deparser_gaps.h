#pragma once

#include <pg_query/pg_query.pb-c.h>

#include <deque>
#include <utility>
#include <vector>

namespace gnomon::sql {

/// While it lives, what the deparser would write without the parentheses that it needs where it stands has some: an
/// indirection around another one, both without steps, is written as parentheses. Columns that SET gives a row's values
/// come before others, where the deparser writes all of them.
class DeparserGaps {
 public:
  explicit DeparserGaps(PgQuery__Node& tree) { visit(tree.base); }
  ~DeparserGaps();
  DeparserGaps(const DeparserGaps&) = delete;
  DeparserGaps& operator=(const DeparserGaps&) = delete;

 private:
  struct Indirection {
    PgQuery__AIndirection indirection;
    PgQuery__Node node;
  };
  void visit(ProtobufCMessage& message);
  void visitField(ProtobufCMessage& message, const ProtobufCFieldDescriptor& field);
  void closeGaps(ProtobufCMessage& message);
  void closeGapsOf(PgQuery__AExpr& expression);
  void closeGapsOfTest(PgQuery__Node*& operand);
  void closeGapsOf(PgQuery__FuncCall& call);
  void moveRowsFirst(size_t count, PgQuery__Node** targets);
  void wrap(PgQuery__Node*& node);
  void enclose(PgQuery__Node*& node);

  std::deque<Indirection> made_;
  std::vector<std::pair<PgQuery__Node**, PgQuery__Node*>> replaced_;  ///< where, and what stood there
};

}  // namespace gnomon::sql
