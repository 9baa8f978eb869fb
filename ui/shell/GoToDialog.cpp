// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/GoToDialog.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QRegularExpression>
#include <QVBoxLayout>

#include "ui/theme/TextLabel.h"

namespace attnscope::ui {

std::optional<double> parseTime(const QString& text) {
  static const QRegularExpression kForm(
      QStringLiteral("^\\s*([-\u2212+]?[0-9][0-9\u202f ]*(?:[.,][0-9]+)?)\\s*(ns|us|\u00b5s|\u03bcs|ms|s)?\\s*$"));
  const QRegularExpressionMatch match = kForm.match(text);
  if (!match.hasMatch()) return std::nullopt;
  QString number = match.captured(1);
  number.remove(QChar(0x202f)).remove(u' ').replace(QChar(0x2212), u'-').replace(u',', u'.');
  bool isRead = false;
  const double value = QLocale::c().toDouble(number, &isRead);
  if (!isRead) return std::nullopt;
  const QString unit = match.captured(2);
  const double factor = unit == QLatin1String("ns")   ? 1
                        : unit == QLatin1String("ms") ? 1e6
                        : unit == QLatin1String("s")  ? 1e9
                                                      : 1e3;
  return value * factor;
}

GoToDialog::GoToDialog(const Theme& theme, QWidget* parent) : QDialog(parent) {
  setWindowTitle(tr("Go to a time"));
  setAttribute(Qt::WA_DeleteOnClose);
  auto* column = new QVBoxLayout(this);
  const int edge = theme.scaled(16);
  column->setContentsMargins(edge, edge, edge, theme.scaled(12));
  column->setSpacing(theme.scaled(6));
  column->addWidget(
      new TextLabel(theme, tr("Time on the ruler"), {FontRole::kUi, QFont::Medium, "text.primary"}, this));
  m_field = new QLineEdit(this);
  m_field->setAccessibleName(tr("Time on the ruler"));
  m_field->setPlaceholderText(tr("98.6 µs"));
  m_field->setMinimumWidth(theme.scaled(280));
  column->addWidget(m_field);
  m_problem = new TextLabel(theme, tr("With its unit: ns, µs, ms or s. A number alone is µs."),
                            {FontRole::kData, QFont::Normal, "text.tertiary"}, this);
  column->addWidget(m_problem);
  column->addSpacing(theme.scaled(6));
  auto* row = new QHBoxLayout;
  row->addStretch(1);
  auto* cancel = new QPushButton(tr("Cancel"), this);
  cancel->setAccessibleName(cancel->text());
  connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
  row->addWidget(cancel);
  auto* go = new QPushButton(tr("Go to this time"), this);
  go->setProperty("kind", QStringLiteral("primary"));
  go->setAccessibleName(go->text());
  go->setDefault(true);
  connect(go, &QPushButton::clicked, this, &GoToDialog::tryIt);
  row->addWidget(go);
  column->addLayout(row);
}

void GoToDialog::tryIt() {
  if (const auto ns = parseTime(m_field->text())) {
    Q_EMIT timeChosen(*ns);
    accept();
    return;
  }
  m_problem->setColour("severity.problem");
  m_problem->setText(tr("That is no time. Write it as 98.6 µs or 1.2 ms."));
}

}  // namespace attnscope::ui
