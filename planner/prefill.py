"""How prefill time scales with length and model: by floating-point operations, from the measured point."""

from planner.llm import Model, load_model
from planner.stations import prefill_flops


def attention_width(model: Model) -> float | None:
    """Return layers × query heads × 2 × head dimension (keys, values); None where the query heads are not known."""
    if model.attention_heads_count is None:
        return None
    return 2.0 * model.layers_count * model.attention_heads_count * model.head_dim


def prefill_ratio(
    model_id: str, new_tokens: float, prompt_tokens: float, measured_id: str, measured_tokens: float
) -> float | None:
    """Return prefill time over that of the measured point, as the ratio of floating-point operations.

    Parameters
    ----------
    model_id, measured_id : str
        The asked model, and the one that was measured.
    new_tokens, prompt_tokens : float
        Tokens to compute, and the length of the prompt they end.
    measured_tokens : float
        Length of the measured prompt, which was computed whole.

    Returns
    -------
    float or None
        None where a model's active parameters or query heads are not known: no plausible guess is made.
    """
    if model_id == measured_id and new_tokens == prompt_tokens == measured_tokens:
        return 1.0
    operations = []
    for name, new, length in ((model_id, new_tokens, prompt_tokens), (measured_id, measured_tokens, measured_tokens)):
        model = load_model(name)
        width = attention_width(model)
        if model.params_active_count is None or width is None:
            return None
        operations.append(float(prefill_flops(new, length, model.params_active_count, width)))
    return operations[0] / operations[1]
