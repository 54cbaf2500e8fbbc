// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/font_subset.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

namespace partita::ui {

namespace {

// Flags of a component of a composite glyph.
constexpr int wordArguments = 0x0001;
constexpr int hasScale = 0x0008;
constexpr int moreComponents = 0x0020;
constexpr int hasTwoScales = 0x0040;
constexpr int hasMatrix = 0x0080;
constexpr int hasInstructions = 0x0100;

/// Big-endian numbers in bytes; 0 beyond their end.
class Reader {
public:
    explicit Reader(QByteArray bytes)
        : m_bytes(std::move(bytes))
    {
    }

    int u8(qsizetype at) const { return at >= 0 && at < m_bytes.size() ? static_cast<unsigned char>(m_bytes[at]) : 0; }
    int u16(qsizetype at) const { return u8(at) << 8 | u8(at + 1); }
    int s16(qsizetype at) const { return static_cast<qint16>(u16(at)); }
    quint32 u32(qsizetype at) const { return static_cast<quint32>(u16(at)) << 16 | static_cast<quint32>(u16(at + 2)); }
    const QByteArray& bytes() const { return m_bytes; }

private:
    QByteArray m_bytes;
};

void put16(QByteArray& bytes, int value)
{
    bytes.append(static_cast<char>(value >> 8 & 0xff)).append(static_cast<char>(value & 0xff));
}

void put32(QByteArray& bytes, quint32 value)
{
    put16(bytes, static_cast<int>(value >> 16));
    put16(bytes, static_cast<int>(value & 0xffff));
}

void set16(QByteArray& bytes, qsizetype at, int value)
{
    if (at + 1 < bytes.size()) {
        bytes[at] = static_cast<char>(value >> 8 & 0xff);
        bytes[at + 1] = static_cast<char>(value & 0xff);
    }
}

void set32(QByteArray& bytes, qsizetype at, quint32 value)
{
    set16(bytes, at, static_cast<int>(value >> 16));
    set16(bytes, at + 2, static_cast<int>(value & 0xffff));
}

void pad(QByteArray& bytes)
{
    bytes.append((4 - bytes.size() % 4) % 4, '\0');
}

quint32 checksum(QByteArray table)
{
    pad(table);
    const Reader reader(table);
    quint32 sum = 0;
    for (qsizetype i = 0; i < table.size(); i += 4) {
        sum += reader.u32(i);
    }
    return sum;
}

class Font {
public:
    explicit Font(const QByteArray& bytes)
    {
        const Reader file(bytes);
        const int count = file.u16(4);
        for (int i = 0; i < count; ++i) {
            const qsizetype entry = 12 + 16 * i;
            m_tables[bytes.mid(entry, 4)] = bytes.mid(file.u32(entry + 8), file.u32(entry + 12));
        }
        m_longOffsets = Reader(m_tables["head"]).s16(50) == 1;
        m_glyphs = Reader(m_tables["maxp"]).u16(4);
    }

    bool hasOutlines() const
    {
        return m_glyphs > 0 && !m_tables.at("glyf").isEmpty() && !m_tables.at("loca").isEmpty()
            && !m_tables.at("cmap").isEmpty();
    }
    bool isComplete() const
    {
        return std::all_of(std::begin(needed), std::end(needed),
                           [this](const char* tag) { return m_tables.count(tag) > 0; });
    }
    QByteArray table(const char* tag) const
    {
        const auto found = m_tables.find(tag);
        return found == m_tables.end() ? QByteArray() : found->second;
    }

    /// 0 for a character the font does not have.
    int glyphOf(char16_t character) const
    {
        const Reader cmap(table("cmap"));
        for (int i = 0; i < cmap.u16(2); ++i) {
            const qsizetype entry = 4 + 8 * i;
            if (cmap.u16(entry) == 3 && cmap.u16(entry + 2) == 1) {
                return inSegments(cmap, cmap.u32(entry + 4), character);
            }
        }
        return 0;
    }

    QByteArray outline(int glyph) const
    {
        const Reader loca(table("loca"));
        const auto offset = [&](int at) {
            return m_longOffsets ? static_cast<qsizetype>(loca.u32(4 * at)) : qsizetype{2} * loca.u16(2 * at);
        };
        return glyph < m_glyphs ? table("glyf").mid(offset(glyph), offset(glyph + 1) - offset(glyph)) : QByteArray();
    }

    /// Advance width and left side bearing.
    std::pair<int, int> metrics(int glyph) const
    {
        const Reader hmtx(table("hmtx"));
        const int full = Reader(table("hhea")).u16(34);
        return glyph < full ? std::pair(hmtx.u16(4 * glyph), hmtx.s16(4 * glyph + 2))
                            : std::pair(hmtx.u16(4 * (full - 1)), hmtx.s16(4 * full + 2 * (glyph - full)));
    }

private:
    static constexpr const char* needed[] = {"head", "hhea", "maxp", "OS/2", "cmap", "loca", "glyf", "hmtx", "name"};

    /// Format 4: segments of characters that share a rule.
    static int inSegments(const Reader& cmap, qsizetype start, char16_t character)
    {
        if (cmap.u16(start) != 4) {
            return 0;
        }
        const int segments = cmap.u16(start + 6) / 2;
        const qsizetype ends = start + 14;
        const qsizetype starts = ends + 2 * segments + 2;
        const qsizetype deltas = starts + 2 * segments;
        const qsizetype ranges = deltas + 2 * segments;
        for (int i = 0; i < segments; ++i) {
            if (character > cmap.u16(ends + 2 * i)) {
                continue;
            }
            if (character < cmap.u16(starts + 2 * i)) {
                return 0;
            }
            const int range = cmap.u16(ranges + 2 * i);
            if (range == 0) {
                return (character + cmap.u16(deltas + 2 * i)) & 0xffff;
            }
            const int glyph = cmap.u16(ranges + 2 * i + range + 2 * (character - cmap.u16(starts + 2 * i)));
            return glyph == 0 ? 0 : (glyph + cmap.u16(deltas + 2 * i)) & 0xffff;
        }
        return 0;
    }

    std::map<QByteArray, QByteArray> m_tables;
    bool m_longOffsets = false;
    int m_glyphs = 0;
};

/// Calls use(at, flags) for every component of a composite glyph; returns where the last one ends.
template <class Use> qsizetype forEachComponent(const Reader& glyph, Use use)
{
    qsizetype at = 10;
    int flags = moreComponents;
    while ((flags & moreComponents) != 0 && at < glyph.bytes().size()) {
        flags = glyph.u16(at);
        use(at, flags);
        at += 4 + ((flags & wordArguments) != 0 ? 4 : 2);
        at += (flags & hasScale) != 0 ? 2 : (flags & hasTwoScales) != 0 ? 4 : (flags & hasMatrix) != 0 ? 8 : 0;
    }
    return at;
}

bool isComposite(const Reader& glyph)
{
    return glyph.s16(0) < 0;
}

/// Without instructions, components by their new numbers.
QByteArray rewritten(const QByteArray& outline, const std::map<int, int>& numbers)
{
    const Reader glyph(outline);
    if (outline.isEmpty()) {
        return outline;
    }
    if (!isComposite(glyph)) {
        const qsizetype length = 10 + 2 * glyph.s16(0);
        QByteArray result = outline.left(length);
        put16(result, 0);
        return result + outline.mid(length + 2 + glyph.u16(length));
    }
    QByteArray result = outline;
    const qsizetype end = forEachComponent(glyph, [&](qsizetype at, int flags) {
        set16(result, at, flags & ~hasInstructions);
        set16(result, at + 2, numbers.at(glyph.u16(at + 2)));
    });
    return result.left(end);
}

/// Windows names in their first language: the family, the version, the copyright and the licence.
QByteArray names(const QByteArray& table)
{
    const Reader reader(table);
    struct Record {
        int language;
        int id;
        QByteArray text;
    };
    std::vector<Record> kept;
    const qsizetype texts = reader.u16(4);
    for (int i = 0; i < reader.u16(2); ++i) {
        const qsizetype entry = 6 + 12 * i;
        const int id = reader.u16(entry + 6);
        if (reader.u16(entry) == 3 && reader.u16(entry + 4) == 0x0409 && (id <= 6 || id == 13 || id == 14)) {
            kept.push_back({0x0409, id, table.mid(texts + reader.u16(entry + 10), reader.u16(entry + 8))});
        }
    }
    QByteArray head;
    QByteArray body;
    put16(head, 0);
    put16(head, static_cast<int>(kept.size()));
    put16(head, 6 + 12 * static_cast<int>(kept.size()));
    for (const Record& record : kept) {
        for (const int value :
             {3, 1, record.language, record.id, static_cast<int>(record.text.size()), static_cast<int>(body.size())}) {
            put16(head, value);
        }
        body += record.text;
    }
    return head + body;
}

/// Format 4 with a segment a character.
QByteArray characterMap(const std::map<char16_t, int>& glyphs)
{
    const int segments = static_cast<int>(glyphs.size()) + 1;
    int power = 1;
    int log = 0;
    while (power * 2 <= segments) {
        power *= 2;
        ++log;
    }
    QByteArray ends, starts, deltas, ranges;
    for (const auto& [character, glyph] : glyphs) {
        put16(ends, character);
        put16(starts, character);
        put16(deltas, (glyph - character) & 0xffff);
        put16(ranges, 0);
    }
    put16(ends, 0xffff);
    put16(starts, 0xffff);
    put16(deltas, 1);
    put16(ranges, 0);
    QByteArray table;
    for (const int value : {0, 1, 3, 1}) {
        put16(table, value);
    }
    put32(table, 12);
    for (const int value : {4, 16 + 8 * segments, 0, 2 * segments, 2 * power, log, 2 * segments - 2 * power}) {
        put16(table, value);
    }
    table += ends;
    put16(table, 0);
    return table + starts + deltas + ranges;
}

QByteArray assembled(const std::map<QByteArray, QByteArray>& tables)
{
    const int count = static_cast<int>(tables.size());
    int power = 1;
    int log = 0;
    while (power * 2 <= count) {
        power *= 2;
        ++log;
    }
    QByteArray font;
    put32(font, 0x00010000);
    for (const int value : {count, 16 * power, log, 16 * count - 16 * power}) {
        put16(font, value);
    }
    QByteArray body;
    qsizetype head = 0;
    for (const auto& [tag, table] : tables) {
        const qsizetype offset = 12 + 16 * count + body.size();
        head = tag == "head" ? offset : head;
        font += tag;
        put32(font, checksum(table));
        put32(font, static_cast<quint32>(offset));
        put32(font, static_cast<quint32>(table.size()));
        body += table;
        pad(body);
    }
    font += body;
    set32(font, head + 8, 0xB1B0AFBA - checksum(font));
    return font;
}

} // namespace

QByteArray subsetFont(const QByteArray& bytes, const QString& characters)
{
    const Font font(bytes);
    if (!font.isComplete() || !font.hasOutlines()) {
        return {};
    }
    std::map<char16_t, int> wanted;
    std::set<int> glyphs{0};
    for (const QChar character : characters) {
        if (const int glyph = font.glyphOf(character.unicode()); glyph > 0) {
            wanted[character.unicode()] = glyph;
            glyphs.insert(glyph);
        }
    }
    std::vector<int> open(glyphs.begin(), glyphs.end());
    while (!open.empty()) {
        const Reader glyph(font.outline(open.back()));
        open.pop_back();
        if (isComposite(glyph)) {
            forEachComponent(glyph, [&](qsizetype at, int) {
                if (glyphs.insert(glyph.u16(at + 2)).second) {
                    open.push_back(glyph.u16(at + 2));
                }
            });
        }
    }
    std::map<int, int> numbers;
    for (const int glyph : glyphs) {
        numbers.emplace(glyph, static_cast<int>(numbers.size()));
    }

    std::map<QByteArray, QByteArray> tables;
    QByteArray outlines, offsets, metrics;
    for (const int glyph : glyphs) {
        put32(offsets, static_cast<quint32>(outlines.size()));
        outlines += rewritten(font.outline(glyph), numbers);
        pad(outlines);
        const auto [advance, bearing] = font.metrics(glyph);
        put16(metrics, advance);
        put16(metrics, bearing);
    }
    put32(offsets, static_cast<quint32>(outlines.size()));
    for (auto& [character, glyph] : wanted) {
        glyph = numbers.at(glyph);
    }
    const int count = static_cast<int>(glyphs.size());
    tables["glyf"] = outlines;
    tables["loca"] = offsets;
    tables["hmtx"] = metrics;
    tables["cmap"] = characterMap(wanted);
    tables["name"] = names(font.table("name"));
    tables["OS/2"] = font.table("OS/2");
    tables["head"] = font.table("head");
    set32(tables["head"], 8, 0);
    set16(tables["head"], 50, 1);
    tables["hhea"] = font.table("hhea");
    set16(tables["hhea"], 34, count);
    tables["maxp"] = font.table("maxp");
    set16(tables["maxp"], 4, count);
    QByteArray post;
    put32(post, 0x00030000); // no glyph names
    tables["post"] = post + font.table("post").mid(4, 28);
    return assembled(tables);
}

} // namespace partita::ui
