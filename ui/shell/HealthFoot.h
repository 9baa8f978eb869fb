// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The foot of the sidebar: whether the traces were read whole, with the gravest entries. A click opens the list.

#include <vector>

#include <QAbstractButton>

#include "core/trace/TraceHealth.h"
#include "ui/bridge/Session.h"
#include "ui/theme/Theme.h"

namespace attnscope::ui {

class HealthFoot : public QAbstractButton {
  Q_OBJECT

 public:
  HealthFoot(Session& session, const Theme& theme, QWidget* parent = nullptr);
  [[nodiscard]] QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void refresh();

  Session& m_session;
  const Theme& m_theme;
  QString m_words;
  std::vector<HealthEntry> m_entries;  // gravest first, at most three
};

}  // namespace attnscope::ui
