#include "sql/plpgsql/context_name.h"

namespace gnomon::sql::plpgsql {
namespace {

std::string_view nameOf(const Block&) {
  return "statement block";
}
std::string_view nameOf(const Assignment&) {
  return "assignment";
}
std::string_view nameOf(const If&) {
  return "IF";
}
std::string_view nameOf(const Case&) {
  return "CASE";
}
std::string_view nameOf(const Loop&) {
  return "LOOP";
}
std::string_view nameOf(const While&) {
  return "WHILE";
}
std::string_view nameOf(const ForRange&) {
  return "FOR with integer loop variable";
}
std::string_view nameOf(const ForQuery& loop) {
  return std::holds_alternative<DynamicQuery>(loop.query) ? "FOR over EXECUTE statement" : "FOR over SELECT rows";
}
std::string_view nameOf(const ForCursor&) {
  return "FOR over cursor";
}
std::string_view nameOf(const ForEach&) {
  return "FOREACH over array";
}
std::string_view nameOf(const Leave& leave) {
  return leave.is_continue ? "CONTINUE" : "EXIT";
}
std::string_view nameOf(const Return&) {
  return "RETURN";
}
std::string_view nameOf(const ReturnNext&) {
  return "RETURN NEXT";
}
std::string_view nameOf(const ReturnQuery&) {
  return "RETURN QUERY";
}
std::string_view nameOf(const Raise&) {
  return "RAISE";
}
std::string_view nameOf(const Assert&) {
  return "ASSERT";
}
std::string_view nameOf(const Perform&) {
  return "PERFORM";
}
std::string_view nameOf(const Call& call) {
  return call.is_do ? "DO" : "CALL";
}
std::string_view nameOf(const ExecuteSql&) {
  return "SQL statement";
}
std::string_view nameOf(const ExecuteDynamic&) {
  return "EXECUTE";
}
std::string_view nameOf(const GetDiagnostics& get) {
  return get.is_stacked ? "GET STACKED DIAGNOSTICS" : "GET DIAGNOSTICS";
}
std::string_view nameOf(const Open&) {
  return "OPEN";
}
std::string_view nameOf(const Fetch& fetch) {
  return fetch.is_move ? "MOVE" : "FETCH";
}
std::string_view nameOf(const Close&) {
  return "CLOSE";
}
std::string_view nameOf(const EndTransaction& end) {
  return end.is_rollback ? "ROLLBACK" : "COMMIT";
}

}  // namespace

std::string_view contextName(const Statement& statement) {
  return std::visit([](const auto& body) { return nameOf(body); }, statement.body);
}

}  // namespace gnomon::sql::plpgsql
