// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// QCustomPlot's header speaks with Qt's keywords, which are switched off here: they are lent to it and taken back.
// It costs 7 s of compile time: for the few .cpp files that draw charts, never for a widget's header.

#define signals Q_SIGNALS
#define slots Q_SLOTS
#define emit Q_EMIT
#define foreach Q_FOREACH
#include <qcustomplot.h>
#undef signals
#undef slots
#undef emit
#undef foreach
