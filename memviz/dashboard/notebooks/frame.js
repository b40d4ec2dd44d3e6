"use strict";
// The output of a notebook's cell in its frame: light or dark as the notebook is, as high as its content, and with what
// the marks of a chart say when one points at them. Where a notebook shuts the frame off, it keeps the height that it
// has and takes light or dark from the system.
(() => {
  const root = document.documentElement, frame = window.frameElement;
  const STAGE_PIXELS = 430; // what the animation arranges itself for: the frame grows and shrinks with it
  const THEME_MILLISECONDS = 600; // a notebook names its theme before the style of it is there
  const player = document.getElementById("player"), tip = document.getElementById("tip");
  let stage = null;

  // Red, green, blue and opacity (0 to 255) of any colour that CSS knows.
  function readColor(color) {
    const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    context.fillStyle = color;
    context.fillRect(0, 0, 1, 1);
    return context.getImageData(0, 0, 1, 1).data;
  }

  const brightness = ([red, green, blue]) => 0.299 * red + 0.587 * green + 0.114 * blue;

  // The background on which the frame stands; null where nothing has one.
  function hostBackground() {
    for (let box = frame; box; box = box.parentElement ?? box.getRootNode().host) {
      const color = getComputedStyle(box).backgroundColor;
      if (readColor(color)[3] > 127) return color;
    }
    return null;
  }

  function takeTheme() {
    const background = hostBackground(), letters = brightness(readColor(getComputedStyle(frame).color));
    const isDark = background === null ? letters > 127 : brightness(readColor(background)) < letters;
    root.dataset.theme = isDark ? "dark" : "light";
    if (background) root.style.setProperty("--background", background);
    stage?.recolor();
  }

  function showTip(event) {
    const mark = event.target.closest("[data-tip]");
    tip.hidden = !mark;
    if (!mark) return;
    tip.textContent = mark.dataset.tip;
    const { offsetWidth, offsetHeight } = tip, right = document.body.clientWidth - offsetWidth - 4;
    const below = event.pageY + 16, fits = below + offsetHeight <= document.body.scrollHeight;
    tip.style.left = `${Math.max(0, Math.min(event.pageX + 12, right))}px`;
    tip.style.top = `${fits ? below : Math.max(0, event.pageY - offsetHeight - 12)}px`;
  }

  for (const drawn of document.querySelectorAll(".drawn")) {
    drawn.addEventListener("pointermove", showTip);
    drawn.addEventListener("pointerleave", () => (tip.hidden = true));
  }
  if (player) {
    const played = JSON.parse(document.getElementById("played").textContent);
    stage = new MemvizStage(player, played, { windowHeight: () => player.offsetTop + STAGE_PIXELS });
  }
  if (frame) {
    takeTheme();
    const themes = new MutationObserver(() => {
      takeTheme();
      setTimeout(takeTheme, THEME_MILLISECONDS);
    });
    const { documentElement, body } = frame.ownerDocument;
    for (const box of [documentElement, body]) themes.observe(box, { attributes: true });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", takeTheme);
    new ResizeObserver(() => (frame.style.height = `${document.body.offsetHeight}px`)).observe(document.body);
  }
})();
