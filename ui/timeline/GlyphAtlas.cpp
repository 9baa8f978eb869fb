// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timeline/GlyphAtlas.h"

#include <algorithm>
#include <cmath>

#include <QFontMetricsF>
#include <QPainter>

namespace attnscope::ui {

void GlyphAtlas::build(const QFont& font, double ratio) {
  m_font = font;
  m_ratio = ratio;
  QFont drawn = font;
  drawn.setKerning(false);
  drawn.setStyleStrategy(static_cast<QFont::StyleStrategy>(QFont::NoSubpixelAntialias | QFont::PreferNoShaping));
  const QFontMetricsF metrics(drawn);
  m_height = static_cast<int>(std::ceil(metrics.height() * ratio));
  const double ascent = std::round(metrics.ascent() * ratio) / ratio;
  for (unsigned char code = kFirst; code < 127; ++code) {
    const QChar character = code == kFirst ? QChar(0x00B5) : code == kEllipsis ? QChar(0x2026) : QChar(code);
    Cell& cell = m_cells[code];
    cell.advance = std::max(1, static_cast<int>(std::lround(metrics.horizontalAdvance(character) * ratio)));
    const int width = cell.advance + 2 * kPad;
    QImage image(width, m_height, QImage::Format_RGB32);
    image.fill(Qt::white);
    image.setDevicePixelRatio(ratio);
    QPainter painter(&image);
    painter.setFont(drawn);
    painter.setPen(Qt::black);
    painter.drawText(QPointF(kPad / ratio, ascent), QString(character));
    painter.end();
    cell.coverage.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(m_height));
    for (int y = 0; y < m_height; ++y) {
      const auto* line = reinterpret_cast<const QRgb*>(image.constScanLine(y));
      for (int x = 0; x < width; ++x) {
        cell.coverage[static_cast<std::size_t>(y * width + x)] = static_cast<std::uint8_t>(255 - qGreen(line[x]));
      }
    }
  }
}

bool GlyphAtlas::canDraw(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= 32 && c < 127; });
}

GlyphAtlas::Fit GlyphAtlas::fit(std::string_view text, int room) const {
  Fit fit;
  int width = 0;
  const int ellipsis = m_cells[kEllipsis].advance;
  std::size_t cutAt = 0;
  int cutWidth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    width += m_cells[static_cast<unsigned char>(text[at])].advance;
    if (width > room) {
      fit.isCut = true;
      fit.count = cutAt;
      fit.width = cutWidth + ellipsis;
      return fit;
    }
    if (width + ellipsis <= room) {
      cutAt = at + 1;
      cutWidth = width;
    }
  }
  fit.count = text.size();
  fit.width = width;
  return fit;
}

void GlyphAtlas::draw(QImage& image, const QRect& clip, int x, int y, std::string_view text, const Fit& fit,
                      QRgb ink) const {
  if (fit.count == 0) return;
  for (std::size_t at = 0; at < fit.count; ++at) {
    const Cell& cell = m_cells[static_cast<unsigned char>(text[at])];
    if (text[at] != ' ') drawCell(image, clip, x, y, cell, ink);
    x += cell.advance;
  }
  if (fit.isCut) drawCell(image, clip, x, y, m_cells[kEllipsis], ink);
}

void GlyphAtlas::drawCell(QImage& image, const QRect& clip, int x, int y, const Cell& cell, QRgb ink) const {
  const int width = cell.advance + 2 * kPad;
  const int left = std::max(x - kPad, clip.left());
  const int right = std::min(x - kPad + width, clip.right() + 1);
  const int top = std::max(y, clip.top());
  const int bottom = std::min(y + m_height, clip.bottom() + 1);
  // constBits(): the image is the painter's own, and bits() would detach it.
  auto* bits = const_cast<uchar*>(image.constBits());
  for (int line = top; line < bottom; ++line) {
    auto* out = reinterpret_cast<QRgb*>(bits + line * image.bytesPerLine());
    const std::uint8_t* coverage = cell.coverage.data() + (line - y) * width - (x - kPad);
    for (int column = left; column < right; ++column) {
      if (coverage[column] != 0) out[column] = mixed(out[column], ink, coverage[column]);
    }
  }
}

}  // namespace attnscope::ui
