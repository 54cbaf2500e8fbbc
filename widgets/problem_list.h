// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/problem.h"

#include <QListWidget>

#include <vector>

namespace partita::ui {

/// What a list of problems says of a legal layout.
struct Finding {
    bool isProblem = false; ///< else it is a warning
    QString text;
    QString path; ///< of the value that derives it; empty where there is none
};

/// All problems, then all that is to be said of a legal layout, one below the other. A problem leads to its field, a
/// finding to what derives it.
class ProblemList : public QListWidget {
    Q_OBJECT

public:
    explicit ProblemList(QWidget* parent = nullptr);

    void setProblems(const Problems& problems, const std::vector<Finding>& findings);

Q_SIGNALS:
    void fieldActivated(const QString& field);
    void valueActivated(const QString& path);

protected:
    void changeEvent(QEvent* event) override;

private:
    void add(bool isProblem, const QString& text, const QString& field, const QString& path);
    void recolour();
};

} // namespace partita::ui
