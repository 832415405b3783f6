"""Right values of the own serving fixtures, worked out by hand (see the comments)."""

from typing import Any

# (file, number of the run, {field: value}); fields are those of a run, "ttft_s.p50" its quantiles, "facts.x" its facts
CASES: tuple[tuple[str, int, dict[str, Any]], ...] = (
    (
        "vllm_serving_appended.json",
        0,
        {
            "regime": "closed",  # an unlimited rate under max_concurrency
            "concurrency_count": 8,
            "request_rate_per_s": None,
            "requests_failed_count": 0,
            "ttft_s.p50": 0.5,
            "ttft_s.p99": 0.9,
            "tpot_s.mean": 0.0175,
            "prompt_tokens": 1000,  # 100 000 / 100
            "percentile_rule": "linear",
        },
    ),
    (
        "vllm_serving_appended.json",
        1,
        {"regime": "open", "requests_ok_count": 1015, "requests_failed_count": 985, "ttft_s.p50": None},
    ),
    (
        "vllm_serving_detailed.json",
        0,
        {
            # of the three good requests: TTFT 0.1, 0.2, 0.3; decode 0.04, 0.06, 0.08 over 2 gaps; e2e 0.14, 0.26, 0.38
            "ttft_s.p50": 0.2,
            "ttft_s.p90": 0.28,  # 0.2 + 0.8 x 0.1
            "tpot_s.p50": 0.03,
            "tpot_s.mean": 0.03,
            "e2e_s.p50": 0.26,
            "e2e_s.p95": 0.368,  # 0.26 + 0.9 x 0.12
            "requests_failed_count": 1,
            "tensor_parallel_count": 4,
            "gpu": "H20",
        },
    ),
    (
        "vllm_sweep_summary.csv",
        0,
        {"regime": "burst", "tensor_parallel_count": 2, "e2e_s.p50": 0.492, "ttft_s.p50": 0.1},
    ),
    (
        "vllm_sweep_summary.csv",
        1,
        {"regime": "open", "request_rate_per_s": 4.0, "ttft_s.p50": None, "tpot_s.p50": 0.009},
    ),
    ("vllm_sweep_summary.json", 0, {"ttft_s.p50": 0.08, "output_tokens_per_s": 125.0}),
    (
        "vllm_throughput.json",
        0,
        {"regime": "burst", "total_tokens_per_s": 2000.0, "output_tokens_per_s": None, "ttft_s": None},
    ),
    ("vllm_latency.json", 0, {"e2e_s.p50": 2.5, "e2e_s.p95": 3.85, "e2e_s.p99": 3.97, "requests_ok_count": None}),
    (
        "vllm_multiturn.txt",
        0,
        {
            "regime": "closed",
            "concurrency_count": 4,
            "ttft_s.p50": 0.119,
            "tpot_s.p90": 0.013,
            "duration_s": 25.0,
            "output_tokens": 101,
        },
    ),
    (
        "sglang_serving.jsonl",
        0,
        {
            "regime": "closed",
            "concurrency_count": 16,
            "tpot_s.p50": None,  # "-0.00" is no measurement
            "tpot_s.p99": 0.02,
            "requests_failed_count": None,  # the tool cannot say
            "tensor_parallel_count": 8,
            "facts.concurrency": 15.6,
        },
    ),
    (
        "sglang_serving.jsonl",
        1,
        {"regime": "open", "total_tokens_per_s": 700.0, "requests_per_s": 2.0},
    ),  # (6400 + 16000) / 32
    (
        "sglang_hicache.jsonl",
        0,
        {"ttft_s.p50": 1.0, "hit_fraction": 0.75, "prompt_tokens": 2000, "percentile_rule": "sorted[int(q*n)]"},
    ),
    ("sglang_hicache.jsonl", 1, {"request_rate_per_s": 14.0, "prompt_tokens": None, "total_tokens_per_s": None}),
    (
        "sglang_console.txt",
        0,
        {"regime": "closed", "ttft_s.p99": 0.6, "e2e_s.p50": 3.75, "requests_failed_count": 0, "output_tokens": 200},
    ),
    (
        "guidellm_new.json",
        0,
        {
            "requests_ok_count": 19,  # what the statistics cover, not the 23 of the scheduler
            "requests_failed_count": 1,
            "concurrency_count": 4,
            "regime": "closed",
            "ttft_s.p50": 0.2,
            "e2e_s.mean": 4.0,  # seconds
            "requests_per_s": 0.95,
            "total_tokens_per_s": 1447.8,  # 0.95 x (500 + 1024), so the stated value stands
            "percentile_rule": "sorted[ceil(q*n)-1]",
            "model": "own/model-e",
        },
    ),
    ("guidellm.yaml", 0, {"regime": "open", "request_rate_per_s": 2.5, "ttft_s.p99": 0.18, "requests_per_s": 2.5}),
    (
        "guidellm_new.csv",
        0,
        {"concurrency_count": 1, "ttft_s.p99": 0.07, "e2e_s.p90": 2.5, "total_tokens_per_s": 250.0},
    ),
    ("guidellm_old.csv", 0, {"regime": "open", "ttft_s.p90": 0.09, "e2e_s.p50": 1.4, "requests_failed_count": 3}),
    (
        "guidellm_parsed.json",
        0,
        {"e2e_s.mean": 1.5, "ttft_s.p99": 0.7},
    ),  # 0.5 + 100 x 0.01 = 1.5 s: here the label is right
    (
        "perf_export.json",
        0,
        {
            "regime": "closed",
            "concurrency_count": 8,
            "itl_s.p50": 0.0089,
            "requests_failed_count": 2,
            "total_tokens_per_s": 4800.0,
        },
    ),
    (
        "aiperf_records.jsonl",
        0,
        {
            "ttft_s.p50": 0.6,  # the 6th of 0.1 … 1.1
            "ttft_s.p95": 1.05,
            "requests_ok_count": 11,
            "requests_failed_count": 1,
            "duration_s": 12.0,
            "output_tokens_per_s": 19.25,  # 11 x 21 / 12
        },
    ),
    (
        "perf_analyzer.json",
        0,
        {"ttft_s.p50": 0.3, "e2e_s.p50": 1.0, "tpot_s": None, "requests_failed_count": 1, "concurrency_count": 2},
    ),
    (
        "inference_perf_stage.json",
        0,
        {"regime": "closed", "concurrency_count": 4, "ttft_s.p50": 0.2, "requests_failed_count": 2},
    ),
    (
        "inference_perf_requests.json",
        0,
        {
            "ttft_s.mean": 0.75,
            "tpot_s.mean": 0.1,
            "e2e_s.p50": 2.0,
            "requests_ok_count": 2,
        },  # (1.5/10 + 1/20) / 2 = 0.1
    ),
    (
        "inferencemax_agg.json",
        0,
        {
            "total_tokens_per_s": 4000.0,
            "output_tokens_per_s": 2000.0,
            "ttft_s.p50": 0.5,
            "tensor_parallel_count": 8,
            "gpu": "h200",
        },
    ),
    (
        "llmperf_responses.json",
        0,
        {"ttft_s.p50": 1.0, "requests_failed_count": 1, "prompt_tokens": 150, "tpot_s": None},
    ),
    (
        "lmcache_requests_qps0.5.csv",
        0,
        {
            "tpot_s.p50": 0.075,  # 1.0/10 and 1.0/20; the one-token answer has none
            "output_tokens_per_s": 6.6,  # 33 / 5 s
            "request_rate_per_s": 0.5,  # in the name, and 2 gaps in 4 s
            "requests_failed_count": None,
        },
    ),
    (
        "lmcache.log",
        0,
        {"hit_fraction": 0.512, "prompt_tokens": 1000, "facts.store_bytes_per_s": 10737418240.0},
    ),  # 0.5 GiB / 50 ms
    ("lmcache_validation.json", 0, {"output_tokens_per_s": 250.0, "total_tokens_per_s": None}),
    ("long_doc_qa.txt", 0, {"ttft_s.mean": 2.5, "requests_failed_count": 0}),
    ("long_doc_qa.txt", 1, {"ttft_s.mean": 0.4, "ttft_s.p50": None, "requests_failed_count": 2, "requests_per_s": 0.8}),
    (
        "evalscope_summary.json",
        0,
        {"ttft_s.mean": 0.25, "regime": "closed", "concurrency_count": 4, "requests_failed_count": 1},
    ),
    ("evalscope_percentile.json", 0, {"ttft_s.p99": 0.6, "tpot_s.p50": 0.017, "percentile_rule": "unknown"}),
    (
        "llmd_report.json",
        0,
        {
            "duration_s": 90.5,
            "requests_ok_count": 97,
            "ttft_s.p50": 0.22,
            "e2e_s.p50": 3.0,
            "tensor_parallel_count": 4,
            "gpu": "H100",
        },
    ),
    (
        "prometheus.txt",
        0,
        {
            # second scrape less the first: 0, 40, 80, 100 at or below 0.1, 0.5, 1.0, inf; rank 50 lies in 0.5 … 1.0
            "ttft_s.p50": 0.625,  # 0.5 + 0.5 x 10/40
            "ttft_s.p90": None,  # beyond the last bound
            "facts.ttft_s.p90_at_least": 1.0,
            "ttft_s.mean": 0.7,  # 70 / 100
            "hit_fraction": 0.25,  # 50 000 / 200 000
            "percentile_rule": "histogram-bucket",
        },
    ),
    ("vllm.log", 0, {"facts.log_prefix_hit_max": 0.5, "output_tokens_per_s": None, "facts.log_running_max": 4.0}),
    (
        "serving_table.csv",
        0,
        {
            "ttft_s.p99": 4.25,
            "tpot_s.p50": 0.0241,
            "regime": "burst",
            "percentile_rule": "sorted[int(q*n)]",
            "concurrency_count": 8,
        },
    ),
    (
        "serving_table.csv",
        1,
        {"ttft_s.p99": None, "output_tokens_per_s": None, "percentile_rule": "unknown", "source.part": "row warm/16"},
    ),
)
