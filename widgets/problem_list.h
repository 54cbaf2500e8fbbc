// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.h"

#include <QListWidget>

namespace partita::ui {

/// All problems, then all warnings of a report, one below the other. A problem leads to its field.
class ProblemList : public QListWidget {
    Q_OBJECT

public:
    explicit ProblemList(QWidget* parent = nullptr);

    void setProblems(const Problems& problems, const std::vector<std::string>& warnings);

Q_SIGNALS:
    void fieldActivated(const QString& field);

protected:
    void changeEvent(QEvent* event) override;

private:
    void add(bool isProblem, const QString& text, const QString& field);
    void recolour();
};

} // namespace partita::ui
