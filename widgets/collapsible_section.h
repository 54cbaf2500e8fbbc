// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPushButton>
#include <QStringList>

class QVBoxLayout;

namespace partita::ui {

class ToneLabel;

/// The title of a section: an arrow and a name, and a line below where it is a section of its own.
class SectionHeader : public QPushButton {
    Q_OBJECT

public:
    SectionHeader(const QString& title, bool underlined, QWidget* parent = nullptr);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    bool m_underlined;
};

/// A titled group that folds away. Folded, it still tells what is wrong inside.
class CollapsibleSection : public QWidget {
    Q_OBJECT

public:
    enum class Rank { Section, Subsection };

    explicit CollapsibleSection(const QString& title, Rank rank = Rank::Section, QWidget* parent = nullptr);

    bool isExpanded() const;
    void setExpanded(bool expanded);
    /// all: shown while folded; loose: problems that no field inside shows, shown always.
    void setSummary(const QStringList& all, const QStringList& loose);
    QString summary() const;
    QVBoxLayout* body() const { return m_body; }
    SectionHeader* header() const { return m_header; }

private:
    void showSummary();

    SectionHeader* m_header;
    ToneLabel* m_summary;
    QWidget* m_content;
    QVBoxLayout* m_body;
    QStringList m_all;
    QStringList m_loose;
};

} // namespace partita::ui
