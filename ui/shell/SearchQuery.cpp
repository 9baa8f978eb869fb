// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/SearchQuery.h"

#include <QCoreApplication>

namespace attnscope::ui {

namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(attnscope::ui::SliceSearch)
};

// Takes `key:word` or `key:"some words"` out of the text and returns what stands behind the colon.
QString takeField(QString& text, const QString& key) {
  static const QString kValue = QStringLiteral("(\"[^\"]*\"?|\\S*)");
  const QRegularExpression form(QStringLiteral("(^|\\s)") + key + u':' + kValue);
  const QRegularExpressionMatch match = form.match(text);
  if (!match.hasMatch()) return {};
  text.remove(match.capturedStart(), match.capturedLength());
  QString value = match.captured(2);
  value.remove(u'"');
  return value;
}

}  // namespace

SearchQuery parseSearch(const QString& text) {
  SearchQuery query;
  QString rest = text.trimmed();
  // An expression stands alone: a colon in it is its own.
  if (rest.size() > 2 && rest.startsWith(u'/') && rest.endsWith(u'/')) {
    query.isExpression = true;
    query.name = rest.mid(1, rest.size() - 2);
    query.expression = QRegularExpression(query.name, QRegularExpression::CaseInsensitiveOption);
    if (!query.expression.isValid()) {
      // Letters count from 1, and the first is the slash.
      query.problem = Words::tr("%1 at letter %2")
                          .arg(query.expression.errorString())
                          .arg(query.expression.patternErrorOffset() + 2);
    }
    query.expression.optimize();
    return query;
  }
  query.category = takeField(rest, QStringLiteral("cat"));
  query.args = takeField(rest, QStringLiteral("args"));
  query.name = rest.trimmed();
  return query;
}

}  // namespace attnscope::ui
