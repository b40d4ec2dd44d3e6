"use strict";
// Draws the charts of the report one after the other, in the colours of the reader's theme, and light for print, and
// puts the player of memviz/dashboard/stage/stage.js in its place.
(() => {
  const { charts, templates, config } = JSON.parse(document.getElementById("charts").textContent);
  const places = [...document.querySelectorAll(".chart")];
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const PRINT_PIXELS = 680;

  function draw(place, theme, size = {}) {
    const { data, layout, changes } = charts[place.dataset.chart];
    for (const [path, light, other] of changes) {
      const owner = path.slice(0, -1).reduce((value, key) => value[key], { data, layout });
      owner[path.at(-1)] = theme === "dark" ? other : light;
    }
    const narrow = place.clientWidth < 500 ? { margin: { ...layout.margin, l: 62 } } : {};
    const picture = { toImageButtonOptions: { filename: place.dataset.chart, scale: 2 } };
    const drawn = { ...layout, ...narrow, ...size, template: templates[theme] };
    return Plotly.react(place, data, drawn, { ...config, ...picture });
  }

  const theme = () => (dark.matches ? "dark" : "light");
  const drawAll = () => places.forEach((place) => draw(place, theme()));

  function drawNext(waiting) {
    if (!waiting.length) return document.documentElement.setAttribute("data-drawn", "all");
    draw(waiting[0], theme()).then(() => setTimeout(drawNext, 0, waiting.slice(1)));
  }

  addEventListener("beforeprint", () => {
    for (const place of places) draw(place, "light", { width: PRINT_PIXELS });
  });
  addEventListener("afterprint", drawAll);
  dark.addEventListener("change", drawAll);
  drawNext(places);
  const played = JSON.parse(document.getElementById("played").textContent);
  if (played) new MemvizStage(document.getElementById("player"), played);
})();
