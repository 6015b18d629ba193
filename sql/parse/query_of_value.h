#pragma once

#include <pg_query/pg_query.pb-c.h>

namespace gnomon::sql {

/// SELECT value, as a tree of the grammar. Only for sources of this folder. The value outlives it.
class QueryOfValue {
 public:
  explicit QueryOfValue(PgQuery__Node& value) {
    target_.val = &value;
    target_node_.node_case = PG_QUERY__NODE__NODE_RES_TARGET;
    target_node_.res_target = &target_;
    select_.n_target_list = 1;
    select_.target_list = targets_;
    select_.limit_option = PG_QUERY__LIMIT_OPTION__LIMIT_OPTION_DEFAULT;
    select_.op = PG_QUERY__SET_OPERATION__SETOP_NONE;
    node_.node_case = PG_QUERY__NODE__NODE_SELECT_STMT;
    node_.select_stmt = &select_;
  }
  QueryOfValue(const QueryOfValue&) = delete;
  QueryOfValue& operator=(const QueryOfValue&) = delete;

  PgQuery__Node& node() { return node_; }

 private:
  PgQuery__ResTarget target_ = PG_QUERY__RES_TARGET__INIT;
  PgQuery__Node target_node_ = PG_QUERY__NODE__INIT;
  PgQuery__Node* targets_[1] = {&target_node_};
  PgQuery__SelectStmt select_ = PG_QUERY__SELECT_STMT__INIT;
  PgQuery__Node node_ = PG_QUERY__NODE__INIT;
};

}  // namespace gnomon::sql
