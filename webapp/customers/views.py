"""Pages of customers."""

from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from webapp.accounts.rights import Action, requires, signed_in
from webapp.customers import services
from webapp.customers.forms import CustomerForm
from webapp.customers.models import Customer
from webapp.customers.selectors import customer_get, customer_list
from webapp.home.forms import replace_value
from webapp.scenarios.selectors import scenario_list

PAGE_ROWS = 25
SEARCH_CHARACTERS = 100


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """List the customers of the team."""
    archived = request.GET.get("archived") == "1"
    search = request.GET.get("q", "").replace("\x00", "").strip()[:SEARCH_CHARACTERS]
    customers = customer_list(user=signed_in(request), archived=archived, search=search)
    page = Paginator(customers, PAGE_ROWS).get_page(request.GET.get("page"))
    return render(request, "customers/list.html", {"page": page, "archived": archived, "search": search})


@require_safe
def detail(request: HttpRequest, customer_id: UUID) -> HttpResponse:
    """Show one customer and its scenarios."""
    user = signed_in(request)
    customer = customer_get(user=user, customer_id=customer_id)
    scenarios = scenario_list(user=user, customer=customer)
    return render(request, "customers/detail.html", {"customer": customer, "scenarios": scenarios})


@requires(Action.EDIT_CUSTOMERS)
@require_http_methods(["GET", "HEAD", "POST"])
def create(request: HttpRequest) -> HttpResponse:
    """Note a new customer."""
    form = CustomerForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            customer = services.customer_create(user=signed_in(request), **form.cleaned_data)
        except services.NameTaken:
            form.add_error("name", _("Your team has a customer of this name already, perhaps an archived one."))
        else:
            messages.success(request, _("Customer saved. Next: describe what they want to run."))
            return redirect("customers:detail", customer_id=customer.id)
    return render(request, "customers/form.html", {"form": form})


@requires(Action.EDIT_CUSTOMERS)
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, customer_id: UUID) -> HttpResponse:
    """Change a customer; a save that would overwrite somebody else's shows both instead."""
    customer = customer_get(user=signed_in(request), customer_id=customer_id)
    form = CustomerForm(request.POST or None, instance=customer, initial={"version": customer.version})
    current: Customer | None = None
    if request.method == "POST" and form.is_valid():
        values = dict(form.cleaned_data)
        version = values.pop("version") or 0
        try:
            services.customer_update(customer=customer, version=version, **values)
        except services.NameTaken:
            form.add_error("name", _("Your team has a customer of this name already, perhaps an archived one."))
        except services.Conflict as conflict:
            current = conflict.current
            form.add_error(None, _("Somebody else saved this customer while you were typing. Nothing was overwritten."))
            replace_value(form, "version", str(current.version))
        else:
            messages.success(request, _("Saved."))
            return redirect("customers:detail", customer_id=customer.id)
    customer = customer_get(user=signed_in(request), customer_id=customer_id)
    return render(request, "customers/form.html", {"form": form, "customer": customer, "current": current})


@requires(Action.EDIT_CUSTOMERS)
@require_POST
def archive(request: HttpRequest, customer_id: UUID) -> HttpResponse:
    """Put a customer away, or bring it back."""
    customer = customer_get(user=signed_in(request), customer_id=customer_id)
    archived = request.POST.get("archived") == "1"
    services.customer_set_archived(customer=customer, archived=archived)
    messages.success(request, _("Archived. You find it under “Archived”.") if archived else _("Restored."))
    return redirect("customers:detail", customer_id=customer.id)
