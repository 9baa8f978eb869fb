// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/Run.h"

#include <QCoreApplication>
#include <QFileInfo>

namespace attnscope::ui {

Run::Run(QString path, int number, QObject* parent)
    : QObject(parent), m_path(std::move(path)), m_number(number), m_progress(std::make_shared<Progress>()) {}

QString Run::letter() const {
  // A to Z, then AA, AB...: the letter is what tells runs apart once colours repeat.
  QString letters;
  for (int rest = m_number; rest >= 0; rest = rest / 26 - 1) letters.prepend(QChar(u'A' + rest % 26));
  return letters;
}

QString Run::location() const {
  return m_origin.isEmpty() ? m_path : QStringLiteral("%1#%2").arg(m_origin, fileName());
}

QString Run::spokenName() const {
  if (m_origin.isEmpty()) return fileName();
  return QCoreApplication::translate("attnscope::ui::Run", "%1 of %2").arg(fileName(), QFileInfo(m_origin).fileName());
}

QString Run::fileName() const { return QFileInfo(m_path).fileName(); }

QString Run::title() const {
  if (!m_givenTitle.isEmpty()) return m_givenTitle;
  if (const Trace* read = trace()) return QString::fromStdString(read->title());
  return fileName();
}

}  // namespace attnscope::ui
