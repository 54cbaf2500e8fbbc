// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/edit_description.h"

#include <QCoreApplication>

namespace partita::ui {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("partita::ui::EditDescription", text);
}

EditedField changedDegree(const Layout& before, const Layout& after)
{
    // In this order because a degree drags those behind it along, never those before it.
    if (before.tp != after.tp) {
        return EditedField::Tp;
    }
    if (before.pp != after.pp) {
        return EditedField::Pp;
    }
    if (before.cp != after.cp) {
        return EditedField::Cp;
    }
    if (before.ep != after.ep) {
        return EditedField::Ep;
    }
    if (before.etp != after.etp) {
        return EditedField::Etp;
    }
    if (before.vpp != after.vpp) {
        return EditedField::Vpp;
    }
    if (before.microBatch != after.microBatch) {
        return EditedField::MicroBatch;
    }
    if (before.dp != after.dp) {
        return EditedField::Dp;
    }
    return before.globalBatch != after.globalBatch ? EditedField::GlobalBatch : EditedField::LayoutChoice;
}

} // namespace

EditedField changedField(const Scenario& before, const Scenario& after)
{
    if (before == after) {
        return EditedField::Nothing;
    }
    const bool model = before.model != after.model;
    const bool cluster = before.cluster != after.cluster;
    const bool stack = before.stack != after.stack;
    const bool workload = before.workload != after.workload;
    if (model + cluster + stack > 1) {
        return EditedField::Several;
    }
    if (model) {
        return EditedField::Model;
    }
    if (cluster) {
        return EditedField::Cluster;
    }
    if (stack) {
        return EditedField::Stack;
    }
    if (workload) {
        return EditedField::Workload;
    }
    return changedDegree(before.layout, after.layout);
}

QString describeEdit(const Scenario& before, const Scenario& after)
{
    const Layout& layout = after.layout;
    switch (changedField(before, after)) {
    case EditedField::Nothing:
        return {};
    case EditedField::Model:
        return tr("Set model to %1").arg(QString::fromStdString(after.model.name));
    case EditedField::Cluster:
        return tr("Change cluster");
    case EditedField::Stack:
        return tr("Set stack to %1").arg(QString::fromStdString(after.stack.name));
    case EditedField::Workload:
        return tr("Change workload");
    case EditedField::Tp:
        return tr("Set tensor parallel to %1").arg(layout.tp);
    case EditedField::Pp:
        return tr("Set pipeline parallel to %1").arg(layout.pp);
    case EditedField::Cp:
        return tr("Set context parallel to %1").arg(layout.cp);
    case EditedField::Ep:
        return tr("Set expert parallel to %1").arg(layout.ep);
    case EditedField::Etp:
        return tr("Set expert tensor parallel to %1").arg(layout.etp);
    case EditedField::Vpp:
        return tr("Set virtual stages to %1").arg(layout.vpp);
    case EditedField::MicroBatch:
        return tr("Set micro-batch to %1").arg(layout.microBatch);
    case EditedField::GlobalBatch:
        return tr("Set global batch to %1").arg(layout.globalBatch);
    case EditedField::Dp:
        return tr("Set data parallel to %1").arg(layout.dp);
    case EditedField::LayoutChoice:
        return tr("Change layout");
    case EditedField::Several:
        return tr("Change scenario");
    }
    return {};
}

} // namespace partita::ui
