#include "sql/explain/explain.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "sql/explain/plan_node.h"

namespace gnomon::sql {
namespace {

const OperatorFigures* figuresOf(const PlanNode& node, const ExecutionFigures* figures) {
  if (figures == nullptr) return nullptr;
  const auto found = figures->operators.find(node.op);
  return found == figures->operators.end() ? nullptr : &found->second;
}

std::string joined(const std::vector<std::string>& values) {
  std::string text;
  for (const std::string& value : values) text += text.empty() ? value : ", " + value;
  return text;
}

/// One line a node, details in lines below it, inputs deeper.
class TextWriter {
 public:
  TextWriter(const ExplainOptions& options, const ExecutionFigures* figures) : options_(options), figures_(figures) {}

  void write(const PlanNode& node, size_t indent, std::string_view arrow) {
    if (!node.subplan.empty()) {
      line(indent, node.subplan);
      indent += 2;
    }
    line(indent, fmt::format("{}{}{}{}", arrow, node.title, estimatesText(node), actualText(node)));
    const size_t inner = indent + (arrow.empty() ? 2 : 6);
    for (const PlanNode::Detail& detail : node.details)
      if (options_.verbose || !detail.is_verbose)
        line(inner, fmt::format("{}: {}", detail.label, joined(detail.values)));
    writeBuffers(node, inner);
    writeLogged(node, inner);
    // Plans that are executed before stand at the root, but are not its inputs.
    for (const PlanNode& input : node.inputs) write(input, inner, "->  ");
  }
  void line(size_t indent, const std::string& content) { text_.append(indent, ' ').append(content).append("\n"); }
  std::string take() { return std::move(text_); }

 private:
  [[nodiscard]] std::string estimatesText(const PlanNode& node) const {
    const double rows = std::ceil(node.op->estimated_rows);
    if (options_.estimates == ExplainOptions::Estimates::None) return "";
    if (options_.estimates == ExplainOptions::Estimates::Rows) return fmt::format("  (rows={:.0f})", rows);
    return fmt::format("  (cost={:.2f}..{:.2f} rows={:.0f} width={})", node.cost.startup, node.cost.total, rows,
                       node.width);
  }
  [[nodiscard]] std::string actualText(const PlanNode& node) const {
    const OperatorFigures* const found = figuresOf(node, figures_);
    if (found == nullptr) return "";
    const std::string space = options_.estimates == ExplainOptions::Estimates::None ? "  " : " ";
    if (!options_.timing) return fmt::format("{}(actual rows={} loops=1)", space, found->rows);
    return fmt::format("{}(actual time={:.3f}..{:.3f} rows={} loops=1)", space, found->startup_ms, found->total_ms,
                       found->rows);
  }
  void writeBuffers(const PlanNode& node, size_t indent) {
    const OperatorFigures* const found = figuresOf(node, figures_);
    if (!options_.buffers || found == nullptr || found->page_hits + found->page_reads == 0) return;
    std::string text = "Buffers: shared";
    if (found->page_hits != 0) text += fmt::format(" hit={}", found->page_hits);
    if (found->page_reads != 0) text += fmt::format(" read={}", found->page_reads);
    line(indent, text);
  }

  void writeLogged(const PlanNode& node, size_t indent) {
    const OperatorFigures* const found = figuresOf(node, figures_);
    if (!options_.wal || found == nullptr || found->log_records == 0) return;
    line(indent, fmt::format("WAL: records={} bytes={}", found->log_records, found->log_bytes));
  }

  const ExplainOptions& options_;
  const ExecutionFigures* figures_;
  std::string text_;
};

/// a = 'x', b = 'y'
std::string settingsText(const ExplainedSettings& settings) {
  std::string text;
  for (const auto& [name, value] : settings) text += fmt::format("{}{} = '{}'", text.empty() ? "" : ", ", name, value);
  return text;
}

std::string jsonText(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      result.append({'\\', c});
    else if (static_cast<unsigned char>(c) < ' ')
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      result += c;
  }
  return result + '"';
}

/// Objects over several lines, two blanks a level, as PostgreSQL writes them.
class JsonWriter {
 public:
  JsonWriter(const ExplainOptions& options, const ExecutionFigures* figures) : options_(options), figures_(figures) {}

  std::string write(const PlanNode& root, std::optional<double> planning_ms, const ExplainedSettings& settings) {
    text_ = "[\n  {";
    depth_ = 2;
    key("Plan");
    writeNode(root);
    if (options_.settings) writeSettings(settings);
    if (planning_ms) field("Planning Time", fmt::format("{:.3f}", *planning_ms));
    if (figures_ != nullptr) {
      field("Triggers", "[\n    ]");
      field("Execution Time", fmt::format("{:.3f}", figures_->execution_ms));
    }
    return text_ + "\n  }\n]";
  }

 private:
  void key(std::string_view name) {
    if (text_.back() != '{') text_ += ',';
    text_ += '\n';
    text_.append(2 * depth_, ' ').append(jsonText(name)).append(": ");
  }
  void field(std::string_view name, const std::string& value) {
    key(name);
    text_ += value;
  }
  void writeSettings(const ExplainedSettings& settings) {
    key("Settings");
    text_ += '{';
    ++depth_;
    for (const auto& [name, value] : settings) field(name, jsonText(value));
    --depth_;
    text_.append("\n").append(2 * depth_, ' ').append("}");
  }
  void writeNode(const PlanNode& node);
  void writeFigures(const PlanNode& node);

  const ExplainOptions& options_;
  const ExecutionFigures* figures_;
  std::string text_;
  size_t depth_ = 0;
};

void JsonWriter::writeFigures(const PlanNode& node) {
  if (options_.estimates == ExplainOptions::Estimates::All) {
    field("Startup Cost", fmt::format("{:.2f}", node.cost.startup));
    field("Total Cost", fmt::format("{:.2f}", node.cost.total));
    field("Plan Rows", fmt::format("{:.0f}", std::ceil(node.op->estimated_rows)));
    field("Plan Width", std::to_string(node.width));
  }
  const OperatorFigures* const found = figuresOf(node, figures_);
  if (found == nullptr) return;
  if (options_.timing) {
    field("Actual Startup Time", fmt::format("{:.3f}", found->startup_ms));
    field("Actual Total Time", fmt::format("{:.3f}", found->total_ms));
  }
  field("Actual Rows", std::to_string(found->rows));
  field("Actual Loops", "1");
}

void JsonWriter::writeNode(const PlanNode& node) {
  text_ += '{';
  ++depth_;
  field("Node Type", jsonText(node.type));
  if (!node.relationship.empty()) field("Parent Relationship", jsonText(node.relationship));
  if (!node.subplan.empty()) field("Subplan Name", jsonText(node.subplan));
  for (const auto& [name, value] : node.facts) field(name, jsonText(value));
  writeFigures(node);
  for (const PlanNode::Detail& detail : node.details) {
    if (detail.is_verbose && !options_.verbose) continue;
    std::string value;
    for (const std::string& each : detail.values) value += (value.empty() ? "" : ", ") + jsonText(each);
    field(detail.is_verbose ? "Output" : detail.label, detail.is_list ? "[" + value + "]" : value);
  }
  if (const OperatorFigures* const found = figuresOf(node, figures_); found != nullptr && options_.buffers) {
    field("Shared Hit Blocks", std::to_string(found->page_hits));
    field("Shared Read Blocks", std::to_string(found->page_reads));
  }
  if (const OperatorFigures* const found = figuresOf(node, figures_); found != nullptr && options_.wal) {
    field("WAL Records", std::to_string(found->log_records));
    field("WAL FPI", "0");
    field("WAL Bytes", std::to_string(found->log_bytes));
  }
  if (!node.inputs.empty()) {
    key("Plans");
    text_ += '[';
    ++depth_;
    for (const PlanNode& input : node.inputs) {
      text_ += &input == &node.inputs.front() ? "\n" : ",\n";
      text_.append(2 * depth_, ' ');
      writeNode(input);
    }
    --depth_;
    text_.append("\n").append(2 * depth_, ' ').append("]");
  }
  --depth_;
  text_.append("\n").append(2 * depth_, ' ').append("}");
}

ExplainOptions developerOptions() {
  return {.estimates = ExplainOptions::Estimates::Rows, .verbose = true};
}

}  // namespace

std::string explainPlan(const Plan& plan, const ExplainOptions& options, const ExecutionFigures* figures,
                        std::optional<double> planning_ms, const ExplainedSettings& settings) {
  const PlanNode root = describePlan(plan);
  if (options.format == ExplainOptions::Format::Json)
    return JsonWriter(options, figures).write(root, planning_ms, settings);
  TextWriter writer(options, figures);
  writer.write(root, 0, "");
  if (options.settings && !settings.empty()) writer.line(0, "Settings: " + settingsText(settings));
  if (planning_ms) writer.line(0, fmt::format("Planning Time: {:.3f} ms", *planning_ms));
  if (planning_ms && figures != nullptr)
    writer.line(0, fmt::format("Execution Time: {:.3f} ms", figures->execution_ms));
  return writer.take();
}

std::string explainPlan(const Plan& plan) {
  return explainPlan(plan, developerOptions(), nullptr, std::nullopt, {});
}

std::string explainOperator(const Operator& root) {
  const ExplainOptions options = developerOptions();
  TextWriter writer(options, nullptr);
  writer.write(describeOperator(root), 0, "");
  return writer.take();
}

}  // namespace gnomon::sql
