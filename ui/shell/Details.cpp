// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/Details.h"

#include <algorithm>

#include <QApplication>
#include <QClipboard>
#include <QFontDatabase>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QMenu>
#include <QPushButton>
#include <QScrollArea>
#include <QTimer>
#include <QVBoxLayout>

#include "core/analysis/Kernels.h"
#include "ui/bridge/Format.h"
#include "ui/bridge/Jobs.h"
#include "ui/shell/CallHistogram.h"
#include "ui/shell/CentreBlock.h"
#include "ui/shell/IconButton.h"
#include "ui/shell/LinkButton.h"
#include "ui/theme/Surface.h"
#include "ui/theme/TextLabel.h"

namespace attnscope::ui {

namespace {

constexpr TextLook kLabel{FontRole::kData, QFont::Normal, "text.secondary"};
constexpr TextLook kValue{FontRole::kData, QFont::Normal, "text.primary"};
constexpr TextLook kQuiet{FontRole::kData, QFont::Normal, "text.tertiary"};
const QString kCallsKey = QStringLiteral("calls");
const QString kArgumentsKey = QStringLiteral("arguments");
constexpr qsizetype kLongName = 60;

}  // namespace

Details::Details(Session& session, const Theme& theme, QWidget* parent)
    : QWidget(parent), m_session(session), m_theme(theme), m_jobs(std::make_unique<Jobs>()) {
  setObjectName(QStringLiteral("details"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  m_head = makeHead();
  m_head->hide();
  layout->addWidget(m_head);
  m_scroll = new QScrollArea(this);
  m_scroll->setFrameShape(QFrame::NoFrame);
  m_scroll->setWidgetResizable(true);
  m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_scroll->setAccessibleName(tr("Details"));
  layout->addWidget(m_scroll, 1);

  // Several signals arrive for one change of selection; the panel is built once for all of them.
  m_later = new QTimer(this);
  m_later->setSingleShot(true);
  m_later->setInterval(0);
  connect(m_later, &QTimer::timeout, this, &Details::rebuild);
  const auto anew = [this] {
    m_hasCalls = false;
    m_hasArguments = false;
    m_isReading = false;
    m_jobs->cancelAll();
    m_later->start();
  };
  connect(&m_session, &Session::selectionChanged, this, anew);
  connect(&m_session, &Session::scopeChanged, this, anew);
  connect(&m_session, &Session::alignmentChanged, this, anew);
  connect(&m_session, &Session::runsChanged, this, anew);
  connect(&m_theme, &Theme::changed, m_later, qOverload<>(&QTimer::start));
  rebuild();
}

Details::~Details() = default;

bool Details::isSettled() const { return !m_later->isActive() && !m_jobs->isBusy(); }

void Details::setSidePanel(bool isSide) {
  m_isSide = isSide;
  m_head->setVisible(isSide);
  m_later->start();
}

int Details::columnCount() const {
  if (m_isSide) return 1;
  return std::clamp(width() / m_theme.scaled(300), 1, 3);
}

void Details::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  if (columnCount() != m_columns) m_later->start();
}

QWidget* Details::makeHead() {
  auto* head = new Surface(m_theme, QStringLiteral("surface.panel"), Qt::BottomEdge, this);
  const auto scale = [this, head] { head->setFixedHeight(m_theme.size(QStringLiteral("tab_bar"))); };
  connect(&m_theme, &Theme::changed, head, scale);
  scale();
  auto* row = new QHBoxLayout(head);
  scaleLayout(m_theme, row, {12, 0, 6, 0}, 2);
  row->addWidget(new TextLabel(m_theme, tr("Details"), {FontRole::kCaption, QFont::DemiBold, "text.primary"}, head), 1);
  const auto add = [this, row, head](const char* icon, const QString& name) {
    auto* button = new IconButton(m_theme, QString::fromLatin1(icon), name, head);
    button->setSmall(true);
    row->addWidget(button);
    return button;
  };
  connect(add("previous", tr("Previous call of this name")), &QToolButton::clicked, this, [this] { step(-1); });
  connect(add("next", tr("Next call of this name")), &QToolButton::clicked, this, [this] { step(1); });
  connect(add("fit", tr("Show it in the timeline")), &QToolButton::clicked, this, [this] {
    if (m_slice != kNoSlice) Q_EMIT showRequested(lead(), m_slice);
  });
  connect(add("close", tr("Close details")), &QToolButton::clicked, this, &Details::closeRequested);
  return head;
}

void Details::step(int direction) {
  const SliceId to = direction < 0 ? m_called.previous : m_called.next;
  if (!m_hasCalls || to == kNoSlice) return;
  m_session.selectSlice(lead(), to, SelectionOrigin::kDetails);
}

QWidget* Details::makeEmpty() {
  auto* block = new CentreBlock(m_theme, QStringLiteral("details"), "text.secondary", m_scroll);
  block->setTitle(tr("Nothing is selected"));
  block->setBody(
      tr("Click a slice in the timeline or a row of a table: what it is, what launched it and how its calls spread "
         "are told here."));
  return block;
}

void Details::rebuild() {
  const Selection& selection = m_session.selection();
  const bool any = !selection.isEmpty() && selection.leadSlice != kNoSlice &&
                   selection.leadRun < m_session.runCount() && m_session.run(selection.leadRun)->facts();
  m_columns = columnCount();
  m_run = any ? m_session.run(selection.leadRun)->facts() : nullptr;
  m_slice = any ? selection.leadSlice : kNoSlice;
  auto* content =
      new Surface(m_theme, m_isSide ? QStringLiteral("surface.panel") : QStringLiteral("surface.pane"), {}, m_scroll);
  if (!any) {
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(makeEmpty());
  } else {
    m_facts = sliceFacts(*m_run, m_slice, m_session.anchorNs(selection.leadRun));
    buildColumns(content);
    if (!m_hasCalls && !m_jobs->isRunning(kCallsKey)) startCalls();
  }
  m_scroll->setWidget(content);
}

void Details::buildColumns(QWidget* content) {
  auto* row = new QHBoxLayout(content);
  row->setContentsMargins(m_theme.scaled(12), m_theme.scaled(12), m_theme.scaled(12), m_theme.scaled(12));
  row->setSpacing(m_theme.scaled(24));
  std::vector<QVBoxLayout*> columns;
  for (int i = 0; i < m_columns; ++i) {
    auto* column = new QVBoxLayout;
    column->setSpacing(m_theme.scaled(2));
    row->addLayout(column, 1);
    columns.push_back(column);
  }
  const auto at = [&columns](std::size_t wanted) { return columns[std::min(wanted, columns.size() - 1)]; };
  addHead(at(0));
  addChain(at(0));
  addFacts(at(1), tr("Launch"), m_facts.launch);
  addCalls(at(1));
  addPartners(at(1));
  addFacts(at(2), tr("Recorded"), m_facts.more);
  addFacts(at(2), tr("Call stack"), m_facts.stack);
  addArguments(at(2));
  addFullName(at(2));
  for (QVBoxLayout* column : columns) column->addStretch(1);
}

TextLabel* Details::addSectionTitle(QVBoxLayout* column, const QString& title) {
  if (column->count() > 0) column->addSpacing(m_theme.scaled(12));
  auto* label = new TextLabel(m_theme, title, {FontRole::kCaption, QFont::DemiBold, "text.secondary"});
  column->addWidget(label);
  column->addSpacing(m_theme.scaled(4));
  return label;
}

void Details::addHead(QVBoxLayout* column) {
  auto* row = new QHBoxLayout;
  row->setSpacing(m_theme.scaled(8));
  auto* swatch = new LinkButton(m_theme, QString());
  swatch->setSwatch(m_facts.paint);
  swatch->setEnabled(false);
  swatch->setFixedWidth(m_theme.scaled(12));
  swatch->setFocusPolicy(Qt::NoFocus);
  row->addWidget(swatch);
  auto* name = new TextLabel(m_theme, m_facts.name, {FontRole::kTitle, QFont::DemiBold, "text.primary"});
  name->setToolTip(m_facts.fullName);
  row->addWidget(name, 1);
  if (m_session.runCount() > 1) {
    auto* chip = new LinkButton(m_theme, QString());
    chip->setRun(m_session.run(lead())->number(), m_session.run(lead())->letter());
    chip->setEnabled(false);
    chip->setFixedWidth(m_theme.chipSize());
    chip->setFocusPolicy(Qt::NoFocus);
    row->insertWidget(0, chip);
  }
  auto* copy = new IconButton(m_theme, QStringLiteral("copy"), tr("Copy these details"));
  copy->setSmall(true);
  auto* menu = new QMenu(copy);
  connect(menu->addAction(tr("Copy as text")), &QAction::triggered, this,
          [this] { QApplication::clipboard()->setText(asText()); });
  connect(menu->addAction(tr("Copy as JSON")), &QAction::triggered, this,
          [this] { QApplication::clipboard()->setText(QString::fromUtf8(asJson())); });
  connect(copy, &QToolButton::clicked, menu,
          [menu, copy] { menu->popup(copy->mapToGlobal(copy->rect().bottomLeft())); });
  row->addWidget(copy);
  column->addLayout(row);
  column->addWidget(new TextLabel(m_theme, m_facts.kind, kLabel));
  column->addSpacing(m_theme.scaled(8));

  auto* figures = new QHBoxLayout;
  const auto add = [this, figures](const QString& label, const QString& value) {
    auto* cell = new QVBoxLayout;
    cell->setSpacing(m_theme.scaled(2));
    cell->addWidget(new TextLabel(m_theme, label, {FontRole::kCaption, QFont::Normal, "text.tertiary"}));
    cell->addWidget(new TextLabel(m_theme, value, {FontRole::kTitle, QFont::DemiBold, "text.primary"}));
    figures->addLayout(cell, 1);
  };
  add(tr("Duration"), m_facts.duration);
  add(tr("Start"), m_facts.start);
  if (!m_facts.third.isEmpty()) add(m_facts.thirdLabel, m_facts.third);
  column->addLayout(figures);
  const SliceId call = attentionCallOf(*m_run->trace, m_slice);
  if (call == kNoSlice) return;
  column->addSpacing(m_theme.scaled(8));
  auto* runIt = new QPushButton(tr("Run this shape"));
  runIt->setObjectName(QStringLiteral("runShape"));
  runIt->setProperty("control", QStringLiteral("small"));
  runIt->setIcon(m_theme.icon(QStringLiteral("lab")));
  runIt->setToolTip(tr("Fill the lab's form from the recorded inputs of this call"));
  connect(runIt, &QPushButton::clicked, this, [this, call] { Q_EMIT runShapeRequested(lead(), call); });
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(runIt);
  buttons->addStretch(1);
  column->addLayout(buttons);
}

void Details::addChain(QVBoxLayout* column) {
  const Trace& trace = *m_run->trace;
  const std::vector<SliceId> chain = launchChain(trace, m_slice);
  const bool isDevice = trace.deviceWork.find(m_slice).has_value();
  if (chain.empty() && !isDevice) return;
  addSectionTitle(column, isDevice ? tr("Launched by") : tr("Inside"));
  if (chain.empty()) {
    column->addWidget(new TextLabel(m_theme, tr("The launch is not in this trace."), kQuiet));
    return;
  }
  constexpr std::size_t kMost = 12;
  for (std::size_t i = 0; i < std::min(chain.size(), kMost); ++i) {
    const SliceId each = chain[i];
    const std::string_view name = trace.name(each);
    auto* link = new LinkButton(m_theme, QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())));
    const std::size_t at = index(each);
    link->setSwatch(at < m_run->paintClass.size() ? static_cast<WorkKind>(m_run->paintClass[at])
                                                  : trace.slices.kind[at]);
    if (i == 0 && isDevice && trace.slices.correlation[index(each)] != kNoNumber) {
      link->setRemark(tr("correlation %1").arg(trace.slices.correlation[index(each)]));
    }
    connect(link, &QAbstractButton::clicked, this,
            [this, each, run = lead()] { m_session.selectSlice(run, each, SelectionOrigin::kDetails); });
    column->addWidget(link);
  }
  if (chain.size() > kMost) {
    column->addWidget(new TextLabel(
        m_theme, tr("and %1 more around it").arg(format::count(static_cast<std::int64_t>(chain.size() - kMost))),
        kQuiet));
  }
}

void Details::addFacts(QVBoxLayout* column, const QString& title, const std::vector<Fact>& facts) {
  if (facts.empty()) return;
  addSectionTitle(column, title);
  auto* grid = new QGridLayout;
  grid->setHorizontalSpacing(m_theme.scaled(12));
  grid->setVerticalSpacing(m_theme.scaled(4));
  grid->setColumnMinimumWidth(0, m_theme.scaled(92));
  grid->setColumnStretch(1, 1);
  int row = 0;
  for (const Fact& fact : facts) {
    constexpr char16_t kEm = 0x2003;  // a step to the right for each branch of a tree
    auto* label = new TextLabel(m_theme, QString(fact.depth, QChar(kEm)) + fact.label, kLabel);
    label->setElide(Qt::ElideMiddle);
    label->setToolTip(fact.label);
    auto* value = new TextLabel(m_theme, fact.value, kValue);
    value->setWrapped(true);
    label->setMaximumWidth(m_theme.scaled(140));
    grid->addWidget(label, row, 0, Qt::AlignTop);
    grid->addWidget(value, row, 1);
    ++row;
  }
  column->addLayout(grid);
}

void Details::addCalls(QVBoxLayout* column) {
  if (!m_hasCalls) {
    addSectionTitle(column, tr("Calls"));
    column->addWidget(new TextLabel(m_theme, tr("Counting the calls of this name"), kQuiet));
    return;
  }
  const CallStatistics& calls = m_called.calls;
  const QString scope = m_session.scopeWords();
  if (calls.calls == 0) {
    addSectionTitle(column, tr("Calls"));
    column->addWidget(new TextLabel(m_theme, tr("None starts in the scope (%1).").arg(scope), kQuiet));
    return;
  }
  const QString count = format::count(static_cast<std::int64_t>(calls.calls));
  addSectionTitle(column, calls.calls == 1 ? tr("%1: the only call of this name").arg(scope)
                          : calls.ordinal > 0
                              ? tr("%3: call %1 of %2 of this name")
                                    .arg(format::count(static_cast<std::int64_t>(calls.ordinal)), count, scope)
                              : tr("%2: %1 calls of this name").arg(count, scope));
  if (!calls.histogram.empty()) {
    auto* histogram = new CallHistogram(m_theme);
    histogram->setCalls(calls, m_run->trace->slices.durationNs[index(m_slice)], m_facts.paint);
    column->addWidget(histogram);
  }
  if (calls.calls > 1) {
    const format::TimeUnit unit = format::unitFor(calls.maxNs);
    auto* line = new TextLabel(m_theme,
                               tr("min %1  median %2  p95 %3  max %4 %5")
                                   .arg(format::timeIn(static_cast<double>(calls.minNs), unit),
                                        format::timeIn(static_cast<double>(calls.medianNs), unit),
                                        format::timeIn(static_cast<double>(calls.p95Ns), unit),
                                        format::timeIn(static_cast<double>(calls.maxNs), unit), format::unitName(unit)),
                               kLabel);
    line->setWrapped(true);
    column->addWidget(line);
  }
}

void Details::addPartners(QVBoxLayout* column) {
  if (!m_hasCalls || m_session.readyRuns().size() < 2) return;
  addSectionTitle(column, tr("The same name in the other runs"));
  const std::int64_t own = m_run->trace->slices.durationNs[index(m_slice)];
  for (const Partner& partner : m_called.partners) {
    if (partner.run >= m_session.runCount()) continue;
    const Run* run = m_session.run(partner.run);
    if (partner.slice == kNoSlice) {
      const QString words = partner.calls == 0
                                ? tr("%1: not there").arg(run->letter())
                                : tr("%1: %2 calls, none at this place")
                                      .arg(run->letter(), format::count(static_cast<std::int64_t>(partner.calls)));
      column->addWidget(new TextLabel(m_theme, words, kQuiet));
      continue;
    }
    auto* link = new LinkButton(m_theme, format::time(static_cast<double>(partner.durationNs)));
    link->setRun(run->number(), run->letter());
    link->setRemark(tr("%1, of %2 calls")
                        .arg(format::signedTime(static_cast<double>(partner.durationNs - own)),
                             format::count(static_cast<std::int64_t>(partner.calls))));
    connect(link, &QAbstractButton::clicked, this,
            [this, partner] { m_session.selectSlice(partner.run, partner.slice, SelectionOrigin::kDetails); });
    column->addWidget(link);
  }
}

void Details::addArguments(QVBoxLayout* column) {
  if (m_run->trace->slices.argsLength[index(m_slice)] == 0) return;
  if (m_hasArguments && m_arguments.failure.isEmpty()) {
    addFacts(column, tr("Arguments"), m_arguments.entries);
    return;
  }
  addSectionTitle(column, tr("Arguments"));
  if (m_hasArguments) {
    auto* failure = new TextLabel(m_theme, m_arguments.failure, {FontRole::kData, QFont::Normal, "severity.problem"});
    failure->setWrapped(true);
    column->addWidget(failure);
  } else if (m_isReading) {
    column->addWidget(new TextLabel(m_theme, tr("Reading the arguments from the file"), kQuiet));
  } else {
    auto* link = new LinkButton(m_theme, tr("Read the arguments from the file"));
    connect(link, &QAbstractButton::clicked, this, &Details::requestArguments);
    column->addWidget(link);
  }
}

void Details::addFullName(QVBoxLayout* column) {
  if (m_facts.fullName == m_facts.name && m_facts.fullName.size() < kLongName) return;
  addSectionTitle(column, tr("Full name, %1 characters").arg(format::count(m_facts.fullName.size())));
  auto* name = new TextLabel(m_theme, m_facts.fullName, kLabel);
  name->setWrapped(true);
  column->addWidget(name);
  auto* copy = new LinkButton(m_theme, tr("Copy the full name"));
  connect(copy, &QAbstractButton::clicked, this, [this] { QApplication::clipboard()->setText(m_facts.fullName); });
  column->addWidget(copy);
}

void Details::startCalls() {
  struct Other {
    int run;
    std::shared_ptr<const RunFacts> facts;
    TimeRange scope;
  };
  std::vector<Other> others;
  for (const int position : m_session.readyRuns()) {
    if (position != lead()) {
      others.push_back({position, m_session.run(position)->facts(), m_session.scopeRange(position)});
    }
  }
  m_jobs->start(
      kCallsKey,
      [facts = m_run, slice = m_slice, scope = m_session.scopeRange(lead()), others](std::stop_token) {
        const Trace& trace = *facts->trace;
        const std::string_view name = trace.name(slice);
        const CategoryClass category = trace.slices.categoryClass[index(slice)];
        Called called;
        called.calls = callsOf(trace, name, category, scope, slice);
        if (called.calls.ordinal > 0) {
          called.previous = nthCall(trace, name, category, scope, called.calls.ordinal - 1);
          called.next = nthCall(trace, name, category, scope, called.calls.ordinal + 1);
        }
        for (const Other& other : others) {
          const Trace& theirs = *other.facts->trace;
          Partner partner;
          partner.run = other.run;
          partner.slice = nthCall(theirs, name, category, other.scope, called.calls.ordinal);
          partner.calls = callsOf(theirs, name, category, other.scope, kNoSlice).calls;
          if (partner.slice != kNoSlice) partner.durationNs = theirs.slices.durationNs[index(partner.slice)];
          called.partners.push_back(partner);
        }
        return called;
      },
      [this](Called called) {
        m_called = std::move(called);
        m_hasCalls = true;
        m_later->start();
      });
}

void Details::requestArguments() {
  if (m_slice == kNoSlice || m_isReading) return;
  m_isReading = true;
  m_jobs->start(
      kArgumentsKey, [facts = m_run, slice = m_slice](std::stop_token) { return readArguments(*facts->trace, slice); },
      [this](Arguments arguments) {
        m_arguments = std::move(arguments);
        m_hasArguments = true;
        m_isReading = false;
        m_later->start();
      });
  m_later->start();
}

QString Details::asText() const {
  if (m_slice == kNoSlice) return {};
  return factsAsText(m_facts, m_session.run(lead())->title(), m_hasCalls ? m_called.calls : CallStatistics{},
                     m_hasArguments ? m_arguments : Arguments{});
}

QByteArray Details::asJson() const {
  if (m_slice == kNoSlice) return {};
  return factsAsJson(*m_run->trace, m_slice, m_session.run(lead())->title(),
                     m_hasCalls ? m_called.calls : CallStatistics{}, m_hasArguments ? m_arguments : Arguments{});
}

}  // namespace attnscope::ui
