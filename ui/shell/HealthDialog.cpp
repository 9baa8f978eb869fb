// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/HealthDialog.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/bridge/Format.h"
#include "ui/shell/CentreBlock.h"
#include "ui/shell/RunFigures.h"
#include "ui/theme/Surface.h"
#include "ui/theme/TextLabel.h"

namespace attnscope::ui {

SliceId firstPlace(const Trace& trace, const HealthEntry& entry) {
  const SliceTable& slices = trace.slices;
  const bool hasEvent = entry.firstEvent != TraceHealth::kNowhere;
  if (!hasEvent && entry.firstByte == TraceHealth::kNowhere) return kNoSlice;
  const auto placeOf = [&](std::size_t i) { return hasEvent ? slices.order[i] : slices.argsBegin[i]; };
  const std::uint64_t wanted = hasEvent ? entry.firstEvent : entry.firstByte;
  std::size_t best = slices.size();
  for (std::size_t i = 0; i < slices.size(); ++i) {
    if (placeOf(i) <= wanted && (best == slices.size() || placeOf(i) > placeOf(best))) best = i;
  }
  if (slices.size() == 0) return kNoSlice;
  // Before the first slice of the file: that one.
  if (best == slices.size()) {
    best = 0;
    for (std::size_t i = 0; i < slices.size(); ++i) {
      if (slices.order[i] < slices.order[best]) best = i;
    }
  }
  return SliceId{static_cast<std::uint32_t>(best)};
}

HealthDialog::HealthDialog(const Session& session, const Theme& theme, QWidget* parent)
    : PageDialog(theme, tr("Trace health"), QSize(640, 460), parent), m_session(session) {
  auto* column = new QVBoxLayout(page());
  column->setContentsMargins(theme.scaled(16), theme.scaled(16), theme.scaled(16), theme.scaled(16));
  column->setSpacing(theme.scaled(4));
  for (int i = 0; i < session.runCount(); ++i) {
    if (session.run(i)->trace()) addRun(*session.run(i), column);
  }
  column->addStretch(1);
  foot()->addStretch(1);
  auto* copy = new QPushButton(tr("Copy the list"), this);
  copy->setAccessibleName(copy->text());
  connect(copy, &QPushButton::clicked, this, [this] { QApplication::clipboard()->setText(m_text); });
  foot()->addWidget(copy);
}

void HealthDialog::addRun(const Run& run, QVBoxLayout* column) {
  const TraceHealth& health = run.trace()->health;
  if (column->count() > 0) column->addSpacing(theme().scaled(16));
  column->addWidget(new TextLabel(theme(), tr("%1  %2").arg(run.letter(), run.title()),
                                  {FontRole::kTitle, QFont::DemiBold, "text.primary"}));
  m_text += run.location() + u'\n';
  const std::vector<HealthEntry> entries = health.sorted();
  if (entries.empty()) {
    const QString words = tr("All %1 events were read as they are written; nothing was repaired, guessed or left out.")
                              .arg(format::count(static_cast<std::int64_t>(run.trace()->events)));
    auto* label = new TextLabel(theme(), words, {FontRole::kData, QFont::Normal, "text.secondary"});
    label->setWrapped(true);
    column->addWidget(label);
    m_text += words + u'\n';
    return;
  }
  column->addWidget(new TextLabel(
      theme(),
      tr("%1 events read, %2").arg(format::count(static_cast<std::int64_t>(run.trace()->events)), healthWords(health)),
      {FontRole::kData, QFont::Normal, "text.tertiary"}));
  for (const HealthEntry& entry : entries) {
    column->addSpacing(theme().scaled(4));
    column->addWidget(makeHairline(theme(), nullptr));
    auto* row = new QHBoxLayout;
    row->setSpacing(theme().scaled(8));
    const SeverityLook look = severityLook(entry.severity);
    row->addWidget(new IconLabel(theme(), QString::fromLatin1(look.icon), look.colour, 16), 0, Qt::AlignTop);
    auto* texts = new QVBoxLayout;
    texts->setSpacing(0);
    auto* message = new TextLabel(theme(), QString::fromStdString(entry.message));
    message->setWrapped(true);
    texts->addWidget(message);
    QString where = QString::fromStdString(entry.code);
    if (entry.firstByte != TraceHealth::kNowhere) {
      where += tr(", first at byte %1").arg(format::count(static_cast<std::int64_t>(entry.firstByte)));
    }
    if (entry.firstEvent != TraceHealth::kNowhere) {
      where += tr(", event %1").arg(format::count(static_cast<std::int64_t>(entry.firstEvent)));
    }
    texts->addWidget(new TextLabel(theme(), where, {FontRole::kCaption, QFont::Normal, "text.tertiary"}));
    row->addLayout(texts, 1);
    auto* count = new TextLabel(theme(), format::count(static_cast<std::int64_t>(entry.count)));
    count->setNumeric(true);
    count->setElide(Qt::ElideNone);
    row->addWidget(count, 0, Qt::AlignTop);
    if (const SliceId place = firstPlace(*run.trace(), entry); place != kNoSlice) {
      auto* show = new QPushButton(tr("Show"));
      show->setAccessibleName(tr("Show where %1 is first").arg(QString::fromStdString(entry.code)));
      show->setAutoDefault(false);
      connect(show, &QPushButton::clicked, this, [this, shown = &run, place] {
        const int position = m_session.positionOf(shown);
        if (position >= 0) Q_EMIT placeRequested(position, place);
        accept();
      });
      row->addWidget(show, 0, Qt::AlignTop);
    }
    column->addLayout(row);
    m_text += QStringLiteral("%1\t%2\t%3\n")
                  .arg(entry.count)
                  .arg(QString::fromStdString(entry.code), QString::fromStdString(entry.message));
  }
}

}  // namespace attnscope::ui
