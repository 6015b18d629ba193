#pragma once

#include <pg_query/pg_query.pb-c.h>

#include <deque>
#include <utility>
#include <vector>

namespace gnomon::sql {

/// While it lives, the row counts of FETCH FIRST ... WITH TIES within the tree that the deparser would write without
/// the parentheses that the grammar asks for are subqueries: `(SELECT count)`.
class TiesCounts {
 public:
  explicit TiesCounts(PgQuery__Node& tree) { visit(tree.base); }
  ~TiesCounts();
  TiesCounts(const TiesCounts&) = delete;
  TiesCounts& operator=(const TiesCounts&) = delete;

 private:
  struct Subquery {
    PgQuery__ResTarget item;
    PgQuery__Node item_node;
    PgQuery__Node* items;
    PgQuery__SelectStmt select;
    PgQuery__Node select_node;
    PgQuery__SubLink link;
    PgQuery__Node node;
  };
  void visit(ProtobufCMessage& message);
  void visitField(ProtobufCMessage& message, const ProtobufCFieldDescriptor& field);
  void wrap(PgQuery__Node*& count);

  std::deque<Subquery> subqueries_;
  std::vector<std::pair<PgQuery__Node**, PgQuery__Node*>> replaced_;  ///< where, and what stood there
};

}  // namespace gnomon::sql
