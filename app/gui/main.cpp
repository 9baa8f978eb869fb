// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstdio>

#include <QApplication>
#include <QIcon>
#include <QTimer>

#include "ui/shell/AppSettings.h"
#include "ui/shell/Capture.h"
#include "ui/shell/CommandLine.h"
#include "ui/shell/MainWindow.h"
#include "ui/theme/Theme.h"

namespace {

constexpr int kExitUsage = 2;
constexpr QSize kPictureSize(1440, 900);  // where none is named: whatever screen there is

using attnscope::ui::CommandLine;

attnscope::Result<CommandLine> readArguments(int argc, char** argv) {
  QStringList arguments;
  for (int i = 1; i < argc; ++i) arguments << QString::fromLocal8Bit(argv[i]);
  return attnscope::ui::parseCommandLine(arguments);
}

// The offscreen platform says this about every window; it means nothing to anybody who draws a picture.
void dropPlatformNoise(QtMsgType type, const QMessageLogContext& context, const QString& message) {
  if (message.contains(QLatin1String("propagateSizeHints"))) return;
  std::fprintf(stderr, "%s\n", qPrintable(qFormatLogMessage(type, context, message)));
}

}  // namespace

int main(int argc, char** argv) {
  const auto line = readArguments(argc, argv);
  if (!line) {
    std::fprintf(stderr, "attnscope: %s\n", line.error().message().c_str());
    return kExitUsage;
  }
  if (line->help) {
    std::fputs(qPrintable(attnscope::ui::commandLineHelp()), stdout);
    return 0;
  }
  if (line->version) {
    std::puts("attnscope " ATTNSCOPE_VERSION);
    return 0;
  }
  const bool isCapture = !line->capture.isEmpty();
  if (isCapture) {
    const QString obstacle = attnscope::ui::captureObstacle(line->capture);
    if (!obstacle.isEmpty()) {
      std::fprintf(stderr, "attnscope: %s\n", qPrintable(obstacle));
      return kExitUsage;
    }
    const bool hasDisplay = qEnvironmentVariableIsSet("DISPLAY") || qEnvironmentVariableIsSet("WAYLAND_DISPLAY");
    if (!hasDisplay && !qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  }
  qInstallMessageHandler(dropPlatformNoise);

  QApplication application(argc, argv);
  QApplication::setOrganizationName(QStringLiteral("attnscope"));
  QApplication::setApplicationName(QStringLiteral("attnscope"));
  QApplication::setApplicationDisplayName(QStringLiteral("Attnscope"));
  QApplication::setApplicationVersion(QStringLiteral(ATTNSCOPE_VERSION));
  QApplication::setDesktopFileName(QStringLiteral("attnscope"));
  QApplication::setWindowIcon(QIcon(QStringLiteral(":/app/attnscope.svg")));

  using attnscope::ui::Persistence;
  attnscope::ui::AppSettings settings(isCapture ? Persistence::kForgotten : Persistence::kKept);
  attnscope::ui::Theme theme;
  theme.setTextScale(line->textScalePercent.value_or(settings.textScalePercent()) / 100.0);
  theme.apply(application, line->theme.value_or(settings.theme()));

  attnscope::ui::MainWindow window(theme, settings);
  if (line->size || isCapture) window.resize(line->size.value_or(kPictureSize));
  if (line->unpackRatio) window.session().setUnpackLimits({.ratio = static_cast<std::uint64_t>(*line->unpackRatio)});
  window.show();
  // Reading begins when the window is there, so that it is seen at once.
  QTimer::singleShot(0, &window, [&window, &line] {
    window.openFiles(line->files);
    if (line->view && *line->view != attnscope::ui::ViewName::kStart) window.showView(*line->view);
  });

  if (!isCapture) return QApplication::exec();
  attnscope::ui::Capture capture(window, *line);
  QObject::connect(&capture, &attnscope::ui::Capture::finished, &application,
                   [](int code) { QApplication::exit(code); });
  return QApplication::exec();
}
