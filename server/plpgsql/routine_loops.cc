#include <fmt/format.h>

#include "server/plpgsql/error_context.h"
#include "server/plpgsql/routine_call.h"
#include "server/query_run.h"
#include "sql/types/array_value.h"
#include "sql/types/text_io.h"

/// FOR over rows and arrays.
namespace gnomon::server {

using namespace sql::plpgsql;

namespace {

/// Rows that are asked for at once: few at first, since a loop may be left early.
constexpr uint64_t kFirstRows = 10;
constexpr uint64_t kFurtherRows = 256;

}  // namespace

int32_t RoutineCall::loopOverQuery(const ForQuery& loop, uint32_t body) {
  const bool is_dynamic = std::holds_alternative<DynamicQuery>(loop.query);
  std::shared_ptr<Piece> piece;
  std::vector<sql::Value> parameters;
  if (is_dynamic) {
    const DynamicQuery& query = std::get<DynamicQuery>(loop.query);
    piece = std::make_shared<Piece>();
    piece->text = dynamicText(query);
    parameters = valuesOf(query.arguments);
    piece->statement = bindDynamic(piece->text, parameters);
    piece->is_query = std::holds_alternative<sql::QueryStatement>(piece->statement->bound->body);
    piece->format.column_formats.assign(piece->statement->columns().size(), 1);
  } else {
    piece = pieceOf(std::get<Fragment>(loop.query));
    parameters = parametersOf(*piece);
  }
  if (!piece->statement->returns_rows)
    throw SqlError(SqlState("42P11"), fmt::format("cannot open {} query as cursor", piece->statement->bound->command));
  const std::string line = fmt::format("SQL statement \"{}\"", piece->text);
  uint64_t rounds = 0;
  int32_t outcome = 0;
  const auto goOver = [&](const std::vector<ValueRow>& rows, const std::vector<ResultColumn>& columns) {
    for (const ValueRow& row : rows) {
      assignRow(loop.target, row, columns);
      ++rounds;
      if (!round(body, outcome)) return false;
    }
    return true;
  };
  if (!piece->is_query) {
    const PieceResult result = runStatement(*piece, parameters, UINT64_MAX);
    goOver(result.rows, result.columns);
    if (rounds == 0) assignNoRow(loop.target, result.columns);
    setFound(rounds != 0);
    return outcome;
  }
  const auto inPiece = [&](const auto& act) {
    running_ = line;
    try {
      act();
    } catch (SqlError& error) {
      addContext(error, line);
      running_.clear();
      throw error.dropPosition();
    }
    running_.clear();
  };
  std::optional<QueryRun> run;
  inPiece([&] { run.emplace(session_, *piece->statement, piece->format, parameters, nullptr); });
  const std::vector<ResultColumn> columns = resultColumns(run->bound());
  for (bool is_finished = false; !is_finished;) {
    ValueRows sink(SIZE_MAX);
    inPiece([&] { is_finished = run->run(rounds == 0 ? kFirstRows : kFurtherRows, sink); });
    if (!goOver(sink.take(columns), columns)) break;
  }
  if (rounds == 0) assignNoRow(loop.target, columns);
  setFound(rounds != 0);
  return outcome;
}

int32_t RoutineCall::loopOverArray(const ForEach& loop, uint32_t body) {
  const sql::Value array = valueOf(loop.array);
  if (array.is_null) throw SqlError(sqlstate::kNullValueNotAllowed, "FOREACH expression must not be null");
  if (!array.type.isArray())
    throw SqlError(sqlstate::kDatatypeMismatch,
                   fmt::format("FOREACH expression must yield an array, not type {}", array.type.baseName()));
  const sql::Type element = array.type.element();
  const sql::ArrayView view(element, StringValue::refer(array.bytes, StringValue::Storage::Transient));
  const auto dimensions = view.dimensions();
  if (loop.slice > dimensions.size() && !(dimensions.empty() && loop.slice == 0))
    throw SqlError(sqlstate::kArraySubscriptError,
                   fmt::format("slice dimension ({}) is out of the valid range 0..{}", loop.slice, dimensions.size()));
  const Datum& target = datum(loop.target);
  const bool is_array = target.kind == Datum::Kind::Variable && target.type.type.isArray();
  if (loop.slice > 0 && !is_array)
    throw SqlError(sqlstate::kDatatypeMismatch, "FOREACH ... SLICE loop variable must be of an array type");
  if (loop.slice == 0 && is_array)
    throw SqlError(sqlstate::kDatatypeMismatch, "FOREACH loop variable must not be of an array type");
  size_t items = 1;
  std::vector<sql::ArrayDimension> slice;
  for (size_t i = dimensions.size() - std::min<size_t>(loop.slice, dimensions.size()); i < dimensions.size(); ++i) {
    slice.push_back(dimensions[i]);
    items *= static_cast<size_t>(dimensions[i].length);
  }
  const auto elementAt = [&](size_t index) {
    if (view.isNull(index)) return sql::Value::null(element);
    const sql::RegisterPair at = view.at(index);
    return sql::fromRegisters(element, at.lo, at.hi);
  };
  int32_t outcome = 0;
  size_t rounds = 0;
  for (size_t next = 0; next < view.size(); next += items) {
    if (loop.slice == 0) {
      assignRow(loop.target, {elementAt(next)}, {{.name = "", .type = element}});
    } else {
      sql::ArrayBuilder builder(element);
      for (size_t i = 0; i < items; ++i) builder.add(elementAt(next + i));
      assignScalar(loop.target, sql::Value::fromString(array.type, builder.finish(slice)));
    }
    ++rounds;
    if (!round(body, outcome)) break;
  }
  setFound(rounds != 0);
  return outcome;
}

}  // namespace gnomon::server
