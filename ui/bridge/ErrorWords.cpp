// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/bridge/ErrorWords.h"

#include <QCoreApplication>

#include "ui/bridge/Format.h"

namespace attnscope::ui {

namespace {

QString sentence(QString text) {
  if (text.isEmpty()) return text;
  text[0] = text[0].toUpper();
  if (!text.endsWith(u'.')) text += u'.';
  return text;
}

}  // namespace

QString whatHappened(const Error& error) {
  QString text = sentence(QString::fromStdString(error.what));
  // That a file is wrong from its first byte is said by what was found there.
  if (error.byte.value_or(0) > 0) {
    text += QCoreApplication::translate("attnscope::ui::ErrorWords", " It was at byte %1.")
                .arg(format::count(static_cast<std::int64_t>(*error.byte)));
  }
  return text;
}

QString whatToDo(const Error& error) { return sentence(QString::fromStdString(error.remedy)); }

}  // namespace attnscope::ui
