// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/lab/ProblemForm.h"

#include <algorithm>
#include <cmath>

#include <QComboBox>
#include <QScrollArea>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QStandardItemModel>
#include <QToolButton>
#include <QVBoxLayout>

#include "core/problem/Presets.h"
#include "ui/bridge/Format.h"
#include "ui/lab/FormRow.h"
#include "ui/lab/LabSegment.h"
#include "ui/lab/MaskField.h"
#include "ui/lab/NumberField.h"
#include "ui/theme/Surface.h"
#include "ui/theme/TextLabel.h"

namespace attnscope::ui {

namespace {

constexpr int kSettleMs = 300;
constexpr int kMostRounds = 10'000;
constexpr int kFewestForInterval = 6;
constexpr double kPercent = 100;

QString textOfView(std::string_view text) {
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

std::int64_t valueOf(const NumberField* field) { return field->value().value_or(0); }

// A combo that fills its column, and leaves the wheel to the form.
QComboBox* makeCombo(const QStringList& words, const QString& name) {
  auto* combo = new QComboBox;
  combo->addItems(words);
  combo->setAccessibleName(name);
  combo->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  combo->setMinimumContentsLength(4);
  combo->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  combo->setFocusPolicy(Qt::StrongFocus);
  return combo;
}

}  // namespace

ProblemForm::ProblemForm(const Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
  setAccessibleName(tr("Problem"));
  m_settle.setSingleShot(true);
  m_settle.setInterval(kSettleMs);
  connect(&m_settle, &QTimer::timeout, this, &ProblemForm::validateNow);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(makeHead());
  column->addWidget(makeBody(), 1);
  column->addWidget(makeFoot());
  setProblem(Problem{});
  setSettings(RunSettings{});
  validateNow();
}

QWidget* ProblemForm::makeHead() {
  auto* head = new Surface(m_theme, QStringLiteral("surface.panel"), Qt::BottomEdge);
  auto* row = new QHBoxLayout(head);
  row->setContentsMargins(16, 0, 16, 1);
  row->setSpacing(m_theme.scaled(12));
  auto* title = new TextLabel(m_theme, tr("Problem"), {FontRole::kTitle, QFont::DemiBold});
  title->setSizePolicy(QSizePolicy::Minimum, QSizePolicy::Fixed);
  m_preset = makeCombo({}, tr("Preset"));
  for (const Preset& preset : presets()) {
    m_preset->addItem(textOfView(preset.title));
    m_preset->setItemData(m_preset->count() - 1, textOfView(preset.source), Qt::ToolTipRole);
  }
  m_preset->addItem(tr("Own shape"));
  m_preset->setProperty("control", QStringLiteral("small"));
  connect(m_preset, &QComboBox::activated, this, &ProblemForm::onPreset);
  row->addWidget(title);
  row->addWidget(m_preset, 1);
  const auto scale = [this, head] { head->setFixedHeight(m_theme.scaled(44)); };
  connect(&m_theme, &Theme::changed, head, scale);
  scale();
  return head;
}

NumberField* ProblemForm::makeNumber(std::int64_t step, const QString& name) {
  auto* field = new NumberField(m_theme, step);
  field->setAccessibleName(name);
  connect(field, &NumberField::edited, this, &ProblemForm::onEdited);
  return field;
}

FormRow* ProblemForm::addRow(QVBoxLayout& body, const QString& label, QWidget* field, QWidget* beside) {
  auto* row = new FormRow(m_theme, label, field, beside);
  body.addWidget(row);
  return row;
}

FormRow* ProblemForm::addLinked(QVBoxLayout& body, const QString& label, std::int64_t step, NumberField* source,
                                Linked& linked) {
  linked.field = new NumberField(m_theme, step);
  linked.field->setAccessibleName(label);
  linked.source = source;
  linked.button = new QToolButton;
  linked.button->setCheckable(true);
  linked.button->setChecked(true);
  linked.button->setFixedSize(m_theme.scaled(28), m_theme.scaled(28));
  linked.button->setAccessibleName(tr("%1 follows %2").arg(label, source->accessibleName()));
  linked.button->setToolTip(linked.button->accessibleName());
  QToolButton* button = linked.button;
  // What is typed here is meant: it no longer follows.
  connect(linked.field, &NumberField::edited, this, [this, button] {
    button->setChecked(false);
    onEdited();
  });
  connect(button, &QToolButton::clicked, this, &ProblemForm::onEdited);
  return addRow(body, label, linked.field, button);
}

QWidget* ProblemForm::makeBody() {
  auto* ground = new Surface(m_theme, QStringLiteral("surface.panel"));
  auto* body = new QVBoxLayout(ground);
  body->setContentsMargins(16, 12, 12, 12);
  body->setSpacing(m_theme.scaled(8));
  m_fromLabel = new TextLabel(m_theme, {}, {FontRole::kData, QFont::Normal, "text.secondary"});
  m_fromLabel->setWrapped(true);
  m_fromLabel->setIcon(QStringLiteral("link"), QStringLiteral("text.tertiary"));
  body->addWidget(m_fromLabel);

  m_workload = new LabSegment(m_theme, {tr("Attention"), tr("Block")}, tr("Workload"));
  m_workloadRow = addRow(*body, tr("Workload"), m_workload);
  m_pass = makeCombo({tr("Forward"), tr("Forward and backward")}, tr("Pass"));
  addRow(*body, tr("Pass"), m_pass);
  m_batch = makeNumber(1, tr("Batch"));
  m_batchRow = addRow(*body, tr("Batch"), m_batch);
  m_heads = makeNumber(1, tr("Heads"));
  m_headsRow = addRow(*body, tr("Heads"), m_heads);
  m_keyValueHeadsRow = addLinked(*body, tr("KV heads"), 1, m_heads, m_keyValueHeads);
  m_length = makeNumber(64, tr("Length"));
  auto* tokens = new TextLabel(m_theme, tr("tokens"), {FontRole::kData, QFont::Normal, "text.tertiary"});
  m_lengthRow = addRow(*body, tr("Length"), m_length, tokens);
  m_keyLengthRow = addLinked(*body, tr("Key length"), 64, m_length, m_keyLength);
  m_headSize = makeNumber(8, tr("Head size"));
  m_headSizeRow = addRow(*body, tr("Head size"), m_headSize);
  m_valueHeadSizeRow = addLinked(*body, tr("Value head size"), 8, m_headSize, m_valueHeadSize);
  m_latent = makeNumber(64, tr("Latent size"));
  m_latentRow = addRow(*body, tr("Latent size"), m_latent);
  m_latentRow->setHint(tr("Keys and values come from it; 0: none"));
  m_rope = makeNumber(8, tr("Shared rotary"));
  m_ropeRow = addRow(*body, tr("Shared rotary"), m_rope);
  m_ropeRow->setHint(tr("Values at the end of each key that all heads share"));
  QStringList types;
  for (const DataType type : {DataType::kFloat32, DataType::kBFloat16, DataType::kFloat16, DataType::kFloat64}) {
    types << textOfView(toString(type));
  }
  m_type = makeCombo(types, tr("Type"));
  m_typeRow = addRow(*body, tr("Type"), m_type);
  m_layout = makeCombo({tr("Heads, then tokens"), tr("Tokens, then heads")}, tr("Layout"));
  m_layoutRow = addRow(*body, tr("Layout"), m_layout);
  m_mask = makeCombo({tr("None"), tr("Causal"), tr("Window")}, tr("Mask"));
  m_mask->addItems(MaskField::patterns());
  m_mask->setToolTip(tr("Which keys a query sees"));
  m_maskRow = addRow(*body, tr("Mask"), m_mask);
  m_window = makeNumber(64, tr("Window"));
  auto* keys = new TextLabel(m_theme, tr("keys"), {FontRole::kData, QFont::Normal, "text.tertiary"});
  m_windowRow = addRow(*body, tr("Window"), m_window, keys);
  m_pattern = new MaskField(m_theme);
  m_patternRow = addRow(*body, m_pattern->label(), m_pattern);
  m_alignment = makeCombo({tr("Top left"), tr("Bottom right")}, tr("Diagonal"));
  m_alignmentRow = addRow(*body, tr("Diagonal"), m_alignment);
  m_alignmentRow->setHint(tr("Where it starts when lengths differ"));

  m_softcap = makeNumber(10, tr("Softcap"));
  m_softcapRow = addRow(*body, tr("Softcap"), m_softcap);
  m_softcapRow->setHint(tr("Of the scores; 0 for none"));
  m_positions = makeCombo({tr("None in the scores"), tr("ALiBi")}, tr("Positions"));
  addRow(*body, tr("Positions"), m_positions);
  m_sink = makeCombo({tr("None"), tr("One a head")}, tr("Sink"));
  addRow(*body, tr("Sink"), m_sink);
  m_dropout = makeNumber(5, tr("Dropout"));
  auto* percent = new TextLabel(m_theme, tr("%"), {FontRole::kData, QFont::Normal, "text.tertiary"});
  m_dropoutRow = addRow(*body, tr("Dropout"), m_dropout, percent);

  auto* line = new Surface(m_theme, QStringLiteral("border.hairline"));
  line->setFixedHeight(1);
  body->addWidget(line);
  m_device = makeCombo({tr("cpu"), tr("cuda:0")}, tr("Device"));
  addRow(*body, tr("Device"), m_device);
  m_threads = makeNumber(1, tr("Threads"));
  m_threadsRow = addRow(*body, tr("Threads"), m_threads);
  m_rounds = makeNumber(10, tr("Timed rounds"));
  m_roundsRow = addRow(*body, tr("Timed rounds"), m_rounds);
  m_cache = makeCombo({tr("Leave caches warm"), tr("Flush the caches")}, tr("Before each call"));
  addRow(*body, tr("Before each call"), m_cache);
  m_seed = makeNumber(1, tr("Seed"));
  m_seedRow = addRow(*body, tr("Seed"), m_seed);
  body->addStretch(1);

  connect(m_workload, &LabSegment::chosen, this, &ProblemForm::onEdited);
  connect(m_mask, &QComboBox::activated, this, &ProblemForm::onMask);
  connect(m_pattern, &MaskField::edited, this, &ProblemForm::onEdited);
  for (QComboBox* combo : {m_pass, m_type, m_layout, m_alignment, m_positions, m_sink, m_device, m_cache}) {
    connect(combo, &QComboBox::activated, this, &ProblemForm::onEdited);
  }
  setMachine({}, 0, {});

  auto* scroll = new QScrollArea;
  scroll->setWidget(ground);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setFocusPolicy(Qt::NoFocus);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  connect(&m_theme, &Theme::changed, this, &ProblemForm::showLinks);
  return scroll;
}

QWidget* ProblemForm::makeFoot() {
  auto* foot = new Surface(m_theme, QStringLiteral("surface.panel"), Qt::TopEdge);
  auto* column = new QVBoxLayout(foot);
  column->setContentsMargins(16, 9, 16, 8);
  column->setSpacing(m_theme.scaled(4));
  m_estimate = new TextLabel(m_theme, {}, {FontRole::kData, QFont::Normal, "text.secondary"});
  m_estimate->setWrapped(true);
  m_estimate->setIcon(QStringLiteral("info"), QStringLiteral("text.tertiary"));
  m_warning = new TextLabel(m_theme, {}, {FontRole::kData, QFont::Normal, "text.secondary"});
  m_warning->setWrapped(true);
  m_warning->setIcon(QStringLiteral("warning"), QStringLiteral("severity.warning"));
  column->addWidget(m_estimate);
  column->addWidget(m_warning);
  m_warning->hide();
  return foot;
}

void ProblemForm::setMachine(const QString& cpu, int threads, const QString& cudaRefusal) {
  m_machineThreads = threads;
  m_device->setItemText(0, cpu.isEmpty() ? tr("cpu") : tr("cpu, %1").arg(cpu));
  // The device that cannot be chosen stays in the list with its reason.
  m_device->setItemText(1, cudaRefusal.isEmpty() ? tr("cuda:0") : tr("cuda:0: %1").arg(cudaRefusal));
  m_device->setItemData(1, m_device->itemText(1), Qt::ToolTipRole);
  if (auto* items = qobject_cast<QStandardItemModel*>(m_device->model())) items->item(1)->setEnabled(false);
  if (m_threads != nullptr) showDependents();
}

void ProblemForm::setSeen(const QString& words) { m_roundsRow->setHint(words); }

void ProblemForm::setEstimate(const QString& words, const QString& warning) {
  m_estimate->setText(words);
  m_estimate->setVisible(!words.isEmpty());
  m_warning->setText(warning);
  m_warning->setVisible(!warning.isEmpty());
}

// --- Problem <-> fields ------------------------------------------------------------------------------------------

void ProblemForm::setProblem(const Problem& problem, const QString& from) {
  m_filling = true;
  m_base = problem;
  m_from = from;
  m_workload->setCurrent(problem.workload == Workload::kBlock ? 1 : 0);
  m_pass->setCurrentIndex(problem.pass == Pass::kForwardBackward ? 1 : 0);
  m_batch->setValue(problem.batch);
  m_heads->setValue(problem.heads);
  m_keyValueHeads.field->setValue(problem.keyValueHeads);
  m_keyValueHeads.button->setChecked(problem.keyValueHeads == problem.heads);
  m_length->setValue(problem.queryLength);
  m_keyLength.field->setValue(problem.keyValueLength);
  m_keyLength.button->setChecked(problem.keyValueLength == problem.queryLength);
  m_headSize->setValue(problem.headSize);
  m_valueHeadSize.field->setValue(problem.valueHeadSize);
  m_valueHeadSize.button->setChecked(problem.valueHeadSize == problem.headSize);
  m_latent->setValue(problem.latentSize);
  m_rope->setValue(problem.ropeSize);
  m_type->setCurrentIndex(static_cast<int>(problem.dtype));
  m_layout->setCurrentIndex(problem.layout == Layout::kBnhd ? 1 : 0);
  m_window->setValue(WindowMask{}.width);
  m_alignment->setCurrentIndex(0);
  if (std::holds_alternative<NoMask>(problem.mask)) {
    m_mask->setCurrentIndex(kNone);
  } else if (const auto* causal = std::get_if<CausalMask>(&problem.mask)) {
    m_mask->setCurrentIndex(kCausal);
    m_alignment->setCurrentIndex(causal->alignment == CausalAlignment::kBottomRight ? 1 : 0);
  } else if (const auto* window = std::get_if<WindowMask>(&problem.mask)) {
    m_mask->setCurrentIndex(kWindow);
    m_window->setValue(window->width);
    m_alignment->setCurrentIndex(window->alignment == CausalAlignment::kBottomRight ? 1 : 0);
  } else {
    m_pattern->setMask(problem.mask);
    m_mask->setCurrentIndex(static_cast<int>(kOther) + static_cast<int>(m_pattern->pattern()));
  }
  m_softcap->setValue(std::llround(problem.softcap));
  m_positions->setCurrentIndex(problem.alibi ? 1 : 0);
  m_sink->setCurrentIndex(problem.sink ? 1 : 0);
  m_dropout->setValue(std::llround(problem.dropout * kPercent));
  m_seed->setValue(static_cast<std::int64_t>(problem.seed));
  m_fromLabel->setText(from.isEmpty() ? QString() : tr("Shape recorded by %1").arg(from));
  m_fromLabel->setVisible(!from.isEmpty());
  m_filling = false;
  showPreset();
  showDependents();
  validateNow();
}

void ProblemForm::setSettings(const RunSettings& settings) {
  m_filling = true;
  m_threads->setValue(settings.threads);
  m_rounds->setValue(settings.rounds);
  m_cache->setCurrentIndex(settings.cache == CacheState::kCold ? 1 : 0);
  m_filling = false;
  showDependents();
  validateNow();
}

Mask ProblemForm::mask() const {
  const CausalAlignment alignment =
      m_alignment->currentIndex() == 1 ? CausalAlignment::kBottomRight : CausalAlignment::kTopLeft;
  switch (m_mask->currentIndex()) {
    case kNone:
      return NoMask{};
    case kCausal:
      return CausalMask{alignment};
    case kWindow:
      return WindowMask{valueOf(m_window), alignment};
    default:
      // What is not typed to its end yet hides nothing: validateNow() says what is missing.
      return m_pattern->mask(valueOf(m_length)).value_or(NoMask{});
  }
}

Problem ProblemForm::problem() const {
  Problem problem = m_base;
  problem.workload = m_workload->current() == 1 ? Workload::kBlock : Workload::kAttention;
  problem.pass = m_pass->currentIndex() == 1 ? Pass::kForwardBackward : Pass::kForward;
  problem.batch = valueOf(m_batch);
  problem.heads = valueOf(m_heads);
  problem.keyValueHeads = valueOf(m_keyValueHeads.field);
  problem.queryLength = valueOf(m_length);
  problem.keyValueLength = valueOf(m_keyLength.field);
  problem.headSize = valueOf(m_headSize);
  problem.valueHeadSize = valueOf(m_valueHeadSize.field);
  problem.latentSize = valueOf(m_latent);
  problem.ropeSize = problem.latentSize > 0 ? valueOf(m_rope) : 0;
  problem.dtype = static_cast<DataType>(m_type->currentIndex());
  problem.layout = m_layout->currentIndex() == 1 ? Layout::kBnhd : Layout::kBhnd;
  problem.mask = mask();
  // A value between two whole ones stays until it is typed over.
  if (valueOf(m_softcap) != std::llround(m_base.softcap)) problem.softcap = static_cast<double>(valueOf(m_softcap));
  if (valueOf(m_dropout) != std::llround(m_base.dropout * kPercent)) {
    problem.dropout = static_cast<double>(valueOf(m_dropout)) / kPercent;
  }
  problem.alibi = m_positions->currentIndex() == 1;
  problem.sink = m_sink->currentIndex() == 1;
  problem.seed = static_cast<std::uint64_t>(std::max<std::int64_t>(valueOf(m_seed), 0));
  return problem;
}

RunSettings ProblemForm::settings() const {
  RunSettings settings;
  settings.threads = static_cast<int>(std::clamp<std::int64_t>(valueOf(m_threads), 0, 1 << 20));
  settings.rounds = static_cast<int>(std::clamp<std::int64_t>(valueOf(m_rounds), 0, 1 << 20));
  settings.cache = m_cache->currentIndex() == 1 ? CacheState::kCold : CacheState::kHot;
  return settings;
}

// --- Reacting ----------------------------------------------------------------------------------------------------

void ProblemForm::onPreset(int position) {
  if (position < 0 || static_cast<std::size_t>(position) >= presets().size()) return;
  setProblem(presets()[static_cast<std::size_t>(position)].problem);
  Q_EMIT edited();
}

void ProblemForm::onMask(int word) {
  if (word >= kOther) m_pattern->setPattern(static_cast<MaskField::Pattern>(word - kOther));
  onEdited();
}

void ProblemForm::follow() {
  for (const Linked* linked : {&m_keyValueHeads, &m_keyLength, &m_valueHeadSize}) {
    if (linked->button->isChecked() && linked->field->text() != linked->source->text()) {
      linked->field->setText(linked->source->text());
    }
  }
}

void ProblemForm::onEdited() {
  if (m_filling) return;
  follow();
  showPreset();
  showDependents();
  m_settle.start();
  Q_EMIT edited();
}

void ProblemForm::showPreset() {
  const Problem now = problem();
  const std::span<const Preset> all = presets();
  int position = static_cast<int>(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].problem == now) position = static_cast<int>(i);
  }
  m_preset->setCurrentIndex(position);
  m_preset->setToolTip(m_preset->itemData(position, Qt::ToolTipRole).toString());
}

void ProblemForm::showLinks() {
  for (const Linked* linked : {&m_keyValueHeads, &m_keyLength, &m_valueHeadSize}) {
    // Linked: the chain in full ink; free: it is faint.
    const QColor ink =
        m_theme.colour(linked->button->isChecked() ? QStringLiteral("text.primary") : QStringLiteral("text.disabled"));
    linked->button->setIconSize(QSize(m_theme.scaled(14), m_theme.scaled(14)));
    linked->button->setFixedSize(m_theme.scaled(28), m_theme.scaled(28));
    linked->button->setIcon(m_theme.iconPixmap(QStringLiteral("link"), m_theme.scaled(14), ink, devicePixelRatioF()));
  }
}

void ProblemForm::showDependents() {
  showLinks();
  const int word = m_mask->currentIndex();
  const bool lengthsDiffer = m_length->value() != m_keyLength.field->value();
  m_windowRow->setVisible(word == kWindow);
  m_ropeRow->setVisible(valueOf(m_latent) > 0);
  m_alignmentRow->setVisible((word == kCausal || word == kWindow) &&
                             (lengthsDiffer || m_alignment->currentIndex() == 1));
  m_patternRow->setVisible(word >= kOther);
  m_patternRow->setLabel(m_pattern->label());
  m_keyValueHeadsRow->setHint(m_keyValueHeads.button->isChecked() ? QString() : tr("Must divide the heads"));
  m_threadsRow->setHint(m_threads->value() == 1 ? tr("CPU time is taken, not wall time")
                        : m_machineThreads > 0  ? tr("Wall time; this machine has %1").arg(m_machineThreads)
                                                : tr("Wall time"));
}

FormRow* ProblemForm::rowOf(ProblemField field) const {
  switch (field) {
    case ProblemField::kBatch:
      return m_batchRow;
    case ProblemField::kHeads:
      return m_headsRow;
    case ProblemField::kKeyValueHeads:
      return m_keyValueHeadsRow;
    case ProblemField::kQueryLength:
      return m_lengthRow;
    case ProblemField::kKeyValueLength:
      return m_keyLengthRow;
    case ProblemField::kHeadSize:
      return m_headSizeRow;
    case ProblemField::kValueHeadSize:
      return m_valueHeadSizeRow;
    case ProblemField::kDtype:
      return m_typeRow;
    case ProblemField::kMask:
      return m_mask->currentIndex() == kWindow  ? m_windowRow
             : m_mask->currentIndex() >= kOther ? m_patternRow
                                                : m_maskRow;
    case ProblemField::kLatent:
      return m_latentRow;
    case ProblemField::kLayout:
      return m_layoutRow;
    case ProblemField::kSoftcap:
      return m_softcapRow;
    case ProblemField::kDropout:
      return m_dropoutRow;
    default:
      return m_workloadRow;  // what the form has no field of its own for
  }
}

QString ProblemForm::remarkOf(ProblemField field) const { return rowOf(field)->remark(); }

// What no Problem can say: text that is no number, and the fields of the run.
std::vector<std::pair<FormRow*, QString>> ProblemForm::numberProblems() const {
  std::vector<std::pair<FormRow*, QString>> problems;
  const auto needsNumber = [&](FormRow* row, const NumberField* field) {
    if (field->value()) return true;
    problems.emplace_back(row, field->text().trimmed().isEmpty()
                                   ? tr("Type a whole number.")
                                   : tr("%1 is not a whole number.").arg(field->text().trimmed()));
    return false;
  };
  needsNumber(m_batchRow, m_batch);
  needsNumber(m_headsRow, m_heads);
  needsNumber(m_keyValueHeadsRow, m_keyValueHeads.field);
  needsNumber(m_lengthRow, m_length);
  needsNumber(m_keyLengthRow, m_keyLength.field);
  needsNumber(m_headSizeRow, m_headSize);
  needsNumber(m_valueHeadSizeRow, m_valueHeadSize.field);
  if (m_mask->currentIndex() == kWindow) needsNumber(m_windowRow, m_window);
  if (m_mask->currentIndex() >= kOther) {
    if (const Result<Mask> typed = m_pattern->mask(valueOf(m_length)); !typed) {
      problems.emplace_back(m_patternRow, QString::fromStdString(typed.error().what + " " + typed.error().remedy));
    }
  }
  needsNumber(m_latentRow, m_latent);
  if (valueOf(m_latent) > 0) needsNumber(m_ropeRow, m_rope);
  needsNumber(m_softcapRow, m_softcap);
  needsNumber(m_dropoutRow, m_dropout);
  const int mostThreads = m_machineThreads > 0 ? m_machineThreads : 1024;
  if (needsNumber(m_threadsRow, m_threads) && (valueOf(m_threads) < 1 || valueOf(m_threads) > mostThreads)) {
    problems.emplace_back(m_threadsRow, mostThreads == 1 ? tr("This machine has 1 thread. Use 1.")
                                                         : tr("Use 1 to %1 threads.").arg(mostThreads));
  }
  if (needsNumber(m_roundsRow, m_rounds) && (valueOf(m_rounds) < 1 || valueOf(m_rounds) > kMostRounds)) {
    problems.emplace_back(m_roundsRow, tr("Use 1 to %1 rounds.").arg(format::count(kMostRounds)));
  }
  if (needsNumber(m_seedRow, m_seed) && valueOf(m_seed) < 0) {
    problems.emplace_back(m_seedRow, tr("A seed is 0 or more."));
  }
  return problems;
}

void ProblemForm::validateNow() {
  m_settle.stop();
  for (FormRow* row :
       {m_workloadRow, m_batchRow,         m_headsRow,   m_keyValueHeadsRow, m_lengthRow,  m_keyLengthRow,
        m_headSizeRow, m_valueHeadSizeRow, m_latentRow,  m_ropeRow,          m_typeRow,    m_layoutRow,
        m_maskRow,     m_windowRow,        m_patternRow, m_alignmentRow,     m_softcapRow, m_dropoutRow,
        m_threadsRow,  m_roundsRow,        m_seedRow}) {
    row->clearRemark();
  }
  m_blocked.clear();
  const auto block = [this](FormRow* row) {
    if (m_blocked.isEmpty()) m_blocked = tr("Correct %1 to run").arg(row->label());
  };
  const auto numbers = numberProblems();
  for (const Remark& remark : validate(problem())) {
    FormRow* row = rowOf(remark.field);
    if (!row->remark().isEmpty()) continue;  // one at a time, the first
    row->setRemark(QString::fromStdString(remark.message), remark.severity);
    if (remark.severity == RemarkSeverity::kError) block(row);
  }
  // Said last, in place of what validate() makes of the 0 that stands for it.
  for (const auto& [row, words] : numbers) {
    row->setRemark(words, RemarkSeverity::kError);
    block(row);
  }
  if (m_roundsRow->remark().isEmpty() && valueOf(m_rounds) < kFewestForInterval) {
    m_roundsRow->setRemark(tr("Under %1 rounds there is no interval and no verdict.").arg(kFewestForInterval),
                           RemarkSeverity::kWarning);
  }
  Q_EMIT settled();
}

}  // namespace attnscope::ui
