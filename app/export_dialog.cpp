// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/export_dialog.h"

#include "widgets/labels.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QGroupBox>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>

namespace partita::ui {

namespace {

template <class E> QComboBox* choices(const QString& name)
{
    auto* box = new QComboBox;
    box->setAccessibleName(name);
    for (const Name<E>& each : Names<E>::table) {
        box->addItem(labelText(each.value), static_cast<int>(each.value));
    }
    return box;
}

bool anyChecked(const auto& boxes)
{
    return std::any_of(boxes.begin(), boxes.end(), [](const auto& each) { return each.second->isChecked(); });
}

} // namespace

ExportDialog::ExportDialog(const std::vector<ExportOffer>& charts, QWidget* parent)
    : QDialog(parent)
    , m_size(choices<PageFormat>(tr("Size")))
    , m_palette(choices<Palette>(tr("Palette")))
    , m_scale(new QSpinBox)
    , m_buttons(new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel))
{
    setWindowTitle(tr("Export charts"));
    auto* column = new QVBoxLayout(this);
    const auto group = [&](const QString& title) {
        auto* box = new QGroupBox(title);
        column->addWidget(box);
        return new QVBoxLayout(box);
    };
    QVBoxLayout* chartRows = group(tr("Charts"));
    for (const ExportOffer& offer : charts) {
        auto* box = new QCheckBox(offer.ready         ? offer.title
                                      : offer.isStudy ? tr("%1 (is worked out first)").arg(offer.title)
                                                      : tr("%1 (open its card and let it finish)").arg(offer.title));
        box->setChecked(offer.ready);
        box->setEnabled(offer.ready || offer.isStudy);
        chartRows->addWidget(box);
        m_charts.emplace_back(offer.id, box);
    }
    QVBoxLayout* formatRows = group(tr("Formats"));
    for (const auto& name : Names<ChartFormat>::table) {
        auto* box = new QCheckBox(labelText(name.value));
        box->setChecked(true);
        formatRows->addWidget(box);
        m_formats.emplace_back(name.value, box);
    }
    m_scale->setRange(1, 4);
    m_scale->setValue(2);
    m_scale->setSuffix(tr(" ×"));
    m_scale->setAccessibleName(tr("Pixels of a PNG"));
    auto* form = new QFormLayout;
    form->addRow(tr("&Size"), m_size);
    form->addRow(tr("&Palette"), m_palette);
    form->addRow(tr("Pi&xels of a PNG"), m_scale);
    column->addLayout(form);
    m_buttons->button(QDialogButtonBox::Ok)->setText(tr("Choose a folder…"));
    column->addWidget(m_buttons);
    connect(m_buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(m_buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    for (const auto& each : m_charts) {
        connect(each.second, &QCheckBox::toggled, this, &ExportDialog::update);
    }
    for (const auto& each : m_formats) {
        connect(each.second, &QCheckBox::toggled, this, &ExportDialog::update);
    }
    update();
}

void ExportDialog::update()
{
    m_buttons->button(QDialogButtonBox::Ok)->setEnabled(anyChecked(m_charts) && anyChecked(m_formats));
    m_scale->setEnabled(std::any_of(m_formats.begin(), m_formats.end(), [](const auto& each) {
        return each.first == ChartFormat::Png && each.second->isChecked();
    }));
}

ExportChoice ExportDialog::choice() const
{
    ExportChoice result;
    for (const auto& [id, box] : m_charts) {
        result.charts += box->isChecked() ? QStringList(id) : QStringList();
    }
    for (const auto& [format, box] : m_formats) {
        if (box->isChecked()) {
            result.formats.push_back(format);
        }
    }
    result.size = static_cast<PageFormat>(m_size->currentData().toInt());
    result.palette = static_cast<Palette>(m_palette->currentData().toInt());
    result.scale = m_scale->value();
    return result;
}

} // namespace partita::ui
