// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/findings/FindingCard.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/bridge/Format.h"
#include "ui/theme/Theme.h"

namespace attnscope::ui {
namespace {

constexpr int kTwoColumnsFrom = 620;

QString textOf(const std::string& text) { return format::sentence(text); }

// A figure that stays with its unit where lines are broken.
QString unbroken(QString figure) { return figure.replace(QLatin1Char(' '), QChar::Nbsp); }

QLabel* label(const Theme& theme, const QString& text, FontRole role, int weight, const QString& token) {
  auto* made = new QLabel(text);
  made->setTextFormat(Qt::PlainText);  // names of a trace are no markup
  made->setWordWrap(true);
  made->setFont(theme.font(role, weight));
  QPalette palette = made->palette();
  palette.setColor(QPalette::WindowText, theme.colour(token));
  made->setPalette(palette);
  made->setTextInteractionFlags(Qt::TextSelectableByMouse);
  return made;
}

}  // namespace

FindingCard::FindingCard(const Theme& theme, QWidget* parent) : QScrollArea(parent), m_theme(theme) {
  setWidgetResizable(true);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setFrameShape(QFrame::NoFrame);
  setAccessibleName(tr("The finding"));
  connect(&theme, &Theme::changed, this, &FindingCard::rebuild);
}

void FindingCard::show(std::shared_ptr<const RunFindings> of, const Finding& finding) {
  m_of = std::move(of);
  m_finding = finding;
  rebuild();
}

void FindingCard::clear() {
  m_of = nullptr;
  rebuild();
}

void FindingCard::resizeEvent(QResizeEvent* event) {
  QScrollArea::resizeEvent(event);
  const bool isWide = width() >= m_theme.scaled(kTwoColumnsFrom);
  if (isWide == m_isWide) return;
  m_isWide = isWide;
  rebuild();
}

QString FindingCard::ruleId() const {
  return QString::fromUtf8(m_finding.rule.data(), static_cast<qsizetype>(m_finding.rule.size()));
}

QString FindingCard::thresholdWords() const {
  const Rule* rule = findRule(m_finding.rule);
  if (rule == nullptr) return {};
  const auto chosen = m_of->thresholds.find(m_finding.rule);
  return textOf(rule->thresholdWords(chosen == m_of->thresholds.end() ? rule->threshold : chosen->second));
}

void FindingCard::rebuild() {
  auto* content = new QWidget;
  content->setAutoFillBackground(true);
  QPalette ground = content->palette();
  ground.setColor(QPalette::Window, m_theme.colour(QStringLiteral("surface.pane")));
  content->setPalette(ground);
  setWidget(content);  // deletes what was there
  if (m_of == nullptr) return;

  const int gap = m_theme.scaled(12);
  auto* all = new QVBoxLayout(content);
  all->setContentsMargins(gap, gap, gap, gap);
  all->setSpacing(gap);
  auto* head = new QHBoxLayout;
  head->setSpacing(m_theme.scaled(8));
  auto* icon = new QLabel;
  icon->setPixmap(m_theme.iconPixmap(severityIcon(m_finding.severity), m_theme.scaled(18),
                                     m_theme.colour(severityToken(m_finding.severity)), devicePixelRatioF()));
  head->addWidget(icon, 0, Qt::AlignTop);
  head->addWidget(
      label(m_theme, textOf(m_finding.headline), FontRole::kTitle, QFont::DemiBold, QStringLiteral("text.primary")), 1);
  all->addLayout(head);
  QBoxLayout* columns = m_isWide ? static_cast<QBoxLayout*>(new QHBoxLayout) : new QVBoxLayout;
  columns->setSpacing(m_theme.scaled(20));
  auto* left = new QVBoxLayout;
  auto* right = new QVBoxLayout;
  for (QVBoxLayout* column : {left, right}) {
    column->setSpacing(m_theme.scaled(3));
    columns->addLayout(column, 1);
  }
  addBlock(*left, tr("Why it matters"), textOf(m_finding.why));
  addBlock(*left, tr("What to change"), textOf(m_finding.change));
  QStringList caveats;
  for (const std::string& caveat : m_finding.caveats) caveats << textOf(caveat);
  if (!caveats.isEmpty()) addBlock(*left, tr("What would make this wrong"), caveats.join(QLatin1Char('\n')));
  addSaving(*right);
  addEvidence(*right);
  left->addStretch(1);
  right->addStretch(1);
  all->addLayout(columns);
  all->addWidget(foot());
  all->addStretch(1);
}

void FindingCard::addBlock(QBoxLayout& column, const QString& title, const QString& text) {
  column.addWidget(label(m_theme, title, FontRole::kCaption, QFont::DemiBold, QStringLiteral("text.secondary")));
  column.addWidget(label(m_theme, text, FontRole::kUi, QFont::Normal, QStringLiteral("text.primary")));
  column.addSpacing(m_theme.scaled(8));
}

void FindingCard::addSaving(QBoxLayout& column) {
  if (!m_finding.savingNs) return;
  const auto saving = static_cast<double>(*m_finding.savingNs);
  QString text = format::time(saving);
  if (m_of->wholeNs > 0) {
    const auto whole = static_cast<double>(m_of->wholeNs);
    text = tr("%1 of %2, %3")
               .arg(unbroken(text), unbroken(format::time(whole)), unbroken(format::percent(saving / whole)));
  }
  column.addWidget(
      label(m_theme, tr("Saving, at most"), FontRole::kCaption, QFont::DemiBold, QStringLiteral("text.secondary")));
  column.addWidget(label(m_theme, text, FontRole::kTitle, QFont::DemiBold, QStringLiteral("text.primary")));
  column.addWidget(
      label(m_theme, textOf(m_finding.savingFormula), FontRole::kData, QFont::Normal, QStringLiteral("text.tertiary")));
  column.addSpacing(m_theme.scaled(8));
}

void FindingCard::addEvidence(QBoxLayout& column) {
  if (m_finding.evidence.empty()) return;
  column.addWidget(
      label(m_theme, tr("Evidence"), FontRole::kCaption, QFont::DemiBold, QStringLiteral("text.secondary")));
  for (std::size_t i = 0; i < m_finding.evidence.size(); ++i) {
    auto* chip = new QPushButton(textOf(m_finding.evidence[i].title));
    chip->setProperty("control", QStringLiteral("small"));
    chip->setToolTip(tr("Select it and show it on the timeline"));
    chip->setIcon(m_theme.icon(m_finding.evidence[i].range ? QStringLiteral("measure") : QStringLiteral("timeline")));
    // As wide as its words, and no wider than the card: names may be long.
    chip->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    chip->setMinimumWidth(0);
    connect(chip, &QPushButton::clicked, this, [this, i] { Q_EMIT evidenceChosen(static_cast<int>(i)); });
    column.addWidget(chip);
  }
  column.addSpacing(m_theme.scaled(8));
}

QWidget* FindingCard::foot() {
  auto* made = new QWidget;
  auto* row = new QHBoxLayout(made);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(m_theme.scaled(8));
  const QString words = QStringLiteral("%1   %2   %3")
                            .arg(ruleId(), thresholdWords(), textOf(std::string(toString(m_finding.confidence))));
  row->addWidget(label(m_theme, words, FontRole::kCaption, QFont::Normal, QStringLiteral("text.tertiary")), 1);
  auto* threshold = new QToolButton;
  threshold->setText(tr("Set threshold…"));
  connect(threshold, &QToolButton::clicked, this, &FindingCard::thresholdWanted);
  row->addWidget(threshold);
  auto* copy = new QToolButton;
  copy->setText(tr("Copy as text"));
  copy->setIcon(m_theme.icon(QStringLiteral("copy")));
  copy->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  connect(copy, &QToolButton::clicked, this, [this] { QGuiApplication::clipboard()->setText(asText()); });
  row->addWidget(copy);
  return made;
}

QString FindingCard::asText() const {
  if (m_of == nullptr) return {};
  QStringList lines{textOf(m_finding.headline), textOf(m_finding.why), tr("Change: %1").arg(textOf(m_finding.change))};
  if (m_finding.savingNs) {
    lines << tr("Saves at most %1: %2")
                 .arg(format::time(static_cast<double>(*m_finding.savingNs)), textOf(m_finding.savingFormula));
  }
  for (const std::string& caveat : m_finding.caveats) lines << tr("But: %1").arg(textOf(caveat));
  lines << QStringLiteral("%1, %2").arg(ruleId(), thresholdWords());
  return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

}  // namespace attnscope::ui
