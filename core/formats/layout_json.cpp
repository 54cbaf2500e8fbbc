// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/formats/layout_json.h"

namespace partita {

nlohmann::ordered_json layoutObject(const Layout& layout)
{
    Layout copy = layout; // descriptions take what they may have to read into
    FieldWriter fields;
    describe(fields, copy);
    return fields.take();
}

} // namespace partita
