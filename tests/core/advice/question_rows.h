// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/advice/preset_scenario.h"

#include <QTest>

namespace partita::samples {

/// Rows of a data-driven test that asks for advice: a model on nodes of a cluster under a stack.
inline void addQuestionColumns()
{
    QTest::addColumn<QByteArray>("model");
    QTest::addColumn<QByteArray>("cluster");
    QTest::addColumn<int>("nodes");
    QTest::addColumn<QByteArray>("stack");
    QTest::addColumn<int>("tokens");
    QTest::addColumn<int>("batch");
}

inline void addQuestion(const char* name, const char* model, const char* cluster, int nodes, const char* stack,
                        int tokens, int batch)
{
    QTest::newRow(name) << QByteArray(model) << QByteArray(cluster) << nodes << QByteArray(stack) << tokens << batch;
}

/// Of the row that runs.
inline Scenario askedScenario()
{
    QFETCH(QByteArray, model);
    QFETCH(QByteArray, cluster);
    QFETCH(int, nodes);
    QFETCH(QByteArray, stack);
    QFETCH(int, tokens);
    QFETCH(int, batch);
    Scenario scenario = presetScenario(model.constData(), cluster.constData(), nodes, batch, stack.constData());
    scenario.workload.sequenceLength = tokens;
    return scenario;
}

} // namespace partita::samples
