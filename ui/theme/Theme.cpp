// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/Theme.h"

#include <algorithm>
#include <cmath>

#include <QApplication>
#include <QFile>
#include <QFontDatabase>
#include <QFontInfo>
#include <QFontMetricsF>
#include <QJsonArray>
#include <QJsonDocument>
#include <QPainter>
#include <QPixmap>
#include <QRegularExpression>
#include <QStringList>
#include <QSvgRenderer>
#include <QToolTip>

#include "ui/theme/AttnscopeStyle.h"

namespace attnscope::ui {

namespace {

QByteArray readResource(const QString& path) {
  QFile file(path);
  const bool opened = file.open(QIODevice::ReadOnly);
  Q_ASSERT_X(opened, "Theme", "a resource of ui/theme is not linked");
  return opened ? file.readAll() : QByteArray();
}

QJsonValue lookUp(const QJsonObject& object, const QString& path) {
  QJsonValue value = object;
  for (const QString& key : path.split(u'.')) value = value.toObject().value(key);
  return value;
}

// Lengths that stay as they are at every text scale: lines, edges and what is grabbed.
bool isFixedSize(const QString& token) {
  static const QStringList kFixed{QStringLiteral("splitter"),       QStringLiteral("splitter_grab"),
                                  QStringLiteral("focus_ring"),     QStringLiteral("run_stripe"),
                                  QStringLiteral("slice_edge_min"), QStringLiteral("scrollbar")};
  return kFixed.contains(token);
}

// The platform's family, or the first good one installed where the platform has only a fallback.
QString chooseFamily(const QStringList& families) {
  const QString given = QFontInfo(QApplication::font()).family();
  const bool fallback = given.startsWith(QLatin1String("DejaVu")) || given.startsWith(QLatin1String("Bitstream")) ||
                        given.startsWith(QLatin1String("Sans"));
  if (!fallback) return given;
  const QStringList installed = QFontDatabase::families();
  for (const QString& family : families) {
    if (installed.contains(family)) return family;
  }
  return given;
}

QString kindToken(WorkKind kind) {
  const std::string_view name = toString(kind);
  return QString::fromLatin1(name.data(), static_cast<qsizetype>(name.size()));
}

}  // namespace

Theme::Theme(QObject* parent) : QObject(parent) {
  m_tokens = QJsonDocument::fromJson(readResource(QStringLiteral(":/theme/tokens.json"))).object();
  Q_ASSERT(!m_tokens.isEmpty());
  readColours();
}

void Theme::apply(QApplication& application, ThemeChoice choice) {
  m_application = &application;
  m_systemDark = application.palette().color(QPalette::Window).lightness() < 128;
  QStringList families;
  for (const QJsonValue& family : lookUp(m_tokens, QStringLiteral("type.families")).toArray()) {
    families << family.toString();
  }
  m_family = chooseFamily(families);
  application.setStyle(new AttnscopeStyle);
  setChoice(choice);
}

void Theme::setChoice(ThemeChoice choice) {
  m_choice = choice;
  m_dark = choice == ThemeChoice::kDark || (choice == ThemeChoice::kSystem && m_systemDark);
  put();
}

void Theme::setTextScale(double scale) {
  m_textScale = std::clamp(scale, 1.0, 2.0);
  put();
}

void Theme::put() {
  readColours();
  if (!m_application) return;
  writeSheetIcons();
  m_application->setPalette(palette());
  QToolTip::setPalette(palette());
  m_application->setFont(font(FontRole::kUi));
  m_application->setStyleSheet(styleSheet());
  Q_EMIT changed();
}

void Theme::readColours() {
  m_cache.clear();
  m_numbers.clear();
  m_icons.clear();
  m_colours = m_tokens.value(m_dark ? QStringLiteral("dark") : QStringLiteral("light")).toObject();
  for (int i = 0; i < kWorkKindCount; ++i) {
    const QString token = QStringLiteral("category.") + kindToken(static_cast<WorkKind>(i));
    KindColours& colours = m_kinds[static_cast<std::size_t>(i)];
    colours.fill = colour(token + QStringLiteral(".fill"));
    colours.edge = colour(token + QStringLiteral(".edge"));
    colours.label = colour(token + QStringLiteral(".label"));
    const QString pattern = lookUp(m_colours, token + QStringLiteral(".pattern")).toString();
    colours.hatched = pattern == QLatin1String("hatch") || pattern == QLatin1String("idle");
    if (colours.hatched) colours.hatchInk = colour(token + QStringLiteral(".pattern_ink"));
  }
}

QColor Theme::colour(const QString& token) const {
  if (const auto known = m_cache.constFind(token); known != m_cache.constEnd()) return *known;
  const QColor value(lookUp(m_colours, token).toString());
  Q_ASSERT_X(value.isValid(), "Theme::colour", qPrintable(token));
  m_cache.insert(token, value);
  return value;
}

QColor Theme::deltaStep(int step) const {
  const QJsonArray scale = lookUp(m_colours, QStringLiteral("delta.scale")).toArray();
  Q_ASSERT_X(step >= 0 && step < scale.size(), "Theme::deltaStep", "delta.scale");
  return QColor(scale.at(step).toString());
}

QColor Theme::inkOn(const QColor& fill) const {
  const QJsonArray inks = lookUp(m_colours, QStringLiteral("label_inks")).toArray();
  Q_ASSERT_X(inks.size() == 2, "Theme::inkOn", "label_inks");
  // The first is dark, the second light; the ratio of contrast of both is equal near this luminance (WCAG 2).
  constexpr double kMiddle = 0.18;
  const auto linear = [](double channel) {
    return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
  };
  const double luminance =
      0.2126 * linear(fill.redF()) + 0.7152 * linear(fill.greenF()) + 0.0722 * linear(fill.blueF());
  return QColor(inks.at(luminance > kMiddle ? 0 : 1).toString());
}

double Theme::number(const QString& token) const {
  if (const auto known = m_numbers.constFind(token); known != m_numbers.constEnd()) return *known;
  const QJsonValue own = lookUp(m_colours, token);
  const QJsonValue value = own.isDouble() ? own : lookUp(m_tokens, token);
  Q_ASSERT_X(value.isDouble(), "Theme::number", qPrintable(token));
  m_numbers.insert(token, value.toDouble());
  return value.toDouble();
}

int Theme::size(const QString& token) const {
  const int length = static_cast<int>(number(QStringLiteral("size.") + token));
  return isFixedSize(token) ? length : scaled(length);
}

int Theme::scaled(int logicalPx) const { return static_cast<int>(std::lround(logicalPx * m_textScale)); }

QString Theme::kindTitle(WorkKind kind) const {
  switch (kind) {
    case WorkKind::kGemm:
      return tr("GEMM");
    case WorkKind::kAttention:
      return tr("Fused attention");
    case WorkKind::kSoftmax:
      return tr("Softmax");
    case WorkKind::kElementwise:
      return tr("Elementwise");
    case WorkKind::kNormalisation:
      return tr("Normalisation");
    case WorkKind::kCopy:
      return tr("Copy");
    case WorkKind::kCommunication:
      return tr("Communication");
    case WorkKind::kSynchronisation:
      return tr("Synchronisation");
    case WorkKind::kLaunch:
      return tr("Launch");
    case WorkKind::kCpuOperator:
      return tr("CPU operator");
    case WorkKind::kPython:
      return tr("Python");
    case WorkKind::kAnnotation:
      return tr("Annotation");
    case WorkKind::kIdle:
      return tr("Idle");
    case WorkKind::kUnknown:
      return tr("Other");
  }
  return {};
}

QColor Theme::run(int number) const { return colour(QStringLiteral("run.") + QChar(u'A' + std::max(0, number) % 8)); }

QColor Theme::runText(int number) const {
  return colour(QStringLiteral("run_text.") + QChar(u'A' + std::max(0, number) % 8));
}

QFont Theme::font(FontRole role, int weight) const {
  static const char* const kRoles[] = {"caption", "data", "ui", "title", "verdict", "display"};
  const QString token = QStringLiteral("type.") + QLatin1String(kRoles[static_cast<std::size_t>(role)]);
  QFont font(m_family);
  font.setPixelSize(scaled(static_cast<int>(number(token))));
  font.setWeight(static_cast<QFont::Weight>(weight));
  // Names of kernels must stay as they are written: shaping turns "256x128" into "256×128" in some fonts.
  if (role == FontRole::kData || role == FontRole::kCaption) font.setStyleStrategy(QFont::PreferNoShaping);
  return font;
}

QByteArray Theme::iconSvg(const QString& name, const QColor& ink) const {
  const QString path = lookUp(m_tokens, QStringLiteral("icons.paths")).toObject().value(name).toString();
  Q_ASSERT_X(!path.isEmpty(), "Theme::icon", qPrintable(name));
  const bool filled = path.startsWith(u'*');
  const QString data = filled ? path.mid(1) : path;
  const QString paint = filled ? QStringLiteral("fill=\"%1\" stroke=\"none\"").arg(ink.name())
                               : QStringLiteral(
                                     "fill=\"none\" stroke=\"%1\" stroke-width=\"1.5\" "
                                     "stroke-linecap=\"round\" stroke-linejoin=\"round\"")
                                     .arg(ink.name());
  return QStringLiteral("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 16 16\"><path d=\"%1\" %2/></svg>")
      .arg(data, paint)
      .toUtf8();
}

QPixmap Theme::iconPixmap(const QString& name, int logicalPx, const QColor& ink, double ratio) const {
  const QString key = QStringLiteral("%1 %2 %3 %4").arg(name).arg(logicalPx).arg(ink.rgba()).arg(ratio);
  if (const auto known = m_icons.constFind(key); known != m_icons.constEnd()) return *known;
  QPixmap pixmap(QSize(logicalPx, logicalPx) * ratio);
  pixmap.fill(Qt::transparent);
  QPainter painter(&pixmap);
  QSvgRenderer(iconSvg(name, ink)).render(&painter);
  painter.end();
  pixmap.setDevicePixelRatio(ratio);
  m_icons.insert(key, pixmap);
  return pixmap;
}

QIcon Theme::icon(const QString& name) const {
  QIcon icon;
  for (const double ratio : {1.0, 2.0}) {
    const int px = scaled(16);
    icon.addPixmap(iconPixmap(name, px, colour(QStringLiteral("text.secondary")), ratio), QIcon::Normal, QIcon::Off);
    icon.addPixmap(iconPixmap(name, px, colour(QStringLiteral("text.primary")), ratio), QIcon::Normal, QIcon::On);
    icon.addPixmap(iconPixmap(name, px, colour(QStringLiteral("text.disabled")), ratio), QIcon::Disabled, QIcon::Off);
  }
  return icon;
}

void Theme::writeSheetIcons() {
  const auto write = [this](const QString& file, const QString& icon, const QColor& ink) {
    QFile out(m_sheetIcons.filePath(file));
    if (out.open(QIODevice::WriteOnly)) out.write(iconSvg(icon, ink));
  };
  // The file's name carries the theme: Qt keeps images of a sheet by their path.
  const QString suffix = m_dark ? QStringLiteral("_dark.svg") : QStringLiteral("_light.svg");
  for (const char* const chevron : {"chevron_down", "chevron_left", "chevron_right"}) {
    write(QLatin1String(chevron) + suffix, QLatin1String(chevron), colour(QStringLiteral("text.secondary")));
  }
  write(QStringLiteral("check") + suffix, QStringLiteral("check"), colour(QStringLiteral("state.primary_text")));
}

QString Theme::styleSheet() const {
  QString sheet = QString::fromUtf8(readResource(QStringLiteral(":/theme/window.qss")));
  static const QRegularExpression kToken(QStringLiteral("@([a-z_.]+[a-z_])"));
  QString out;
  qsizetype last = 0;
  for (auto match = kToken.globalMatch(sheet); match.hasNext();) {
    const QRegularExpressionMatch token = match.next();
    out += sheet.mid(last, token.capturedStart() - last);
    const QString name = token.captured(1);
    if (name.startsWith(QLatin1String("icon."))) {
      out += m_sheetIcons.filePath(name.mid(5) + (m_dark ? QStringLiteral("_dark.svg") : QStringLiteral("_light.svg")));
    } else if (name == QLatin1String("name")) {
      out += token.captured(0);  // the sheet's own comment
    } else {
      out += colour(name).name();
    }
    last = token.capturedEnd();
  }
  out += sheet.mid(last);
  if (m_textScale == 1.0) return out;
  static const QRegularExpression kLength(QStringLiteral("\\b(\\d+)px"));
  sheet = out;
  out.clear();
  last = 0;
  for (auto match = kLength.globalMatch(sheet); match.hasNext();) {
    const QRegularExpressionMatch length = match.next();
    out += sheet.mid(last, length.capturedStart() - last);
    const int px = length.captured(1).toInt();
    out += QString::number(px <= 3 ? px : scaled(px)) + QStringLiteral("px");
    last = length.capturedEnd();
  }
  return out + sheet.mid(last);
}

QPalette Theme::palette() const {
  QPalette palette;
  const auto set = [&](QPalette::ColorRole role, const char* token) {
    palette.setColor(role, colour(QString::fromLatin1(token)));
  };
  set(QPalette::Window, "surface.window");
  set(QPalette::Base, "surface.pane");
  set(QPalette::AlternateBase, "surface.pane");
  set(QPalette::Button, "surface.raised");
  set(QPalette::WindowText, "text.primary");
  set(QPalette::Text, "text.primary");
  set(QPalette::ButtonText, "text.primary");
  set(QPalette::BrightText, "text.primary");
  set(QPalette::PlaceholderText, "text.tertiary");
  set(QPalette::Highlight, "state.text_selection");
  set(QPalette::HighlightedText, "text.primary");
  set(QPalette::Link, "text.primary");
  set(QPalette::LinkVisited, "text.primary");
  set(QPalette::ToolTipBase, "surface.tooltip");
  set(QPalette::ToolTipText, "text.tooltip");
  set(QPalette::Light, "surface.raised");
  set(QPalette::Midlight, "border.hairline");
  set(QPalette::Mid, "border.strong");
  set(QPalette::Dark, "border.control");
  set(QPalette::Shadow, "border.strong");
  for (const QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
    palette.setColor(QPalette::Disabled, role, colour(QStringLiteral("text.disabled")));
  }
  return palette;
}

void Theme::drawChip(QPainter& painter, QPointF topLeft, int runNumber, const QString& letter) const {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  const QRectF box(topLeft, QSizeF(chipSize(), chipSize()));
  painter.setPen(Qt::NoPen);
  painter.setBrush(run(runNumber));
  painter.drawRoundedRect(box, 3, 3);
  painter.setPen(runText(runNumber));
  painter.setFont(font(FontRole::kCaption, QFont::DemiBold));
  painter.drawText(box, Qt::AlignCenter, letter);
  painter.restore();
}

double Theme::numberWidth(const QFont& font, const QString& text) const {
  const QFontMetricsF metrics(font);
  double cell = 0;
  for (char16_t digit = u'0'; digit <= u'9'; ++digit) cell = std::max(cell, metrics.horizontalAdvance(QChar(digit)));
  double width = 0;
  for (const QChar character : text) width += character.isDigit() ? cell : metrics.horizontalAdvance(character);
  return width;
}

void Theme::drawNumber(QPainter& painter, const QRectF& rect, const QString& text, Qt::Alignment alignment) const {
  // Qt 6.4 cannot switch on tabular figures: each digit stands in the middle of the widest digit's cell.
  const QFontMetricsF metrics(painter.font());
  double cell = 0;
  for (char16_t digit = u'0'; digit <= u'9'; ++digit) cell = std::max(cell, metrics.horizontalAdvance(QChar(digit)));
  const double baseline = std::round(rect.top() + (rect.height() - metrics.height()) / 2 + metrics.ascent());
  double width = 0;
  for (const QChar character : text) width += character.isDigit() ? cell : metrics.horizontalAdvance(character);
  double x = rect.left();
  if (alignment.testFlag(Qt::AlignRight)) x = rect.right() - width;
  if (alignment.testFlag(Qt::AlignHCenter)) x = rect.center().x() - width / 2;
  for (const QChar character : text) {
    const double advance = metrics.horizontalAdvance(character);
    if (character.isDigit()) {
      painter.drawText(QPointF(x + (cell - advance) / 2, baseline), QString(character));
      x += cell;
    } else {
      if (!character.isSpace()) painter.drawText(QPointF(x, baseline), QString(character));
      x += advance;
    }
  }
}

}  // namespace attnscope::ui
