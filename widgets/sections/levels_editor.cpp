// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/sections/levels_editor.h"

#include "core/base/format.h"
#include "widgets/text.h"
#include "widgets/tone_label.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QSignalBlocker>
#include <QTableWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <cmath>
#include <optional>

namespace partita::ui {

namespace {

constexpr double gigabyte = 1e9;
constexpr double microsecond = 1e-6;

QString cellText(const Level& level, int column)
{
    switch (column) {
    case LevelsEditor::DomainColumn:
        return level.domain == 0 ? LevelsEditor::tr("all") : QString::number(level.domain);
    case LevelsEditor::BandwidthColumn:
        return QString::number(level.bandwidth / gigabyte, 'g', 6);
    case LevelsEditor::LatencyColumn:
        return QString::number(level.latency / microsecond, 'g', 6);
    default:
        return toText(level.name);
    }
}

/// The level with one cell set, or nothing when the text is no value of that column.
std::optional<Level> withCell(Level level, int column, const QString& text)
{
    if (column == LevelsEditor::NameColumn) {
        level.name = text.toStdString();
        return level;
    }
    const QString trimmed = text.trimmed();
    if (column == LevelsEditor::DomainColumn) {
        bool isNumber = trimmed == LevelsEditor::tr("all");
        level.domain = isNumber ? 0 : trimmed.toLongLong(&isNumber);
        return isNumber && level.domain >= 0 ? std::optional(level) : std::nullopt;
    }
    bool isNumber = false;
    const double number = trimmed.toDouble(&isNumber);
    if (!isNumber || !std::isfinite(number) || number < 0) {
        return std::nullopt;
    }
    (column == LevelsEditor::BandwidthColumn ? level.bandwidth : level.latency) =
        number * (column == LevelsEditor::BandwidthColumn ? gigabyte : microsecond);
    return level;
}

} // namespace

LevelsEditor::LevelsEditor(QWidget* parent)
    : FieldEditor(QStringLiteral("cluster.levels"), parent)
    , m_table(new QTableWidget(0, ColumnCount))
    , m_remove(new QToolButton)
{
    auto* title = new ToneLabel;
    title->setText(tr("Network levels, innermost first"));
    title->setBuddy(m_table);
    m_table->setAccessibleName(title->text());
    m_table->setHorizontalHeaderLabels({tr("Name"), tr("Devices"), tr("GB/s"), tr("µs")});
    m_table->horizontalHeaderItem(DomainColumn)
        ->setToolTip(tr("Devices that the level joins; \"all\" for the whole cluster"));
    m_table->horizontalHeaderItem(BandwidthColumn)->setToolTip(tr("Bandwidth of a device in one direction"));
    m_table->horizontalHeaderItem(LatencyColumn)->setToolTip(tr("Latency of a message"));
    m_table->verticalHeader()->hide();
    m_table->setTabKeyNavigation(false); // Tab leaves the table, arrows move inside
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_table->setWordWrap(false);
    QHeaderView* header = m_table->horizontalHeader();
    header->setSectionResizeMode(QHeaderView::ResizeToContents);
    header->setSectionResizeMode(NameColumn, QHeaderView::Stretch);
    header->setHighlightSections(false);

    auto* add = new QToolButton;
    add->setText(tr("Add level"));
    m_remove->setText(tr("Remove"));
    auto* buttons = new QHBoxLayout;
    buttons->addStretch();
    for (QToolButton* button : {add, m_remove}) {
        button->setAutoRaise(true);
        button->setFocusPolicy(Qt::StrongFocus);
        button->setAccessibleName(button == add ? tr("Add a network level") : tr("Remove the network level"));
        buttons->addWidget(button);
    }
    rows()->addWidget(title);
    rows()->addWidget(m_table);
    rows()->addLayout(buttons);
    connect(m_table, &QTableWidget::cellChanged, this, &LevelsEditor::takeCell);
    connect(add, &QToolButton::clicked, this, &LevelsEditor::addLevel);
    connect(m_remove, &QToolButton::clicked, this, &LevelsEditor::removeLevel);
}

QWidget* LevelsEditor::control() const
{
    return m_table;
}

void LevelsEditor::setLevels(const std::vector<Level>& levels)
{
    if (levels == m_levels) {
        return; // what was typed and is no number stays to be corrected
    }
    const QSignalBlocker quiet(m_table);
    m_levels = levels;
    m_table->setRowCount(static_cast<int>(levels.size()));
    for (int row = 0; row < m_table->rowCount(); ++row) {
        for (int column = 0; column < ColumnCount; ++column) {
            const QString text = cellText(levels[static_cast<std::size_t>(row)], column);
            QTableWidgetItem* item = m_table->item(row, column);
            if (!item) {
                item = new QTableWidgetItem;
                item->setTextAlignment((column == NameColumn ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
                m_table->setItem(row, column, item);
            }
            item->setText(text);
            item->setToolTip(text);
        }
    }
    m_remove->setEnabled(levels.size() > 1);
    setOwnProblem({});
    fitHeight();
}

void LevelsEditor::takeCell(int row, int column)
{
    const QString text = m_table->item(row, column)->text();
    const Level& old = m_levels[static_cast<std::size_t>(row)];
    const std::optional<Level> level = withCell(old, column, text);
    if (!level) {
        const QString expected = column == DomainColumn ? tr("a whole number or \"all\"") : tr("a number from 0 on");
        setOwnProblem(tr("\"%1\" is not %2").arg(text, expected));
        return;
    }
    setOwnProblem({});
    std::vector<Level> next = m_levels;
    next[static_cast<std::size_t>(row)] = *level;
    if (*level != old) {
        Q_EMIT edited(next, tr("Change level %1").arg(toText(level->name)));
    }
}

void LevelsEditor::addLevel()
{
    std::vector<Level> next = m_levels;
    Level level = next.empty() ? Level{} : next.back();
    level.name = tr("Level %1").arg(next.size() + 1).toStdString();
    level.domain = 0;
    next.push_back(level);
    Q_EMIT edited(next, tr("Add a network level"));
}

void LevelsEditor::removeLevel()
{
    if (m_levels.size() < 2) {
        return;
    }
    const int row = m_table->currentRow() < 0 ? m_table->rowCount() - 1 : m_table->currentRow();
    std::vector<Level> next = m_levels;
    const QString name = toText(next[static_cast<std::size_t>(row)].name);
    next.erase(next.begin() + row);
    Q_EMIT edited(next, tr("Remove level %1").arg(name));
}

void LevelsEditor::fitHeight()
{
    int height = m_table->horizontalHeader()->sizeHint().height() + 2 * m_table->frameWidth();
    for (int row = 0; row < m_table->rowCount(); ++row) {
        height += m_table->rowHeight(row);
    }
    m_table->setFixedHeight(height);
}

} // namespace partita::ui
