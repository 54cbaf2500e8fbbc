// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStringList>
#include <QWidget>

class QToolButton;
class QVBoxLayout;

namespace partita::ui {

class ToneLabel;

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
    QToolButton* header() const { return m_header; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void showSummary();

    Rank m_rank;
    QToolButton* m_header;
    ToneLabel* m_summary;
    QWidget* m_content;
    QVBoxLayout* m_body;
    QStringList m_all;
    QStringList m_loose;
};

} // namespace partita::ui
