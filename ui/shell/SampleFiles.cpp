// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/SampleFiles.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

namespace attnscope::ui {

namespace {

// All of `names` in the first folder that has them.
QStringList samplesNamed(const QStringList& names) {
  const QStringList folders{QCoreApplication::applicationDirPath() + QStringLiteral("/../share/attnscope/sample"),
                            QStringLiteral(ATTNSCOPE_SAMPLE_DIR)};
  for (const QString& folder : folders) {
    QStringList files;
    for (const QString& name : names) {
      const QString file = QDir::cleanPath(folder + u'/' + name);
      if (QFileInfo::exists(file)) files << file;
    }
    if (files.size() == names.size()) return files;
  }
  return {};
}

}  // namespace

QString sampleSession() { return samplesNamed({QStringLiteral("sample.attn")}).value(0); }

QStringList sampleTraces() { return samplesNamed({QStringLiteral("naive.json"), QStringLiteral("flash.json")}); }

}  // namespace attnscope::ui
