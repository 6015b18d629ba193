#include <fmt/format.h>

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

class RoutineCall::RowLoop {
 public:
  RowLoop(RoutineCall& call, Piece& piece, const std::vector<sql::Value>& parameters) : call_(call) {
    run_.emplace(call.session_, *piece.statement, piece.format, parameters, nullptr);
    query_ = run_->query();
    uses_.begin(call.session_.uses, query_->bound->tables);
    is_writing_ = !run_->bound().written.empty();
    noteColumns(piece, run_->query());
    columns_ = piece.columns;
    call.row_loops_.push_back(this);
    call.has_just_begun_ = false;
  }
  ~RowLoop() { call_.row_loops_.pop_back(); }
  RowLoop(const RowLoop&) = delete;
  RowLoop& operator=(const RowLoop&) = delete;

  [[nodiscard]] const std::shared_ptr<const std::vector<ResultColumn>>& columns() const { return columns_; }
  [[nodiscard]] bool hasMore() const { return run_ || !held_.empty(); }
  /// `memory`: used again.
  HeldRows next(uint64_t rows, std::string memory) {
    return run_ ? read(rows, std::move(memory)) : std::exchange(held_, {});
  }
  /// Before the transaction ends: what is left.
  void hold() {
    if (is_writing_)
      throw SqlError(SqlState("55000"),
                     "cannot perform transaction commands inside a cursor loop that is not read-only");
    if (run_) held_ = read(0, {});
    uses_.release();
  }

 private:
  HeldRows read(uint64_t rows, std::string memory) {
    HeldRows read(std::move(memory));
    HeldRowsSink sink(read);
    if (run_->run(rows, sink)) run_.reset();
    return read;
  }

  RoutineCall& call_;
  std::optional<QueryRun> run_;
  std::shared_ptr<const CompiledQuery> query_;
  TableUses::Use uses_;  ///< also when all rows have been read
  bool is_writing_ = false;
  std::shared_ptr<const std::vector<ResultColumn>> columns_;
  HeldRows held_;
};

void RoutineCall::holdLoops() {
  for (RowLoop* const loop : row_loops_) loop->hold();
}

int32_t RoutineCall::loopOverQuery(const ForQuery& loop, uint32_t body) {
  const bool is_dynamic = std::holds_alternative<DynamicQuery>(loop.query);
  PiecePtr piece;
  std::vector<sql::Value> parameters;
  if (is_dynamic) {
    const DynamicQuery& query = std::get<DynamicQuery>(loop.query);
    piece = PiecePtr(std::make_unique<Piece>());
    piece->text = dynamicText(query);
    parameters = valuesOf(query.arguments);
    piece->statement = bindDynamic(piece->text, parameters);
    piece->is_query = std::holds_alternative<sql::QueryStatement>(piece->statement->bound->body);
    piece->format = valueFormat(piece->statement->columns());
  } else {
    piece = pieceOf(std::get<Fragment>(loop.query), Piece::Rows::All);
    parameters = parametersOf(*piece);
  }
  if (!piece->statement->returns_rows)
    throw SqlError(SqlState("42P11"), fmt::format("cannot open {} query as cursor", piece->statement->bound->command));
  uint64_t rounds = 0;
  int32_t outcome = 0;
  if (!piece->is_query) {
    const PieceResult result = runStatement(*piece, parameters, UINT64_MAX);
    for (const ValueRow& row : result.rows) {
      assignRow(loop.target, row, *result.columns);
      ++rounds;
      if (!round(body, outcome)) break;
    }
    if (hasFailed(outcome)) return outcome;
    if (rounds == 0) assignNoRow(loop.target, *result.columns);
    setFound(rounds != 0);
    return outcome;
  }
  try {
    requireMayChange(*piece);
  } catch (SqlError& error) {
    throw error.addContext(fmt::format("SQL statement \"{}\"", piece->text));
  }
  RowLoop rows(*this, *piece, parameters);
  const std::shared_ptr<const std::vector<ResultColumn>> columns = rows.columns();
  HeldRows batch;
  const auto goOver = [&](std::string_view message) {
    assignHeld(*piece, loop.target, message, columns);
    ++rounds;
    return round(body, outcome);
  };
  do {
    if (!rows.hasMore()) break;
    batch = rows.next(rounds == 0 ? kFirstRows : kFurtherRows, batch.takeMemory());
  } while (batch.forEach(goOver));
  if (hasFailed(outcome)) return outcome;
  if (rounds == 0) assignNoRow(loop.target, *columns);
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
      assignScalar(loop.target, elementAt(next));
    } else {
      sql::ArrayBuilder builder(element);
      for (size_t i = 0; i < items; ++i) builder.add(elementAt(next + i));
      assignScalar(loop.target, sql::Value::fromString(array.type, builder.finish(slice)));
    }
    ++rounds;
    if (!round(body, outcome)) break;
  }
  if (hasFailed(outcome)) return outcome;
  setFound(rounds != 0);
  return outcome;
}

}  // namespace gnomon::server
