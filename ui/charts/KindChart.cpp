// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/KindChart.h"

#include <algorithm>

#include "ui/charts/ChartAxes.h"
#include "ui/charts/ChartExport.h"
#include "ui/theme/Theme.h"

namespace attnscope::ui {
namespace {

constexpr double kGroup = 0.76;  // of the room of a kind, for the bars of all runs

}  // namespace

KindChart::KindChart(const Theme& theme, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_times(std::make_shared<KindTimes>()), m_plot(addPlot(*this)) {
  setAccessibleName(tr("Time by kind of work"));
  connect(&theme, &Theme::changed, this, &KindChart::rebuild);
  rebuild();
}

void KindChart::setTimes(std::shared_ptr<const KindTimes> times) {
  m_times = std::move(times);
  rebuild();
}

void KindChart::rebuild() {
  const auto ticker = beginTimeChart(*m_plot, m_theme);
  m_plot->axisRect()->setMargins(
      QMargins(m_theme.scaled(132), m_theme.scaled(8), m_theme.scaled(72), m_theme.scaled(26)));
  m_plot->yAxis->grid()->setPen(Qt::NoPen);
  const auto kinds = static_cast<int>(m_times->kinds.size());
  const auto runs = static_cast<int>(m_times->runs.size());
  const auto titles = QSharedPointer<QCPAxisTickerText>::create();
  double most = 1;
  for (int k = 0; k < kinds; ++k) {
    const KindTimes::Kind& kind = m_times->kinds[static_cast<std::size_t>(k)];
    const double middle = kinds - 1 - k;  // the first at the top
    titles->addTick(middle, m_theme.kindTitle(kind.kind));
    const KindColours colours = m_theme.kind(kind.kind);
    const double height = kGroup / std::max(runs, 1);
    for (int r = 0; r < runs; ++r) {
      const auto ns = static_cast<double>(kind.ns[static_cast<std::size_t>(r)]);
      most = std::max(most, ns);
      const double at = middle + kGroup / 2 - (r + 0.5) * height;
      auto* bar = new QCPBars(m_plot->yAxis, m_plot->xAxis);
      bar->setWidth(height * 0.9);
      bar->setPen(QPen(colours.edge, 1));
      bar->setBrush(colours.fill);
      bar->addData(at, ns);
      auto* words = new QCPItemText(m_plot);
      words->setFont(m_theme.font(FontRole::kCaption));
      words->setColor(m_theme.colour(QStringLiteral("chart.label")));
      words->setPositionAlignment(Qt::AlignLeft | Qt::AlignVCenter);
      words->setPadding(QMargins(m_theme.scaled(5), 0, 0, 0));
      words->setText(runs > 1 ? QStringLiteral("%1  %2").arg(m_times->letters[r], format::time(ns)) : format::time(ns));
      words->position->setCoords(ns, at);
      words->setClipToAxisRect(false);
    }
  }
  m_plot->yAxis->setTicker(titles);
  m_plot->yAxis->setRange(-0.6, std::max(kinds, 1) - 0.4);
  m_plot->xAxis->setRange(0, most * 1.02);
  drawWithTimeUnit(*m_plot, *ticker, m_theme);
}

QString KindChart::data() const {
  QString text = QStringLiteral("kind");
  for (const QString& letter : m_times->letters) text += QStringLiteral("\t%1 (ns)").arg(letter);
  text += QLatin1Char('\n');
  for (const KindTimes::Kind& kind : m_times->kinds) {
    text += m_theme.kindTitle(kind.kind);
    for (const std::int64_t ns : kind.ns) text += QLatin1Char('\t') + QString::number(ns);
    text += QLatin1Char('\n');
  }
  return text;
}

bool KindChart::save(const QString& path) { return saveChart(*m_plot, path); }

}  // namespace attnscope::ui
