// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Coverage of the printable ASCII characters and the ellipsis of one font at one device pixel ratio, from which labels
// are blended into an image: about 3 µs a label, where QPainter::drawText needs 8 to 21. Text with other characters is
// the caller's to draw. GUI thread; rebuild on a change of font, theme or ratio.

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include <QFont>
#include <QImage>
#include <QRect>

namespace attnscope::ui {

class GlyphAtlas {
 public:
  static constexpr char kMicro = 30;  // stands for the micro sign in texts of our own

  void build(const QFont& font, double ratio);
  [[nodiscard]] bool isFor(const QFont& font, double ratio) const { return m_ratio == ratio && m_font == font; }
  [[nodiscard]] int height() const { return m_height; }  // device pixels of a line
  [[nodiscard]] static bool canDraw(std::string_view text);
  // How much of `text` is drawn in `room` device pixels, with an ellipsis where it does not fit; 0: nothing does.
  struct Fit {
    std::size_t count = 0;
    bool isCut = false;
    int width = 0;
  };
  [[nodiscard]] Fit fit(std::string_view text, int room) const;
  // Blends the fitted text over what is in `image`, its box's top left at (x, y), inside `clip`: all device pixels.
  void draw(QImage& image, const QRect& clip, int x, int y, std::string_view text, const Fit& fit, QRgb ink) const;

 private:
  static constexpr int kPad = 1;  // pixels left and right of the advance, for glyphs that overhang
  static constexpr unsigned char kEllipsis = 31;
  static constexpr unsigned char kFirst = 30;
  struct Cell {
    int advance = 0;
    std::vector<std::uint8_t> coverage;  // (advance + 2 pads) by height
  };
  void drawCell(QImage& image, const QRect& clip, int x, int y, const Cell& cell, QRgb ink) const;

  std::array<Cell, 128> m_cells;
  QFont m_font;
  double m_ratio = 0;
  int m_height = 0;
};

// `amount` of 255 of `over` on `under`, both opaque.
[[nodiscard]] inline QRgb mixed(QRgb under, QRgb over, std::uint32_t amount) {
  const std::uint32_t share = amount + (amount >> 7);
  const std::uint32_t redBlue = (((over & 0xFF00FFu) * share + (under & 0xFF00FFu) * (256 - share)) >> 8) & 0xFF00FFu;
  const std::uint32_t green = (((over & 0x00FF00u) * share + (under & 0x00FF00u) * (256 - share)) >> 8) & 0x00FF00u;
  return 0xFF000000u | redBlue | green;
}

}  // namespace attnscope::ui
