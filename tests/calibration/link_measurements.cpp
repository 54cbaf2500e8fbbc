// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/calibration/link_measurements.h"

namespace partita::calibration {

std::vector<Inside> insideLinks()
{
    return {
        {"nvlink-3", false, 8, {{"a100_sxm", "aiconfigurator_a100_sxm_nccl_2.27.3.csv", ""}}},
        {"nvlink-4",
         true,
         8,
         {{"h100_sxm", "aiconfigurator_h100_sxm_nccl_2.29.2.csv", ""},
          {"h200_sxm", "aiconfigurator_h200_sxm_nccl_2.29.2.csv", ""}}},
        {"nvlink-5",
         true,
         8,
         {{"b200_sxm", "aiconfigurator_b200_sxm_nccl_2.29.2.csv", ""},
          {"b300_sxm", "aiconfigurator_b300_sxm_nccl_2.29.2.csv", ""}}},
        {"nvlink-5-nvl72",
         true,
         72,
         {{"gb200", "aiconfigurator_gb200_nccl_2.29.2.csv", "02_gb200_72gpu_nvl72_coreweave.txt"},
          {"gb300", "aiconfigurator_gb300_nccl_2.29.2.csv", ""}}},
        {"pcie-4-no-peer", false, 8, {{"l40s", "aiconfigurator_l40s_nccl_2.27.3.csv", ""}}},
        {"pcie-5", false, 8, {{"rtx_pro_6000_server", "aiconfigurator_rtx_pro_6000_server_nccl_2.29.2.csv", ""}}},
    };
}

std::vector<Between> betweenLinks()
{
    // In two nodes of A100, NVLink sets the pace of large messages: RoCE keeps the latencies of its log, which
    // InfiniBand takes, and then takes the rates of InfiniBand, whose log is of 8 nodes.
    const std::string roce = "latencies fitted to the nccl-tests log of 16 A100, RoCE 16 x 100 Gb/s (fit_collectives); "
                             "efficiency and half size of infiniband-ndr-400";
    const std::string asInfiniBand = "constants assumed as of infiniband-ndr-400";
    const std::string asRoce = "constants assumed as of roce-200";
    return {
        {"efa-100",
         "16 A100, EFA 4 x 100 Gb/s",
         "08_a100_p4de_16gpu_2node_efa_srunlabel.txt",
         "nvlink-3",
         8,
         16,
         6.25e9,
         "",
         {}},
        {"efa-400",
         "16 H100, EFA 32 x 100 Gb/s",
         "09_h100_p5_16gpu_2node_efa_srunlabel.txt",
         "nvlink-4",
         8,
         16,
         50e9,
         "",
         {}},
        {"",
         "16 H100, TCPX 8 x 200 Gb/s",
         "12_h100_a3mega_16gpu_2node_markdown_mangled.txt",
         "nvlink-4",
         8,
         16,
         25e9,
         "",
         {}},
        {"roce-200",
         "16 A100, RoCE 16 x 100 Gb/s",
         "17_a100_16gpu_2node_roce_oke_full.txt",
         "nvlink-3",
         8,
         16,
         25e9,
         "",
         {}},
        {"infiniband-ndr-400",
         "64 H100, InfiniBand 8 x 400 Gb/s",
         "05_h100_64gpu_ib_sharp_coreweave.txt",
         "nvlink-4",
         8,
         64,
         50e9,
         "roce-200",
         {{"infiniband-edr-100", asInfiniBand},
          {"infiniband-hdr-200", asInfiniBand},
          {"infiniband-xdr-800", asInfiniBand},
          {"omni-path-100", asInfiniBand},
          {"roce-200", roce},
          {"roce-400", asRoce},
          {"ethernet-100", asRoce},
          {"slingshot-11", asRoce}}},
        {"",
         "GB200, InfiniBand, 2 racks",
         "03_gb200_144gpu_2racks_coreweave.txt",
         "nvlink-5-nvl72",
         72,
         144,
         50e9,
         "",
         {}},
        {"",
         "GB200, InfiniBand, 20 racks",
         "04_gb200_1440gpu_20racks_coreweave.txt",
         "nvlink-5-nvl72",
         72,
         1440,
         50e9,
         "",
         {}},
    };
}

} // namespace partita::calibration
