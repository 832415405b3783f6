"""A page with one chart, to see charts.js at work."""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.template import engines
from django.urls import path

PAGE = """{% load static %}<!doctype html><html lang="en" data-bs-theme="light"><head><title>c</title>
<link rel="stylesheet" href="{% static 'css/app.css' %}"><link rel="icon" href="{% static 'img/favicon.svg' %}">
<script src="{% static 'vendor/echarts/echarts.min.js' %}" defer></script>
<script src="{% static 'js/charts.js' %}" defer></script></head><body>
{{ option|json_script:"ttft" }}
<div class="fx-chart" data-chart="ttft" role="img" aria-label="TTFT over concurrency"></div></body></html>"""
OPTION = {
    "fx": {"unit": "s", "digits": 2},
    "xAxis": {"type": "value", "name": "concurrency"},
    "yAxis": {"type": "value", "name": "TTFT, s"},
    "series": [
        {"type": "band", "name": "P10-P90", "data": [[8, 7, 9], [16, 11, 14], [32, 22, 27]]},
        {"type": "line", "name": "FX100", "data": [[8, 8], [16, 12.4], [32, 24]]},
        {"type": "scatter", "name": "measured", "data": [[8, 7.5], [16, 11.85], [32, 24.6]]},
    ],
}


@login_not_required
def chart(request: HttpRequest) -> HttpResponse:
    """Show the chart."""
    return HttpResponse(engines["django"].from_string(PAGE).render({"option": OPTION}, request))


urlpatterns = [path("chart/", chart)]
