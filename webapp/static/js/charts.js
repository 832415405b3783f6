// Draws every element with data-chart from the JSON of the page; no option is code, so the policy needs no exception.
//
//   {{ option|json_script:"ttft-data" }}
//   <div class="fx-chart" data-chart="ttft-data" role="img" aria-label="…"></div>
//
// The JSON is an ECharts option. Beside what ECharts knows, a series may be
//   {"type": "band", "name": "P10–P90", "data": [[x, low, high], …]}   the range of a prediction, filled;
// the legend names it only together with a line of the same name, which it is switched on and off with. "colorIndex" on
// a series picks its colour. "fx": {"unit": "s", "digits": 2} on the option says how the tooltip writes y values.
(function () {
  "use strict";

  const COLOURS = {
    light: { text: "#182433", grid: "#dce1e7", series: ["#0b5cad", "#d9480f", "#2b8a3e", "#862e9c", "#0b7285", "#a61e4d"] },
    dark: { text: "#dce1e7", grid: "#3a4859", series: ["#4c9be8", "#ff922b", "#69db7c", "#da77f2", "#3bc9db", "#f783ac"] },
  };

  function theme() {
    return document.documentElement.getAttribute("data-bs-theme") === "dark" ? COLOURS.dark : COLOURS.light;
  }

  function bandSeries(band, colour) {
    const points = band.data;
    return {
      type: "custom",
      name: band.name,
      silent: true,
      tooltip: { show: false },
      itemStyle: { color: band.color || colour, opacity: 0.18 },
      encode: { x: 0, y: [1, 2] },
      data: points.length ? [points[0].concat([0])] : [],
      clip: true,
      z: 1,
      renderItem: function (params, api) {
        const upper = points.map((p) => api.coord([p[0], p[2]]));
        const lower = points.map((p) => api.coord([p[0], p[1]])).reverse();
        return {
          type: "polygon",
          shape: { points: upper.concat(lower) },
          style: { fill: band.color || colour, opacity: 0.18 },
        };
      },
    };
  }

  function axis(own, colours) {
    if (Array.isArray(own)) return own.map((one) => axis(one, colours));
    return Object.assign(
      { nameLocation: "middle", nameGap: 34, axisLine: { lineStyle: { color: colours.grid } } },
      own,
      {
        nameTextStyle: Object.assign({ color: colours.text }, (own || {}).nameTextStyle),
        axisLabel: Object.assign({ color: colours.text }, (own || {}).axisLabel),
        splitLine: { lineStyle: { color: colours.grid } },
      },
    );
  }

  function complete(option, label) {
    const colours = theme();
    const shown = Object.assign({}, option);
    const fx = option.fx || {};
    delete shown.fx;
    let index = 0;
    shown.series = (option.series || []).map((one) => {
      const colour = colours.series[(one.colorIndex === undefined ? index : one.colorIndex) % colours.series.length];
      if (one.type === "band") return bandSeries(one, colour);
      index += 1;
      return one.colorIndex === undefined ? one : Object.assign({ color: colour }, one);
    });
    const drawn = (option.series || []).filter((one) => one.type !== "band");
    const names = Array.from(new Set(drawn.map((one) => one.name).filter(Boolean)));
    const digits = fx.digits === undefined ? 2 : fx.digits;
    const number = new Intl.NumberFormat(document.documentElement.lang, { maximumFractionDigits: digits });
    return Object.assign(
      {
        color: colours.series,
        animation: !window.matchMedia("(prefers-reduced-motion: reduce)").matches,
        grid: { left: 8, right: 16, top: 48, bottom: 40, containLabel: true },
      },
      shown,
      {
        textStyle: { color: colours.text },
        legend: Object.assign({ type: "scroll", top: 0, data: names, textStyle: { color: colours.text } }, option.legend),
        xAxis: option.xAxis && axis(option.xAxis, colours),
        yAxis: option.yAxis && axis(option.yAxis, colours),
        tooltip: Object.assign(
          { trigger: "axis", valueFormatter: (value) => (typeof value === "number" ? number.format(value) + (fx.unit ? " " + fx.unit : "") : "–") },
          option.tooltip,
          { renderMode: "richText", confine: true },
        ),
        // The page words what the chart says in the reader's language; ECharts would recite the numbers in English.
        aria: Object.assign({ enabled: true, label: label ? { description: label } : {} }, option.aria),
      },
    );
  }

  function draw(element) {
    const source = document.getElementById(element.dataset.chart);
    if (!source || typeof window.echarts === "undefined") return;
    const label = element.getAttribute("aria-label");
    const chart = window.echarts.getInstanceByDom(element) || window.echarts.init(element, null, { renderer: "svg" });
    chart.setOption(complete(JSON.parse(source.textContent), label), { notMerge: true });
    if (!element.fxResize) {
      element.fxResize = new ResizeObserver(() => chart.resize());
      element.fxResize.observe(element);
    }
  }

  function drawAll(root) {
    if (root.matches && root.matches("[data-chart]")) draw(root);
    root.querySelectorAll("[data-chart]").forEach(draw);
  }

  function dropOld(event) {
    const old = event.target && event.target.querySelectorAll ? event.target.querySelectorAll("[data-chart]") : [];
    old.forEach((element) => {
      if (element.fxResize) element.fxResize.disconnect();
      const chart = window.echarts && window.echarts.getInstanceByDom(element);
      if (chart) chart.dispose();
    });
  }

  document.addEventListener("DOMContentLoaded", () => drawAll(document.body));
  document.addEventListener("htmx:beforeSwap", dropOld);
  document.addEventListener("htmx:afterSettle", () => drawAll(document.body));
  new MutationObserver(() => drawAll(document.body)).observe(document.documentElement, { attributeFilter: ["data-bs-theme"] });
})();
