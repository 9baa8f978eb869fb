// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/ChartExport.h"

#include <QSaveFile>
#include <QSvgGenerator>

namespace attnscope::ui {

bool saveChart(QCustomPlot& plot, const QString& path) {
  const QSize size(plot.width(), plot.height());
  if (!path.endsWith(QLatin1String(".svg"), Qt::CaseInsensitive)) {
    return plot.savePng(path, size.width(), size.height(), plot.devicePixelRatioF());
  }
  QSaveFile file(path);
  if (!file.open(QIODevice::WriteOnly)) return false;
  {
    QSvgGenerator generator;
    generator.setOutputDevice(&file);
    generator.setSize(size);
    generator.setViewBox(QRect(QPoint(0, 0), size));
    QCPPainter painter;
    if (!painter.begin(&generator)) return false;
    painter.setMode(QCPPainter::pmVectorized);
    painter.setMode(QCPPainter::pmNoCaching);
    plot.toPainter(&painter, size.width(), size.height());
  }
  return file.commit();
}

}  // namespace attnscope::ui
