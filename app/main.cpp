// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstdio>
#include <string_view>

int main(int argc, char** argv)
{
    if (argc == 2 && std::string_view(argv[1]) == "--version") {
        std::puts("partita " PARTITA_VERSION);
        return 0;
    }
    std::fputs("usage: partita --version\n", stderr);
    return 1;
}
