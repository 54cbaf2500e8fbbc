// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/search/balance_stages.h"
#include "core/training/report.h"

#include <QWidget>

class QAction;
class QLineEdit;
class QSpinBox;

namespace partita::ui {

class StageRows;
class ToneLabel;

/// Where the layers of the model live: rows to drag, a number for the first and last stage, a layout string, and
/// balancing. Shows what it is given; tells what the user wants instead.
class StageEditor : public QWidget {
    Q_OBJECT

public:
    explicit StageEditor(QWidget* parent = nullptr);

    void setScenario(const Scenario& scenario, const Report& report);
    QSize sizeHint() const override;

    StageRows* rows() const { return m_rows; }
    QSpinBox* layersBox() const { return m_layers; } ///< of the current row
    QSpinBox* firstBox() const { return m_first; }
    QSpinBox* lastBox() const { return m_last; }
    QLineEdit* textBox() const { return m_text; }
    QString problem() const;
    /// Even, by time, by memory, a layer more, a layer fewer: for a menu.
    QList<QAction*> commands() const { return m_commands; }

Q_SIGNALS:
    /// what: for the undo history. merge: continues the drag of the edit before it.
    void edited(const partita::Scenario& scenario, const QString& what, bool merge);

private:
    void buildCommands();
    void showRows(const Report& report);
    void showFields();
    void setSplit(const std::vector<int>& split, const QString& what, bool merge = false);
    void setEven();
    void balance(BalanceBy by);
    void setLayers(int row, int layers);
    void setCut(int row, int firstLayer);
    void setEnds();
    void setText();
    void complain(const Problems& problems);
    QString rowName(int row) const;

    Scenario m_scenario;
    bool m_given = false;
    bool m_looped = true; ///< chunk c lives on stage c mod pp: first and last stage can be stated
    bool m_legal = false; ///< whether balancing can be asked for
    StageRows* m_rows;
    QSpinBox* m_layers;
    QSpinBox* m_first;
    QSpinBox* m_last;
    QLineEdit* m_text;
    ToneLabel* m_problem;
    QList<QAction*> m_commands;
    std::vector<QString> m_names;
    bool m_dragging = false;
    bool m_merge = false; ///< the drag has edited already
};

} // namespace partita::ui
