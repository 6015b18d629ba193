#include <algorithm>

#include "base/assert.h"
#include "base/sql_error.h"
#include "codegen/executor/execution_state.h"
#include "codegen/runtime/copy_encoder.h"
#include "codegen/runtime/row_encoder.h"
#include "codegen/translate/expression_array.h"
#include "codegen/translate/expression_decimal.h"
#include "codegen/translate/expression_values.h"
#include "codegen/translate/plan_translator.h"
#include "codegen/translate/row_lock_emitter.h"
#include "codegen/translate/value_operations.h"

namespace gnomon::codegen {

namespace {

using sql::Physical;
using sql::TypeKind;

/// Emits the encoding of result rows into the worker's wire buffer.
class OutputEncoder {
 public:
  /// `copy`: of each column; empty: DataRow.
  OutputEncoder(Pipeline& pipeline, const OutputFormat& format, const std::vector<const rt::CopyFormat*>& copy)
      : pipeline_(pipeline), b_(pipeline.builder), format_(format), copy_(copy) {}

  void emitRow(const sql::Output& output, size_t output_slot);

 private:
  void emitDataRow(const sql::Output& output);
  void emitFirstRow(const sql::Output& output);
  void emitBinaryCopyRow(const sql::Output& output);
  void emitCopyRow(const sql::Output& output);
  void emitField(const SqlValue& value, int16_t format);
  void emitHeld(const SqlValue& value);
  void emitText(const SqlValue& value);
  void emitBinary(const SqlValue& value);
  void emitCopy(const SqlValue& value, const rt::CopyFormat* column_format, bool is_first);
  void emitAnyText(const SqlValue& value) {
    b_.call(RUNTIME_FUNCTION(rt::appendAnyText), {wire_, typeOf(value), isEscape(), value.lo, wordOf(value)});
  }
  void emitAnyBinary(const SqlValue& value) {
    b_.call(RUNTIME_FUNCTION(rt::appendAnyBinary), {wire_, typeOf(value), value.lo, wordOf(value)});
  }
  [[nodiscard]] ir::Value scaleOf(const SqlValue& value) { return b_.constI32(value.type.scale); }
  [[nodiscard]] ir::Value typeOf(const SqlValue& value) { return typeConstant(pipeline_.context, value.type); }
  /// The second word of a value that may have only one.
  [[nodiscard]] ir::Value wordOf(const SqlValue& value) { return isPairType(value.type) ? value.hi : b_.constI64(0); }
  [[nodiscard]] ir::Value isEscape() {
    return b_.constI1(pipeline_.context.resources.bytea_output == sql::ByteaOutput::Escape);
  }
  [[nodiscard]] ir::Value asInt64(const SqlValue& value) {
    return b_.typeOf(value.lo) == ir::Type::I64 ? value.lo : b_.sext(value.lo, ir::Type::I64);
  }
  /// Emits one branch for NULL and one for a value.
  template <typename IfNull, typename IfValue>
  void emitNullable(const SqlValue& value, IfNull&& if_null, IfValue&& if_value);

  Pipeline& pipeline_;
  ir::Builder& b_;
  const OutputFormat& format_;
  const std::vector<const rt::CopyFormat*>& copy_;
  ir::Value wire_;
};

template <typename IfNull, typename IfValue>
void OutputEncoder::emitNullable(const SqlValue& value, IfNull&& if_null, IfValue&& if_value) {
  if (!value.isNullable()) return if_value();
  const ir::Block null_block = b_.createBlock("null");
  const ir::Block value_block = b_.createBlock("value");
  const ir::Block done = b_.createBlock("");
  b_.condBr(value.is_null, null_block, value_block);
  b_.setBlock(null_block);
  if_null();
  b_.br(done);
  b_.setBlock(value_block);
  if_value();
  b_.br(done);
  b_.setBlock(done);
}

void OutputEncoder::emitText(const SqlValue& value) {
  if (value.type.may_be_nan != 0) return emitText(toBig(pipeline_.context, value));
  if (value.type.isArray()) return emitAnyText(value);
  switch (value.type.kind) {
    case TypeKind::Boolean:
      b_.call(RUNTIME_FUNCTION(rt::appendBooleanText), {wire_, value.lo});
      return;
    case TypeKind::Smallint:
    case TypeKind::Integer:
    case TypeKind::Bigint:
    case TypeKind::Oid:
    case TypeKind::Xid:
      b_.call(RUNTIME_FUNCTION(rt::appendIntegerText), {wire_, asInt64(value)});
      return;
    case TypeKind::Numeric:
      if (value.type.form == sql::NumericForm::Small) {
        b_.call(RUNTIME_FUNCTION(rt::appendSmallDecimalText), {wire_, value.lo, scaleOf(value)});
      } else if (value.type.form == sql::NumericForm::Wide) {
        b_.call(RUNTIME_FUNCTION(rt::appendWideDecimalText), {wire_, value.lo, scaleOf(value)});
      } else {
        b_.call(RUNTIME_FUNCTION(rt::appendNumericText), {wire_, value.lo, value.hi});
      }
      return;
    case TypeKind::Real:
      b_.call(RUNTIME_FUNCTION(rt::appendRealText), {wire_, value.lo});
      return;
    case TypeKind::Double:
      b_.call(RUNTIME_FUNCTION(rt::appendDoubleText), {wire_, value.lo});
      return;
    case TypeKind::Date:
      b_.call(RUNTIME_FUNCTION(rt::appendDateText), {wire_, value.lo});
      return;
    case TypeKind::Timestamp:
      b_.call(RUNTIME_FUNCTION(rt::appendTimestampText), {wire_, value.lo});
      return;
    case TypeKind::TimestampTz:
      b_.call(RUNTIME_FUNCTION(rt::appendTimestampTzText), {wire_, value.lo});
      return;
    case TypeKind::Time:
      b_.call(RUNTIME_FUNCTION(rt::appendTimeText), {wire_, value.lo});
      return;
    case TypeKind::Interval:
      b_.call(RUNTIME_FUNCTION(rt::appendIntervalText), {wire_, value.lo, value.hi});
      return;
    case TypeKind::Uuid:
      b_.call(RUNTIME_FUNCTION(rt::appendUuidText), {wire_, value.lo});
      return;
    case TypeKind::Bytea:
      b_.call(RUNTIME_FUNCTION(rt::appendByteaText), {wire_, isEscape(), value.lo, value.hi});
      return;
    case TypeKind::Money:
    case TypeKind::Regclass:
    case TypeKind::Regtype:
    case TypeKind::Regproc:
    case TypeKind::Regprocedure:
    case TypeKind::Regoper:
    case TypeKind::Regoperator:
    case TypeKind::Regcollation:
    case TypeKind::Regnamespace:
    case TypeKind::Regrole:
    case TypeKind::Int2Vector:
    case TypeKind::OidVector:
    case TypeKind::InternalChar:
    case TypeKind::TimeTz:
    case TypeKind::Bit:
    case TypeKind::VarBit:
    case TypeKind::Inet:
    case TypeKind::Cidr:
    case TypeKind::MacAddr:
    case TypeKind::MacAddr8:
    case TypeKind::PgLsn:
    case TypeKind::Xid8:
    case TypeKind::Tid:
    case TypeKind::Enum:
    case TypeKind::Record:
    case TypeKind::Jsonb:
      return emitAnyText(value);
    case TypeKind::Name:
    case TypeKind::NodeTree:
    case TypeKind::AclItem:
    case TypeKind::Text:
    case TypeKind::Varchar:
    case TypeKind::Char:
    case TypeKind::Json:
    case TypeKind::JsonPath:
    case TypeKind::Refcursor:
    case TypeKind::Unknown:
    case TypeKind::Void:
    case TypeKind::Trigger:
    case TypeKind::Polymorphic:
      b_.call(RUNTIME_FUNCTION(rt::appendString), {wire_, value.lo, value.hi});
      return;
  }
}

void OutputEncoder::emitBinary(const SqlValue& value) {
  if (value.type.may_be_nan != 0) return emitBinary(toBig(pipeline_.context, value));
  if (value.type.isArray()) return emitAnyBinary(value);
  switch (value.type.kind) {
    case TypeKind::Boolean:
      b_.call(RUNTIME_FUNCTION(rt::appendBooleanBinary), {wire_, value.lo});
      return;
    case TypeKind::Smallint:
      b_.call(RUNTIME_FUNCTION(rt::appendSmallintBinary), {wire_, value.lo});
      return;
    case TypeKind::Integer:
      b_.call(RUNTIME_FUNCTION(rt::appendIntegerBinary), {wire_, value.lo});
      return;
    case TypeKind::Bigint:
    case TypeKind::Money:
      b_.call(RUNTIME_FUNCTION(rt::appendBigintBinary), {wire_, value.lo});
      return;
    case TypeKind::Numeric:
      if (value.type.form == sql::NumericForm::Small) {
        b_.call(RUNTIME_FUNCTION(rt::appendSmallDecimalBinary), {wire_, value.lo, scaleOf(value)});
      } else if (value.type.form == sql::NumericForm::Wide) {
        b_.call(RUNTIME_FUNCTION(rt::appendWideDecimalBinary), {wire_, value.lo, scaleOf(value)});
      } else {
        b_.call(RUNTIME_FUNCTION(rt::appendNumericBinary), {wire_, value.lo, value.hi});
      }
      return;
    case TypeKind::Real:
      b_.call(RUNTIME_FUNCTION(rt::appendRealBinary), {wire_, value.lo});
      return;
    case TypeKind::Double:
      b_.call(RUNTIME_FUNCTION(rt::appendDoubleBinary), {wire_, value.lo});
      return;
    case TypeKind::Date:
      b_.call(RUNTIME_FUNCTION(rt::appendDateBinary), {wire_, value.lo});
      return;
    case TypeKind::Timestamp:
    case TypeKind::TimestampTz:
    case TypeKind::Time:
      b_.call(RUNTIME_FUNCTION(rt::appendTimestampBinary), {wire_, value.lo});
      return;
    case TypeKind::Interval:
      b_.call(RUNTIME_FUNCTION(rt::appendIntervalBinary), {wire_, value.lo, value.hi});
      return;
    case TypeKind::Uuid:
      b_.call(RUNTIME_FUNCTION(rt::appendUuidBinary), {wire_, value.lo});
      return;
    case TypeKind::Oid:
    case TypeKind::Xid:
    case TypeKind::Regclass:
    case TypeKind::Regtype:
    case TypeKind::Regproc:
    case TypeKind::Regprocedure:
    case TypeKind::Regoper:
    case TypeKind::Regoperator:
    case TypeKind::Regcollation:
    case TypeKind::Regnamespace:
    case TypeKind::Regrole:
    case TypeKind::Int2Vector:
    case TypeKind::OidVector:
    case TypeKind::InternalChar:
    case TypeKind::TimeTz:
    case TypeKind::Bit:
    case TypeKind::VarBit:
    case TypeKind::Inet:
    case TypeKind::Cidr:
    case TypeKind::MacAddr:
    case TypeKind::MacAddr8:
    case TypeKind::PgLsn:
    case TypeKind::Xid8:
    case TypeKind::Tid:
    case TypeKind::Enum:
    case TypeKind::Record:
    case TypeKind::Jsonb:
    case TypeKind::JsonPath:
    case TypeKind::AclItem:
      return emitAnyBinary(value);
    case TypeKind::Name:
    case TypeKind::NodeTree:
    case TypeKind::Bytea:
    case TypeKind::Text:
    case TypeKind::Varchar:
    case TypeKind::Char:
    case TypeKind::Json:
    case TypeKind::Refcursor:
    case TypeKind::Unknown:
    case TypeKind::Void:
    case TypeKind::Trigger:
    case TypeKind::Polymorphic:
      b_.call(RUNTIME_FUNCTION(rt::appendString), {wire_, value.lo, value.hi});
      return;
  }
}

void OutputEncoder::emitCopy(const SqlValue& value, const rt::CopyFormat* column_format, bool is_first) {
  if (value.type.may_be_nan != 0) return emitCopy(toBig(pipeline_.context, value), column_format, is_first);
  const ir::Value format = b_.constPtr(column_format);
  const ir::Value first = b_.constI1(is_first);
  const auto emitAny = [&] {
    b_.call(RUNTIME_FUNCTION(rt::copyAny), {wire_, format, first, typeOf(value), isEscape(), value.lo, wordOf(value)});
  };
  if (value.type.isArray()) return emitAny();
  switch (value.type.kind) {
    case TypeKind::Boolean:
      b_.call(RUNTIME_FUNCTION(rt::copyBoolean), {wire_, format, first, value.lo});
      return;
    case TypeKind::Smallint:
    case TypeKind::Integer:
    case TypeKind::Bigint:
    case TypeKind::Oid:
    case TypeKind::Xid:
      b_.call(RUNTIME_FUNCTION(rt::copyInteger), {wire_, format, first, asInt64(value)});
      return;
    case TypeKind::Numeric:
      if (value.type.form == sql::NumericForm::Small) {
        b_.call(RUNTIME_FUNCTION(rt::copySmallDecimal), {wire_, format, first, value.lo, scaleOf(value)});
      } else if (value.type.form == sql::NumericForm::Wide) {
        b_.call(RUNTIME_FUNCTION(rt::copyWideDecimal), {wire_, format, first, value.lo, scaleOf(value)});
      } else {
        b_.call(RUNTIME_FUNCTION(rt::copyNumeric), {wire_, format, first, value.lo, value.hi});
      }
      return;
    case TypeKind::Real:
      b_.call(RUNTIME_FUNCTION(rt::copyReal), {wire_, format, first, value.lo});
      return;
    case TypeKind::Double:
      b_.call(RUNTIME_FUNCTION(rt::copyDouble), {wire_, format, first, value.lo});
      return;
    case TypeKind::Date:
      b_.call(RUNTIME_FUNCTION(rt::copyDate), {wire_, format, first, value.lo});
      return;
    case TypeKind::Timestamp:
      b_.call(RUNTIME_FUNCTION(rt::copyTimestamp), {wire_, format, first, value.lo});
      return;
    case TypeKind::TimestampTz:
      b_.call(RUNTIME_FUNCTION(rt::copyTimestampTz), {wire_, format, first, value.lo});
      return;
    case TypeKind::Time:
      b_.call(RUNTIME_FUNCTION(rt::copyTime), {wire_, format, first, value.lo});
      return;
    case TypeKind::Interval:
      b_.call(RUNTIME_FUNCTION(rt::copyInterval), {wire_, format, first, value.lo, value.hi});
      return;
    case TypeKind::Uuid:
      b_.call(RUNTIME_FUNCTION(rt::copyUuid), {wire_, format, first, value.lo});
      return;
    case TypeKind::Bytea:
      b_.call(RUNTIME_FUNCTION(rt::copyBytea), {wire_, format, first, isEscape(), value.lo, value.hi});
      return;
    case TypeKind::Money:
    case TypeKind::Regclass:
    case TypeKind::Regtype:
    case TypeKind::Regproc:
    case TypeKind::Regprocedure:
    case TypeKind::Regoper:
    case TypeKind::Regoperator:
    case TypeKind::Regcollation:
    case TypeKind::Regnamespace:
    case TypeKind::Regrole:
    case TypeKind::Int2Vector:
    case TypeKind::OidVector:
    case TypeKind::InternalChar:
    case TypeKind::TimeTz:
    case TypeKind::Bit:
    case TypeKind::VarBit:
    case TypeKind::Inet:
    case TypeKind::Cidr:
    case TypeKind::MacAddr:
    case TypeKind::MacAddr8:
    case TypeKind::PgLsn:
    case TypeKind::Xid8:
    case TypeKind::Tid:
    case TypeKind::Enum:
    case TypeKind::Record:
    case TypeKind::Jsonb:
      return emitAny();
    case TypeKind::Name:
    case TypeKind::NodeTree:
    case TypeKind::AclItem:
    case TypeKind::Text:
    case TypeKind::Varchar:
    case TypeKind::Char:
    case TypeKind::Json:
    case TypeKind::JsonPath:
    case TypeKind::Refcursor:
    case TypeKind::Unknown:
    case TypeKind::Void:
    case TypeKind::Trigger:
    case TypeKind::Polymorphic:
      b_.call(RUNTIME_FUNCTION(rt::copyString), {wire_, format, first, value.lo, value.hi});
      return;
  }
}

void OutputEncoder::emitDataRow(const sql::Output& output) {
  b_.call(RUNTIME_FUNCTION(rt::beginRow), {wire_, b_.constI32(static_cast<int32_t>(output.columns.size()))});
  for (size_t i = 0; i < output.columns.size(); ++i) {
    const SqlValue value = pipeline_.scope.get(output.columns[i].iu);
    emitField(value, i < format_.column_formats.size() ? format_.column_formats[i] : 0);
  }
  b_.call(RUNTIME_FUNCTION(rt::endRow), {wire_});
}

void OutputEncoder::emitField(const SqlValue& value, int16_t format) {
  emitNullable(
      value, [&] { b_.call(RUNTIME_FUNCTION(rt::appendNull), {wire_}); },
      [&] {
        if (format == rt::kHeldFormat) return emitHeld(value);
        format == 1 ? emitBinary(value) : emitText(value);
      });
}

/// Nothing of the others.
void OutputEncoder::emitFirstRow(const sql::Output& output) {
  const ir::Value has_first = b_.load(ir::Type::I64, wire_, offsetof(OutputSink::Shared, has_first_row));
  const ir::Value slots = b_.load(ir::Type::Ptr, wire_, offsetof(OutputSink::Shared, first_row));
  pipeline_.emitIf(b_.eq(has_first, b_.constI64(0)), [&] {
    b_.store(b_.constI64(1), wire_, offsetof(OutputSink::Shared, has_first_row));
    CodeContext& context = pipeline_.context;
    const ir::Value arena = context.executionArena();
    for (size_t i = 0; i < output.columns.size(); ++i) {
      const auto offset = static_cast<int64_t>(i * sizeof(ParameterSlot));
      const SqlValue value = pipeline_.scope.get(output.columns[i].iu);
      emitNullable(
          value,
          [&] {
            b_.store(b_.constI64(0), slots, offset);
            b_.store(b_.constI64(0), slots, offset + static_cast<int64_t>(offsetof(ParameterSlot, hi)));
            b_.store(b_.constI64(1), slots, offset + static_cast<int64_t>(offsetof(ParameterSlot, is_null)));
          },
          [&] {
            SqlValue held = value;
            held.is_null = {};
            if (value.type.kind == TypeKind::Numeric) held = toBig(context, held);
            storeSlot(context, copyValue(context, held, arena), slots, offset);
          });
    }
  });
}

/// As records hold it.
void OutputEncoder::emitHeld(const SqlValue& value) {
  if (value.type.kind == TypeKind::Numeric) {
    const SqlValue big = toBig(pipeline_.context, value);
    b_.call(RUNTIME_FUNCTION(rt::appendString), {wire_, big.lo, big.hi});
    return;
  }
  if (value.type.physical() == Physical::String) {
    b_.call(RUNTIME_FUNCTION(rt::appendString), {wire_, value.lo, value.hi});
    return;
  }
  const DatumWords words = datumWords(pipeline_.context, value);
  b_.call(RUNTIME_FUNCTION(rt::appendWords), {wire_, words.lo, words.hi});
}

void OutputEncoder::emitBinaryCopyRow(const sql::Output& output) {
  b_.call(RUNTIME_FUNCTION(rt::beginCopyBinaryRow), {wire_, b_.constI32(static_cast<int32_t>(output.columns.size()))});
  for (const auto& column : output.columns) emitField(pipeline_.scope.get(column.iu), 1);
  b_.call(RUNTIME_FUNCTION(rt::endCopyBinaryRow), {wire_});
}

void OutputEncoder::emitCopyRow(const sql::Output& output) {
  const ir::Value row_format = b_.constPtr(copy_.front());
  b_.call(RUNTIME_FUNCTION(rt::beginCopyRow), {wire_, row_format});
  for (size_t i = 0; i < output.columns.size(); ++i) {
    const SqlValue value = pipeline_.scope.get(output.columns[i].iu);
    const ir::Value format = b_.constPtr(copy_[i]);
    emitNullable(
        value, [&] { b_.call(RUNTIME_FUNCTION(rt::copyNull), {wire_, format, b_.constI1(i == 0)}); },
        [&] { emitCopy(value, copy_[i], i == 0); });
  }
  b_.call(RUNTIME_FUNCTION(rt::endCopyRow), {wire_, row_format});
}

void OutputEncoder::emitRow(const sql::Output& output, size_t output_slot) {
  const ir::Value sink = pipeline_.hoist([&] { return pipeline_.context.localSlot(output_slot); });
  wire_ = sink;
  // Every value is computed before the first byte is written: a failing expression leaves no half row.
  for (const auto& column : output.columns) pipeline_.scope.get(column.iu);
  if (format_.framing == OutputFormat::Framing::DataRow)
    emitDataRow(output);
  else if (format_.framing == OutputFormat::Framing::FirstRow)
    emitFirstRow(output);
  else if (format_.copy->format == sql::CopyOptions::Format::Binary)
    emitBinaryCopyRow(output);
  else
    emitCopyRow(output);
  const ir::Value count = b_.load(ir::Type::I64, sink, offsetof(OutputSink::Shared, row_count));
  b_.store(b_.add(count, b_.constI64(1)), sink, offsetof(OutputSink::Shared, row_count));
}

}  // namespace

namespace {

/// One for each column, and the first for the row, also where there are no columns.
std::vector<const rt::CopyFormat*> copyFormats(QueryProgram& program, const sql::CopyOptions& options, size_t columns) {
  const auto make = [&](bool quotes_all) {
    auto made = std::make_unique<rt::CopyFormat>();
    made->is_csv = options.format == sql::CopyOptions::Format::Csv;
    made->delimiter = options.delimiter;
    made->quote = options.quote;
    made->escape = options.escape;
    made->null_text = options.null_text;
    made->is_single_column = columns == 1;
    made->quotes_all = quotes_all;
    made->prepare();
    return program.resources.keep(std::move(made));
  };
  const rt::CopyFormat* const usual = make(false);
  const rt::CopyFormat* const quoted = make(true);
  std::vector<const rt::CopyFormat*> formats(std::max<size_t>(columns, 1), usual);
  for (size_t i = 0; i < options.force_quote.size(); ++i)
    if (options.force_quote[i] != 0) formats[i] = quoted;
  return formats;
}

}  // namespace

void translateOutput(PlanTranslator& translator, const sql::Output& output) {
  QueryProgram& program = translator.program();
  UnitSet required;
  for (const auto& column : output.columns) required.insert(column.iu);
  const RowLockEmitter row_locks(translator, output);
  row_locks.require(required);
  if (!output.locks.empty()) {
    program.has_row_locks = true;
    program.row_locks_slot = row_locks.slot();
  }
  if (translator.format().framing == OutputFormat::Framing::Counted)
    return translator.produce(*output.inputs[0], required, [&](Pipeline& pipeline) {
      pipeline.describe("count");
      for (const auto& column : output.columns) pipeline.scope.get(column.iu);
      row_locks.emit(pipeline);
    });
  program.has_output = true;
  const bool is_first_row = translator.format().framing == OutputFormat::Framing::FirstRow;
  CHECK(!is_first_row || !program.has_row_locks, "which row is the first is known when they are locked");
  program.output_slot =
      program.addLocal([columns = is_first_row ? output.columns.size() : 0](ExecutionState& state, unsigned) {
        auto made = std::make_unique<OutputSink>(columns);
        made->shared()->wire.account = &state.context.memory;
        void* address = made->shared();
        return QueryProgram::Made{std::move(made), address};
      });
  const OutputFormat& format = translator.format();
  std::vector<const rt::CopyFormat*> copy;
  if (format.framing == OutputFormat::Framing::CopyData)
    copy = copyFormats(program, *format.copy, output.columns.size());
  translator.produce(*output.inputs[0], required, [&](Pipeline& pipeline) {
    pipeline.describe("output");
    // What waits for locks, or for a change to be done, is not put out piece by piece.
    pipeline.description.has_output = !program.has_row_locks && !program.is_write;
    OutputEncoder(pipeline, format, copy).emitRow(output, program.output_slot);
    row_locks.emit(pipeline);
  });
}

}  // namespace gnomon::codegen
