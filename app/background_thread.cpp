// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/background_thread.h"

#include <QThread>

#ifdef Q_OS_LINUX
#include <sys/resource.h>
#endif

namespace partita::ui {

void giveWayToWindow()
{
#ifdef Q_OS_LINUX
    constexpr int niceness = 5; // about a third of the share of a thread at 0
    setpriority(PRIO_PROCESS, 0, niceness); // of this thread alone, as Linux counts; where it fails nothing is lost
#else
    QThread::currentThread()->setPriority(QThread::LowestPriority);
#endif
}

} // namespace partita::ui
