// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/formats/hf_fields.h"

namespace partita {

/// The number format that a quantization_config gives the weights. Nothing and a note in `ignored` where it names a
/// method or a width that is not known. Internal to core/formats.
std::optional<DataType> readQuantisation(HfFields& quantisation);

} // namespace partita
