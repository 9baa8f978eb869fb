// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Colours, sizes, fonts and icons from resources/theme/tokens.json; never a literal in a widget. One Theme is made by
// main() and handed to whoever paints. GUI thread only. `changed` is emitted after the palette and sheet are in place.

#include <array>
#include <cstdint>

#include <QColor>
#include <QFont>
#include <QHash>
#include <QIcon>
#include <QJsonObject>
#include <QObject>
#include <QPalette>
#include <QString>
#include <QTemporaryDir>

#include "core/trace/WorkKind.h"

class QApplication;
class QPainter;
class QRectF;

namespace attnscope::ui {

enum class ThemeChoice : std::uint8_t { kSystem, kLight, kDark };

struct KindColours {
  QColor fill;
  QColor edge;
  QColor label;
  bool hatched = false;
  QColor hatchInk;
};

enum class FontRole : std::uint8_t { kCaption, kData, kUi, kTitle, kVerdict, kDisplay };

class Theme : public QObject {
  Q_OBJECT

 public:
  explicit Theme(QObject* parent = nullptr);

  void apply(QApplication& application, ThemeChoice choice);  // style, palette, sheet, fonts
  void setChoice(ThemeChoice choice);                         // after apply()
  [[nodiscard]] ThemeChoice choice() const { return m_choice; }
  [[nodiscard]] bool isDark() const { return m_dark; }
  void setTextScale(double scale);  // 1.0 to 2.0
  [[nodiscard]] double textScale() const { return m_textScale; }

  // "surface.pane", "delta.faster_bar"; asserts that the token exists.
  [[nodiscard]] QColor colour(const QString& token) const;
  [[nodiscard]] double number(const QString& token) const;  // "timeline.veil_alpha"
  [[nodiscard]] QColor deltaStep(int step) const;           // 0, much faster, to 6, much slower
  [[nodiscard]] QColor inkOn(const QColor& fill) const;     // of the two label inks, the one that is read better
  // "slice_row" of tokens.size, times the text scale where it is a height of text; logical px.
  [[nodiscard]] int size(const QString& token) const;
  [[nodiscard]] int scaled(int logicalPx) const;  // times the text scale
  [[nodiscard]] KindColours kind(WorkKind kind) const { return m_kinds[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] QString kindTitle(WorkKind kind) const;  // "Fused attention", translated
  [[nodiscard]] QColor run(int number) const;            // A.. by number, wraps after H
  [[nodiscard]] QColor runText(int number) const;
  [[nodiscard]] QFont font(FontRole role, int weight = QFont::Normal) const;
  [[nodiscard]] QIcon icon(const QString& name) const;  // names of visual.md 3
  [[nodiscard]] QPixmap iconPixmap(const QString& name, int logicalPx, const QColor& ink, double ratio) const;

  // A run's letter chip, 16 px high at 100 %, at `topLeft`; its width is returned by chipWidth().
  void drawChip(QPainter& painter, QPointF topLeft, int runNumber, const QString& letter) const;
  [[nodiscard]] int chipSize() const { return scaled(16); }
  // Digits in equal cells, from the right edge of `rect`: every number in tables is drawn by this.
  void drawNumber(QPainter& painter, const QRectF& rect, const QString& text,
                  Qt::Alignment alignment = Qt::AlignRight) const;
  [[nodiscard]] double numberWidth(const QFont& font, const QString& text) const;

 Q_SIGNALS:
  void changed();

 private:
  void readColours();
  void writeSheetIcons();
  void put();
  [[nodiscard]] QByteArray iconSvg(const QString& name, const QColor& ink) const;
  [[nodiscard]] QString styleSheet() const;
  [[nodiscard]] QPalette palette() const;

  QApplication* m_application = nullptr;
  QJsonObject m_tokens;
  QJsonObject m_colours;  // of the theme in use
  ThemeChoice m_choice = ThemeChoice::kSystem;
  bool m_dark = false;
  bool m_systemDark = false;  // before a palette of ours was put
  double m_textScale = 1.0;
  QString m_family;
  QTemporaryDir m_sheetIcons;  // style sheets take images from files only
  std::array<KindColours, kWorkKindCount> m_kinds;
  // Of the theme in use: tokens that were parsed and icons that were drawn, for widgets ask with every paint.
  mutable QHash<QString, QColor> m_cache;
  mutable QHash<QString, double> m_numbers;
  mutable QHash<QString, QPixmap> m_icons;
};

}  // namespace attnscope::ui
