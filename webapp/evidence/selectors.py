"""Which evidence a person sees."""

from django.http import Http404

import measurements
from planner.runs import Dataset
from webapp.accounts.models import Organisation, User

PUBLIC = "public"


def dataset_list(*, user: User) -> list[Dataset]:
    """Return the shipped datasets; people of a customer see the public ones."""
    datasets = [measurements.load_dataset(name) for name in measurements.list_datasets()]
    return [dataset for dataset in datasets if _is_visible(dataset, user)]


def dataset_get(*, user: User, dataset_id: str) -> Dataset:
    """Return one dataset; one that is withheld does not exist (404)."""
    if dataset_id not in measurements.list_datasets():
        raise Http404
    dataset = measurements.load_dataset(dataset_id)
    if not _is_visible(dataset, user):
        raise Http404
    return dataset


def _is_visible(dataset: Dataset, user: User) -> bool:
    return dataset.data_class == PUBLIC or user.organisation.kind == Organisation.Kind.OURS
