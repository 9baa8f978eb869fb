// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/compare/ReasonsPopup.h"

#include <QGridLayout>
#include <QLabel>
#include <QPainter>
#include <QPixmap>

#include "ui/compare/BadgeButton.h"
#include "ui/theme/Theme.h"

namespace attnscope::ui {
namespace {

QPixmap chipPixmap(const Theme& theme, const ReasonsRun& run, double ratio) {
  const int side = theme.chipSize();
  QPixmap pixmap(QSize(side, side) * ratio);
  pixmap.setDevicePixelRatio(ratio);
  pixmap.fill(Qt::transparent);
  QPainter painter(&pixmap);
  painter.setRenderHint(QPainter::Antialiasing);
  theme.drawChip(painter, {0, 0}, run.runNumber, run.letter);
  return pixmap;
}

}  // namespace

ReasonsPopup::ReasonsPopup(const Comparison& comparison, const std::vector<ReasonsRun>& runs,
                           std::vector<SampleSeries> samples, const Verdict& verdict, const Theme& theme,
                           QWidget* parent)
    : QFrame(parent, Qt::Popup) {
  setAttribute(Qt::WA_DeleteOnClose);
  setAutoFillBackground(true);
  setFrameShape(QFrame::Box);
  setLineWidth(1);
  setAccessibleName(tr("Conditions of the comparison"));
  QPalette ground = palette();
  ground.setColor(QPalette::Window, theme.colour(QStringLiteral("surface.raised")));
  ground.setColor(QPalette::WindowText, theme.colour(QStringLiteral("border.strong")));
  setPalette(ground);

  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(theme.scaled(16), theme.scaled(12), theme.scaled(16), theme.scaled(12));
  grid->setHorizontalSpacing(theme.scaled(16));
  grid->setVerticalSpacing(theme.scaled(8));
  const auto label = [&](const QString& text, FontRole role, int weight, const QString& ink, int most) {
    auto* made = new QLabel(text, this);
    made->setFont(theme.font(role, weight));
    QPalette palette = made->palette();
    palette.setColor(QPalette::WindowText, theme.colour(ink));
    made->setPalette(palette);
    made->setTextInteractionFlags(Qt::TextSelectableByMouse);
    if (most > 0) {
      made->setWordWrap(true);
      made->setMaximumWidth(theme.scaled(most));
    }
    return made;
  };
  const QString primary = QStringLiteral("text.primary");
  const QString secondary = QStringLiteral("text.secondary");
  int row = 0;
  if (!samples.empty()) {
    grid->addWidget(label(tr("Samples over the rounds"), FontRole::kData, QFont::Medium, primary, 0), row++, 0, 1, 6);
    grid->addWidget(new SamplesPlot(std::move(samples), theme, this), row++, 0, 1, 6);
    if (verdict.everyPair.size() == runs.size() && !runs.empty()) {
      grid->addWidget(
          label(tr("Every pair: the column's time against the row's"), FontRole::kData, QFont::Medium, primary, 0),
          row++, 0, 1, 6);
      grid->addWidget(everyPair(runs, verdict, theme), row++, 0, 1, 6, Qt::AlignLeft);
    }
    for (const QString& remark : verdict.remarks) {
      grid->addWidget(label(remark, FontRole::kData, QFont::Normal, secondary, 560), row++, 0, 1, 6);
    }
  }
  if (comparison.reasons.empty()) {
    grid->addWidget(label(tr("No differing condition found"), FontRole::kData, QFont::Medium, primary, 0), row++, 0, 1,
                    6);
    grid->addWidget(
        label(tr("As far as the traces say, the runs do the same work on the same device. Traces do not hold "
                 "everything: clocks and other programs on the machine are not in them."),
              FontRole::kData, QFont::Normal, secondary, 360),
        row, 0, 1, 6);
    return;
  }
  grid->addWidget(label(tr("Condition"), FontRole::kCaption, QFont::Normal, secondary, 0), row, 1);
  if (!runs.empty()) {
    auto* base = new QLabel(this);
    base->setPixmap(chipPixmap(theme, runs.front(), devicePixelRatioF()));
    base->setAccessibleName(runs.front().letter);
    grid->addWidget(base, row, 2);
  }
  grid->addWidget(label(tr("Other"), FontRole::kCaption, QFont::Normal, secondary, 0), row, 3, 1, 2);
  grid->addWidget(label(tr("What it means"), FontRole::kCaption, QFont::Normal, secondary, 0), row, 5);
  ++row;
  for (const Condition& reason : comparison.reasons) {
    const VerdictSign sign = reason.refuses ? VerdictSign::kRefused : VerdictSign::kWarning;
    auto* icon = new QLabel(this);
    icon->setPixmap(theme.iconPixmap(signIcon(sign), theme.scaled(16), signInk(theme, sign), devicePixelRatioF()));
    icon->setAccessibleName(reason.refuses ? tr("Refuses the comparison") : tr("Allowed difference"));
    grid->addWidget(icon, row, 0, Qt::AlignTop);
    grid->addWidget(label(QString::fromStdString(reason.subject), FontRole::kData, QFont::Medium, primary, 160), row, 1,
                    Qt::AlignTop);
    grid->addWidget(label(QString::fromStdString(reason.base), FontRole::kData, QFont::Normal, primary, 180), row, 2,
                    Qt::AlignTop);
    if (reason.run < runs.size()) {
      auto* other = new QLabel(this);
      other->setPixmap(chipPixmap(theme, runs[reason.run], devicePixelRatioF()));
      other->setAccessibleName(runs[reason.run].letter);
      grid->addWidget(other, row, 3, Qt::AlignTop);
    }
    grid->addWidget(label(QString::fromStdString(reason.other), FontRole::kData, QFont::Normal, primary, 180), row, 4,
                    Qt::AlignTop);
    grid->addWidget(label(QString::fromStdString(reason.meaning), FontRole::kData, QFont::Normal, secondary, 300), row,
                    5, Qt::AlignTop);
    ++row;
  }
}

QWidget* ReasonsPopup::everyPair(const std::vector<ReasonsRun>& runs, const Verdict& verdict, const Theme& theme) {
  auto* matrix = new QWidget(this);
  matrix->setAccessibleName(tr("Every pair of runs"));
  auto* grid = new QGridLayout(matrix);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setHorizontalSpacing(theme.scaled(16));
  grid->setVerticalSpacing(theme.scaled(4));
  const auto chip = [&](const ReasonsRun& run, int row, int column, Qt::Alignment alignment) {
    auto* made = new QLabel(matrix);
    made->setPixmap(chipPixmap(theme, run, devicePixelRatioF()));
    made->setAccessibleName(run.letter);
    grid->addWidget(made, row, column, alignment);
  };
  for (std::size_t i = 0; i < runs.size(); ++i) {
    chip(runs[i], 0, static_cast<int>(i) + 1, Qt::AlignRight);
    chip(runs[i], static_cast<int>(i) + 1, 0, Qt::AlignLeft);
    for (std::size_t j = 0; j < runs.size(); ++j) {
      const PairCell& cell = verdict.everyPair[i][j];
      auto* made = new QLabel(cell.text, matrix);
      made->setFont(theme.font(FontRole::kData));
      QPalette palette = made->palette();
      const char* ink = cell.tone == VerdictTone::kFaster   ? "delta.faster"
                        : cell.tone == VerdictTone::kSlower ? "delta.slower"
                                                            : "text.secondary";
      palette.setColor(QPalette::WindowText, theme.colour(QString::fromLatin1(ink)));
      made->setPalette(palette);
      made->setAccessibleName(tr("%1 against %2: %3").arg(runs[j].letter, runs[i].letter, cell.text));
      grid->addWidget(made, static_cast<int>(i) + 1, static_cast<int>(j) + 1, Qt::AlignRight);
    }
  }
  return matrix;
}

}  // namespace attnscope::ui
