// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/chart_file.h"

#include <QDialog>
#include <QStringList>

#include <vector>

class QCheckBox;
class QComboBox;
class QDialogButtonBox;
class QSpinBox;

namespace partita::ui {

/// A chart, or charts, that could be written.
struct ExportOffer {
    QString id;
    QString title;
    bool ready = true; ///< else there is nothing of this scenario yet
    bool isStudy = false; ///< can be worked out first, beside the window; else what is not ready cannot be chosen
};

/// What to write of the window, and how.
struct ExportChoice {
    QStringList charts; ///< ids
    std::vector<ChartFormat> formats;
    PageFormat size = PageFormat::Chart;
    Palette palette = Palette::Paper;
    int scale = 2; ///< of PNG
};

/// Asks for charts, formats, size and palette. Nothing can be exported while no chart or no format is chosen.
class ExportDialog final : public QDialog {
    Q_OBJECT

public:
    /// All that are ready are chosen.
    explicit ExportDialog(const std::vector<ExportOffer>& charts, QWidget* parent = nullptr);

    ExportChoice choice() const;

private:
    void update();

    std::vector<std::pair<QString, QCheckBox*>> m_charts;
    std::vector<std::pair<ChartFormat, QCheckBox*>> m_formats;
    QComboBox* m_size;
    QComboBox* m_palette;
    QSpinBox* m_scale;
    QDialogButtonBox* m_buttons;
};

} // namespace partita::ui
