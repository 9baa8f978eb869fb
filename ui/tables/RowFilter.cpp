// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tables/RowFilter.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include <QCoreApplication>

#include "ui/tables/TableRows.h"

namespace attnscope::ui {

struct RowFilter::Node {
  enum class Kind : std::uint8_t { kAnd, kOr, kNot, kWord, kNumber, kText } kind = Kind::kAnd;
  std::vector<std::shared_ptr<const Node>> children;
  int column = -1;
  Operator comparison = Operator::kEqual;
  double value = 0;
  QString text;
  std::optional<QRegularExpression> pattern;
};

namespace {

using Node = RowFilter::Node;
using NodePointer = std::shared_ptr<const Node>;
using Operator = RowFilter::Operator;
using Marks = std::vector<std::uint8_t>;  // by row: kept

constexpr int kDeepest = 100;  // parentheses and negations within one another

QString tr(const char* text) { return QCoreApplication::translate("Tables", text); }

tl::unexpected<Error> wrong(const QString& what, const QString& remedy) {
  return fail(Error{ErrorKind::kUsage, what.toStdString(), remedy.toStdString(), {}, {}});
}

// As titles are compared: without case, spaces and kinds of dashes.
QString plain(QString title) {
  title.replace(QChar(0x2212), QLatin1Char('-'));
  title.remove(QLatin1Char(' ')).remove(QLatin1Char('_'));
  return title.toLower();
}

struct OperatorText {
  const char* text;
  Operator comparison;
};
// Longer ones first.
constexpr OperatorText kOperators[] = {
    {"<=", Operator::kLessEqual}, {">=", Operator::kGreaterEqual}, {"!=", Operator::kUnequal},
    {"!~", Operator::kHasNot},    {"==", Operator::kEqual},        {"<", Operator::kLess},
    {">", Operator::kGreater},    {"=", Operator::kEqual},         {"~", Operator::kHas}};

class Parser {
 public:
  Parser(const QString& text, const TableRows& rows) : m_text(text), m_rows(rows) {}

  // Whether it is to be read as an expression; else it is words.
  [[nodiscard]] bool isExpression() const {
    bool isQuoted = false;
    qsizetype begin = 0;  // of what stands in front of the operator
    for (qsizetype i = 0; i < m_text.size(); ++i) {
      if (m_text[i] == QLatin1Char('"')) isQuoted = !isQuoted;
      if (isQuoted) continue;
      if (const qsizetype joined = joinAt(i); joined > 0) begin = i + joined;
      const OperatorText* found = operatorAt(i);
      if (found == nullptr) continue;
      const auto length = static_cast<qsizetype>(qstrlen(found->text));
      const bool isSpaced =
          i > 0 && m_text[i - 1].isSpace() && i + length < m_text.size() && m_text[i + length].isSpace();
      if (isSpaced || columnOf(m_text.mid(begin, i - begin)) >= 0) return true;
      i += length - 1;
    }
    return false;
  }

  Result<NodePointer> parse() {
    auto node = disjunction();
    if (!node) return node;
    skipSpaces();
    if (m_at < m_text.size())
      return wrong(tr("%1 stands where nothing is expected").arg(rest()), tr("join with and, or"));
    return node;
  }

 private:
  // Length of "and", "or", "not", "(" or ")" that stands here as a word of its own; 0: none.
  [[nodiscard]] qsizetype joinAt(qsizetype at) const {
    if (m_text[at] == QLatin1Char('(') || m_text[at] == QLatin1Char(')')) return 1;
    if (at > 0 && !m_text[at - 1].isSpace() && m_text[at - 1] != QLatin1Char('(') &&
        m_text[at - 1] != QLatin1Char(')')) {
      return 0;
    }
    for (const char* word : {"and", "or", "not"}) {
      const auto length = static_cast<qsizetype>(qstrlen(word));
      if (m_text.mid(at, length).compare(QLatin1String(word), Qt::CaseInsensitive) != 0) continue;
      if (at + length == m_text.size() || m_text[at + length].isSpace() || m_text[at + length] == QLatin1Char('(')) {
        return length;
      }
    }
    return 0;
  }
  [[nodiscard]] const OperatorText* operatorAt(qsizetype at) const {
    for (const OperatorText& each : kOperators) {
      if (m_text.mid(at, static_cast<qsizetype>(qstrlen(each.text))) == QLatin1String(each.text)) return &each;
    }
    return nullptr;
  }
  [[nodiscard]] int columnOf(const QString& written) const {
    QString wanted = plain(written.trimmed().remove(QLatin1Char('"')));
    if (wanted.isEmpty()) return -1;
    const auto column = [&](auto matches) {
      const auto found = std::find_if(m_rows.columns.begin(), m_rows.columns.end(), matches);
      return found == m_rows.columns.end() ? -1 : static_cast<int>(found - m_rows.columns.begin());
    };
    const int exact = column([&](const Column& each) { return plain(each.title + each.runLetter) == wanted; });
    if (exact >= 0) return exact;
    if (wanted == QLatin1String("name")) {
      return column([](const Column& each) { return each.role == ColumnRole::kName; });
    }
    return column([&](const Column& each) { return plain(each.title) == wanted; });
  }
  [[nodiscard]] QString columnList() const {
    QStringList titles{QStringLiteral("name")};
    for (const Column& column : m_rows.columns) {
      if (column.title.isEmpty() || column.role == ColumnRole::kName || column.role == ColumnRole::kDistribution)
        continue;
      titles
          << (column.runLetter.isEmpty() ? column.title : column.title + QLatin1Char(' ') + column.runLetter).toLower();
    }
    return titles.join(QStringLiteral(", "));
  }
  void skipSpaces() {
    while (m_at < m_text.size() && m_text[m_at].isSpace()) ++m_at;
  }
  [[nodiscard]] QString rest() const { return QStringLiteral("“%1”").arg(m_text.mid(m_at).trimmed().left(30)); }
  bool takeWord(const char* word) {
    skipSpaces();
    if (m_at >= m_text.size() || joinAt(m_at) != static_cast<qsizetype>(qstrlen(word))) return false;
    if (m_text.mid(m_at, static_cast<qsizetype>(qstrlen(word))).compare(QLatin1String(word), Qt::CaseInsensitive) !=
        0) {
      return false;
    }
    m_at += static_cast<qsizetype>(qstrlen(word));
    return true;
  }

  template <class Part>
  Result<NodePointer> joined(const char* word, Node::Kind kind, Part part) {
    auto first = part();
    if (!first) return first;
    auto node = std::make_shared<Node>();
    node->kind = kind;
    node->children.push_back(*first);
    while (takeWord(word)) {
      auto next = part();
      if (!next) return next;
      node->children.push_back(*next);
    }
    return node->children.size() == 1 ? node->children.front() : NodePointer(node);
  }
  Result<NodePointer> disjunction() {
    return joined("or", Node::Kind::kOr, [this] { return conjunction(); });
  }
  Result<NodePointer> conjunction() {
    return joined("and", Node::Kind::kAnd, [this] { return negation(); });
  }
  Result<NodePointer> negation() {
    if (m_depth > kDeepest) return wrong(tr("Too many parentheses within one another"), tr("write it flatter"));
    ++m_depth;
    auto node = takeWord("not") ? negated(negation()) : primary();
    --m_depth;
    return node;
  }
  static Result<NodePointer> negated(Result<NodePointer> inner) {
    if (!inner) return inner;
    auto node = std::make_shared<Node>();
    node->kind = Node::Kind::kNot;
    node->children.push_back(*inner);
    return NodePointer(node);
  }
  Result<NodePointer> primary() {
    skipSpaces();
    if (m_at >= m_text.size())
      return wrong(tr("The filter ends where a comparison is expected"), tr("as in total > 1ms"));
    if (m_text[m_at] == QLatin1Char('(')) {
      ++m_at;
      auto inner = disjunction();
      if (!inner) return inner;
      skipSpaces();
      if (m_at >= m_text.size() || m_text[m_at] != QLatin1Char(')')) {
        return wrong(tr("A parenthesis is not closed"), tr("add )"));
      }
      ++m_at;
      return inner;
    }
    return comparison();
  }
  // Up to an operator, or a joining word, or the end.
  Result<NodePointer> comparison() {
    const qsizetype begin = m_at;
    bool isQuoted = false;
    const OperatorText* found = nullptr;
    for (; m_at < m_text.size(); ++m_at) {
      if (m_text[m_at] == QLatin1Char('"')) isQuoted = !isQuoted;
      if (isQuoted) continue;
      if (joinAt(m_at) > 0) break;
      found = operatorAt(m_at);
      if (found != nullptr) break;
    }
    if (isQuoted) return wrong(tr("A quotation mark is not closed"), tr("add \""));
    const QString operand = m_text.mid(begin, m_at - begin).trimmed();
    if (operand.isEmpty()) return wrong(tr("A comparison is expected before %1").arg(rest()), tr("as in total > 1ms"));
    if (found == nullptr) return word(operand);
    const int column = columnOf(operand);
    if (column < 0) return wrong(tr("There is no column “%1”").arg(operand), tr("name one of %1").arg(columnList()));
    m_at += static_cast<qsizetype>(qstrlen(found->text));
    return compared(column, *found);
  }
  static Result<NodePointer> word(QString text) {
    auto node = std::make_shared<Node>();
    node->kind = Node::Kind::kWord;
    node->text = text.remove(QLatin1Char('"'));
    return NodePointer(node);
  }
  // The text after an operator: quoted, between slashes, or up to a joining word.
  Result<QString> operand(bool& isPattern) {
    skipSpaces();
    isPattern = false;
    if (m_at < m_text.size() && (m_text[m_at] == QLatin1Char('"') || m_text[m_at] == QLatin1Char('/'))) {
      const QChar mark = m_text[m_at];
      const qsizetype end = m_text.indexOf(mark, m_at + 1);
      if (end < 0) return wrong(tr("%1 is not closed").arg(rest()), tr("add %1").arg(mark));
      isPattern = mark == QLatin1Char('/');
      const QString text = m_text.mid(m_at + 1, end - m_at - 1);
      m_at = end + 1;
      return text;
    }
    const qsizetype begin = m_at;
    int open = 0;  // "f(int)": parentheses of the text itself
    while (m_at < m_text.size()) {
      if (m_text[m_at] == QLatin1Char('(')) ++open;
      if (m_text[m_at] == QLatin1Char(')') && --open < 0) break;
      if (open == 0 && m_text[m_at] != QLatin1Char(')') && joinAt(m_at) > 0) break;
      ++m_at;
    }
    const QString text = m_text.mid(begin, m_at - begin).trimmed();
    if (text.isEmpty()) return wrong(tr("A value is missing after the comparison"), tr("as in total > 1ms"));
    return text;
  }
  Result<NodePointer> compared(int column, const OperatorText& found) {
    const Column& head = m_rows.columns[static_cast<std::size_t>(column)];
    bool isPattern = false;
    auto value = operand(isPattern);
    if (!value) return tl::unexpected(value.error());
    auto node = std::make_shared<Node>();
    node->column = column;
    node->comparison = found.comparison;
    if (head.isText()) return textNode(head, found, *value, isPattern, std::move(node));
    if (head.role == ColumnRole::kDistribution) {
      return wrong(tr("A distribution cannot be compared"), tr("compare min, median or max"));
    }
    if (found.comparison == Operator::kHas || found.comparison == Operator::kHasNot) {
      return wrong(tr("%1 is a number, and ~ looks into texts").arg(head.title), tr("use < <= > >= = or !="));
    }
    const auto number = numberOf(head, *value);
    if (!number) return tl::unexpected(number.error());
    node->kind = Node::Kind::kNumber;
    node->value = *number;
    return NodePointer(node);
  }
  static Result<NodePointer> textNode(const Column& head, const OperatorText& found, const QString& value,
                                      bool isPattern, std::shared_ptr<Node> node) {
    if (found.comparison < Operator::kEqual) {
      return wrong(tr("%1 is a text and has no order").arg(head.title), tr("use ~ = or !="));
    }
    node->kind = Node::Kind::kText;
    node->text = value;
    if (!isPattern) return NodePointer(node);
    node->pattern = QRegularExpression(value, QRegularExpression::CaseInsensitiveOption);
    if (!node->pattern->isValid()) {
      return wrong(tr("The regular expression /%1/ is wrong at its character %2: %3")
                       .arg(value)
                       .arg(node->pattern->patternErrorOffset() + 1)
                       .arg(node->pattern->errorString()),
                   tr("or write the text without slashes"));
    }
    return NodePointer(node);
  }
  static Result<double> numberOf(const Column& head, QString text);

  const QString& m_text;
  const TableRows& m_rows;
  qsizetype m_at = 0;
  int m_depth = 0;
};

// What one of the column's unit is worth in its cells.
double unitOf(const Column& head) {
  static constexpr double kNsIn[] = {1.0, 1e3, 1e6, 1e9};
  static constexpr double kBytesIn[] = {1.0, 1024.0, 1048576.0, 1073741824.0};
  switch (head.role) {
    case ColumnRole::kTime:
    case ColumnRole::kTimeWithBar:
    case ColumnRole::kDelta:
      return kNsIn[static_cast<std::size_t>(head.timeUnit)];
    case ColumnRole::kBytes:
      return kBytesIn[static_cast<std::size_t>(head.byteUnit)];
    case ColumnRole::kShare:
    case ColumnRole::kDeltaShare:
      return 0.01;
    default:
      return 1;
  }
}

Result<double> Parser::numberOf(const Column& head, QString text) {
  struct Unit {
    const char* name;
    double worth;
    bool isTime;
    bool isBytes;
  };
  static constexpr Unit kUnits[] = {{"ns", 1, true, false},
                                    {"us", 1e3, true, false},
                                    {"µs", 1e3, true, false},
                                    {"ms", 1e6, true, false},
                                    {"kib", 1024, false, true},
                                    {"mib", 1048576, false, true},
                                    {"gib", 1073741824, false, true},
                                    {"kb", 1e3, false, true},
                                    {"mb", 1e6, false, true},
                                    {"gb", 1e9, false, true},
                                    {"%", 0.01, false, false},
                                    {"s", 1e9, true, false},
                                    {"b", 1, false, true}};
  const QString written = text;
  text.replace(QChar(0x2212), QLatin1Char('-'));
  text.remove(QLatin1Char(' ')).remove(QChar(0x2009)).remove(QChar(0x202F));
  double worth = unitOf(head);
  const bool isTime =
      head.role == ColumnRole::kTime || head.role == ColumnRole::kTimeWithBar || head.role == ColumnRole::kDelta;
  const bool isBytes = head.role == ColumnRole::kBytes;
  const bool isShare = head.role == ColumnRole::kShare || head.role == ColumnRole::kDeltaShare;
  for (const Unit& unit : kUnits) {
    const QString name = QString::fromUtf8(unit.name);
    if (!text.endsWith(name, Qt::CaseInsensitive)) continue;
    const bool fits = unit.isTime ? isTime : unit.isBytes ? isBytes : isShare;
    if (!fits) {
      return wrong(tr("%1 is not given in %2").arg(head.title, name), isTime    ? tr("use ns, us, ms or s")
                                                                      : isBytes ? tr("use B, KiB, MiB or GiB")
                                                                      : isShare ? tr("use %")
                                                                                : tr("write the number alone"));
    }
    worth = unit.worth;
    text.chop(name.size());
    break;
  }
  bool isNumber = false;
  const double value = text.toDouble(&isNumber);
  if (!isNumber || !std::isfinite(value)) {
    return wrong(tr("“%1” is no number, and %2 is one").arg(written, head.title),
                 tr("as in %1 > 1").arg(head.title.toLower()));
  }
  return value * worth;
}

Marks marksOfTexts(const TextCells& cells, std::size_t rows, const std::function<bool(const QString&)>& isKept) {
  Marks marks(rows, 0);
  if (cells.isEmpty()) return marks;
  std::vector<std::uint8_t> ofText;
  ofText.reserve(static_cast<std::size_t>(cells.texts().size()));
  for (const QString& text : cells.texts()) ofText.push_back(isKept(text) ? 1 : 0);
  for (std::size_t row = 0; row < rows; ++row) marks[row] = ofText[cells.of()[row]];
  return marks;
}

void keepEither(Marks& marks, const Marks& others) {
  for (std::size_t row = 0; row < marks.size(); ++row) marks[row] = static_cast<std::uint8_t>(marks[row] | others[row]);
}

void keepBoth(Marks& marks, const Marks& others) {
  for (std::size_t row = 0; row < marks.size(); ++row) marks[row] = static_cast<std::uint8_t>(marks[row] & others[row]);
}

// Few distinct texts stand for many rows: a word is looked for once a text.
Marks marksOfWord(const TableRows& rows, const QString& word) {
  Marks marks(rows.rowCount, 0);
  const auto has = [&word](const QString& text) { return text.contains(word, Qt::CaseInsensitive); };
  for (const TextCells& cells : rows.texts) {
    if (!cells.isEmpty()) keepEither(marks, marksOfTexts(cells, rows.rowCount, has));
  }
  if (!rows.fullNames.isEmpty()) keepEither(marks, marksOfTexts(rows.fullNames, rows.rowCount, has));
  return marks;
}

template <class Compare>
Marks marksOfNumbers(const std::vector<double>& values, Compare compare) {
  Marks marks(values.size());
  for (std::size_t row = 0; row < values.size(); ++row) marks[row] = compare(values[row]) ? 1 : 0;
  return marks;
}

// An unknown number is kept by none.
Marks marksOfNumber(const TableRows& rows, const Node& node) {
  const std::vector<double>& values = rows.numbers[static_cast<std::size_t>(node.column)];
  const double than = node.value;
  // What is written in a head's unit has a digit or so: equal is equal as it is shown.
  const Column& head = rows.columns[static_cast<std::size_t>(node.column)];
  const double slack = head.role == ColumnRole::kCount ? 0.5 : unitOf(head) * 0.05;
  switch (node.comparison) {
    case Operator::kLess:
      return marksOfNumbers(values, [than](double value) { return value < than; });
    case Operator::kLessEqual:
      return marksOfNumbers(values, [than](double value) { return value <= than; });
    case Operator::kGreater:
      return marksOfNumbers(values, [than](double value) { return value > than; });
    case Operator::kGreaterEqual:
      return marksOfNumbers(values, [than](double value) { return value >= than; });
    case Operator::kUnequal:
      return marksOfNumbers(values, [than, slack](double value) { return std::abs(value - than) >= slack; });
    default:
      return marksOfNumbers(values, [than, slack](double value) { return std::abs(value - than) < slack; });
  }
}

Marks marksOfText(const TableRows& rows, const Node& node) {
  const auto matches = [&node](const QString& text) {
    if (node.pattern) return node.pattern->match(text).hasMatch();
    const bool isWhole = node.comparison == Operator::kEqual || node.comparison == Operator::kUnequal;
    return isWhole ? text.compare(node.text, Qt::CaseInsensitive) == 0 : text.contains(node.text, Qt::CaseInsensitive);
  };
  const auto column = static_cast<std::size_t>(node.column);
  Marks marks = marksOfTexts(rows.texts[column], rows.rowCount, matches);
  if (rows.columns[column].role == ColumnRole::kName && !rows.fullNames.isEmpty()) {
    keepEither(marks, marksOfTexts(rows.fullNames, rows.rowCount, matches));
  }
  if (node.comparison == Operator::kUnequal || node.comparison == Operator::kHasNot) {
    for (std::uint8_t& mark : marks) mark ^= 1;
  }
  return marks;
}

Marks marksOf(const TableRows& rows, const Node& node) {
  switch (node.kind) {
    case Node::Kind::kWord:
      return marksOfWord(rows, node.text);
    case Node::Kind::kNumber:
      return marksOfNumber(rows, node);
    case Node::Kind::kText:
      return marksOfText(rows, node);
    case Node::Kind::kNot: {
      Marks marks = marksOf(rows, *node.children.front());
      for (std::uint8_t& mark : marks) mark ^= 1;
      return marks;
    }
    case Node::Kind::kAnd:
    case Node::Kind::kOr:
      break;
  }
  Marks marks = marksOf(rows, *node.children.front());
  for (std::size_t i = 1; i < node.children.size(); ++i) {
    const Marks next = marksOf(rows, *node.children[i]);
    node.kind == Node::Kind::kAnd ? keepBoth(marks, next) : keepEither(marks, next);
  }
  return marks;
}

}  // namespace

Result<RowFilter> RowFilter::parse(const QString& text, const TableRows& rows) {
  RowFilter filter;
  const QStringList words = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
  if (words.isEmpty()) return filter;
  Parser parser(text, rows);
  if (parser.isExpression()) {
    auto root = parser.parse();
    if (!root) return tl::unexpected(root.error());
    filter.m_root = *root;
    return filter;
  }
  auto all = std::make_shared<Node>();
  for (const QString& word : words) {
    auto node = std::make_shared<Node>();
    node->kind = Node::Kind::kWord;
    node->text = word;
    all->children.push_back(node);
  }
  filter.m_root = all;
  return filter;
}

std::vector<std::uint32_t> RowFilter::keptRows(const TableRows& rows) const {
  std::vector<std::uint32_t> kept;
  if (m_root == nullptr) {
    kept.resize(rows.rowCount);
    std::iota(kept.begin(), kept.end(), 0u);
    return kept;
  }
  const Marks marks = marksOf(rows, *m_root);
  kept.reserve(rows.rowCount);
  for (std::uint32_t row = 0; row < rows.rowCount; ++row) {
    if (marks[row] != 0) kept.push_back(row);
  }
  return kept;
}

}  // namespace attnscope::ui
