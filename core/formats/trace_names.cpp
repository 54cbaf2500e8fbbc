// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/trace_names.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

namespace partita {

namespace {

constexpr std::size_t longestName = 80; // longer ones are signatures of kernels

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

bool isLetter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// A run of letters (in lower case) or of digits, and the character before it if that is neither.
struct Token {
    std::string text;
    char before = 0;

    bool isNumber() const { return isDigit(text.front()); }
};

std::vector<Token> tokensOf(std::string_view name)
{
    std::vector<Token> tokens;
    char before = 0;
    for (std::size_t i = 0; i < name.size();) {
        const auto sameKind = isDigit(name[i]) ? isDigit : isLetter;
        if (!sameKind(name[i])) {
            before = name[i++];
            continue;
        }
        Token token{{}, before};
        for (; i < name.size() && sameKind(name[i]); ++i) {
            token.text += static_cast<char>(name[i] >= 'A' && name[i] <= 'Z' ? name[i] - 'A' + 'a' : name[i]);
        }
        before = 0;
        tokens.push_back(std::move(token));
    }
    return tokens;
}

bool isOneOf(std::string_view word, std::initializer_list<std::string_view> words)
{
    return std::find(words.begin(), words.end(), word) != words.end();
}

bool namesStage(std::string_view word)
{
    return isOneOf(word, {"stage", "rank", "pp"});
}

enum class Meaning { None, MicroBatch, Chunk, Stage };

/// Reads the tokens of one half of a pair.
class NameReader {
public:
    std::optional<NamedOp> read(std::string_view name)
    {
        for (const Token& token : tokensOf(name)) {
            if (!(token.isNumber() ? number(token) : word(token.text))) {
                return std::nullopt;
            }
        }
        const bool backward = m_backward || m_weight;
        if (m_forward == backward || ((m_input || m_ofWeight) && !backward)) {
            return std::nullopt;
        }
        m_weight = m_weight || m_ofWeight;
        m_op.kind = m_forward ? OpKind::Forward
            : m_weight        ? OpKind::BackwardWeight
            : m_input         ? OpKind::BackwardInput
                              : OpKind::Backward;
        return m_op;
    }

private:
    bool word(const std::string& text)
    {
        m_next = Meaning::None;
        if (isOneOf(text, {"f", "fwd", "forward"})) {
            m_forward = true;
        } else if (isOneOf(text, {"b", "bwd", "backward"})) {
            m_backward = true;
        } else if (isOneOf(text, {"i", "dgrad"})) {
            m_backward = true;
            m_input = true;
        } else if (isOneOf(text, {"w", "wgrad"})) {
            m_weight = true;
        } else if (text == "input") {
            m_input = true;
        } else if (text == "weight") {
            m_ofWeight = true;
        } else if (isOneOf(text, {"mb", "microbatch", "batch"})) {
            m_next = Meaning::MicroBatch;
        } else if (isOneOf(text, {"chunk", "vp", "virtual"})) {
            m_next = Meaning::Chunk;
        } else if (namesStage(text)) {
            m_next = Meaning::Stage;
        } else if (isOneOf(text, {"id", "idx", "index"})) {
            m_next = m_last;
        } else if (!isOneOf(text, {"step", "compute", "pass", "micro", "model", "grad", "gradient", "full"})) {
            return false;
        }
        m_last = m_next;
        return true;
    }

    bool number(const Token& token)
    {
        const Meaning meaning = m_next != Meaning::None ? m_next
            : !(m_forward || m_backward || m_weight)    ? Meaning::Stage // "2F0"
            : token.before == '.'                       ? Meaning::Chunk // "F0.1"
                                                        : Meaning::MicroBatch;
        m_next = Meaning::None;
        switch (meaning) {
        case Meaning::Stage:
            return take(token.text, m_op.stage);
        case Meaning::Chunk:
            return take(token.text, m_op.chunk);
        default:
            return take(token.text, m_op.microBatch);
        }
    }

    /// Whether the number fits and is the first of its meaning.
    template <class I> static bool take(const std::string& text, I& field)
    {
        I value = -1;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size() || field >= 0) {
            return false;
        }
        field = value;
        return true;
    }

    NamedOp m_op;
    bool m_forward = false;
    bool m_backward = false;
    bool m_input = false;
    bool m_weight = false;
    bool m_ofWeight = false;
    Meaning m_next = Meaning::None;
    Meaning m_last = Meaning::None;
};

} // namespace

std::optional<NamedOp> namedOp(std::string_view name)
{
    if (name.size() > longestName) {
        return std::nullopt;
    }
    const std::size_t bar = name.find('|');
    std::optional<NamedOp> op = NameReader().read(name.substr(0, bar));
    if (bar == std::string_view::npos || !op) {
        return op;
    }
    const std::optional<NamedOp> back = NameReader().read(name.substr(bar + 1));
    if (!back || op->kind != OpKind::Forward || back->kind != OpKind::Backward) {
        return std::nullopt;
    }
    op->kind = OpKind::ForwardBackward;
    op->partner = back->microBatch;
    op->partnerChunk = back->chunk;
    return op;
}

std::int32_t stageIn(std::string_view name)
{
    const std::vector<Token> tokens = tokensOf(name.substr(0, longestName));
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
        if (namesStage(tokens[i].text) && tokens[i + 1].isNumber()) {
            std::int32_t stage = -1;
            const std::string& digits = tokens[i + 1].text;
            const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), stage);
            return error == std::errc() ? stage : -1;
        }
    }
    return -1;
}

} // namespace partita
