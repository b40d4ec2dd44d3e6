// What words mean, where they stand: links to the glossary, the legends and titles of axes of charts, which take no
// link, and the legend of the stage. Under the pointer, at the keyboard's focus or after a first tap the meaning stands beside the word.
// terms.py sends the meanings by the form of a word as it is written, in small letters.
const LINK = 'a[href*="guide?term="]', LEGEND = ".legend .traces", TITLE = ".xtitle, .ytitle, .x2title, .y2title", STAGE = ".memviz-stage .legend li";
const LEAVES_MS = 180; // the pointer may come over to the tooltip
const GAP_PX = 6;
let tip = null, at = null, leaving = null, tapped = null, touches = false, terms = {};

const meaningOf = (place) => {
    if (place.matches(LINK)) return terms[new URL(place.href).searchParams.get("term")];
    const text = (place.querySelector(".legendtext") ?? place).textContent.trim().toLowerCase();
    if (terms[text] || place.matches(LEGEND)) return terms[text];
    return text.split(/[^a-z]+/).map((word) => terms[word]).find(Boolean);
};
const element = () => {
    if (tip?.isConnected) return tip;
    tip = document.createElement("div");
    tip.className = "memviz-tip";
    tip.id = "memviz-tip";
    tip.setAttribute("role", "tooltip");
    tip.popover = "manual"; // above panels and dialogs
    tip.addEventListener("pointerenter", () => clearTimeout(leaving));
    tip.addEventListener("pointerleave", leave);
    (document.querySelector('[data-testid="stApp"]') ?? document.body).append(tip);
    return tip;
};
const putBeside = (box, place) => {
    const word = place.getClientRects()[0] ?? place.getBoundingClientRect();
    const { width, height } = box.getBoundingClientRect();
    const above = word.top - height - GAP_PX;
    box.style.left = `${Math.max(8, Math.min(word.left, innerWidth - width - 8))}px`;
    box.style.top = `${above >= 8 ? above : word.bottom + GAP_PX}px`;
};
const show = (place) => {
    clearTimeout(leaving);
    const meaning = meaningOf(place);
    if (!meaning || at === place) return;
    hide();
    const box = element(), name = document.createElement("b");
    name.textContent = meaning.term;
    box.replaceChildren(name, `: ${meaning.meaning}`);
    box.showPopover();
    putBeside(box, place);
    place.setAttribute("aria-describedby", box.id);
    if (place.matches(LINK)) place.target = "_blank"; // st.html takes it away; what is open on the page is to stay open
    at = place;
};
const hide = () => {
    at?.removeAttribute("aria-describedby");
    if (at) tip?.hidePopover();
    at = null;
};
const leave = () => {
    clearTimeout(leaving);
    leaving = setTimeout(hide, LEAVES_MS);
};
const placeOf = (event) => {
    const place = event.composedPath()[0].closest?.(`${LINK}, ${LEGEND}, ${TITLE}, ${STAGE}`); // the stage is in a shadow
    return place?.closest(".memviz-meanings") ? null : place; // there the meaning stands beside the word
};

export default function ({ data }) {
    terms = data.terms;
    if (window.memvizTerms) return;
    window.memvizTerms = true;
    document.addEventListener("pointerover", (event) => {
        const place = placeOf(event);
        if (place && event.pointerType !== "touch") show(place);
        else if (at && !tip.contains(event.target)) leave();
    });
    document.addEventListener("focusin", (event) => {
        const place = placeOf(event);
        if (place?.matches(LINK)) show(place);
        else if (at) leave();
    });
    document.addEventListener("pointerdown", (event) => {
        touches = event.pointerType === "touch";
        if (touches && placeOf(event) !== at) hide();
    }, true);
    document.addEventListener("click", (event) => {
        const place = placeOf(event);
        if (touches && place?.matches(LINK) && tapped !== place) {
            event.preventDefault(); // a finger cannot point: its first tap explains, the second one follows the link
            show(place);
        }
        tapped = touches ? place : null;
    }, true);
    document.addEventListener("keydown", (event) => event.key === "Escape" && hide());
    document.addEventListener("scroll", () => at && putBeside(tip, at), { capture: true, passive: true });
    const pointed = document.querySelector(`:is(${LINK}):hover`); // before this was loaded
    if (pointed) show(pointed);
}
