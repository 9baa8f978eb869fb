// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/SampleFiles.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>

namespace attnscope::ui {

QStringList sampleFiles() {
  const QStringList folders{QCoreApplication::applicationDirPath() + QStringLiteral("/../share/attnscope/sample"),
                            QStringLiteral(ATTNSCOPE_SAMPLE_DIR)};
  for (const QString& folder : folders) {
    for (const QString& ending : {QStringLiteral(".json"), QStringLiteral(".json.gz")}) {
      const QString base = QDir::cleanPath(folder) + QStringLiteral("/naive") + ending;
      const QString other = QDir::cleanPath(folder) + QStringLiteral("/flash") + ending;
      if (QFileInfo::exists(base) && QFileInfo::exists(other)) return {base, other};
    }
  }
  return {};
}

}  // namespace attnscope::ui
