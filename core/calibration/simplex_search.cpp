// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/calibration/simplex_search.h"

#include <algorithm>
#include <cstddef>

namespace partita::calibration {

namespace {

using Point = std::vector<double>;
using Cost = std::function<double(const Point&)>;

struct Vertex {
    Point at;
    double cost;
};

/// centre + scale * (from - centre)
Point onLine(const Point& centre, const Point& from, double scale)
{
    Point point = centre;
    for (std::size_t i = 0; i < point.size(); ++i) {
        point[i] += scale * (from[i] - centre[i]);
    }
    return point;
}

void shrink(std::vector<Vertex>& simplex, const Cost& cost)
{
    for (std::size_t i = 1; i < simplex.size(); ++i) {
        simplex[i].at = onLine(simplex[0].at, simplex[i].at, 0.5);
        simplex[i].cost = cost(simplex[i].at);
    }
}

/// Replaces the last, worst vertex; the rest is sorted.
void step(std::vector<Vertex>& simplex, const Cost& cost)
{
    Vertex& worst = simplex.back();
    Point centre(worst.at.size(), 0.0);
    for (std::size_t v = 0; v + 1 < simplex.size(); ++v) {
        for (std::size_t i = 0; i < centre.size(); ++i) {
            centre[i] += simplex[v].at[i] / static_cast<double>(centre.size());
        }
    }
    const auto probe = [&](double scale) {
        Point at = onLine(centre, worst.at, scale);
        const double value = cost(at);
        return Vertex{std::move(at), value};
    };
    const Vertex reflected = probe(-1);
    if (reflected.cost < simplex.front().cost) {
        const Vertex expanded = probe(-2);
        worst = expanded.cost < reflected.cost ? expanded : reflected;
    } else if (reflected.cost < simplex[simplex.size() - 2].cost) {
        worst = reflected;
    } else if (const Vertex contracted = probe(0.5); contracted.cost < worst.cost) {
        worst = contracted;
    } else {
        shrink(simplex, cost);
    }
}

Vertex descend(const Cost& cost, const Point& start, double firstStep)
{
    const auto byCost = [](const Vertex& a, const Vertex& b) { return a.cost < b.cost; };
    std::vector<Vertex> simplex{{start, cost(start)}};
    for (std::size_t i = 0; i < start.size(); ++i) {
        Point at = start;
        at[i] += firstStep;
        const double value = cost(at);
        simplex.push_back({std::move(at), value});
    }
    const std::size_t most = 120 * start.size();
    for (std::size_t iteration = 0; iteration < most; ++iteration) {
        std::stable_sort(simplex.begin(), simplex.end(), byCost);
        if (simplex.back().cost - simplex.front().cost < 1e-6) {
            break;
        }
        step(simplex, cost);
    }
    return *std::min_element(simplex.begin(), simplex.end(), byCost);
}

} // namespace

std::vector<double> minimise(const Cost& cost, std::vector<double> start, double firstStep)
{
    double best = cost(start);
    for (int restart = 0; restart < 6; ++restart) {
        const Vertex found = descend(cost, start, restart % 2 == 0 ? firstStep : -firstStep);
        start = found.at;
        if (restart > 0 && best - found.cost < 1e-3 * best) {
            break;
        }
        best = found.cost;
    }
    return start;
}

} // namespace partita::calibration
