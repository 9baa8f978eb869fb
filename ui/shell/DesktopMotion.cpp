// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/DesktopMotion.h"

#include <QSettings>

namespace attnscope::ui {

bool desktopReducesMotion(const QString& folder) {
  for (const char* gtk : {"gtk-4.0", "gtk-3.0"}) {
    const QSettings settings(QStringLiteral("%1/%2/settings.ini").arg(folder, QLatin1String(gtk)),
                             QSettings::IniFormat);
    const QString animates = settings.value(QStringLiteral("Settings/gtk-enable-animations")).toString();
    if (animates == QLatin1String("0") || animates == QLatin1String("false")) return true;
  }
  const QSettings kde(folder + QStringLiteral("/kdeglobals"), QSettings::IniFormat);
  bool isSaid = false;
  const double factor = kde.value(QStringLiteral("KDE/AnimationDurationFactor")).toString().toDouble(&isSaid);
  return isSaid && factor <= 0;
}

}  // namespace attnscope::ui
