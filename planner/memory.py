"""GPU memory left for KV, and how many requests of a length fit into one engine's batch."""

from planner.llm import DTYPE_BYTES, load_model
from planner.scenario import Scenario

GPU_MEMORY_UTILIZATION_FRACTION = 0.9
"""vLLM's default ``gpu_memory_utilization``."""


def kv_memory_bytes(scenario: Scenario) -> float | None:
    """Return the memory of one engine left for KV: its GPUs' memory × 0.9 less the weights; None without a size.

    Activations are not subtracted: the figure is an upper bound.
    """
    params = load_model(scenario.model.id).params_total_count
    if params is None:
        return None
    node = scenario.cluster.node_record
    memory = scenario.cluster.tensor_parallel_count * node.hbm_bytes_per_gpu * GPU_MEMORY_UTILIZATION_FRACTION
    return memory - params * DTYPE_BYTES[scenario.model.weight_dtype]


def batch_limit_count(scenario: Scenario, kv_bytes: float) -> int | None:
    """Return how many requests fit into one engine at once, or None where the model's size is not known."""
    memory = kv_memory_bytes(scenario)
    if memory is None:
        return None
    tokens = scenario.workload.prompt_tokens + scenario.workload.output_tokens
    return max(int(memory // (tokens * kv_bytes)), 0)
