// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/cli.h"

#include <QApplication>

#include <array>
#include <memory>

namespace partita::cli {

/// What verbs that draw need while they run: fonts, and for these an application that draws into memory and never on a
/// screen.
class Painting {
public:
    Painting();

private:
    std::array<char, 8> m_name{"partita"};
    std::array<char*, 2> m_words{};
    int m_count = 1;
    std::unique_ptr<QApplication> m_application;
};

/// Writes what was drawn and prints its path. Returns the exit code.
int writeDrawn(const Arguments& arguments, const QString& path, const QByteArray& bytes);

} // namespace partita::cli
