// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/problem_list.h"

#include "widgets/text.h"
#include "widgets/tone_label.h"

#include <QEvent>

namespace partita::ui {

namespace {
constexpr int fieldRole = Qt::UserRole;
constexpr int problemRole = Qt::UserRole + 1;
constexpr int pathRole = Qt::UserRole + 2;
} // namespace

ProblemList::ProblemList(QWidget* parent)
    : QListWidget(parent)
{
    setWordWrap(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setSpacing(2);
    setAccessibleName(tr("Problems and warnings"));
    const auto activate = [this](const QListWidgetItem* item) {
        const QString field = item->data(fieldRole).toString();
        if (!field.isEmpty()) {
            Q_EMIT fieldActivated(field);
        }
        const QString path = item->data(pathRole).toString();
        if (!path.isEmpty()) {
            Q_EMIT valueActivated(path);
        }
    };
    connect(this, &QListWidget::itemClicked, this, activate);
    connect(this, &QListWidget::itemActivated, this, activate);
}

void ProblemList::setProblems(const Problems& problems, const std::vector<Finding>& findings)
{
    clear();
    for (const Problem& problem : problems) {
        add(true, toText(describe(problem)), toText(problem.field), {});
    }
    for (const Finding& finding : findings) {
        add(finding.isProblem, finding.text, {}, finding.path);
    }
    recolour();
}

void ProblemList::add(bool isProblem, const QString& text, const QString& field, const QString& path)
{
    auto* item = new QListWidgetItem(
        QStringLiteral("%1 %2").arg(isProblem ? QStringLiteral("✗") : QStringLiteral("⚠"), text), this);
    item->setData(fieldRole, field);
    item->setData(problemRole, isProblem);
    item->setData(Qt::AccessibleTextRole, isProblem ? tr("Problem: %1").arg(text) : tr("Warning: %1").arg(text));
    item->setData(pathRole, path);
    item->setToolTip(!field.isEmpty()      ? tr("%1\nClick to go to the field").arg(text)
                         : !path.isEmpty() ? tr("%1\nClick for where this is from").arg(text)
                                           : text);
}

void ProblemList::changeEvent(QEvent* event)
{
    QListWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        recolour();
    }
}

void ProblemList::recolour()
{
    const Theme theme = Theme::fromPalette(palette());
    for (int row = 0; row < count(); ++row) {
        item(row)->setForeground(item(row)->data(problemRole).toBool() ? theme.bad : theme.text);
    }
}

} // namespace partita::ui
