#include "sql/bind/table_use.h"

#include <fmt/format.h>

#include "base/sql_error.h"

namespace gnomon::sql {
namespace {

/// "insert into", "inserting into", "INSERT".
[[noreturn]] void refuseChange(const std::string& view, std::string_view verb, std::string_view gerund,
                               std::string_view event) {
  throw SqlError(sqlstate::kObjectNotInPrerequisiteState, fmt::format("cannot {} view \"{}\"", verb, view))
      .detail("Views that do not select from a single table or view are not automatically updatable.")
      .hint(fmt::format("To enable {} the view, provide an INSTEAD OF {} trigger or an unconditional ON {} DO INSTEAD "
                        "rule.",
                        gerund, event, event));
}

}  // namespace

void refuseView(const std::string& name, TableUse use) {
  switch (use) {
    case TableUse::Insert:
      refuseChange(name, "insert into", "inserting into", "INSERT");
    case TableUse::Update:
      refuseChange(name, "update", "updating", "UPDATE");
    case TableUse::Delete:
      refuseChange(name, "delete from", "deleting from", "DELETE");
    case TableUse::Merge:
      throw SqlError(sqlstate::kFeatureNotSupported, fmt::format("cannot execute MERGE on relation \"{}\"", name))
          .detail("This operation is not supported for views.");
    case TableUse::Truncate:
    case TableUse::Alter:
      break;
    case TableUse::Reference:
      throw SqlError(sqlstate::kWrongObjectType, fmt::format("referenced relation \"{}\" is not a table", name));
    case TableUse::Index:
      throw SqlError(sqlstate::kWrongObjectType, fmt::format("cannot create index on relation \"{}\"", name))
          .detail("This operation is not supported for views.");
    case TableUse::CopyFrom:
      throw SqlError(sqlstate::kWrongObjectType, fmt::format("cannot copy to view \"{}\"", name))
          .hint("To enable copying to a view, provide an INSTEAD OF INSERT trigger.");
    case TableUse::CopyTo:
      throw SqlError(sqlstate::kWrongObjectType, fmt::format("cannot copy from view \"{}\"", name))
          .hint("Try the COPY (SELECT ...) TO variant.");
  }
  throw SqlError(sqlstate::kWrongObjectType, fmt::format("\"{}\" is not a table", name));
}

void refuseMaterialized(const std::string& name, TableUse use) {
  const auto refused = [](std::string message) { return SqlError(sqlstate::kWrongObjectType, std::move(message)); };
  switch (use) {
    case TableUse::Insert:
    case TableUse::Update:
    case TableUse::Delete:
      throw refused(fmt::format("cannot change materialized view \"{}\"", name));
    case TableUse::Merge:
      throw SqlError(sqlstate::kFeatureNotSupported, fmt::format("cannot execute MERGE on relation \"{}\"", name))
          .detail("This operation is not supported for materialized views.");
    case TableUse::Reference:
      throw refused(fmt::format("referenced relation \"{}\" is not a table", name));
    case TableUse::CopyFrom:
      throw refused(fmt::format("cannot copy to materialized view \"{}\"", name));
    case TableUse::CopyTo:
      throw refused(fmt::format("cannot copy from materialized view \"{}\"", name))
          .hint("Try the COPY (SELECT ...) TO variant.");
    case TableUse::Index:
    case TableUse::Alter:
      return;
    case TableUse::Truncate:
      break;
  }
  throw refused(fmt::format("\"{}\" is not a table", name));
}

void refuseSequence(const TableEntry& sequence, TableUse use) {
  const std::string& name = sequence.name;
  const auto refused = [](std::string message) { return SqlError(sqlstate::kWrongObjectType, std::move(message)); };
  switch (use) {
    case TableUse::Insert:
    case TableUse::Update:
    case TableUse::Delete:
      throw refused(fmt::format("cannot change sequence \"{}\"", name));
    case TableUse::Merge:
      throw SqlError(sqlstate::kFeatureNotSupported, fmt::format("cannot execute MERGE on relation \"{}\"", name))
          .detail("This operation is not supported for sequences.");
    case TableUse::Reference:
      throw refused(fmt::format("referenced relation \"{}\" is not a table", name));
    case TableUse::Index:
      throw refused(fmt::format("cannot create index on relation \"{}\"", name))
          .detail("This operation is not supported for sequences.");
    case TableUse::CopyFrom:
      throw refused(fmt::format("cannot copy to sequence \"{}\"", name));
    case TableUse::CopyTo:
      throw refused(fmt::format("cannot copy from sequence \"{}\"", name));
    case TableUse::Alter:
      throwNotSupported("ALTER TABLE of a sequence");
    case TableUse::Truncate:
      break;
  }
  throw refused(fmt::format("\"{}\" is not a table", name));
}

}  // namespace gnomon::sql
