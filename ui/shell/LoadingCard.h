// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// How far the reading of one file is: its stages, figures, and a button that stops it.

#include <QElapsedTimer>
#include <QWidget>

#include "ui/bridge/Session.h"
#include "ui/theme/Theme.h"

class QPushButton;

namespace attnscope::ui {

class LoadingCard : public QWidget {
  Q_OBJECT

 public:
  LoadingCard(Session& session, const Theme& theme, Run* run, QWidget* parent = nullptr);
  [[nodiscard]] QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  Session& m_session;
  const Theme& m_theme;
  Run* m_run;
  qint64 m_bytes;
  QPushButton* m_cancel;
};

}  // namespace attnscope::ui
